"""Putting the house together from its settings."""

from __future__ import annotations

import contextlib
from functools import partial

from souvenance.accounts.entry import Entry
from souvenance.accounts.invitations import Invitations
from souvenance.accounts.owner import ensure_owner
from souvenance.accounts.passwords import Passwords
from souvenance.accounts.sessions import Sessions
from souvenance.accounts.teams import Teams
from souvenance.accounts.tokens import Tokens
from souvenance.accounts.users import Users
from souvenance.application import Application
from souvenance.consolidation.decide import Proposals
from souvenance.consolidation.model import Model
from souvenance.consolidation.passes import Passes
from souvenance.domain.address import is_loopback
from souvenance.domain.clock import Clock
from souvenance.domain.endpoint import Reached, Use
from souvenance.domain.errors import EmbedderUnavailable, SouvenanceError
from souvenance.domain.person import User
from souvenance.exchange.applying import Applying
from souvenance.exchange.at_once import AtOnce
from souvenance.exchange.charge import Charge
from souvenance.exchange.conversations import Conversations
from souvenance.exchange.engine import Exchange
from souvenance.exchange.gathering import Gathering
from souvenance.exchange.heartbeat import Heartbeat
from souvenance.exchange.keeping import Keeping
from souvenance.exchange.lapsed import settle_lapsed
from souvenance.exchange.opening import Openings
from souvenance.exchange.spending import Counting
from souvenance.imports.chats.imports import ChatImports
from souvenance.imports.facts.imports import FactImports
from souvenance.imports.markdown import Imports
from souvenance.ingest.folders import Folders
from souvenance.ingest.watcher import Watcher
from souvenance.map.map import Map
from souvenance.memory.bulk import Bulk
from souvenance.memory.erase import Erasures
from souvenance.memory.exports import Exports
from souvenance.memory.facts import Facts
from souvenance.memory.ladder import Ladder
from souvenance.memory.purging import Purging
from souvenance.memory.simulate import Simulations
from souvenance.models.chat import Chat, Patience
from souvenance.models.embedder import Embedder
from souvenance.models.endpoint_embedder import EndpointEmbedder
from souvenance.models.endpoint_model import EndpointModel
from souvenance.models.endpoints import Endpoints
from souvenance.models.keyring import Keyring
from souvenance.models.local import bundled_embedder, lacking
from souvenance.notes.context import Context
from souvenance.notes.explorer import Explorer
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
from souvenance.store.replies import Sealing
from souvenance.upkeep.census import Census
from souvenance.upkeep.doctor import Doctor
from souvenance.vaults.attention import Attention
from souvenance.vaults.vaults import Vaults


def store_url(settings: Settings) -> str:
    """The URL of the store these settings point at."""
    return settings.database_url.get_secret_value() if settings.database_url else sqlite_url(settings.data_folder)


def open_application(
    settings: Settings,
    *,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    consolidation_model: Model | None = None,
) -> Application:
    """Open the memory these settings point at, making it when it is not there yet.

    `clock` takes the place of the store's; `embedder` of the one the settings name; `consolidation_model` that of the
    owner's endpoint for consolidation.
    """
    lacks = ""
    database = Database(store_url(settings)).open()
    clock = clock or database.clock
    owner = ensure_owner(database, clock)
    with contextlib.suppress(SouvenanceError):  # a store that can only be read opens all the same
        settle_lapsed(database, clock)
    chat = Chat(Patience(silence=settings.model_seconds))
    given_key = settings.master_key.get_secret_value() if settings.master_key else None
    keyring = Keyring(settings.data_folder, given_key)
    endpoints = Endpoints(database, clock, keyring)
    counting = Counting(database, clock)
    if embedder is None:
        embedder = _endpoint_embedder(endpoints, owner, chat, counting) if settings.embedder != "none" else None
    if embedder is None:
        embedder, lacks = bundled_embedder(settings.embedder), lacking(settings.embedder)
    retrievals = Retrievals(database)
    vaults = Vaults(database, clock, has_local_embedder=embedder is not None)
    notes = Notes(database, clock)
    embedding = Embedding(database, embedder, clock, lacking=lacks)
    meaning = Meaning(embedding)
    fact_search = FactSearch(database, meaning)
    ladder = Ladder(database, clock, fact_search, retrievals)
    folders = Folders(database, clock, settings.data_folder)
    facts = Facts(database, clock, vaults)
    retrieval = Retrieval(database, clock, meaning, retrievals)
    applying = Applying(database, clock, facts, ladder, vaults)
    keeping = Keeping(database, clock, counting, lambda: _sealing(keyring))
    map = Map(database, clock, notes, embedding, settings.data_folder / "map")
    changes = Changes(database)
    # Behind a proxy, whose name is allowed, others reach a server on loopback too.
    at_home = is_loopback(settings.host) and not settings.allowed_hosts.strip(" ,")
    passwords = Passwords()
    sessions = Sessions(database, clock, passwords, at_home=at_home)
    users = Users(database, clock, passwords, vaults)
    erasures = Erasures(
        database,
        clock,
        flush=retrievals.flush,
        sealer=lambda: _sealing(keyring),
        forget=[meaning.forget, lambda _: retrieval.forget(), lambda _: fact_search.forget(), lambda _: map.forget()],
    )
    return Application(
        database=database,
        clock=clock,
        owner=owner,
        vaults=vaults,
        attention=Attention(database, clock),
        map=map,
        changes=changes,
        facts=facts,
        bulk=Bulk(database, clock),
        erasures=erasures,
        purging=Purging(erasures, changes),
        ladder=ladder,
        simulations=Simulations(database, ladder, fact_search, embedding),
        passes=Passes(
            database,
            clock,
            embedding,
            model=lambda vault_id: consolidation_model or _endpoint_model(endpoints, owner, chat, counting, vault_id),
        ),
        proposals=Proposals(database, clock, embedding),
        history=History(database, clock),
        context=Context(database),
        notes=notes,
        explorer=Explorer(database),
        imports=Imports(database, clock, notes, settings.data_folder),
        fact_imports=FactImports(database, clock),
        chat_imports=ChatImports(database, clock, notes),
        exports=Exports(database, clock),
        folders=folders,
        watcher=Watcher(database, clock, folders),
        tokens=Tokens(database, clock, vaults),
        entry=Entry(database, clock, sessions, at_home=at_home),
        sessions=sessions,
        users=users,
        teams=Teams(database, clock),
        invitations=Invitations(database, clock, passwords, users, sessions),
        embedding=embedding,
        retrieval=retrieval,
        retrievals=retrievals,
        census=Census(database),
        servers=Servers(database, clock, vaults),
        members=Members(database, clock, vaults, facts, retrieval),
        forgetting=Forgetting(erasures),
        endpoints=endpoints,
        exchange=Exchange(
            openings=Openings(database, clock, endpoints, lambda: _sealing(keyring)),
            gathering=Gathering(database, ladder, retrieval),
            applying=applying,
            keeping=keeping,
            counting=counting,
            retrieval=retrieval,
            chat=chat,
            heartbeat=Heartbeat(database, clock, keeping),
            at_once=AtOnce(settings.answers_at_once),
        ),
        conversations=Conversations(database, clock, applying),
        spending=counting,
    )


def _endpoint_model(endpoints: Endpoints, owner: User, chat: Chat, counting: Counting, vault_id: int) -> Model | None:
    """The model behind the owner's endpoint for consolidation, as it is set now; what it spends is the vault's."""
    try:
        found = endpoints.reached(user_id=owner.id, use=Use.CONSOLIDATION)
    except SouvenanceError:  # its key cannot be opened: the pass goes on without
        return None
    if found is None:
        return None
    charge = Charge(counting=counting, vault_id=vault_id, use=Use.CONSOLIDATION, member=f"user:{owner.id}")
    return EndpointModel(found, chat, charge)


def _sealing(keyring: Keyring) -> Sealing | None:
    """What hashes of replies are sealed with when their vault is erased; None where no master key can be used."""
    try:
        return Sealing(keyring.derived("replies"))
    except SouvenanceError:
        return None


def _endpoint_embedder(endpoints: Endpoints, owner: User, chat: Chat, counting: Counting) -> Embedder | None:
    """The embedder behind the owner's endpoint for embeddings, where one is set; what it spends is counted."""
    chosen = endpoints.used_for(user_id=owner.id, use=Use.EMBEDDINGS)
    if chosen is None:
        return None

    def reached() -> Reached:
        found = endpoints.reached(user_id=owner.id, use=Use.EMBEDDINGS)
        if found is None or (found.model, found.route) != (chosen.model, chosen.route):
            raise EmbedderUnavailable(
                "The endpoint for embeddings was changed.", hint="Restart Souvenance to embed with the new one."
            )
        return found

    count = partial(counting.add_later, use=Use.EMBEDDINGS, member=f"user:{owner.id}")
    return EndpointEmbedder(chosen, reached, chat, count)


def open_doctor(settings: Settings) -> Doctor:
    """The examination of the memory these settings point at; the memory need not open."""
    choice = settings.embedder
    return Doctor(store_url(settings), embedder=bundled_embedder(choice), lacking=lacking(choice))
