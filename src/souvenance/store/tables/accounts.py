"""How people come in: sessions of browsers, invitations, one-time links, and attempts to log in (A2)."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Table, Text

from souvenance.store.columns import Instant, Number
from souvenance.store.tables.schema import metadata

# Of every secret only its hash is kept, so that nobody comes in with what a copy of the database holds.
browser_session = Table(
    "browser_session",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    Column("entered_by", Text, nullable=False),
    Column("user_agent", Text, nullable=False),
    Column("route", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("last_used_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("revoked_at", Instant),
    Index(None, "user_id"),
)

invitation = Table(
    "invitation",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("team_id", Number, ForeignKey("team.id", ondelete="CASCADE"), nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    Column("can_configure", Boolean, nullable=False),
    Column("made_by", Number, ForeignKey("user_account.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("ended_at", Instant),  # when it was used or withdrawn
    Column("used_by", Number),
    Index(None, "team_id"),
)

entry_link = Table(
    "entry_link",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), nullable=False),
    Column("expires_at", Instant, nullable=False),
)

login_attempt = Table(
    "login_attempt",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("key", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Index(None, "key", "at"),
)
