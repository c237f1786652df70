"""The index of vectors: which passages mean most nearly the same as a query. Derived; the rows are the truth."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from souvenance.store.database import Database, Transaction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Query = NDArray[np.float32]

Facet = Literal["alone", "with_previous", "best"]
"""By what a passage is judged: itself, itself together with the one before it, or the better of the two."""


class Near(NamedTuple):
    """A passage and its exact cosines with the query; `with_previous` is None where nothing stands before it."""

    vault_id: int
    passage_id: int
    alone: float
    with_previous: float | None

    def by(self, facet: Facet) -> float:
        """The cosine of one facet; a passage without a predecessor is judged by itself."""
        if facet == "alone" or self.with_previous is None:
            return self.alone
        return self.with_previous if facet == "with_previous" else max(self.alone, self.with_previous)


class VectorIndex(Protocol):
    """Search by meaning within vaults that the caller was granted. Thread-safe; asked in read transactions only.

    Only active passages are candidates, whatever the state of anything kept in memory (CASES 10), and only vectors of
    the model named (CASES 6). `query` is a unit float32 vector of that model's dimension.
    """

    def nearest(
        self,
        tx: Transaction,
        *,
        model: int,
        query: Query,
        vault_ids: Collection[int],
        limit: int,
        facet: Facet = "best",
    ) -> list[Near]:
        """The `limit` passages nearest to the query over all these vaults together, the nearest first."""

    def similarities(
        self, tx: Transaction, *, model: int, query: Query, passage_ids: Mapping[int, Collection[int]]
    ) -> list[Near]:
        """Exact cosines of given passages (ids by vault); those without a usable vector are left out."""

    def forget(self, vault_id: int) -> None:
        """Let go of what is held in memory of a vault."""

    def damaged(self) -> frozenset[tuple[int, int]]:
        """(Vault id, passage id) of vectors met so far that cannot be read; they are skipped."""

    def take_damaged(self) -> frozenset[tuple[int, int]]:
        """`damaged`, handed over to a caller that has them made again."""


def open_index(database: Database) -> VectorIndex:
    """The index that suits the store. Imports numpy, so ask for it late."""
    if database.is_sqlite:
        from souvenance.store.vector_index.in_memory import InMemoryIndex

        return InMemoryIndex()
    from souvenance.store.vector_index.postgresql import PostgresqlIndex

    return PostgresqlIndex()
