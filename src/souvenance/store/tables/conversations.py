"""Conversations, the endpoints that answer in them, and what they spend."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from souvenance.store.columns import Instant, Json, Number
from souvenance.store.tables.schema import metadata

endpoint = Table(
    "endpoint",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("base_url", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("sealed_key", Text),  # sealed with the master key, which is never in the database
    Column("route", Text, nullable=False),
    Column("takes_schema", Boolean, nullable=False, server_default=false()),
    Column("dimension", Integer),  # length of its vectors, where it embeds
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    UniqueConstraint("user_id", "name"),
)

endpoint_use = Table(
    "endpoint_use",
    metadata,
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True),
    Column("used_for", Text, primary_key=True),
    Column("endpoint_id", Number, ForeignKey("endpoint.id", ondelete="CASCADE"), nullable=False),
)

conversation = Table(
    "conversation",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), nullable=False),
    Column("token_id", Number),
    Column("title", Text, nullable=False),
    Column("without_memory", Boolean, nullable=False, server_default=false()),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Index("ix_conversation_user", "user_id", "updated_at"),
    sqlite_autoincrement=True,
)

turn = Table(
    "turn",
    metadata,
    Column("conversation_id", Number, ForeignKey("conversation.id", ondelete="CASCADE"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("state", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", Text, nullable=False, server_default=""),
    Column("failure", Json),  # code, message and hint of what went wrong
    Column("model", Text, nullable=False, server_default=""),
    Column("trace", Json),  # what was put before the model, by name and number
    Column("wrote", Json),  # what the model asked of memory and what became of it
    Column("folded", Text, nullable=False, server_default=""),  # both texts as instant search looks at them
    Column("asked_at", Instant, nullable=False),
    Column("answered_at", Instant),
    Column("until", Instant),  # while it is asked: when the process that answers is given up, unless it gives a sign
    Index("ix_turn_until", "until"),
)

turn_vault = Table(
    "turn_vault",
    metadata,
    # The vault first: what was made from one vault is asked for by it. No foreign key: a turn made from a vault that is
    # gone must go on counting as made from it.
    Column("vault_id", Number, primary_key=True),
    Column("conversation_id", Number, primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    ForeignKeyConstraint(["conversation_id", "ordinal"], ["turn.conversation_id", "turn.ordinal"], ondelete="CASCADE"),
    Index("ix_turn_vault_turn", "conversation_id", "ordinal"),
)

protected_reply = Table(
    "protected_reply",
    metadata,
    # A program keeps its exchanges itself. So that a reply made from a protected vault is known again when it comes
    # back in a program's history, its hash is kept.
    Column("vault_id", Number, primary_key=True),
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", Text, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("beginning", Integer, nullable=False, server_default="0"),  # how much of it is hashed; 0: all of it
    Index("ix_protected_reply_hash", "user_id", "hash"),
)

sealed_reply = Table(
    "sealed_reply",
    metadata,
    # What is left of the hashes of a vault that was erased: sealed with a key that is not in the database, so that what
    # was erased can neither be told nor guessed from them.
    Column("vault_id", Number, primary_key=True),
    Column("user_id", Number, ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", Text, primary_key=True),
    Column("sealed_by", Text, nullable=False),  # which key it was
    Column("at", Instant, nullable=False),
    Index("ix_sealed_reply_hash", "user_id", "hash"),
)

spending = Table(
    "spending",
    metadata,
    # Vault 0: tokens of an exchange that read no vault. Kept when a vault goes, so that totals stay true.
    Column("vault_id", Number, primary_key=True, autoincrement=False),
    Column("used_for", Text, primary_key=True),
    Column("member", Text, primary_key=True),
    Column("hour", Instant, primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("sent", Number, nullable=False),
    Column("received", Number, nullable=False),
    Column("estimated", Number, nullable=False, server_default="0"),  # of these, tokens that no endpoint counted
    Column("broken_off", Integer, nullable=False, server_default="0"),  # calls whose process ended in the middle
)

under_way = Table(
    "under_way",
    metadata,
    # What an exchange that is under way spent so far and holds of a cap, by vault. It becomes spending when the
    # exchange ends, and also when the process that answers gave no sign of life until then.
    Column("vault_id", Number, primary_key=True, autoincrement=False),
    Column("exchange", Text, primary_key=True),
    Column("used_for", Text, primary_key=True),
    Column("member", Text, nullable=False),
    Column("hour", Instant, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("sent", Number, nullable=False),
    Column("received", Number, nullable=False),
    Column("reserved", Number, nullable=False),
    Column("until", Instant, nullable=False),
    Index("ix_under_way_until", "until"),
)
