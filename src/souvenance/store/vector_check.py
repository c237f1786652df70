"""An exact look at every vector, for `souvenance doctor`: what counts alone cannot show (CASES 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import and_, select

from souvenance.store import backlog, vectors
from souvenance.store.database import Database, Transaction
from souvenance.store.tables import passage, passage_vector
from souvenance.store.vectors import texts_to_embed, unembedded

CHUNK = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorFindings:
    """What was found, in passages. All but `missing` are repaired by forgetting them: they are then embedded anew.

    `missing` have no vector of the model in use and simply wait; `stale` have one of other words; `unreadable` have one
    that is no vector; `misplaced` are found though out of force, or the reverse.
    """

    passages: int = 0
    missing: int = 0
    stale: int = 0
    unreadable: int = 0
    misplaced: int = 0

    @property
    def is_sound(self) -> bool:
        """Nothing is wrong; some may be waiting."""
        return not (self.stale or self.unreadable or self.misplaced)

    def __add__(self, other: VectorFindings) -> VectorFindings:
        return VectorFindings(
            passages=self.passages + other.passages,
            missing=self.missing + other.missing,
            stale=self.stale + other.stale,
            unreadable=self.unreadable + other.unreadable,
            misplaced=self.misplaced + other.misplaced,
        )


def check_vectors(database: Database, *, name: str, dimension: int, repair: bool = False) -> VectorFindings:
    """Read every passage and vector of the model in use. With `repair`, forget those that are wrong."""
    with database.read() as tx:
        model = vectors.find_model(tx, name=name, dimension=dimension) or 0
        vault_ids = backlog.every_vault(tx)
    total = VectorFindings()
    for vault_id in vault_ids:
        after = 0
        while True:
            # Each chunk in its own short transaction; writers go on in between.
            with database.write() if repair else database.read() as tx:
                chunk = _chunk(tx, model=model, vault_id=vault_id, after=after)
                if not chunk:
                    break
                findings, wrong = _judge(tx, chunk, model=model, vault_id=vault_id, dimension=dimension)
                if repair and wrong:
                    vectors.forget(tx, vault_id=vault_id, passage_ids=wrong)
            total += findings
            after = chunk[-1]
    return total


def _chunk(tx: Transaction, *, model: int, vault_id: int, after: int) -> list[int]:
    statement = select(passage.c.id).where(passage.c.vault_id == vault_id, passage.c.id > after)
    return list(tx.execute(statement.order_by(passage.c.id).limit(CHUNK)).scalars())


def _judge(
    tx: Transaction, ids: list[int], *, model: int, vault_id: int, dimension: int
) -> tuple[VectorFindings, list[int]]:
    between = and_(passage.c.vault_id == vault_id, passage.c.id >= ids[0], passage.c.id <= ids[-1])
    here = and_(
        passage_vector.c.vault_id == vault_id,
        passage_vector.c.model_id == model,
        passage_vector.c.passage_id >= ids[0],
        passage_vector.c.passage_id <= ids[-1],
    )
    rows = {row.passage_id: row for row in tx.execute(select(passage_vector).where(here))}
    active = set(tx.execute(select(passage.c.id).where(between, passage.c.active)).scalars())
    hashes = {row.id: unembedded(row).text_hash for row in tx.execute(texts_to_embed().where(between))}
    unreadable = set(_unreadable([(row.passage_id, row.vector, row.with_previous) for row in rows.values()], dimension))
    misplaced = {one for one, row in rows.items() if bool(row.active) != (one in active)} - unreadable
    stale = {one for one in rows if one in active and rows[one].text_hash != hashes[one]} - unreadable - misplaced
    findings = VectorFindings(
        passages=len(active),
        missing=len(active - rows.keys()),
        stale=len(stale),
        unreadable=len(unreadable),
        misplaced=len(misplaced),
    )
    return findings, sorted(unreadable | misplaced | stale)


def _unreadable(rows: list[tuple[int, bytes, bytes | None]], dimension: int) -> Iterator[int]:
    from souvenance.store.vector_index.codes import read_vectors

    alone = [(passage_id, vector) for passage_id, vector, _ in rows]
    for present in (alone, [(passage_id, both) for passage_id, _, both in rows if both is not None]):
        _, usable = read_vectors([blob for _, blob in present], dimension)
        yield from (passage_id for (passage_id, _), fine in zip(present, usable.tolist(), strict=True) if not fine)
