"""Watched folders and the files known of them (V13)."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    true,
)

from souvenance.store.columns import Instant, Json, Number
from souvenance.store.tables.schema import metadata, vault_key

watched_folder = Table(
    "watched_folder",
    metadata,
    vault_key(),
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
    vault_key(),
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
