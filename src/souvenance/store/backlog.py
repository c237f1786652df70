"""What waits for a vector: always asked of the passages and vectors themselves, never of a queue (CASES 5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import and_, func, select

from souvenance.domain.access import Route
from souvenance.domain.protection import may_leave
from souvenance.domain.vault import MemoryType, Protection
from souvenance.store.database import Transaction
from souvenance.store.tables import passage, passage_vector, vault
from souvenance.store.vectors import Unembedded, texts_to_embed, unembedded


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of some passages has a vector of the model in use."""

    passages: int
    embedded: int

    @property
    def waiting(self) -> int:
        """Passages without a vector."""
        return max(0, self.passages - self.embedded)

    @property
    def is_enough(self) -> bool:
        """Whether search by meaning may be trusted here: at most one passage in ten, or sixteen of few, is missing.

        Below that a search by meaning would lift whatever happens to be embedded already, so words answer alone (T6).
        """
        return self.embedded > 0 and self.waiting <= max(16, self.passages // 10)

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(self.passages + other.passages, self.embedded + other.embedded)

    def __str__(self) -> str:
        return f"{self.embedded} of {self.passages} embedded"

    @staticmethod
    def total(parts: Iterable[Coverage]) -> Coverage:
        """That of several vaults together."""
        return sum(parts, Coverage(0, 0))


def coverage(tx: Transaction, *, model: int, vault_ids: Collection[int]) -> dict[int, Coverage]:
    """Coverage of each of these vaults. Two counts over indexes: milliseconds per 100,000 passages."""
    if not vault_ids:
        return {}
    passages = (
        select(passage.c.vault_id, func.count().label("number"))
        .where(passage.c.vault_id.in_(list(vault_ids)), passage.c.active)
        .group_by(passage.c.vault_id)
    )
    embedded = (
        select(passage_vector.c.vault_id, func.count().label("number"))
        .where(
            passage_vector.c.vault_id.in_(list(vault_ids)), passage_vector.c.model_id == model, passage_vector.c.active
        )
        .group_by(passage_vector.c.vault_id)
    )
    there = {row.vault_id: int(row.number) for row in tx.execute(passages)}
    done = {row.vault_id: int(row.number) for row in tx.execute(embedded)}
    return {vault_id: Coverage(there.get(vault_id, 0), done.get(vault_id, 0)) for vault_id in vault_ids}


def waiting_ids(
    tx: Transaction, *, model: int, vault_id: int, limit: int, above: int = 0, below: int | None = None
) -> list[int]:
    """Ids of passages of one vault that wait, the newest first, between two ids (both left out).

    Reads only as far as it must to find `limit`: ask for no more than are known to wait.
    """
    has = and_(
        passage_vector.c.vault_id == passage.c.vault_id,
        passage_vector.c.passage_id == passage.c.id,
        passage_vector.c.model_id == model,
    )
    statement = (
        select(passage.c.id)
        .outerjoin(passage_vector, has)
        .where(passage.c.vault_id == vault_id, passage.c.active, passage_vector.c.passage_id.is_(None))
        .where(passage.c.id > above)
    )
    if below is not None:
        statement = statement.where(passage.c.id < below)
    return list(tx.execute(statement.order_by(passage.c.id.desc()).limit(limit)).scalars())


def read_waiting(tx: Transaction, *, model: int, vault_id: int, ids: Sequence[int]) -> list[Unembedded]:
    """Of these passages, those that still wait, with the texts to embed."""
    has = select(passage_vector.c.passage_id).where(
        passage_vector.c.vault_id == vault_id,
        passage_vector.c.passage_id.in_(list(ids)),
        passage_vector.c.model_id == model,
    )
    done = set(tx.execute(has).scalars())
    left = [passage_id for passage_id in ids if passage_id not in done]
    statement = texts_to_embed().where(passage.c.vault_id == vault_id, passage.c.id.in_(left), passage.c.active)
    return [unembedded(row) for row in tx.execute(statement)]


def embeddable_vaults(tx: Transaction, *, route: Route, is_endpoint: bool = False) -> list[int]:
    """Ids of the vaults whose texts may go to an embedder over this route; a protected one's stay here (V8).

    To an endpoint go only those on step six: it is the one that sends anything anywhere (T6). An embedder inside this
    program serves search on any step.
    """
    statement = select(vault.c.id).order_by(vault.c.id)
    if is_endpoint:
        statement = statement.where(vault.c.memory_type == MemoryType.SEMANTIC)
    if not may_leave(Protection.MAXIMUM, route):
        statement = statement.where(vault.c.protection != Protection.MAXIMUM)
    return list(tx.execute(statement).scalars())


def every_vault(tx: Transaction) -> list[int]:
    """Ids of all vaults, for work that gives nothing of them to anyone."""
    return list(tx.execute(select(vault.c.id).order_by(vault.c.id)).scalars())


def amount_waiting(tx: Transaction, *, model: int, vault_id: int) -> tuple[int, int]:
    """How many passages of a vault wait for a vector of a model, and how many characters they are."""
    has = and_(
        passage_vector.c.vault_id == passage.c.vault_id,
        passage_vector.c.passage_id == passage.c.id,
        passage_vector.c.model_id == model,
    )
    size = func.coalesce(func.sum(func.length(passage.c.text) + func.length(passage.c.heading)), 0).label("size")
    statement = (
        select(func.count().label("number"), size)
        .select_from(passage.outerjoin(passage_vector, has))
        .where(passage.c.vault_id == vault_id, passage.c.active, passage_vector.c.passage_id.is_(None))
    )
    row = tx.execute(statement).one()
    return int(row.number), int(row.size)
