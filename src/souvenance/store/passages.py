"""Passages: what search reads. Derived from facts and notes, by this one path for every way in (CASES 15).

A fact learnt in a channel stands there after another, and what came just before gives it meaning: `origin` names the
channel and `ordinal` the place in it; a second vector covers it together with the one before it, and is made anew when
that one changes. Passages of a note have a place in it but no such origin: their headings say what they are about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, func, literal_column, select, update

from souvenance.domain.fact import Fact, State
from souvenance.store import text_index, vectors
from souvenance.store.database import Transaction
from souvenance.store.tables import passage
from souvenance.store.terms import analyse


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece of a note's text: the trail of headings above it and its words."""

    heading: str
    text: str


def is_active(item: Fact) -> bool:
    """Whether a fact may be found at all."""
    return item.state is State.IN_FORCE and not item.disabled


@dataclass(frozen=True, slots=True)
class Words:
    """The terms of a passage as the index keeps them, and how many there are."""

    terms: str
    length: int


def words_of(*, heading: str, text: str, speaker: str = "", language: str | None = None) -> Words:
    """Analyse a passage: pure work, to be done before the write lock is taken."""
    terms = analyse(f"{speaker}\n{heading}\n{text}", language)
    return Words(" ".join(terms), len(terms))


def _fact_row(item: Fact, words: Words) -> dict[str, Any]:
    return {
        "vault_id": item.vault_id,
        "fact_number": item.number,
        "note_id": item.note_id,
        "heading": item.key,
        "text": item.content,
        "speaker": item.author,
        "origin": f"channel:{item.channel}" if item.channel else "",
        "active": is_active(item),
        "terms": words.terms,
        "length": words.length,
    }


def fact_words(item: Fact) -> Words:
    """The words of a fact's passage."""
    return words_of(heading=item.key, text=item.content, speaker=item.author, language=item.language)


def _entry(row: Mapping[Any, Any]) -> text_index.Entry:
    return (row["vault_id"], row["id"], row["terms"])


def add_fact_passages(tx: Transaction, items: Sequence[tuple[Fact, Words]]) -> None:
    """Store the passages of facts of one vault, in the order they were said."""
    places: dict[str, int] = {}
    rows = []
    for passage_id, (item, words) in zip(tx.next_numbers("passage_id", len(items)), items, strict=True):
        row = _fact_row(item, words)
        origin = row["origin"]
        if origin:
            places[origin] = places[origin] + 1 if origin in places else _last_place(tx, item.vault_id, origin) + 1
        rows.append(row | {"id": passage_id, "ordinal": places.get(origin, 0)})
    _insert(tx, rows)


def _insert(tx: Transaction, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        tx.add_rows(passage, rows)
        text_index.add(tx, [_entry(row) for row in rows if row["active"] and row["terms"]])


def _in_origin(vault_id: int, origin: str) -> ColumnElement[bool]:
    # The index holds only passages that stand in an origin; a planner uses it when told so in as many words.
    somewhere = passage.c.origin != literal_column("''")
    return (passage.c.vault_id == vault_id) & (passage.c.origin == origin) & somewhere


def _last_place(tx: Transaction, vault_id: int, origin: str) -> int:
    return tx.execute(select(func.max(passage.c.ordinal)).where(_in_origin(vault_id, origin))).scalar() or 0


def save_fact_passage(tx: Transaction, before: Fact, after: Fact) -> None:
    """Follow a fact's change; only what search can notice is written again."""
    words = fact_words(after)
    new = _fact_row(after, words)
    here = (passage.c.vault_id == before.vault_id) & (passage.c.fact_number == before.number)
    old = tx.execute(select(passage).where(here)).mappings().first()
    if old is None or before.vault_id != after.vault_id or old["origin"] != new["origin"]:
        remove_passages(tx, vault_id=before.vault_id, ids=[] if old is None else [old["id"]])
        add_fact_passages(tx, [(after, words)])
        return
    reworded = any(old[name] != new[name] for name in ("heading", "text", "speaker"))
    restemmed = old["terms"] != new["terms"]
    moved = old["active"] != new["active"]
    if not reworded and not moved and not restemmed:
        if old["note_id"] != new["note_id"]:
            tx.execute(update(passage).where(here).values(note_id=new["note_id"]))
        return
    if old["active"] and old["terms"]:
        text_index.remove(tx, [_entry(old)])
    tx.execute(update(passage).where(here).values(**new))
    if new["active"] and new["terms"]:
        text_index.add(tx, [_entry(new | {"id": old["id"]})])
    if not reworded and not moved:  # another language: other stems of the same words, which mean the same
        return
    if reworded or (new["active"] and new["origin"]):  # back in force: what stands before it may have changed
        vectors.forget(tx, vault_id=before.vault_id, passage_ids=[old["id"]])
    else:
        vectors.set_active(tx, vault_id=before.vault_id, passage_ids=[old["id"]], active=new["active"])
    _forget_next(tx, vault_id=before.vault_id, places=[(old["origin"], old["ordinal"])])


def _forget_next(tx: Transaction, *, vault_id: int, places: Sequence[tuple[str, int]]) -> None:
    """Drop the vectors of what stands just after these places: part of what they said has changed."""
    for origin, ordinal in places:
        if origin:
            after = _in_origin(vault_id, origin) & (passage.c.ordinal > ordinal)
            statement = select(passage.c.id).where(after, passage.c.active).order_by(passage.c.ordinal).limit(1)
            vectors.forget(tx, vault_id=vault_id, passage_ids=list(tx.execute(statement).scalars()))


def heading_of(title: str, piece: Piece) -> str:
    """The trail of a note's passage: its title, then the headings above it."""
    return " > ".join(part for part in (title, piece.heading) if part)


def replace_note_passages(
    tx: Transaction,
    *,
    vault_id: int,
    note_id: str,
    title: str,
    pieces: Sequence[Piece],
    language: str | None = None,
    active: bool = True,
) -> None:
    """Make a note's passages those of `pieces`; a piece that says what one said before keeps its passage and vector."""
    here = (passage.c.vault_id == vault_id) & (passage.c.note_id == note_id) & passage.c.fact_number.is_(None)
    old: list[Mapping[Any, Any]] = list(tx.execute(select(passage).where(here).order_by(passage.c.ordinal)).mappings())
    wanted = [(heading_of(title, piece), piece.text) for piece in pieces]
    spare: dict[tuple[str, str, bool], list[Mapping[Any, Any]]] = {}
    for row in old:
        spare.setdefault((row["heading"], row["text"], row["active"]), []).append(row)
    fresh, moved = [], []
    for ordinal, (heading, body) in enumerate(wanted):
        if kept := spare.get((heading, body, active)):
            row = kept.pop(0)
            if row["ordinal"] != ordinal:
                moved.append({"b_vault": vault_id, "b_id": row["id"], "b_ordinal": ordinal})
            continue
        words = words_of(heading=heading, text=body, language=language)
        fresh.append(
            {
                "vault_id": vault_id,
                "fact_number": None,
                "note_id": note_id,
                "ordinal": ordinal,
                "heading": heading,
                "text": body,
                "speaker": "",
                "origin": "",
                "active": active,
                "terms": words.terms,
                "length": words.length,
            }
        )
    _delete(tx, vault_id=vault_id, rows=[row for rows in spare.values() for row in rows])
    if moved:
        at = (passage.c.vault_id == bindparam("b_vault")) & (passage.c.id == bindparam("b_id"))
        tx.execute(update(passage).where(at).values(ordinal=bindparam("b_ordinal")), moved)
    ids = tx.next_numbers("passage_id", len(fresh))
    _insert(tx, [row | {"id": passage_id} for passage_id, row in zip(ids, fresh, strict=True)])


def set_note_active(tx: Transaction, *, vault_id: int, note_id: str, active: bool) -> None:
    """Let a note's own passages be found, or not; their words and vectors are kept for when they may be again."""
    here = (passage.c.vault_id == vault_id) & (passage.c.note_id == note_id) & passage.c.fact_number.is_(None)
    rows = list(tx.execute(select(passage).where(here, passage.c.active != active)).mappings())
    entries = [_entry(row) for row in rows if row["terms"]]
    if active:
        text_index.add(tx, entries)
    else:
        text_index.remove(tx, entries)
    tx.execute(update(passage).where(here).values(active=active))
    for start in range(0, len(rows), 500):
        chunk = [row["id"] for row in rows[start : start + 500]]
        vectors.set_active(tx, vault_id=vault_id, passage_ids=chunk, active=active)


def remove_passages(tx: Transaction, *, vault_id: int, ids: Sequence[int]) -> None:
    """Take passages away with their words and vectors; what followed them is embedded anew without them."""
    for start in range(0, len(ids), 500):
        here = (passage.c.vault_id == vault_id) & passage.c.id.in_(list(ids[start : start + 500]))
        rows = list(tx.execute(select(passage).where(here)).mappings())
        _delete(tx, vault_id=vault_id, rows=rows)
        _forget_next(tx, vault_id=vault_id, places=[(row["origin"], row["ordinal"]) for row in rows])


def _delete(tx: Transaction, *, vault_id: int, rows: Sequence[Mapping[Any, Any]]) -> None:
    text_index.remove(tx, [_entry(row) for row in rows if row["active"] and row["terms"]])
    vectors.forget(tx, vault_id=vault_id, passage_ids=[row["id"] for row in rows])
    for start in range(0, len(rows), 500):
        ids = [row["id"] for row in rows[start : start + 500]]
        tx.execute(delete(passage).where(passage.c.vault_id == vault_id, passage.c.id.in_(ids)))


def passage_ids(tx: Transaction, *, vault_id: int, note_id: str) -> list[int]:
    """Ids of the passages of a note's own text."""
    statement = select(passage.c.id).where(
        passage.c.vault_id == vault_id, passage.c.note_id == note_id, passage.c.fact_number.is_(None)
    )
    return list(tx.execute(statement).scalars())
