"""What happened: changes, revisions, retrievals, the audit."""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, Table, Text

from souvenance.store.columns import Instant, Json, Number
from souvenance.store.tables.schema import metadata, vault_key

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
    vault_key(),
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
    Column("team_id", Number),
    Column("about_user", Number),  # whom it was done to, where it was done by another
    Index("ix_audit_at", "at"),
    Index("ix_audit_vault", "vault_id", "at"),
    Index("ix_audit_team", "team_id", "at"),
    Index("ix_audit_about", "about_user", "at"),
    sqlite_autoincrement=True,
)
