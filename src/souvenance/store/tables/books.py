"""The house's own books: claims, marks, counters."""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, Text

from souvenance.store.columns import Instant, Number
from souvenance.store.tables.schema import metadata

claim = Table(
    "claim",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("until", Instant, nullable=False),
)

change_mark = Table(
    "change_mark",
    metadata,
    Column("name", Text, primary_key=True),
    Column("seq", Number, nullable=False),
    Index("ix_change_mark_seq", "seq"),
)

counter = Table(
    "counter",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Number, nullable=False),
)
