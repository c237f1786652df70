"""What loads when a session starts (N10)."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, Table, Text

from souvenance.store.columns import Json, Number
from souvenance.store.tables.schema import metadata

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
