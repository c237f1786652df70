"""Putting the house together from its settings."""

from __future__ import annotations

from souvenance.accounts.owner import ensure_owner
from souvenance.accounts.tokens import Tokens
from souvenance.application import Application
from souvenance.domain.clock import Clock, utc_now
from souvenance.exchange.engine import Exchange
from souvenance.ingest.folders import Folders
from souvenance.ingest.imports import Imports
from souvenance.ingest.watcher import Watcher
from souvenance.map.map import Map
from souvenance.memory.bulk import Bulk
from souvenance.memory.facts import Facts
from souvenance.memory.ladder import Ladder
from souvenance.memory.simulate import Simulations
from souvenance.models.embedder import Embedder
from souvenance.models.local import bundled_embedder, lacking
from souvenance.notes.context import Context
from souvenance.notes.history import History
from souvenance.notes.notes import Notes
from souvenance.retrieval.audit import Retrievals
from souvenance.retrieval.embedding import Embedding
from souvenance.retrieval.fact_search import FactSearch
from souvenance.retrieval.meaning import Meaning
from souvenance.retrieval.retrieval import Retrieval
from souvenance.servers.forgetting import Forgetting
from souvenance.servers.members import Members
from souvenance.servers.servers import Servers
from souvenance.settings import Settings
from souvenance.store.changes import Changes
from souvenance.store.database import Database, sqlite_url
from souvenance.upkeep.census import Census
from souvenance.upkeep.doctor import Doctor
from souvenance.vaults.attention import Attention
from souvenance.vaults.vaults import Vaults


def store_url(settings: Settings) -> str:
    """The URL of the store these settings point at."""
    return settings.database_url.get_secret_value() if settings.database_url else sqlite_url(settings.data_folder)


def open_application(settings: Settings, *, clock: Clock = utc_now, embedder: Embedder | None = None) -> Application:
    """Open the memory these settings point at, making it when it is not there yet.

    `embedder` takes the place of the one the settings name.
    """
    lacks = ""
    if embedder is None:
        embedder, lacks = bundled_embedder(settings.embedder), lacking(settings.embedder)
    database = Database(store_url(settings)).open()
    retrievals = Retrievals(database)
    vaults = Vaults(database, clock, has_local_embedder=embedder is not None)
    notes = Notes(database, clock)
    embedding = Embedding(database, embedder, clock, lacking=lacks)
    meaning = Meaning(embedding)
    fact_search = FactSearch(database, meaning)
    ladder = Ladder(database, clock, fact_search, retrievals)
    folders = Folders(database, clock)
    facts = Facts(database, clock, vaults)
    retrieval = Retrieval(database, clock, meaning, retrievals)
    return Application(
        database=database,
        owner=ensure_owner(database, clock),
        vaults=vaults,
        attention=Attention(database, clock),
        map=Map(database, clock, notes, embedding),
        changes=Changes(database),
        facts=facts,
        bulk=Bulk(database, clock),
        ladder=ladder,
        simulations=Simulations(database, ladder, fact_search, embedding),
        history=History(database, clock),
        context=Context(database),
        notes=notes,
        imports=Imports(database, clock, notes),
        folders=folders,
        watcher=Watcher(database, clock, folders),
        tokens=Tokens(database, clock),
        embedding=embedding,
        retrieval=retrieval,
        retrievals=retrievals,
        census=Census(database),
        servers=Servers(database, clock, vaults),
        members=Members(database, clock, vaults, facts, retrieval),
        forgetting=Forgetting(database, clock),
        exchange=Exchange(),
    )


def open_doctor(settings: Settings) -> Doctor:
    """The examination of the memory these settings point at; the memory need not open."""
    choice = settings.embedder
    return Doctor(store_url(settings), embedder=bundled_embedder(choice), lacking=lacking(choice))
