"""The vault that something is read into."""

from __future__ import annotations

from souvenance.domain.access import Actor
from souvenance.domain.errors import NotAllowed, NotFound
from souvenance.domain.vault import Vault, clean_name
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database


def require_importer(actor: Actor) -> None:
    """Refuse a model, and a caller who only reads."""
    if actor.is_model:
        raise NotAllowed("Only a person imports files.", hint="The owner does it on the command line.")
    actor.require_write()


def target_vault(database: Database, actor: Actor, name: str, *, may_miss: bool) -> Vault | None:
    """The vault to import to, which the actor reads over its route and configures; None where a dry run may do
    without."""
    try:
        with database.read() as tx:
            target = vault_rows.named_vault(tx, actor, name)
    except NotFound:
        if not may_miss:
            raise
        clean_name(name)
        return None
    if not target.can_configure:
        raise NotAllowed(
            "You may read this vault but not change it.", hint="Ask its team for the configure permission."
        )
    return target
