"""The schema, once for both engines. `vault_id` leads every key of vault data, so that it shards (R2)."""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    event,
    false,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import TSVECTOR

from souvenance.store.columns import Instant, Json, Number, Vector

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _vault_key() -> Column[int]:
    return Column("vault_id", Number, ForeignKey("vault.id", ondelete="CASCADE"), primary_key=True)


# --- people and what they may do -------------------------------------------------------------------------------

user = Table(
    "user_account",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("handle", Text, nullable=False, unique=True),
    Column("display_name", Text, nullable=False),
    Column("language", Text, nullable=False, server_default=""),
    Column("time_zone", Text, nullable=False, server_default="UTC"),
    Column("created_at", Instant, nullable=False),
)

team = Table(
    "team",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
)

membership = Table(
    "membership",
    metadata,
    Column("team_id", Number, ForeignKey("team.id", ondelete="CASCADE"), primary_key=True),
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True),
    Column("can_configure", Boolean, nullable=False, server_default=false()),
    Index(None, "user_id"),
)

token = Table(
    "token",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    Column("can_write", Boolean, nullable=False),
    Column("route", Text, nullable=False),
    Column("app", Text),
    Column("every_vault", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("last_used_at", Instant),
    Column("revoked_at", Instant),
)

token_vault = Table(
    "token_vault",
    metadata,
    Column("token_id", Number, ForeignKey("token.id", ondelete="CASCADE"), primary_key=True),
    Column("vault_id", Number, ForeignKey("vault.id", ondelete="CASCADE"), primary_key=True),
)

# --- vaults ----------------------------------------------------------------------------------------------------

vault = Table(
    "vault",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("team_id", Number, ForeignKey("team.id"), nullable=False),
    Column("slug", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False, server_default=""),
    Column("colour", Text, nullable=False, server_default=""),
    Column("kind", Text, nullable=False),
    Column("protection", Text, nullable=False, server_default="normal"),
    Column("memory_type", Text, nullable=False),
    Column("app", Text),
    Column("settings", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    UniqueConstraint("team_id", "slug"),
)

attention = Table(
    "attention",
    metadata,
    _vault_key(),
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True),
    Column("weight", SmallInteger, nullable=False),
)

scope_setting = Table(
    "scope_setting",
    metadata,
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True),
    Column("auto", Boolean, nullable=False, server_default=false()),
    Column("previous", Json),  # the weights before the last gesture, as pairs of vault id and weight
    Column("changed_at", Instant, nullable=False),
)

# --- knowledge -------------------------------------------------------------------------------------------------

note = Table(
    "note",
    metadata,
    _vault_key(),
    Column("id", Text, primary_key=True),
    Column("class", Text, nullable=False, key="note_class"),
    Column("folder", Text, nullable=False, server_default=""),
    Column("title", Text, nullable=False),
    Column("title_key", Text, nullable=False),
    Column("content", Text, nullable=False, server_default=""),
    Column("category", Text, nullable=False, server_default=""),
    Column("subject_kind", Text, nullable=False, server_default="vault"),
    Column("subject_id", Text, nullable=False, server_default=""),
    Column("digest", Text, nullable=False, server_default=""),
    Column("muted", Boolean, nullable=False, server_default=false()),
    Column("disabled", Boolean, nullable=False, server_default=false()),
    Column("front_matter", Json, nullable=False),
    Column("version", Integer, nullable=False, server_default="1"),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("deleted_at", Instant),
    Index("ix_note_id", "id"),
    Index("ix_note_vault_updated", "vault_id", "updated_at"),
    Index(
        "uq_note_title",
        "vault_id",
        "folder",
        "title_key",
        unique=True,
        sqlite_where=text("class <> 'agent-memory' AND deleted_at IS NULL"),
        postgresql_where=text("class <> 'agent-memory' AND deleted_at IS NULL"),
    ),
    Index(
        "uq_note_category",
        "vault_id",
        "subject_kind",
        "subject_id",
        "category",
        unique=True,
        sqlite_where=text("class = 'agent-memory' AND deleted_at IS NULL"),
        postgresql_where=text("class = 'agent-memory' AND deleted_at IS NULL"),
    ),
)

fact = Table(
    "fact",
    metadata,
    _vault_key(),
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("note_id", Text, nullable=False),
    Column("key", Text, nullable=False, server_default=""),
    Column("content", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("folded", Text, nullable=False),  # key and content as an instant search looks at them (F3)
    Column("confidence", Float, nullable=False, server_default="1"),
    Column("importance", SmallInteger),
    Column("category", Text, nullable=False),
    Column("subject_kind", Text, nullable=False, server_default="vault"),
    Column("subject_id", Text, nullable=False, server_default=""),
    Column("channel", Text, nullable=False, server_default=""),
    Column("author", Text, nullable=False, server_default=""),
    Column("language", Text),
    Column("said_at", Text, nullable=False, server_default=""),
    Column("said_dates", Json),
    Column("source", Text, nullable=False),
    Column("version", Integer, nullable=False, server_default="1"),
    Column("position", Number, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("valid_from", Instant),
    Column("valid_to", Instant),
    Column("reason", Text, nullable=False, server_default=""),
    Column("replaced_by", Number),
    Column("disabled", Boolean, nullable=False, server_default=false()),
    Column("deleted_at", Instant),
    ForeignKeyConstraint(["vault_id", "note_id"], ["note.vault_id", "note.id"], ondelete="CASCADE"),
    Index("ix_fact_number", "number"),
    Index("ix_fact_page", "vault_id", "note_id", "position"),
    Index("ix_fact_same", "vault_id", "content_hash"),
    Index("ix_fact_recent", "vault_id", "updated_at"),
    Index("ix_fact_state", "vault_id", "deleted_at", "valid_to", "updated_at"),
    Index(
        "ix_fact_summary",
        "vault_id",
        "updated_at",
        sqlite_where=text("key = 'summary'"),
        postgresql_where=text("key = 'summary'"),
    ),
    Index("ix_fact_subject", "vault_id", "subject_kind", "subject_id"),
)

link = Table(
    "link",
    metadata,
    _vault_key(),
    Column("source_kind", Text, primary_key=True),
    Column("source_id", Text, primary_key=True),
    Column("target_key", Text, primary_key=True),
    Column("target", Text, nullable=False),
    Column("target_note_id", Text),
    Column("source_note_id", Text, nullable=False),
    Index("ix_link_source", "vault_id", "source_note_id"),
    Index("ix_link_target", "vault_id", "target_note_id"),
    Index("ix_link_unresolved", "vault_id", "target_key"),
)

# --- derived: passages, their words, their vectors -------------------------------------------------------------

passage = Table(
    "passage",
    metadata,
    _vault_key(),
    Column("id", Number, primary_key=True, autoincrement=False),
    Column("fact_number", Number),
    Column("note_id", Text),
    Column("ordinal", Integer, nullable=False, server_default="0"),
    Column("heading", Text, nullable=False, server_default=""),
    Column("text", Text, nullable=False),
    Column("speaker", Text, nullable=False, server_default=""),
    Column("origin", Text, nullable=False, server_default=""),
    Column("terms", Text, nullable=False),
    Column("length", Integer, nullable=False),
    Column("active", Boolean, nullable=False, server_default=true()),
    Index("ix_passage_fact", "vault_id", "fact_number"),
    Index("ix_passage_note", "vault_id", "note_id"),
    Index(
        "ix_passage_origin",
        "vault_id",
        "origin",
        "ordinal",
        sqlite_where=text("origin <> ''"),
        postgresql_where=text("origin <> ''"),
    ),
    Index("ix_passage_active", "vault_id", "active", "id"),
)

embedding_model = Table(
    "embedding_model",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("dimension", Integer, nullable=False),
    # What the model makes of the everyday sentences its similarities are judged against (little-endian float16), and
    # of which sentences; empty until first made.
    Column("background", LargeBinary),
    Column("background_hash", Text, nullable=False, server_default=""),
    UniqueConstraint("name", "dimension"),
)

passage_vector = Table(
    "passage_vector",
    metadata,
    _vault_key(),
    Column("passage_id", Number, primary_key=True),
    Column("model_id", Number, ForeignKey("embedding_model.id"), primary_key=True),
    Column("text_hash", Text, nullable=False),
    Column("active", Boolean, nullable=False, server_default=true()),
    Column("vector", Vector, nullable=False),
    Column("with_previous", Vector),
    ForeignKeyConstraint(["vault_id", "passage_id"], ["passage.vault_id", "passage.id"], ondelete="CASCADE"),
    Index("ix_passage_vector_model", "vault_id", "model_id", "active"),
)

vector_change = Table(
    "vector_change",
    metadata,
    Column("seq", Number, primary_key=True, autoincrement=True),
    Column("vault_id", Number, nullable=False),
    Column("passage_id", Number, nullable=False),
    Index("ix_vector_change_vault", "vault_id", "seq"),
    sqlite_autoincrement=True,
)

passage_words = Table(
    "passage_words",
    MetaData(),  # PostgreSQL only: created by the statements below, so that `metadata` stays one for both
    Column("vault_id", Number, primary_key=True),
    Column("passage_id", Number, primary_key=True),
    Column("words", TSVECTOR, nullable=False),
)

TEXT_INDEX_SQLITE = (
    "CREATE VIRTUAL TABLE passage_words USING fts5("
    "words, content='', columnsize=0, detail=none, tokenize=\"ascii tokenchars '_'\")",
    "CREATE VIRTUAL TABLE passage_words_vocabulary USING fts5vocab(passage_words, row)",
)
TEXT_INDEX_POSTGRESQL = (
    "CREATE EXTENSION IF NOT EXISTS vector",
    "CREATE TABLE passage_words (vault_id BIGINT NOT NULL, passage_id BIGINT NOT NULL, words tsvector NOT NULL, "
    "CONSTRAINT pk_passage_words PRIMARY KEY (vault_id, passage_id), "
    "CONSTRAINT fk_passage_words_passage FOREIGN KEY (vault_id, passage_id) "
    "REFERENCES passage (vault_id, id) ON DELETE CASCADE)",
    "CREATE INDEX ix_passage_words ON passage_words USING gin (words)",
    "CREATE SEQUENCE fact_number",
    "CREATE SEQUENCE passage_id",
)

# --- history and audit -----------------------------------------------------------------------------------------

change = Table(
    "change",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("at", Instant, nullable=False),
    Column("user_id", Number, nullable=False),
    Column("token_id", Number),
    Column("actor", Text, nullable=False, server_default=""),
    Column("source", Text, nullable=False),
    Column("verb", Text, nullable=False),
    Index("ix_change_token", "token_id", "at"),
    Index("ix_change_user", "user_id", "at"),
    sqlite_autoincrement=True,
)

revision = Table(
    "revision",
    metadata,
    _vault_key(),
    Column("change_id", Number, ForeignKey("change.id"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("subject_ref", Text, primary_key=True),
    Column("note_id", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("after", Json, nullable=False),
    Index("ix_revision_subject", "vault_id", "kind", "subject_ref", "change_id"),
    Index("ix_revision_note", "vault_id", "note_id", "change_id"),
    Index("ix_revision_change", "change_id"),
)

retrieval = Table(
    "retrieval",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("at", Instant, nullable=False),
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), nullable=False),
    Column("token_id", Number),
    Column("actor", Text, nullable=False, server_default=""),
    Column("source", Text, nullable=False),
    Column("verb", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("scope", Json, nullable=False),
    Column("found", Integer, nullable=False),
    Column("best_score", Float),
    Column("confidence", Text, nullable=False),
    Column("top", Json, nullable=False),
    Column("matcher", Text, nullable=False),
    Column("milliseconds", Float, nullable=False),
    Index("ix_retrieval_user", "user_id", "at"),
    sqlite_autoincrement=True,
)

audit = Table(
    "audit",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("at", Instant, nullable=False),
    Column("user_id", Number, nullable=False),
    Column("token_id", Number),
    Column("actor", Text, nullable=False, server_default=""),
    Column("source", Text, nullable=False),
    Column("verb", Text, nullable=False),
    Column("vault_id", Number),
    Column("details", Json, nullable=False),
    Index("ix_audit_at", "at"),
    Index("ix_audit_vault", "vault_id", "at"),
    sqlite_autoincrement=True,
)

# --- watched folders (V13) -------------------------------------------------------------------------------------

watched_folder = Table(
    "watched_folder",
    metadata,
    _vault_key(),
    Column("id", Text, primary_key=True),
    Column("path", Text, nullable=False),
    Column("place", Text, nullable=False),
    Column("include", Json, nullable=False),
    Column("exclude", Json, nullable=False),
    Column("max_bytes", Number, nullable=False),
    Column("status", Text, nullable=False),
    Column("condition", Text, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("wanted", Boolean, nullable=False, server_default=true()),
    Column("done", Integer, nullable=False, server_default="0"),
    Column("total", Integer, nullable=False, server_default="0"),
    Column("user_id", Number, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("scanned_at", Instant),
    UniqueConstraint("vault_id", "path"),
    UniqueConstraint("vault_id", "place"),
    Index("ix_watched_folder_id", "id"),
)

watched_file = Table(
    "watched_file",
    metadata,
    _vault_key(),
    Column("folder_id", Text, primary_key=True),
    Column("path", LargeBinary, primary_key=True),  # bytes: a file's name need not be Unicode
    Column("hash", Text, nullable=False, server_default=""),
    Column("size", Number, nullable=False),
    Column("mtime", Number, nullable=False),
    Column("note_id", Text),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("taken_at", Instant, nullable=False),
    ForeignKeyConstraint(
        ["vault_id", "folder_id"], ["watched_folder.vault_id", "watched_folder.id"], ondelete="CASCADE"
    ),
    Index("ix_watched_file_same", "vault_id", "hash"),
    Index("ix_watched_file_state", "vault_id", "folder_id", "state"),
)

# --- what loads when a session starts (N10) --------------------------------------------------------------------

context_item = Table(
    "context_item",
    metadata,
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Text, primary_key=True),
    Column("vault_id", Number, ForeignKey("vault.id", ondelete="CASCADE"), primary_key=True),
    Column("note_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
)

context_setting = Table(
    "context_setting",
    metadata,
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True),
    Column("budget_tokens", Integer, nullable=False),
    Column("order", Json, nullable=False),
)

# --- the house's own books -------------------------------------------------------------------------------------

claim = Table(
    "claim",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("until", Instant, nullable=False),
)

change_mark = Table(
    "change_mark",
    metadata,
    Column("name", Text, primary_key=True),
    Column("seq", Number, nullable=False),
    Index("ix_change_mark_seq", "seq"),
)

counter = Table(
    "counter",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Number, nullable=False),
)

for _statement in TEXT_INDEX_SQLITE:
    event.listen(metadata, "after_create", DDL(_statement).execute_if(dialect="sqlite"))  # type: ignore[no-untyped-call]
for _statement in TEXT_INDEX_POSTGRESQL:
    _when = "before_create" if "EXTENSION" in _statement or "SEQUENCE" in _statement else "after_create"
    event.listen(metadata, _when, DDL(_statement).execute_if(dialect="postgresql"))  # type: ignore[no-untyped-call]
