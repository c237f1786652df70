"""What is derived from knowledge to find it: passages, their words, their vectors."""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import TSVECTOR

from souvenance.store.columns import Number, Vector
from souvenance.store.tables.schema import metadata, vault_key

passage = Table(
    "passage",
    metadata,
    vault_key(),
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
    vault_key(),
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


for _statement in TEXT_INDEX_SQLITE:
    event.listen(metadata, "after_create", DDL(_statement).execute_if(dialect="sqlite"))  # type: ignore[no-untyped-call]
for _statement in TEXT_INDEX_POSTGRESQL:
    _when = "before_create" if "EXTENSION" in _statement or "SEQUENCE" in _statement else "after_create"
    event.listen(metadata, _when, DDL(_statement).execute_if(dialect="postgresql"))  # type: ignore[no-untyped-call]
