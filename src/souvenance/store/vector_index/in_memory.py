"""The index of vectors beside SQLite: each vault's codes in memory, following the rows by the log of their changes.

Several processes agree because all follow the same log: before it answers, an index reads what changed since it last
looked, and loads a vault anew when the log was cut meanwhile. What it finds is judged again by the rows themselves, in
the caller's own transaction, so that neither a late index nor 8 bits can change an answer.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from souvenance.store.database import Transaction
from souvenance.store.vector_index import Facet, Near
from souvenance.store.vector_index.codes import Codes, Floats, Ids, dots, read_vectors

CHUNK = 4096
"""Rows read at a time while a vault is loaded: a few megabytes."""

_ROWS = (
    "SELECT passage_id, vector, with_previous FROM passage_vector WHERE vault_id = ? AND model_id = ? AND active = 1"
)
# CROSS JOIN: SQLite then looks each passage up, instead of reading the whole vault to pick some.
_SOME_ROWS = (
    "SELECT v.passage_id, v.vector, v.with_previous FROM json_each(?) AS wanted CROSS JOIN passage_vector AS v "
    "WHERE v.vault_id = ? AND v.passage_id = wanted.value AND v.model_id = ? AND v.active = 1"
)
_LOG_ENDS = "SELECT (SELECT min(seq) FROM vector_change), (SELECT max(seq) FROM vector_change)"
_LOG = "SELECT DISTINCT passage_id FROM vector_change WHERE vault_id = ? AND seq > ? AND seq <= ?"


class _Vault:
    """The codes of one vault under one model, and up to where in the log they are true."""

    def __init__(self, dimension: int) -> None:
        self.lock = threading.Lock()
        self.dimension = dimension
        self.seen = -1
        self.clear()

    def clear(self) -> None:
        self.alone = Codes(self.dimension)
        self.with_previous = Codes(self.dimension)


class InMemoryIndex:
    """Exact search over the vaults of one SQLite store (see VectorIndex)."""

    def __init__(self) -> None:
        self._vaults: dict[tuple[int, int], _Vault] = {}
        self._damaged: set[tuple[int, int]] = set()
        self._lock = threading.Lock()

    def nearest(
        self,
        tx: Transaction,
        *,
        model: int,
        query: Floats,
        vault_ids: Collection[int],
        limit: int,
        facet: Facet = "best",
    ) -> list[Near]:
        """The passages nearest to the query: a scan in 8 bits with a margin, then exact cosines."""
        if limit < 1:
            return []
        if tx.is_write:
            raise RuntimeError("the index follows what is committed: ask it in a read transaction")
        margin = limit + max(limit // 8, min(limit, 32) + 32)
        ends = tx.rows(_LOG_ENDS)[0]
        found: dict[tuple[int, int], float] = {}
        for vault_id in vault_ids:
            for passage_id, score in self._candidates(tx, model, vault_id, query, margin, facet, ends):
                key = (vault_id, passage_id)
                found[key] = max(score, found.get(key, -2.0))
        chosen = sorted(found, key=found.__getitem__, reverse=True)[:margin]
        by_vault: dict[int, list[int]] = {}
        for vault_id, passage_id in chosen:
            by_vault.setdefault(vault_id, []).append(passage_id)
        judged = self.similarities(tx, model=model, query=query, passage_ids=by_vault)
        return sorted(judged, key=lambda near: near.by(facet), reverse=True)[:limit]

    def similarities(
        self, tx: Transaction, *, model: int, query: Floats, passage_ids: Mapping[int, Collection[int]]
    ) -> list[Near]:
        """Exact cosines of given passages, read from their rows."""
        result: list[Near] = []
        for vault_id, wanted in passage_ids.items():
            if not wanted:
                continue
            values = (json.dumps(sorted({int(one) for one in wanted})), vault_id, model)
            rows = tx.rows(_SOME_ROWS, values)
            ids, alone, pair_ids, pairs = self._usable(vault_id, rows, len(query))
            together = dict(zip(pair_ids.tolist(), dots(pairs, query).tolist(), strict=True))
            for passage_id, cosine in zip(ids.tolist(), dots(alone, query).tolist(), strict=True):
                result.append(Near(vault_id, passage_id, cosine, together.get(passage_id)))
        return result

    def forget(self, vault_id: int) -> None:
        """Let go of the vault's codes; they are loaded anew when next asked for."""
        with self._lock:
            for key in [key for key in self._vaults if key[0] == vault_id]:
                del self._vaults[key]
            self._damaged = {key for key in self._damaged if key[0] != vault_id}

    def damaged(self) -> frozenset[tuple[int, int]]:
        """Vectors met so far that cannot be read."""
        with self._lock:
            return frozenset(self._damaged)

    def take_damaged(self) -> frozenset[tuple[int, int]]:
        """`damaged`, handed over to whoever makes them again."""
        with self._lock:
            taken = frozenset(self._damaged)
            self._damaged.clear()
            return taken

    @property
    def memory(self) -> int:
        """Bytes held in codes."""
        with self._lock:
            vaults = list(self._vaults.values())
        return sum(one.alone.memory + one.with_previous.memory for one in vaults)

    def _candidates(
        self, tx: Transaction, model: int, vault_id: int, query: Floats, limit: int, facet: Facet, ends: Any
    ) -> Iterator[tuple[int, float]]:
        with self._lock:
            vault = self._vaults.setdefault((vault_id, model), _Vault(len(query)))
        with vault.lock:
            self._follow(tx, model, vault_id, vault, oldest=ends[0] or 0, newest=ends[1] or 0)
            taken = []
            # A passage without a predecessor is judged by itself, so its own codes are looked at for every facet.
            taken.append(vault.alone.best(query, limit))
            if facet != "alone":
                taken.append(vault.with_previous.best(query, limit))
        for ids, scores in taken:
            yield from zip(ids.tolist(), scores.tolist(), strict=True)

    def _follow(self, tx: Transaction, model: int, vault_id: int, vault: _Vault, *, oldest: int, newest: int) -> None:
        if vault.seen < 0 or oldest > vault.seen + 1:
            self._load(tx, model, vault_id, vault)
        elif newest > vault.seen:
            changed = [row[0] for row in tx.rows(_LOG, (vault_id, vault.seen, newest))]
            if changed:
                self._refresh(tx, model, vault_id, vault, changed)
        vault.seen = max(vault.seen, newest)

    def _load(self, tx: Transaction, model: int, vault_id: int, vault: _Vault) -> None:
        vault.clear()
        result = tx.connection.exec_driver_sql(_ROWS, (vault_id, model))
        for rows in result.partitions(CHUNK):
            self._take(vault_id, vault, rows)

    def _refresh(self, tx: Transaction, model: int, vault_id: int, vault: _Vault, changed: list[int]) -> None:
        ids = np.asarray(changed, dtype=np.int64)
        vault.alone.remove(ids)
        vault.with_previous.remove(ids)
        with self._lock:
            self._damaged.difference_update((vault_id, passage_id) for passage_id in changed)
        for start in range(0, len(changed), CHUNK):
            values = (json.dumps(changed[start : start + CHUNK]), vault_id, model)
            self._take(vault_id, vault, tx.rows(_SOME_ROWS, values))

    def _take(self, vault_id: int, vault: _Vault, rows: Iterable[Any]) -> None:
        ids, alone, pair_ids, pairs = self._usable(vault_id, rows, vault.dimension)
        vault.alone.add(ids, alone)
        vault.with_previous.add(pair_ids, pairs)

    def _usable(self, vault_id: int, rows: Iterable[Any], dimension: int) -> tuple[Ids, Floats, Ids, Floats]:
        """Ids and vectors alone, then ids and vectors with the predecessor; a row with a damaged one is skipped."""
        every = list(rows)
        ids = np.asarray([row[0] for row in every], dtype=np.int64)
        alone, alone_usable = read_vectors([row[1] for row in every], dimension)
        has_pair = np.asarray([row[2] is not None for row in every], dtype=bool)
        pairs, pair_usable = read_vectors([row[2] for row in every if row[2] is not None], dimension)
        usable = alone_usable.copy()
        usable[np.flatnonzero(has_pair)] &= pair_usable
        if not usable.all():
            with self._lock:
                self._damaged.update((vault_id, int(passage_id)) for passage_id in ids[~usable])
        kept = usable[has_pair]
        return ids[usable], alone[usable], ids[has_pair][kept], pairs[kept]
