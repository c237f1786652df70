"""What the map draws, read within vaults that the caller was granted (V14)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, select

from souvenance.domain.fact import State
from souvenance.store.database import Transaction
from souvenance.store.facts import in_state
from souvenance.store.tables import fact, link, note, passage, passage_vector

LABEL = 80
"""Characters of a fact that name it on the map."""


class NoteNode(NamedTuple):
    """A note that stands."""

    vault_id: int
    id: str
    title: str
    note_class: str
    disabled: bool
    updated_at: datetime


class FactNode(NamedTuple):
    """A fact in force, disabled or not, and the page it stands on."""

    vault_id: int
    number: int
    note_id: str
    key: str
    content: str
    disabled: bool
    updated_at: datetime


class Vectored(NamedTuple):
    """An active passage that has a vector, the words of that vector, and what it belongs to."""

    vault_id: int
    passage_id: int
    text_hash: str
    fact_number: int | None
    note_id: str


def read_notes(tx: Transaction, *, vault_ids: Collection[int], limit: int) -> list[NoteNode]:
    """The notes that stand, the last changed first."""
    statement = (
        select(note.c.vault_id, note.c.id, note.c.title, note.c.note_class, note.c.disabled, note.c.updated_at)
        .where(note.c.vault_id.in_(list(vault_ids)), note.c.deleted_at.is_(None))
        .order_by(note.c.updated_at.desc(), note.c.id)
        .limit(limit)
    )
    return [NoteNode._make(row) for row in tx.execute(statement)]


def read_facts(tx: Transaction, *, vault_ids: Collection[int], limit: int) -> list[FactNode]:
    """The facts in force, disabled ones too, the last changed first."""
    columns = (fact.c.vault_id, fact.c.number, fact.c.note_id, fact.c.key, fact.c.content, fact.c.disabled)
    statement = (
        select(*columns, fact.c.updated_at)
        .where(fact.c.vault_id.in_(list(vault_ids)), in_state(State.IN_FORCE))
        .order_by(fact.c.updated_at.desc(), fact.c.number.desc())
        .limit(limit)
    )
    return [FactNode._make(row) for row in tx.execute(statement)]


def read_links(tx: Transaction, *, vault_ids: Collection[int]) -> list[tuple[int, str, str, str]]:
    """(Vault, source kind, source id, target note) of every link that has found its note."""
    columns = (link.c.vault_id, link.c.source_kind, link.c.source_id, link.c.target_note_id)
    statement = select(*columns).where(link.c.vault_id.in_(list(vault_ids)), link.c.target_note_id.is_not(None))
    return [(row.vault_id, row.source_kind, row.source_id, row.target_note_id) for row in tx.execute(statement)]


def read_vectored(tx: Transaction, *, vault_ids: Collection[int], model: int) -> list[Vectored]:
    """Which active passages have a vector of this model, without the vectors."""
    statement = (
        select(
            passage_vector.c.vault_id,
            passage_vector.c.passage_id,
            passage_vector.c.text_hash,
            passage.c.fact_number,
            passage.c.note_id,
        )
        .join(
            passage,
            and_(passage.c.vault_id == passage_vector.c.vault_id, passage.c.id == passage_vector.c.passage_id),
        )
        .where(
            passage_vector.c.vault_id.in_(list(vault_ids)),
            passage_vector.c.model_id == model,
            passage_vector.c.active,
        )
    )
    return [Vectored._make(row) for row in tx.execute(statement)]


def read_blobs(tx: Transaction, *, model: int, passages: Sequence[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    """Vectors of these passages (vault id, passage id) as they are stored."""
    found: dict[tuple[int, int], bytes] = {}
    by_vault: dict[int, list[int]] = {}
    for vault_id, passage_id in passages:
        by_vault.setdefault(vault_id, []).append(passage_id)
    for vault_id, ids in by_vault.items():
        for start in range(0, len(ids), 1000):
            statement = select(passage_vector.c.passage_id, passage_vector.c.vector).where(
                passage_vector.c.vault_id == vault_id,
                passage_vector.c.model_id == model,
                passage_vector.c.passage_id.in_(ids[start : start + 1000]),
            )
            found.update({(vault_id, row.passage_id): row.vector for row in tx.execute(statement)})
    return found
