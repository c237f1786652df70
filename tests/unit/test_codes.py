"""Vectors in 8 bits: the nearest are the nearest, however their numbers lie."""

import numpy as np
import pytest

from souvenance.store.vector_index.codes import Codes, Floats

DIMENSION = 8


def _rows(count: int) -> Floats:
    rows = np.random.default_rng(7).normal(size=(count, DIMENSION)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _crowded(rows: Floats, query: Floats, *, step: int) -> Floats:
    """The same rows with those nearest to the query at every `step`-th place first."""
    best_first = np.argsort(-(rows @ query))
    places = np.concatenate([np.arange(start, len(rows), step) for start in range(step)])
    ordered = np.empty_like(rows)
    ordered[places] = rows[best_first]
    return ordered


@pytest.mark.parametrize("step", [1, 2, 31, 32, 33])
@pytest.mark.parametrize("count", [40, 700, 20_000])
def test_the_best_are_the_nearest_wherever_they_stand(count: int, step: int) -> None:
    query = _rows(1)[0]
    rows = _crowded(_rows(count), query, step=step)
    codes = Codes(DIMENSION)
    codes.add(np.arange(count), rows)
    ids, scores = codes.best(query, 30)
    assert len(set(ids.tolist())) == 30
    nearest = np.sort(rows @ query)[-30:]
    assert np.allclose(np.sort(rows[ids] @ query), nearest, atol=0.02)
    assert np.allclose(scores, rows[ids] @ query, atol=0.02)


def test_rows_that_are_all_alike_are_still_as_many_as_asked_for() -> None:
    query = _rows(1)[0]
    codes = Codes(DIMENSION)
    codes.add(np.arange(9000), np.repeat(query[None], 9000, axis=0))
    ids, _ = codes.best(query, 25)
    assert len(set(ids.tolist())) == 25
