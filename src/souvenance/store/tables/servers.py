"""Discord servers and what is known of their members."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Table, Text, false

from souvenance.store.columns import Instant, Json, Number
from souvenance.store.tables.schema import metadata, vault_key

# Like `vault` itself, the list that says in which vault to look: its key is what Discord calls the server.
server = Table(
    "server",
    metadata,
    Column("guild_id", Text, primary_key=True),
    Column("vault_id", Number, ForeignKey("vault.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("settings", Json, nullable=False),
    Column("heard_from", Instant, nullable=False),
    Column("joined_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
)

server_member = Table(
    "server_member",
    metadata,
    vault_key(),
    Column("member_id", Text, primary_key=True),
    Column("name", Text, nullable=False, server_default=""),
    Column("opted_out", Boolean, nullable=False, server_default=false()),
    Column("updated_at", Instant, nullable=False),
)
