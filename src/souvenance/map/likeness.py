"""Measured likeness between the nodes of a map, kept and followed: only what changed is compared again (V14).

A node's vector is the mean of its passages'. Each node is tied to its `NEAREST` nearest, where they stand out: their
cosine must lie `DEVIATIONS` standard deviations above the mean of a sample of all pairs, since what a cosine means
differs from model to model.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from souvenance.store import map_nodes
from souvenance.store.database import Transaction
from souvenance.store.vector_index.codes import read_vectors

Floats = NDArray[np.float32]
Signature = tuple[tuple[int, int, str], ...]
"""The passages of a node and the words of their vectors: a node with the same ones has the same vector."""

NEAREST = 3
DEVIATIONS = 2.0
SAMPLE = 300
BLOCK = 512
MOST_KEPT = 8
"""Sets of vaults, each with how many nodes are drawn, whose likeness is kept, the last asked for."""


@dataclass
class _Kept:
    """The likeness of one set of vaults: nodes in a stable order, their vectors, and the nearest of each."""

    signatures: dict[str, Signature] = field(default_factory=dict)
    vectors: dict[str, Floats] = field(default_factory=dict)
    nearest: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    alike: list[tuple[str, str, float]] = field(default_factory=list)
    is_measured: bool = False


class Likeness:
    """Likeness of the nodes of any set of vaults under one model at a time. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, frozenset[int], int], _Kept] = {}

    def forget(self) -> None:
        """Keep nothing in memory of what was erased (F7)."""
        with self._lock:
            self._kept.clear()

    def is_known(self, *, model: int, vault_ids: Collection[int], limit: int) -> bool:
        """Whether `alike` has only to follow what changed, which is quick."""
        kept = self._kept.get((model, frozenset(vault_ids), limit))
        return kept is not None and kept.is_measured

    def alike(
        self,
        tx: Transaction,
        *,
        model: int,
        dimension: int,
        vault_ids: Collection[int],
        nodes: Collection[str],
        limit: int,
    ) -> Sequence[tuple[str, str, float]]:
        """Pairs among these nodes (`fact:12`, `note:abc`) and their cosine; none for a node without a vector.

        `limit` is how many nodes are drawn at most: what is kept for one is no start for another.
        """
        signatures = _signatures(map_nodes.read_vectored(tx, vault_ids=vault_ids, model=model), set(nodes))
        with self._lock:
            key = (model, frozenset(vault_ids), limit)
            kept = self._kept.pop(key, None) or _Kept()
            self._kept[key] = kept
            while len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            changed = [node for node, signature in signatures.items() if kept.signatures.get(node) != signature]
            gone = kept.signatures.keys() - signatures.keys()
            if changed or gone:
                fresh = _vectors(tx, model=model, dimension=dimension, wanted={one: signatures[one] for one in changed})
                _follow(kept, fresh=fresh, gone=gone | set(changed))
                kept.signatures = signatures
            kept.is_measured = True
            return kept.alike


def _signatures(rows: Iterable[map_nodes.Vectored], nodes: set[str]) -> dict[str, Signature]:
    found: dict[str, list[tuple[int, int, str]]] = {}
    for row in rows:
        node = f"fact:{row.fact_number}" if row.fact_number is not None else f"note:{row.note_id}"
        if node in nodes:
            found.setdefault(node, []).append((row.vault_id, row.passage_id, row.text_hash))
    return {node: tuple(sorted(parts)) for node, parts in found.items()}


def _vectors(tx: Transaction, *, model: int, dimension: int, wanted: Mapping[str, Signature]) -> dict[str, Floats]:
    places = [(vault_id, passage_id) for parts in wanted.values() for vault_id, passage_id, _ in parts]
    blobs = map_nodes.read_blobs(tx, model=model, passages=places)
    ids = list(blobs)
    rows, usable = read_vectors(list(blobs.values()), dimension)
    row_of = {one: row for one, row, fits in zip(ids, rows, usable, strict=True) if fits}
    made: dict[str, Floats] = {}
    for node, parts in wanted.items():
        own = [row_of[vault_id, passage_id] for vault_id, passage_id, _ in parts if (vault_id, passage_id) in row_of]
        if own:
            mean = np.mean(own, axis=0)
            length = float(np.linalg.norm(mean))
            if length > 0:
                made[node] = (mean / length).astype(np.float32)
    return made


def _follow(kept: _Kept, *, fresh: Mapping[str, Floats], gone: Collection[str]) -> None:
    """Take out what is gone, put in what is fresh, and compare only those and what was tied to them."""
    for node in gone:
        kept.vectors.pop(node, None)
        kept.nearest.pop(node, None)
    kept.vectors.update(fresh)
    left = set(gone)
    orphaned = [node for node, near in kept.nearest.items() if any(other in left for _, other in near)]
    names = list(kept.vectors)
    if not names:
        kept.alike = []
        return
    matrix = np.stack(list(kept.vectors.values()))
    place = {name: at for at, name in enumerate(names)}
    again = [*fresh, *(node for node in orphaned if node not in fresh)]
    settled = [node for node in kept.nearest if node not in set(again)]
    for start in range(0, len(again), BLOCK):
        block = again[start : start + BLOCK]
        at = [place[node] for node in block]
        cosines = matrix[at] @ matrix.T
        cosines[np.arange(len(block)), at] = -2.0
        best = np.argpartition(-cosines, min(NEAREST, len(names) - 1), axis=1)[:, :NEAREST]
        for row, node in enumerate(block):
            near = [(float(cosines[row, one]), names[one]) for one in best[row] if one != place[node]]
            kept.nearest[node] = sorted(near, reverse=True)
    if fresh and settled:
        new = list(fresh)
        worst = np.array(
            [kept.nearest[node][-1][0] if len(kept.nearest[node]) >= NEAREST else -2.0 for node in settled]
        )
        cosines = matrix[[place[node] for node in settled]] @ matrix[[place[node] for node in new]].T
        for row, column in zip(*np.nonzero(cosines > worst[:, None]), strict=True):
            node = settled[row]
            kept.nearest[node] = heapq.nlargest(
                NEAREST, [*kept.nearest[node], (float(cosines[row, column]), new[column])]
            )
    floor = _floor(matrix)
    pairs = {
        (min(node, other), max(node, other)): cosine
        for node, near in kept.nearest.items()
        for cosine, other in near
        if cosine >= floor
    }
    kept.alike = [(one, other, round(cosine, 4)) for (one, other), cosine in sorted(pairs.items())]


def _floor(matrix: Floats) -> float:
    """From which cosine two nodes count as alike, over a sample taken evenly."""
    some = matrix[:: max(1, len(matrix) // SAMPLE)]
    cosines = (some @ some.T)[np.triu_indices(len(some), k=1)]
    return float(cosines.mean() + DEVIATIONS * cosines.std()) if len(cosines) > 10 else float(np.sqrt(0.5))
