"""What passes proposed, what people answered, and when each vault had its passes (T5)."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, Table, Text

from souvenance.store.columns import Instant, Json, Number
from souvenance.store.tables.schema import metadata, vault_key

proposal = Table(
    "proposal",
    metadata,
    vault_key(),
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("this_number", Number),
    Column("that_number", Number),
    Column("this_wording", Text, nullable=False, server_default=""),  # hashes: no words of a fact stand here
    Column("that_wording", Text, nullable=False, server_default=""),
    Column("score", Float, nullable=False),
    Column("similarity", Float),
    Column("codes", Json, nullable=False),
    Column("model", Text, nullable=False, server_default=""),
    Column("draft", Text, nullable=False, server_default=""),
    Column("sources", Json, nullable=False),  # pairs of a fact's number and the hash of its wording
    Column("created_at", Instant, nullable=False),
    Column("standing", Text, nullable=False),
    Column("overtaken", Text),
    Column("answer", Text),
    Column("answered_at", Instant),
    Column("answered_by", Text, nullable=False, server_default=""),
    Column("answered_through", Text, nullable=False, server_default=""),
    Index("ix_proposal_id", "id"),
    Index("ix_proposal_standing", "vault_id", "standing", "created_at"),
    Index("ix_proposal_this", "vault_id", "this_number"),
    Index("ix_proposal_that", "vault_id", "that_number"),
)

consolidation_pass = Table(
    "consolidation_pass",
    metadata,
    vault_key(),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("started_at", Instant, nullable=False),
    Column("ended_at", Instant, nullable=False),
    Column("reason", Text, nullable=False),
    Column("asked_by", Text, nullable=False, server_default=""),
    Column("facts", Integer, nullable=False),
    Column("compared", Integer, nullable=False),
    Column("duplicates", Integer, nullable=False),
    Column("contradictions", Integer, nullable=False),
    Column("summaries", Integer, nullable=False),
    Column("answered_before", Integer, nullable=False),
    Column("left_over", Integer, nullable=False),
    Column("demoted", Integer, nullable=False),
    Column("model", Text, nullable=False, server_default=""),
    Column("model_state", Text, nullable=False, server_default=""),
    Column("seen_at", Instant),  # the latest change it read
    Column("seen_facts", Integer, nullable=False),
    Column("seen_change", Number, nullable=False),
)
