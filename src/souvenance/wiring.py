"""Putting the house together from its settings."""

from __future__ import annotations

from souvenance.accounts.owner import ensure_owner
from souvenance.accounts.tokens import Tokens
from souvenance.application import Application
from souvenance.domain.clock import Clock, utc_now
from souvenance.memory.facts import Facts
from souvenance.notes.notes import Notes
from souvenance.settings import Settings
from souvenance.store.database import Database, sqlite_url
from souvenance.vaults.vaults import Vaults


def open_application(settings: Settings, *, clock: Clock = utc_now) -> Application:
    """Open the memory these settings point at, making it when it is not there yet."""
    url = settings.database_url.get_secret_value() if settings.database_url else sqlite_url(settings.data_folder)
    database = Database(url).open()
    vaults = Vaults(database, clock, has_local_embedder=settings.embedder == "local")
    return Application(
        database=database,
        owner=ensure_owner(database, clock),
        vaults=vaults,
        facts=Facts(database, clock, vaults),
        notes=Notes(database, clock),
        tokens=Tokens(database, clock),
    )
