"""Every use case as one typed object: what a library user, a tool, a route and a page all call."""

from __future__ import annotations

from dataclasses import dataclass

from souvenance.accounts.entry import Entry
from souvenance.accounts.invitations import Invitations
from souvenance.accounts.sessions import Sessions
from souvenance.accounts.teams import Teams
from souvenance.accounts.tokens import Tokens
from souvenance.accounts.users import Users
from souvenance.consolidation.decide import Proposals
from souvenance.consolidation.passes import Passes
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.clock import Clock
from souvenance.domain.person import User
from souvenance.exchange.conversations import Conversations
from souvenance.exchange.engine import Exchange
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
from souvenance.models.endpoints import Endpoints
from souvenance.notes.context import Context
from souvenance.notes.explorer import Explorer
from souvenance.notes.history import History
from souvenance.notes.notes import Notes
from souvenance.retrieval.audit import Retrievals
from souvenance.retrieval.embedding import Embedding
from souvenance.retrieval.retrieval import Retrieval
from souvenance.servers.forgetting import Forgetting
from souvenance.servers.members import Members
from souvenance.servers.servers import Servers
from souvenance.store.changes import Changes
from souvenance.store.database import Database
from souvenance.upkeep.census import Census
from souvenance.vaults.attention import Attention
from souvenance.vaults.vaults import Vaults


@dataclass(frozen=True, kw_only=True)
class Application:
    """The use cases of one memory, by noun. `clock`: the time that all of them go by."""

    database: Database
    clock: Clock
    owner: User
    vaults: Vaults
    attention: Attention
    map: Map
    changes: Changes
    facts: Facts
    bulk: Bulk
    erasures: Erasures
    purging: Purging
    ladder: Ladder
    simulations: Simulations
    passes: Passes
    proposals: Proposals
    history: History
    context: Context
    notes: Notes
    explorer: Explorer
    imports: Imports
    fact_imports: FactImports
    chat_imports: ChatImports
    exports: Exports
    folders: Folders
    watcher: Watcher
    tokens: Tokens
    entry: Entry
    sessions: Sessions
    users: Users
    teams: Teams
    invitations: Invitations
    embedding: Embedding
    retrieval: Retrieval
    retrievals: Retrievals
    census: Census
    servers: Servers
    members: Members
    forgetting: Forgetting
    endpoints: Endpoints
    exchange: Exchange
    conversations: Conversations
    spending: Counting

    def owner_through(
        self, source: Source, *, route: Route = Route.LOCAL, is_model: bool = False, name: str = ""
    ) -> Actor:
        """The owner asking through a place on this machine."""
        return Actor(user_id=self.owner.id, source=source, route=route, is_model=is_model, name=name)

    def close(self) -> None:
        """Stop background work and give every connection back."""
        self.purging.stop()
        self.changes.close()
        self.map.close()
        self.watcher.stop()
        self.passes.stop()
        self.folders.close()
        self.exchange.heartbeat.close()
        self.embedding.close()
        self.spending.close()
        self.retrievals.close()
        self.database.close()
