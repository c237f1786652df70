"""Vectors beside their passages: rows are the truth, every index of them is derived (CASES 4).

What is not embedded yet is known by a query, never by a queue (CASES 5). Vectors of two models are never compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, bindparam, delete, func, insert, literal_column, select, update

from souvenance.store.database import Transaction
from souvenance.store.tables import embedding_model, passage, passage_vector, vector_change


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """A passage to embed: alone and, where it follows another, together with it."""

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
    """The id of an embedding model, made on first use. A model of another dimension is another model (CASES 6)."""
    wanted = (embedding_model.c.name == name) & (embedding_model.c.dimension == dimension)
    found = tx.execute(select(embedding_model.c.id).where(wanted)).scalar()
    if found is None:
        tx.hold("embedding_model")
        found = tx.execute(select(embedding_model.c.id).where(wanted)).scalar()
    if found is None:
        statement = insert(embedding_model).values(name=name, dimension=dimension).returning(embedding_model.c.id)
        found = tx.execute(statement).scalar_one()
    return int(found)


def find_model(tx: Transaction, *, name: str, dimension: int) -> int | None:
    """The id of an embedding model, None when it has never been used on this store."""
    wanted = (embedding_model.c.name == name) & (embedding_model.c.dimension == dimension)
    return tx.execute(select(embedding_model.c.id).where(wanted)).scalar()


def read_background(tx: Transaction, *, model: int, sentences: str) -> bytes | None:
    """What a model made of the background sentences with this hash, as kept; None where it was not made of them."""
    wanted = (embedding_model.c.id == model) & (embedding_model.c.background_hash == sentences)
    return tx.execute(select(embedding_model.c.background).where(wanted)).scalar()


def keep_background(tx: Transaction, *, model: int, sentences: str, made: bytes) -> None:
    """Keep what a model made of the background sentences, with their hash, in the place of what it made before."""
    values = {"background": made, "background_hash": sentences}
    tx.execute(update(embedding_model).where(embedding_model.c.id == model).values(values))


# --- following the passages ------------------------------------------------------------------------------------


def forget(tx: Transaction, *, vault_id: int, passage_ids: Sequence[int]) -> None:
    """Drop the vectors of passages whose words changed or went away."""
    for start in range(0, len(passage_ids), 500):
        chunk = list(passage_ids[start : start + 500])
        here = (passage_vector.c.vault_id == vault_id) & passage_vector.c.passage_id.in_(chunk)
        gone = tx.execute(delete(passage_vector).where(here).returning(passage_vector.c.passage_id)).scalars().all()
        announce(tx, vault_id, sorted(set(gone)))


def set_active(tx: Transaction, *, vault_id: int, passage_ids: Sequence[int], active: bool) -> None:
    """Let the vectors of passages be found, or not, without making them again."""
    for start in range(0, len(passage_ids), 500):
        chunk = list(passage_ids[start : start + 500])
        here = (passage_vector.c.vault_id == vault_id) & passage_vector.c.passage_id.in_(chunk)
        if tx.execute(update(passage_vector).where(here).values(active=active)).rowcount:
            announce(tx, vault_id, chunk)


def announce(tx: Transaction, vault_id: int, passage_ids: Iterable[int]) -> None:
    """Tell the in-process indexes of every process which passages to look at again (SQLite only)."""
    rows = [{"vault_id": vault_id, "passage_id": passage_id} for passage_id in passage_ids]
    if tx.is_sqlite and rows:
        tx.execute(insert(vector_change), rows)


def prune_changes(tx: Transaction, *, keep: int) -> None:
    """Shorten the log that in-process indexes follow; one that is behind what was cut loads its rows again."""
    if tx.is_sqlite:
        newest = tx.execute(select(func.max(vector_change.c.seq))).scalar()
        if newest is not None:
            tx.execute(delete(vector_change).where(vector_change.c.seq <= newest - keep))


def count_changes(tx: Transaction) -> int:
    """About how long the log is: by its ends, since only the oldest are ever cut."""
    if not tx.is_sqlite:
        return 0
    oldest = tx.execute(select(func.min(vector_change.c.seq))).scalar()
    newest = tx.execute(select(func.max(vector_change.c.seq))).scalar()
    return 0 if oldest is None or newest is None else newest - oldest + 1


# --- what is embedded for a passage ----------------------------------------------------------------------------


def layout(*, heading: str, text: str, speaker: str, is_fact: bool) -> str:
    """The words that are embedded for a passage: who said it, what it is about, what it says.

    Measured on three labelled sets (docs/benchmarks.md): a fact's key written as words and in front does best, a note's
    title and headings on a line of their own.
    """
    if not is_fact:
        return f"{heading}\n{text}" if heading else text
    about = heading.replace("_", " ").strip()
    front = ", ".join(part for part in (speaker, about[:1].upper() + about[1:]) if part)
    return f"{front}: {text}" if front else text


def texts_to_embed() -> Select[tuple[int, int, int | None, str, str, str, str | None, str | None]]:
    """A query for passages with all that `unembedded` needs; its caller adds which."""
    earlier = passage.alias()
    before = (
        select(earlier.c.id)
        .where(
            earlier.c.vault_id == passage.c.vault_id,
            earlier.c.origin == passage.c.origin,
            # Written out, here and there, for the planner: the index covers only passages that stand somewhere.
            earlier.c.origin != literal_column("''"),
            earlier.c.ordinal < passage.c.ordinal,
            earlier.c.active,
        )
        .order_by(earlier.c.ordinal.desc())
        .limit(1)
        .correlate(passage)
        .scalar_subquery()
    )
    previous = passage.alias()
    return select(
        passage.c.vault_id,
        passage.c.id,
        passage.c.fact_number,
        passage.c.heading,
        passage.c.text,
        passage.c.speaker,
        previous.c.text.label("previous_text"),
        previous.c.speaker.label("previous_speaker"),
    ).select_from(passage.outerjoin(previous, (previous.c.vault_id == passage.c.vault_id) & (previous.c.id == before)))


def unembedded(row: Row[tuple[int, int, int | None, str, str, str, str | None, str | None]]) -> Unembedded:
    """What is embedded for a row of `texts_to_embed`."""
    alone = layout(heading=row.heading, text=row.text, speaker=row.speaker, is_fact=row.fact_number is not None)
    together = None
    if row.previous_text is not None:
        together = (
            layout(heading="", text=row.previous_text, speaker=row.previous_speaker or "", is_fact=True) + "\n" + alone
        )
    return Unembedded(vault_id=row.vault_id, passage_id=row.id, text=alone, with_previous=together)


# --- keeping vectors -------------------------------------------------------------------------------------------


def add_vectors(tx: Transaction, *, model: int, items: Sequence[tuple[Unembedded, bytes, bytes | None]]) -> int:
    """Keep vectors (float16 bytes) for passages that still say what was embedded; how many were kept.

    A passage that was reworded, retired or removed while the model ran is left out; so is one that another process
    embedded meanwhile.
    """
    kept = 0
    for vault_id in sorted({item.vault_id for item, _, _ in items}):
        here = {item.passage_id: (item, vector, both) for item, vector, both in items if item.vault_id == vault_id}
        done = select(passage_vector.c.passage_id).where(
            passage_vector.c.vault_id == vault_id,
            passage_vector.c.passage_id.in_(list(here)),
            passage_vector.c.model_id == model,
        )
        present = set(tx.execute(done).scalars())
        wanted = here.keys() - present
        now = texts_to_embed().where(passage.c.vault_id == vault_id, passage.c.id.in_(wanted), passage.c.active)
        rows: list[dict[str, Any]] = []
        for row in tx.execute(now):
            item, vector, both = here[row.id]
            if unembedded(row) == item:
                rows.append(
                    {
                        "vault_id": vault_id,
                        "passage_id": item.passage_id,
                        "model_id": model,
                        "text_hash": item.text_hash,
                        "active": True,
                        "vector": vector,
                        "with_previous": both,
                    }
                )
        if rows:
            tx.execute(insert(passage_vector), rows)
            announce(tx, vault_id, [row["passage_id"] for row in rows])
        kept += len(rows)
    return kept


def models_kept(tx: Transaction) -> dict[int, str]:
    """Every embedding model this store has known, by id."""
    statement = select(embedding_model.c.id, embedding_model.c.name)
    return {row.id: row.name for row in tx.execute(statement)}


def drop_vectors(tx: Transaction, *, vault_id: int, model: int, limit: int) -> int:
    """Remove vectors of one model from a vault, at most so many; how many went. Nothing else ever compares them."""
    of_model = (passage_vector.c.vault_id == vault_id) & (passage_vector.c.model_id == model)
    chosen = list(tx.execute(select(passage_vector.c.passage_id).where(of_model).limit(limit)).scalars())
    if chosen:
        one = of_model & (passage_vector.c.passage_id == bindparam("b_id"))
        tx.execute(delete(passage_vector).where(one), [{"b_id": passage_id} for passage_id in chosen])
    return len(chosen)


def drop_model(tx: Transaction, *, model: int) -> None:
    """Forget a model that no vector is of."""
    tx.execute(delete(embedding_model).where(embedding_model.c.id == model))


def sample(tx: Transaction, *, model: int, vault_id: int, limit: int) -> list[tuple[bytes, bytes | None]]:
    """Up to about `limit` active vectors of a vault, taken evenly from all of it, with those of the pair."""
    here = (passage_vector.c.vault_id == vault_id) & (passage_vector.c.model_id == model) & passage_vector.c.active
    count = tx.execute(select(func.count()).select_from(passage_vector).where(here)).scalar_one()
    statement = select(passage_vector.c.vector, passage_vector.c.with_previous).where(here)
    if count > limit:  # by their places among the vault's own, since ids are shared with the other vaults
        place = func.row_number().over(order_by=passage_vector.c.passage_id).label("place")
        placed = select(passage_vector.c.passage_id, place).where(here).subquery()
        chosen = select(placed.c.passage_id).where(placed.c.place % (count // limit) == 0)
        statement = statement.where(passage_vector.c.passage_id.in_(chosen))
    return [(row.vector, row.with_previous) for row in tx.execute(statement.limit(2 * limit))]


def any_of(tx: Transaction, *, vault_id: int, models: Sequence[int]) -> bool:
    """Whether a vault still has vectors of any of these models."""
    here = (passage_vector.c.vault_id == vault_id) & passage_vector.c.model_id.in_(list(models))
    return tx.execute(select(passage_vector.c.passage_id).where(here).limit(1)).scalar() is not None


def newest_of_facts(tx: Transaction, *, model: int, vault_id: int, limit: int) -> list[tuple[int, bytes]]:
    """Fact numbers with their vectors, of the newest facts of a vault that may be found."""
    same = (passage.c.vault_id == passage_vector.c.vault_id) & (passage.c.id == passage_vector.c.passage_id)
    here = (passage_vector.c.vault_id == vault_id) & (passage_vector.c.model_id == model) & passage_vector.c.active
    statement = (
        select(passage.c.fact_number, passage_vector.c.vector)
        .select_from(passage_vector.join(passage, same))
        .where(here, passage.c.fact_number.is_not(None))
        .order_by(passage_vector.c.passage_id.desc())
        .limit(limit)
    )
    return [(row.fact_number, row.vector) for row in tx.execute(statement)]
