"""The index of vectors on PostgreSQL: pgvector, exact over what is small, HNSW over what is large.

One pair of partial indexes per model, made in the background once it is worth it (`keep_indexes`). An expression with
the dimension in it is what such an index can stand on, since rows of several models share one column.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, text

from souvenance.store.database import Database, Transaction
from souvenance.store.tables import embedding_model
from souvenance.store.vector_index import Facet, Near

if TYPE_CHECKING:
    from souvenance.store.vector_index import Query

SMALL = 20_000
"""Vectors up to which a scan of them all is used: exact, and quicker than filtering a graph's answers by vault."""
REMEMBERED = 10.0
"""Seconds for which the existence of an index and the size of a scope are taken for granted."""
BUILD_MEMORY = "512MB"
MOST_DIMENSIONS = 4000
"""What pgvector indexes in half precision; vectors longer than that are scanned."""
_COLUMNS = ("vector", "with_previous")


def _name(model: int, column: str) -> str:
    return f"ix_hnsw_{model}_{column}"


def _usable(model: int, dimension: int, column: str) -> str:
    """Rows an index of this model holds. Written with literals: a partial index is only used when the planner sees that
    the query implies its condition. The dimension is asked first, so that a damaged row cannot fail a query."""
    return f"model_id = {int(model)} AND active AND vector_dims({column}) = {int(dimension)}"


class PostgresqlIndex:
    """Search by meaning in the database itself (see VectorIndex)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Any, tuple[float, bool]] = {}

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
        """The passages nearest to the query."""
        vaults = sorted({int(one) for one in vault_ids})
        if limit < 1 or not vaults:
            return []
        if self._is_large(tx, model, vaults) and self._is_indexed(tx, model):
            found = self._by_graph(tx, model, query, vaults, 2 * limit + 32, facet)
            if len(found) >= limit:
                return sorted(found, key=lambda near: near.by(facet), reverse=True)[:limit]
        return self._by_scan(tx, model, query, vaults, limit, facet)

    def similarities(
        self, tx: Transaction, *, model: int, query: Query, passage_ids: Mapping[int, Collection[int]]
    ) -> list[Near]:
        """Exact cosines of given passages."""
        result: list[Near] = []
        for vault_id, wanted in passage_ids.items():
            if wanted:
                condition = "vault_id = :vault AND passage_id = ANY(:wanted)"
                values = {"vault": int(vault_id), "wanted": [int(one) for one in wanted]}
                result += self._select(tx, model, query, condition, values)
        return result

    def forget(self, vault_id: int) -> None:
        """Nothing of a vault is held in memory."""

    def damaged(self) -> frozenset[tuple[int, int]]:
        """None: the column's type refuses what is no vector."""
        return frozenset()

    def take_damaged(self) -> frozenset[tuple[int, int]]:
        """None."""
        return frozenset()

    # --- the two ways ------------------------------------------------------------------------------------------

    def _by_scan(
        self, tx: Transaction, model: int, query: Query, vaults: Sequence[int], limit: int, facet: Facet
    ) -> list[Near]:
        judged = {"alone": "alone", "with_previous": "coalesce(together, alone)", "best": "greatest(alone, together)"}
        tail = f"ORDER BY {judged[facet]} DESC, passage_id LIMIT :limit"
        return self._select(tx, model, query, "vault_id = ANY(:vaults)", {"vaults": list(vaults), "limit": limit}, tail)

    def _by_graph(
        self, tx: Transaction, model: int, query: Query, vaults: Sequence[int], limit: int, facet: Facet
    ) -> list[Near]:
        dimension = len(query)
        # Keep looking until enough of the answers stand in the vaults asked for (pgvector 0.8).
        tx.execute(text("SET LOCAL hnsw.iterative_scan = 'relaxed_order'"))
        tx.execute(text(f"SET LOCAL hnsw.ef_search = {min(1000, max(100, limit))}"))
        found: dict[int, set[int]] = {}
        for column in _COLUMNS if facet != "alone" else _COLUMNS[:1]:
            statement = (
                f"SELECT vault_id, passage_id FROM passage_vector "  # noqa: S608
                f"WHERE vault_id = ANY(:vaults) AND {_usable(model, dimension, column)} "
                f"ORDER BY ({column}::halfvec({dimension})) <#> CAST(:query AS halfvec({dimension})) LIMIT :limit"
            )
            values = {"vaults": list(vaults), "query": _literal(query), "limit": limit}
            for row in tx.execute(text(statement), values):
                found.setdefault(row.vault_id, set()).add(row.passage_id)
        return self.similarities(tx, model=model, query=query, passage_ids=found)

    def _select(
        self, tx: Transaction, model: int, query: Query, condition: str, values: Mapping[str, Any], tail: str = ""
    ) -> list[Near]:
        dimension = len(query)
        statement = (
            f"SELECT vault_id, passage_id, alone, together FROM (SELECT vault_id, passage_id, "  # noqa: S608
            f"-(vector <#> CAST(:query AS halfvec)) AS alone, "
            f"CASE WHEN vector_dims(with_previous) = {dimension} "
            f"THEN -(with_previous <#> CAST(:query AS halfvec)) END AS together "
            f"FROM passage_vector WHERE {condition} AND {_usable(model, dimension, 'vector')}) AS judged {tail}"
        )
        rows = tx.execute(text(statement), {**values, "query": _literal(query)})
        return [Near(row.vault_id, row.passage_id, row.alone, row.together) for row in rows]

    # --- which way ---------------------------------------------------------------------------------------------

    def _is_large(self, tx: Transaction, model: int, vaults: Sequence[int]) -> bool:
        statement = text(
            "SELECT count(*) FROM (SELECT 1 FROM passage_vector "
            "WHERE vault_id = ANY(:vaults) AND model_id = :model AND active LIMIT :most) AS few"
        )
        values = {"vaults": list(vaults), "model": model, "most": SMALL + 1}
        return self._remember(
            ("size", model, tuple(vaults)), lambda: tx.execute(statement, values).scalar_one() > SMALL
        )

    def _is_indexed(self, tx: Transaction, model: int) -> bool:
        statement = text(
            "SELECT count(*) FROM pg_index WHERE indisvalid AND indexrelid IN (to_regclass(:one), to_regclass(:two))"
        )
        values = {"one": _name(model, "vector"), "two": _name(model, "with_previous")}
        return self._remember(("index", model), lambda: tx.execute(statement, values).scalar_one() == len(_COLUMNS))

    def _remember(self, key: Any, ask: Any) -> bool:
        now = time.monotonic()
        with self._lock:
            known = self._known.get(key)
            if known is not None and now - known[0] < REMEMBERED:
                return known[1]
        answer = bool(ask())
        with self._lock:
            if len(self._known) > 1000:
                self._known.clear()
            self._known[key] = (now, answer)
        return answer


@dataclass(frozen=True, slots=True)
class IndexWork:
    """What `keep_indexes` would do: names of indexes to drop, and to make with the column each stands on."""

    gone: tuple[str, ...] = ()
    new: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.gone or self.new)


def index_work(tx: Transaction, *, model: int, dimension: int) -> IndexWork:
    """Indexes a model lacks now that it has more than `SMALL` vectors, and those of models that are gone."""
    if tx.is_sqlite:
        return IndexWork()
    models = set(tx.execute(select(embedding_model.c.id)).scalars())
    statement = text(
        "SELECT c.relname AS name, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE i.indrelid = to_regclass('passage_vector') AND c.relname LIKE 'ix_hnsw_%'"
    )
    found = {row.name: row.indisvalid for row in tx.execute(statement)}
    many = text(
        "SELECT count(*) FROM (SELECT vault_id FROM passage_vector WHERE model_id = :model AND active "
        "LIMIT :most) AS few"
    )
    is_large = dimension <= MOST_DIMENSIONS and (
        tx.execute(many, {"model": model, "most": SMALL + 1}).scalar_one() > SMALL
    )
    wanted = {_name(model, column): column for column in _COLUMNS} if is_large else {}
    current = {_name(one, column) for one in models for column in _COLUMNS}
    # An index that is not valid is what a crash left of one.
    gone = tuple(name for name, valid in found.items() if name not in current or (name in wanted and not valid))
    return IndexWork(gone, tuple((name, column) for name, column in wanted.items() if not found.get(name)))


def keep_indexes(database: Database, work: IndexWork, *, model: int, dimension: int) -> None:
    """Do that work, outside any transaction and without holding up writers; its caller holds the claim."""
    connection = database.private_connection()
    try:
        connection.autocommit = True
        # A graph is built many times faster while it fits in memory.
        connection.execute(f"SET maintenance_work_mem = '{BUILD_MEMORY}'")
        for name in work.gone:
            connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        for name, column in work.new:
            connection.execute(
                f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON passage_vector USING hnsw "
                f"(({column}::halfvec({dimension})) halfvec_ip_ops) WHERE {_usable(model, dimension, column)}"
            )
    finally:
        connection.close()


def _literal(query: Query) -> str:
    return "[" + ",".join(f"{value:.7g}" for value in query.tolist()) + "]"
