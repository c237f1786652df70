"""The facts whose vectors lie nearest to each fact's: exact, a block of rows at a time, so that memory is bounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NEAREST = 4
"""Neighbours of each fact that are worth judging."""
BLOCK = 256
"""Rows multiplied at once: with 20,000 facts a block takes 20 MB."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit vectors of one model: a row of `matrix` for each number in `numbers`; `unrelated` is the cosine which that
    model gives facts with nothing in common, None where nobody measured it."""

    numbers: tuple[int, ...]
    matrix: Floats
    unrelated: float | None

    def rows(self) -> dict[int, int]:
        """The row of each number."""
        return {number: row for row, number in enumerate(self.numbers)}


def nearest(matrix: Floats, *, go_on: Callable[[], bool], count: int = NEAREST) -> dict[int, list[tuple[int, float]]]:
    """For each row the places of the `count` nearest others with their cosines; as far as `go_on` allows."""
    found: dict[int, list[tuple[int, float]]] = {}
    kept = min(count, len(matrix) - 1)
    if kept < 1:
        return found
    for start in range(0, len(matrix), BLOCK):
        if not go_on():
            break
        cosines = matrix[start : start + BLOCK] @ matrix.T
        own = np.arange(len(cosines))
        cosines[own, start + own] = -2.0
        best = np.argpartition(cosines, -kept, axis=1)[:, -kept:]
        for row in own.tolist():
            found[start + row] = [(other, float(cosines[row, other])) for other in best[row].tolist()]
    return found
