"""The vectors of a vault's facts as the store has them: nothing is embedded, and nothing sent, to find pairs (V8)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from souvenance.consolidation.nearest import Vectors
from souvenance.models.calibration import calibration_of
from souvenance.retrieval.embedding import Embedding
from souvenance.store import vectors as rows
from souvenance.store.database import Transaction
from souvenance.store.vector_index.codes import read_vectors


def vectors_of(
    tx: Transaction, embedding: Embedding, *, vault_id: int, numbers: Collection[int], limit: int
) -> Vectors | None:
    """Those of these facts that have one of the model in use, among the `limit` newest; None where none has."""
    embedder, model = embedding.embedder, embedding.model(tx)
    if embedder is None or model is None:
        return None
    wanted = frozenset(numbers)
    there = {
        number: blob
        for number, blob in rows.newest_of_facts(tx, model=model, vault_id=vault_id, limit=limit)
        if number in wanted
    }
    if len(there) < 2:
        return None
    matrix, usable = read_vectors(list(there.values()), embedder.dimension)
    kept = tuple(number for number, fit in zip(there, usable.tolist(), strict=True) if fit)
    calibration = calibration_of(embedder.name)
    return Vectors(
        kept,
        np.asarray(matrix if usable.all() else matrix[usable], dtype=np.float32),
        None if calibration is None else calibration.unrelated,
    )
