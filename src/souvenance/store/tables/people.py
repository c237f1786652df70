"""People, teams, tokens: who may do what."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Table, Text, false

from souvenance.store.columns import Instant, Number
from souvenance.store.tables.schema import metadata

user = Table(
    "user_account",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("handle", Text, nullable=False, unique=True),
    Column("display_name", Text, nullable=False),
    Column("language", Text, nullable=False, server_default=""),
    Column("time_zone", Text, nullable=False, server_default="UTC"),
    Column("created_at", Instant, nullable=False),
    Column("theme", Text, nullable=False, server_default=""),
    Column("password_hash", Text),  # none until they set one
    Column("disabled_at", Instant),  # from then on nobody comes in as this user
)

team = Table(
    "team",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("own_of", Number),  # the user whose own team it is, which nobody else ever joins (V1)
    Index(None, "own_of", unique=True),
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
