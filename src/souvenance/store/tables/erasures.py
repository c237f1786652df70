"""Receipts of what was erased (F7): who, when, how many, how far the purge is; never a content."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, Table, Text

from souvenance.store.columns import Instant, Json, Number
from souvenance.store.tables.schema import metadata

erasure = Table(
    "erasure",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("at", Instant, nullable=False),
    Column("user_id", Number, nullable=False),
    Column("token_id", Number),
    Column("actor", Text, nullable=False, server_default=""),
    Column("vault_id", Number, nullable=False),
    Column("kind", Text, nullable=False),
    Column("member", Text, nullable=False, server_default=""),  # a fingerprint
    Column("counts", Json, nullable=False),
    Column("folders_suspended", Integer, nullable=False, server_default="0"),
    Column("mentions", Integer, nullable=False, server_default="0"),
    Column("state", Text, nullable=False),
    Column("hindrance", Text, nullable=False, server_default=""),
    Column("proof", Text, nullable=False, server_default=""),
    Column("beyond", Json, nullable=False),
    Column("completed_at", Instant),
    Index("ix_erasure_vault", "vault_id", "at"),
    Index("ix_erasure_state", "state"),
    sqlite_autoincrement=True,
)
