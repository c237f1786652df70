"""Vectors beside their passages: rows are the truth, every index of them is derived (CASES 4).

What is not embedded yet is known by a query, never by a queue (CASES 5). Vectors of two models are never compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Select, and_, delete, func, insert, select, update

from souvenance.store.database import Transaction
from souvenance.store.tables import embedding_model, passage, passage_vector, vector_change


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """A passage that waits for its vector: what to embed alone and, where it follows another, together with it."""

    vault_id: int
    passage_id: int
    text: str
    with_previous: str | None

    @property
    def text_hash(self) -> str:
        """Of the words embedded, so that a vector can be told from one of older words."""
        joined = "\x1f".join((self.text, self.with_previous or ""))
        return hashlib.blake2b(joined.encode(), digest_size=16).hexdigest()


def model_id(tx: Transaction, *, name: str, dimension: int) -> int:
    """The id of an embedding model, made on first use."""
    found = tx.execute(select(embedding_model.c.id).where(embedding_model.c.name == name)).scalar()
    if found is None:
        statement = insert(embedding_model).values(name=name, dimension=dimension).returning(embedding_model.c.id)
        found = tx.execute(statement).scalar_one()
    return int(found)


def forget(tx: Transaction, *, vault_id: int, passage_ids: Sequence[int]) -> None:
    """Drop the vectors of passages whose words changed or went away."""
    for start in range(0, len(passage_ids), 500):
        chunk = list(passage_ids[start : start + 500])
        here = (passage_vector.c.vault_id == vault_id) & passage_vector.c.passage_id.in_(chunk)
        gone = tx.execute(delete(passage_vector).where(here).returning(passage_vector.c.passage_id)).scalars().all()
        _announce(tx, vault_id, sorted(set(gone)))


def set_active(tx: Transaction, *, vault_id: int, passage_ids: Sequence[int], active: bool) -> None:
    """Let the vectors of passages be found, or not, without making them again."""
    here = (passage_vector.c.vault_id == vault_id) & passage_vector.c.passage_id.in_(list(passage_ids))
    if tx.execute(update(passage_vector).where(here).values(active=active)).rowcount:
        _announce(tx, vault_id, passage_ids)


def _announce(tx: Transaction, vault_id: int, passage_ids: Iterable[int]) -> None:
    """Tell the in-process indexes of every process which passages to look at again (SQLite only)."""
    rows = [{"vault_id": vault_id, "passage_id": passage_id} for passage_id in passage_ids]
    if tx.is_sqlite and rows:
        tx.execute(insert(vector_change), rows)


def _missing(model: int, vault_ids: Sequence[int] | None) -> Select[tuple[int]]:
    has = and_(
        passage_vector.c.vault_id == passage.c.vault_id,
        passage_vector.c.passage_id == passage.c.id,
        passage_vector.c.model_id == model,
    )
    statement = select(passage.c.id).outerjoin(passage_vector, has).where(passage_vector.c.passage_id.is_(None))
    if vault_ids is not None:
        statement = statement.where(passage.c.vault_id.in_(vault_ids))
    return statement.where(passage.c.active)


def count_waiting(tx: Transaction, *, model: int, vault_ids: Sequence[int] | None = None) -> int:
    """How many passages wait for a vector of this model."""
    return int(tx.execute(_missing(model, vault_ids).with_only_columns(func.count())).scalar_one())


def next_waiting(tx: Transaction, *, model: int, after: int, limit: int) -> list[Unembedded]:
    """The next passages without a vector, by id; start again from 0 when none is left after `after`."""
    earlier = passage.alias("earlier")
    previous = (
        select(earlier.c.text)
        .where(
            earlier.c.vault_id == passage.c.vault_id,
            earlier.c.origin == passage.c.origin,
            earlier.c.ordinal < passage.c.ordinal,
            earlier.c.active,
            passage.c.origin != "",
        )
        .order_by(earlier.c.ordinal.desc())
        .limit(1)
        .scalar_subquery()
    )
    statement = (
        _missing(model, None)
        .with_only_columns(
            passage.c.vault_id,
            passage.c.id,
            passage.c.heading,
            passage.c.text,
            passage.c.speaker,
            previous.label("previous"),
        )
        .where(passage.c.id > after)
        .order_by(passage.c.id)
        .limit(limit)
    )
    return [
        Unembedded(
            vault_id=row.vault_id,
            passage_id=row.id,
            text=layout(heading=row.heading, text=row.text, speaker=row.speaker),
            with_previous=None
            if row.previous is None
            else f"{row.previous}\n{layout(heading=row.heading, text=row.text, speaker=row.speaker)}",
        )
        for row in tx.execute(statement)
    ]


def layout(*, heading: str, text: str, speaker: str) -> str:
    """The words that are embedded for a passage: who said it, what it is about, what it says."""
    return ": ".join(part for part in (speaker, heading, text) if part)


def add_vectors(tx: Transaction, *, model: int, items: Sequence[tuple[Unembedded, bytes, bytes | None]]) -> int:
    """Keep vectors (float16 bytes) for passages that still say what was embedded; how many were kept."""
    wanted = {item.passage_id: item for item, _, _ in items}
    ids = sorted(wanted)
    still = {
        found.passage_id
        for found in next_waiting(tx, model=model, after=ids[0] - 1, limit=len(ids) * 2)
        if found.passage_id in wanted and found.text_hash == wanted[found.passage_id].text_hash
    }
    kept = [(item, vector, with_previous) for item, vector, with_previous in items if item.passage_id in still]
    rows = [
        {
            "vault_id": item.vault_id,
            "passage_id": item.passage_id,
            "model_id": model,
            "text_hash": item.text_hash,
            "active": True,
            "vector": vector,
            "with_previous": with_previous,
        }
        for item, vector, with_previous in kept
    ]
    if rows:
        tx.execute(insert(passage_vector), rows)
    for vault_id in sorted({item.vault_id for item, _, _ in kept}):
        _announce(tx, vault_id, [item.passage_id for item, _, _ in kept if item.vault_id == vault_id])
    return len(rows)
