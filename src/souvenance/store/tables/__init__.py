"""The schema, once for both engines. `vault_id` leads every key of vault data, so that it shards (R2)."""

from __future__ import annotations

from souvenance.store.tables.accounts import browser_session, entry_link, invitation, login_attempt
from souvenance.store.tables.books import change_mark, claim, counter
from souvenance.store.tables.consolidation import consolidation_pass, proposal
from souvenance.store.tables.context import context_item, context_setting
from souvenance.store.tables.conversations import (
    conversation,
    endpoint,
    endpoint_use,
    protected_reply,
    sealed_reply,
    spending,
    turn,
    turn_vault,
    under_way,
)
from souvenance.store.tables.erasures import erasure
from souvenance.store.tables.folders import watched_file, watched_folder
from souvenance.store.tables.history import audit, change, retrieval, revision
from souvenance.store.tables.index import (
    TEXT_INDEX_POSTGRESQL,
    TEXT_INDEX_SQLITE,
    embedding_model,
    passage,
    passage_vector,
    passage_words,
    vector_change,
)
from souvenance.store.tables.knowledge import fact, link, note
from souvenance.store.tables.people import membership, team, token, token_vault, user
from souvenance.store.tables.schema import metadata
from souvenance.store.tables.servers import server, server_member
from souvenance.store.tables.vaults import attention, scope_setting, vault

__all__ = [
    "TEXT_INDEX_POSTGRESQL",
    "TEXT_INDEX_SQLITE",
    "attention",
    "audit",
    "browser_session",
    "change",
    "change_mark",
    "claim",
    "consolidation_pass",
    "context_item",
    "context_setting",
    "conversation",
    "counter",
    "embedding_model",
    "endpoint",
    "endpoint_use",
    "entry_link",
    "erasure",
    "fact",
    "invitation",
    "link",
    "login_attempt",
    "membership",
    "metadata",
    "note",
    "passage",
    "passage_vector",
    "passage_words",
    "proposal",
    "protected_reply",
    "retrieval",
    "revision",
    "scope_setting",
    "sealed_reply",
    "server",
    "server_member",
    "spending",
    "team",
    "token",
    "token_vault",
    "turn",
    "turn_vault",
    "under_way",
    "user",
    "vault",
    "vector_change",
    "watched_file",
    "watched_folder",
]
