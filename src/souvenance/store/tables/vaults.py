"""Vaults and how each user weighs them."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, SmallInteger, Table, Text, UniqueConstraint, false

from souvenance.store.columns import Instant, Json, Number
from souvenance.store.tables.schema import metadata, vault_key

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
    vault_key(),
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
