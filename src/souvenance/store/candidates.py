"""Passages read for ranking: the columns that scores are made of, for a few hundred at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, func, or_, select, text

from souvenance.domain.fact import SaidDate
from souvenance.domain.note import NoteClass
from souvenance.store.columns import as_instant
from souvenance.store.database import Transaction
from souvenance.store.tables import passage

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


_NAMES = Candidate._fields
_COLUMNS = tuple(passage.c[name] for name in _NAMES)
_SQL_COLUMNS = ", ".join(f"p.{name}" for name in _NAMES)

# CROSS JOIN: SQLite then looks each passage up by its key, in the order asked for.
_BY_ID_SQLITE = (
    f"SELECT {_SQL_COLUMNS} FROM json_each(?) AS v CROSS JOIN json_each(?) AS w CROSS JOIN passage AS p "  # noqa: S608
    "WHERE p.vault_id = v.value AND p.id = w.value AND p.active = 1"
)
_BY_ID_POSTGRESQL = (
    f"SELECT {_SQL_COLUMNS} FROM passage AS p "  # noqa: S608
    "WHERE p.vault_id = ANY(CAST(:vaults AS bigint[])) AND p.id = ANY(CAST(:ids AS bigint[])) AND p.active"
)
_FACTS = " AND p.fact_number IS NOT NULL"
_DOCUMENTS = " AND p.fact_number IS NULL"
_NOTES = (
    " AND p.fact_number IS NULL AND EXISTS (SELECT 1 FROM note AS n "
    "WHERE n.vault_id = p.vault_id AND n.id = p.note_id AND n.class = {class_name})"
)

# The index holds only passages that stand in an origin; a planner uses it when told so in as many words.
_AROUND_SQLITE = (
    f"SELECT {_SQL_COLUMNS} FROM json_each(?) AS w CROSS JOIN passage AS p "  # noqa: S608
    "WHERE p.vault_id = json_extract(w.value, '$[0]') AND p.origin = json_extract(w.value, '$[1]') "
    "AND p.ordinal = json_extract(w.value, '$[2]') AND p.origin <> '' AND p.active = 1"
)
_AROUND_POSTGRESQL = (
    f"SELECT {_SQL_COLUMNS} FROM unnest(CAST(:vaults AS bigint[]), CAST(:origins AS text[]), "  # noqa: S608
    "CAST(:ordinals AS integer[])) AS w (vault_id, origin, ordinal) JOIN passage AS p "
    "ON p.vault_id = w.vault_id AND p.origin = w.origin AND p.ordinal = w.ordinal "
    "WHERE p.origin <> '' AND p.active ORDER BY p.vault_id, p.origin, p.ordinal"
)


_FACT_NUMBERS_SQLITE = (
    "SELECT p.id, p.fact_number FROM json_each(?) AS w CROSS JOIN passage AS p "
    "WHERE p.vault_id = ? AND p.id = w.value AND p.active = 1 AND p.fact_number IS NOT NULL"
)
_FACT_NUMBERS_POSTGRESQL = (
    "SELECT p.id, p.fact_number FROM passage AS p "
    "WHERE p.vault_id = :vault AND p.id = ANY(CAST(:ids AS bigint[])) AND p.active AND p.fact_number IS NOT NULL"
)


# `+`: the index of facts holds the few that are none; the one of what is active would read the whole vault.
_NOTES_SQLITE = (
    "SELECT p.id FROM json_each(?) AS v CROSS JOIN passage AS p "
    "WHERE p.vault_id = v.value AND p.fact_number IS NULL AND +p.active = 1 LIMIT ?"
)


def note_passages(tx: Transaction, *, vault_ids: Sequence[int], limit: int) -> list[int]:
    """Ids of active passages of notes in these vaults, at most so many: those that stand for no fact."""
    if tx.is_sqlite:
        return [row[0] for row in tx.rows(_NOTES_SQLITE, [json.dumps(sorted(vault_ids)), limit])]
    statement = select(passage.c.id).where(
        passage.c.vault_id.in_(list(vault_ids)), passage.c.fact_number.is_(None), passage.c.active
    )
    return list(tx.execute(statement.limit(limit)).scalars())


def read_candidates(
    tx: Transaction,
    *,
    vault_ids: Sequence[int],
    ids: Iterable[int],
    note_class: NoteClass | None = None,
    documents: bool = False,
) -> list[Candidate]:
    """The active passages with these ids in these vaults, by vault and id; facts are agent memory, which `documents`
    leaves out."""
    wanted = sorted(set(ids))
    if not wanted or not vault_ids:
        return []
    class_name = ""
    some = _DOCUMENTS if documents else ""
    if note_class is NoteClass.AGENT_MEMORY:
        some = _FACTS
    elif note_class is not None:
        some, class_name = _NOTES, note_class.value
    if tx.is_sqlite:
        values = [json.dumps(sorted(vault_ids)), json.dumps(wanted), *([class_name] if class_name else [])]
        found = tx.rows(_BY_ID_SQLITE + some.format(class_name="?"), values)
    else:
        statement = text(_BY_ID_POSTGRESQL + some.format(class_name=":class_name") + " ORDER BY p.vault_id, p.id")
        named = {"vaults": list(vault_ids), "ids": wanted, **({"class_name": class_name} if class_name else {})}
        found = list(tx.execute(statement, named).all())
    return [Candidate._make(row) for row in found]


def read_around(tx: Transaction, places: Sequence[Candidate]) -> list[Candidate]:
    """The active passages just before and just after each of these in the same source."""
    here = {(item.vault_id, item.origin, item.ordinal) for item in places if item.origin}
    wanted = sorted({(vault, origin, place + step) for vault, origin, place in here for step in (-1, 1)} - here)
    if not wanted:
        return []
    if tx.is_sqlite:
        found = tx.rows(_AROUND_SQLITE, [json.dumps(wanted)])
    else:
        vaults, origins, ordinals = (list(column) for column in zip(*wanted, strict=True))
        named = {"vaults": vaults, "origins": origins, "ordinals": ordinals}
        found = list(tx.execute(text(_AROUND_POSTGRESQL), named).all())
    return [Candidate._make(row) for row in found]


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
    said_dates: tuple[SaidDate, ...]


_SHOWN = (
    "SELECT p.id, p.text, p.heading, n.title, n.folder, n.class, n.category, n.muted, "
    "coalesce(f.version, n.version), coalesce(f.updated_at, n.updated_at), coalesce(f.key, ''), f.said_dates "
    "FROM {passages} JOIN note AS n ON n.vault_id = p.vault_id AND n.id = p.note_id "
    "LEFT JOIN fact AS f ON f.vault_id = p.vault_id AND f.number = p.fact_number WHERE p.vault_id = w.vault_id "
    "AND p.id = w.id"
)
_SHOWN_SQLITE = _SHOWN.format(
    passages="(SELECT json_extract(value, '$[0]') AS vault_id, json_extract(value, '$[1]') AS id FROM json_each(?)) "
    "AS w CROSS JOIN passage AS p"
)
_SHOWN_POSTGRESQL = _SHOWN.format(
    passages="unnest(CAST(:vaults AS bigint[]), CAST(:ids AS bigint[])) AS w (vault_id, id) CROSS JOIN passage AS p"
)


def read_shown(tx: Transaction, candidates: Sequence[Candidate]) -> dict[int, Shown]:
    """What to show of these passages, by passage id."""
    if not candidates:
        return {}
    if tx.is_sqlite:
        found = tx.rows(_SHOWN_SQLITE, [json.dumps([(item.vault_id, item.id) for item in candidates])])
    else:
        named = {"vaults": [item.vault_id for item in candidates], "ids": [item.id for item in candidates]}
        found = list(tx.execute(text(_SHOWN_POSTGRESQL), named).all())
    return {row[0]: _shown(row) for row in found}


def _shown(row: Sequence[Any]) -> Shown:
    kept = json.loads(row[11]) if isinstance(row[11], str) else row[11]  # SQLite hands JSON over as written
    dates = tuple(SaidDate(said, resolved) for said, resolved in kept or ())
    return Shown._make((*row[1:7], bool(row[7]), row[8], as_instant(row[9]), row[10], dates))


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


def fact_numbers(tx: Transaction, *, vault_id: int, ids: Iterable[int]) -> list[tuple[int, int]]:
    """Of these passages of a vault, those that answer and stand for a fact: the passage's id and the fact's number."""
    wanted = json.dumps(sorted(set(ids)))
    if tx.is_sqlite:
        return tx.rows(_FACT_NUMBERS_SQLITE, [wanted, vault_id])
    found = tx.execute(text(_FACT_NUMBERS_POSTGRESQL), {"ids": json.loads(wanted), "vault": vault_id})
    return [(row.id, row.fact_number) for row in found]
