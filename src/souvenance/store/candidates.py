"""Passages read for ranking: the columns that scores are made of, for a few hundred at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, or_, select, tuple_

from souvenance.domain.note import NoteClass
from souvenance.store.database import Transaction
from souvenance.store.tables import fact, note, passage

SAMPLE = 2000
"""Passages of a vault whose lengths are averaged."""


class Candidate(NamedTuple):
    """One passage as ranking sees it."""

    id: int
    vault_id: int
    fact_number: int | None
    note_id: str
    origin: str
    ordinal: int
    speaker: str
    terms: str
    length: int


_COLUMNS = (
    passage.c.id,
    passage.c.vault_id,
    passage.c.fact_number,
    passage.c.note_id,
    passage.c.origin,
    passage.c.ordinal,
    passage.c.speaker,
    passage.c.terms,
    passage.c.length,
)


def of_class(note_class: NoteClass | None) -> ColumnElement[bool] | None:
    """The condition that a passage belongs to a class of notes; facts are agent memory."""
    if note_class is None:
        return None
    if note_class is NoteClass.AGENT_MEMORY:
        return passage.c.fact_number.is_not(None)
    in_class = select(note.c.id).where(
        note.c.vault_id == passage.c.vault_id, note.c.id == passage.c.note_id, note.c.note_class == note_class
    )
    return and_(passage.c.fact_number.is_(None), in_class.exists())


def read_candidates(
    tx: Transaction, *, vault_ids: Sequence[int], ids: Iterable[int], note_class: NoteClass | None = None
) -> list[Candidate]:
    """The active passages with these ids in these vaults, in no order."""
    wanted = list(dict.fromkeys(ids))
    condition = of_class(note_class)
    found: list[Candidate] = []
    for start in range(0, len(wanted), 1000):
        statement = select(*_COLUMNS).where(
            passage.c.vault_id.in_(vault_ids), passage.c.id.in_(wanted[start : start + 1000]), passage.c.active
        )
        if condition is not None:
            statement = statement.where(condition)
        found += [Candidate._make(row) for row in tx.execute(statement)]
    return found


def read_around(tx: Transaction, places: Sequence[Candidate]) -> list[Candidate]:
    """The active passages just before and just after each of these in the same source."""
    wanted = {
        (item.vault_id, item.origin, item.ordinal + step) for item in places if item.origin for step in (-1, 1)
    } - {(item.vault_id, item.origin, item.ordinal) for item in places}
    if not wanted:
        return []
    place = tuple_(passage.c.vault_id, passage.c.origin, passage.c.ordinal)
    statement = select(*_COLUMNS).where(place.in_(sorted(wanted)), passage.c.active)
    return [Candidate._make(row) for row in tx.execute(statement)]


def count_passages(tx: Transaction, *, vault_id: int) -> int:
    """Active passages of a vault."""
    statement = select(func.count()).select_from(passage).where(passage.c.vault_id == vault_id, passage.c.active)
    return int(tx.execute(statement).scalar_one())


def average_length(tx: Transaction, *, vault_id: int) -> float:
    """Terms in a passage of the vault on average, over a sample of its active ones; 0 where there are none."""
    some = select(passage.c.length).where(passage.c.vault_id == vault_id, passage.c.active).limit(SAMPLE).subquery()
    return float(tx.execute(select(func.coalesce(func.avg(some.c.length), 0))).scalar_one())


class Shown(NamedTuple):
    """What a hit shows of its passage, note and fact."""

    text: str
    heading: str
    title: str
    folder: str
    note_class: str
    category: str
    muted: bool
    version: int
    updated_at: datetime
    key: str


def read_shown(tx: Transaction, candidates: Sequence[Candidate]) -> dict[int, Shown]:
    """What to show of these passages, by passage id."""
    if not candidates:
        return {}
    by_vault: dict[int, list[int]] = {}
    for item in candidates:
        by_vault.setdefault(item.vault_id, []).append(item.id)
    here = or_(*(and_(passage.c.vault_id == vault, passage.c.id.in_(ids)) for vault, ids in by_vault.items()))
    statement = (
        select(
            passage.c.id,
            passage.c.text,
            passage.c.heading,
            note.c.title,
            note.c.folder,
            note.c.note_class.label("note_class"),
            note.c.category,
            note.c.muted,
            func.coalesce(fact.c.version, note.c.version).label("version"),
            func.coalesce(fact.c.updated_at, note.c.updated_at).label("updated_at"),
            func.coalesce(fact.c.key, "").label("key"),
        )
        .join(note, and_(note.c.vault_id == passage.c.vault_id, note.c.id == passage.c.note_id))
        .outerjoin(fact, and_(fact.c.vault_id == passage.c.vault_id, fact.c.number == passage.c.fact_number))
        .where(here)
    )
    return {row[0]: Shown._make(row[1:]) for row in tx.execute(statement)}


def read_sources(
    tx: Transaction,
    *,
    vault_ids: Sequence[int],
    notes: Sequence[str] = (),
    facts: Sequence[int] = (),
    limit: int = 1000,
) -> list[Candidate]:
    """The first active passages of notes' own texts, in reading order, and the passages of facts, in these vaults."""
    own = and_(passage.c.note_id.in_(list(notes)), passage.c.fact_number.is_(None), passage.c.ordinal < 50)
    statement = (
        select(*_COLUMNS)
        .where(passage.c.vault_id.in_(vault_ids), passage.c.active, or_(own, passage.c.fact_number.in_(list(facts))))
        .order_by(passage.c.note_id, passage.c.ordinal, passage.c.id)
        .limit(limit)
    )
    return [Candidate._make(row) for row in tx.execute(statement)]
