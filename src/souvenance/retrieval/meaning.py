"""Finding by meaning: the query's vector, what it is judged against, and why meaning did or did not run (T6)."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from souvenance.domain.errors import SouvenanceError
from souvenance.domain.vault import Vault
from souvenance.models.calibration import Calibration, calibration_of
from souvenance.retrieval.background import Background
from souvenance.retrieval.embedding import Embedding
from souvenance.retrieval.ranking import WITH_PREVIOUS_SHARE, steer
from souvenance.retrieval.words import fresh_until
from souvenance.store import vectors
from souvenance.store.backlog import Coverage
from souvenance.store.database import Transaction
from souvenance.store.vector_index import Near
from souvenance.store.vector_index.codes import dots, read_vectors

Vector = NDArray[np.float32]

SAMPLE = 2000
"""Vectors of a vault that stand for all of it when the spread of similarities is taken."""


MOST_SAMPLED = 128 * 1024 * 1024
"""Bytes of samples kept in memory: those of the vaults asked last. The others are read again when they are asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as the vector index is asked it, with its similarities to everyday statements."""

    vector: Vector
    background: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Found:
    """The passages nearest to a query and the field they stand out from."""

    near: dict[int, Near]
    mean: float
    deviation: float


class Meaning:
    """Search by meaning with one embedder; safe to use from several threads."""

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding
        self.embedder = embedder = embedding.embedder
        self._background: Background | None = None
        self._samples: OrderedDict[int, tuple[float, Vector]] = OrderedDict()
        self._samples_lock = threading.Lock()
        self._dimension = embedder.dimension if embedder else 0

    @property
    def calibration(self) -> Calibration | None:
        """What the model's similarities mean, where that was measured."""
        return calibration_of(self.embedder.name) if self.embedder else None

    @property
    def sends(self) -> bool:
        """Whether a question leaves this program to be embedded."""
        return self._embedding.sends

    @property
    def is_warm(self) -> bool:
        """Whether a question has been embedded in this process, so that the next one is quick."""
        return self._background is not None

    def ask(self, query: str) -> tuple[Asked | None, str]:
        """The query as a vector, or None and why not. Runs the model: never within a transaction."""
        if self.embedder is None:
            return None, "no embedder is set"
        try:
            known = self._background or self._embedding.background()
            vector = steer(self._embedding.embed_query(query), known.average_question)
        except SouvenanceError as error:
            return None, error.message
        self._background = known
        return Asked(vector, np.asarray(known.statements @ vector, dtype=np.float64)), ""

    def may_read(self, vault: Vault) -> bool:
        """Whether the embedder may be given the texts of this vault (V8, T6)."""
        return self._embedding.may_read(vault)

    def covered(self, tx: Transaction, vault_ids: list[int]) -> dict[int, Coverage]:
        """How much of each of these vaults has a vector of this model; nothing where there is no embedder."""
        return {} if self.embedder is None else self._embedding.coverage(tx, vault_ids)

    def look(self, tx: Transaction, asked: Asked, *, vault_ids: list[int], limit: int) -> Found | None:
        """The passages nearest in meaning over these vaults together; None where nothing is embedded yet."""
        model = self._embedding.model(tx)
        if model is None:
            return None
        near = self._embedding.index.nearest(tx, model=model, query=asked.vector, vault_ids=vault_ids, limit=limit)
        # The everyday statements join the field, so that a vault of three facts still has something to stand out from.
        field: list[NDArray[Any]] = [
            asked.background,
            *(dots(self._sample(tx, model, vault_id), asked.vector) for vault_id in vault_ids),
        ]
        seen = np.concatenate(field).astype(np.float64)
        return Found({item.passage_id: item for item in near}, float(seen.mean()), float(seen.std()))

    def _sample(self, tx: Transaction, model: int, vault_id: int) -> Vector:
        """Vectors that stand for a vault's, each half itself and half its pair where it follows another."""
        known = self._samples.get(vault_id)
        started = time.monotonic()
        if known is None or started >= known[0]:
            rows = vectors.sample(tx, model=model, vault_id=vault_id, limit=SAMPLE)
            alone, usable = read_vectors([row[0] for row in rows], self._dimension)
            pairs, paired = read_vectors([row[1] or b"" for row in rows], self._dimension)
            alone[paired] = (1 - WITH_PREVIOUS_SHARE) * alone[paired] + WITH_PREVIOUS_SHARE * pairs[paired]
            known = (fresh_until(started), alone[usable])
        with self._samples_lock:
            self._samples[vault_id] = known
            self._samples.move_to_end(vault_id)
            held = sum(sample.nbytes for _, sample in self._samples.values())
            while held > MOST_SAMPLED and len(self._samples) > 1:
                held -= self._samples.popitem(last=False)[1][1].nbytes
        return known[1]

    def forget(self, vault_id: int) -> None:
        """Let go of the vectors kept of a vault, here and in its index (F7)."""
        self._samples.pop(vault_id, None)
        self._embedding.forget(vault_id)

    def judge(self, tx: Transaction, asked: Asked, found: Found, *, passage_ids: dict[int, list[int]]) -> None:
        """Add the similarities of passages that words found."""
        model = self._embedding.model(tx)
        if model is not None and passage_ids:
            for item in self._embedding.index.similarities(
                tx, model=model, query=asked.vector, passage_ids=passage_ids
            ):
                found.near[item.passage_id] = item
