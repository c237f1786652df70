"""Vectors in 8 bits, held side by side in memory and scanned whole.

A unit row is scaled so that its largest component is 127 and rounded: 384 bytes instead of 1536, and dot products in
integers. The error of a cosine is a few thousandths where both sides are codes, so the best are taken with a margin and
judged again with the query whole, where it is one or two (`cosines`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numkong
import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]


def read_vectors(blobs: Sequence[bytes], dimension: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Float16 blobs as float32 rows, and which of them can be used: the right size, finite, of length about one."""
    size = 2 * dimension
    fits = np.fromiter((len(blob) == size for blob in blobs), dtype=bool, count=len(blobs))
    if not fits.all():
        empty = bytes(size)
        blobs = [blob if fit else empty for blob, fit in zip(blobs, fits, strict=True)]
    rows = np.frombuffer(b"".join(blobs), dtype="<f2").reshape(len(blobs), dimension).astype(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        squares = np.einsum("ij,ij->i", rows, rows)
        usable: NDArray[np.bool_] = np.isfinite(squares) & (squares > 0.9) & (squares < 1.1)
    return rows, usable


def dots(rows: Floats, query: Floats) -> Floats:
    """The products of a few thousand rows with a query, in this thread: a BLAS would wake every core for them."""
    return np.asarray(np.einsum("ij,j->i", rows, query), dtype=np.float32)


def _quantise(rows: Floats) -> tuple[NDArray[np.int8], Floats]:
    largest = np.abs(rows).max(axis=1, keepdims=True)
    return np.rint(rows * (127.0 / largest)).astype(np.int8), (largest[:, 0] / 127.0).astype(np.float32)


def _largest(scores: Floats, limit: int) -> Ids:
    """Places of the `limit` largest of more scores than that, in no order."""
    places = np.arange(len(scores))
    if len(scores) > 64 * limit:
        # One score in 32 tells where about the twice as many largest begin; all are gone through where it misleads.
        some = np.sort(scores[::32])
        near = np.flatnonzero(scores >= some[-(limit // 16 + 8)])
        places = near if len(near) > limit else places
    return places[np.argpartition(scores[places], len(places) - limit)[len(places) - limit :]]


class Codes:
    """Ids with their vectors in 8 bits, in no order. Not thread-safe: its owner holds a lock."""

    def __init__(self, dimension: int) -> None:
        self._codes = np.empty((0, dimension), dtype=np.int8)
        self._scales = np.empty(0, dtype=np.float32)
        self._ids = np.empty(0, dtype=np.int64)
        self._count = 0
        self._order: Ids | None = None

    def __len__(self) -> int:
        return self._count

    @property
    def memory(self) -> int:
        """Bytes held."""
        return int(self._codes.nbytes + self._scales.nbytes + self._ids.nbytes)

    def add(self, ids: Ids, rows: Floats) -> None:
        """Append vectors; the ids must not be here yet."""
        if not len(ids):
            return
        end = self._count + len(ids)
        if end > len(self._ids):
            self._grow(end if self._count == 0 else max(end, self._count + self._count // 4 + 256))
        self._codes[self._count : end], self._scales[self._count : end] = _quantise(rows)
        self._ids[self._count : end] = ids
        self._count = end
        self._order = None

    def _grow(self, capacity: int) -> None:
        for name in ("_codes", "_scales", "_ids"):
            old = getattr(self, name)
            new = np.empty((capacity, *old.shape[1:]), dtype=old.dtype)
            new[: self._count] = old[: self._count]
            setattr(self, name, new)

    def remove(self, ids: Ids) -> None:
        """Take ids out, where they are in; the last rows move into their places."""
        holes = np.flatnonzero(np.isin(self._ids[: self._count], ids))
        left = self._count - len(holes)
        movable = np.setdiff1d(np.arange(left, self._count), holes, assume_unique=True)
        targets = holes[holes < left]
        for held in (self._codes, self._scales, self._ids):
            held[targets] = held[movable]
        self._count = left
        self._order = None

    def cosines(self, query: Floats, ids: Ids) -> tuple[Ids, Floats]:
        """Those of `ids` that are here, and their cosines with the query."""
        if not self._count:
            return self._ids[:0], self._scales[:0]
        if self._order is None:
            self._order = np.argsort(self._ids[: self._count], kind="stable")
        places = np.searchsorted(self._ids[: self._count], ids, sorter=self._order)
        rows = self._order[np.minimum(places, self._count - 1)]
        rows = rows[self._ids[rows] == ids]
        return self._ids[rows], dots(self._codes[rows].astype(np.float32), query) * self._scales[rows]

    def best(self, query: Floats, limit: int) -> tuple[Ids, Floats]:
        """Ids of about the best `limit` rows with their approximate cosines, in no order."""
        if not self._count:
            return self._ids[:0], self._scales[:0]
        code, scale = _quantise(query[None])
        dots = np.asarray(numkong.cdist(code, self._codes[: self._count], "dot"), dtype=np.float32).reshape(-1)
        scores = dots * self._scales[: self._count]
        if limit < self._count:
            chosen = _largest(scores, limit)
            return self._ids[chosen], scores[chosen] * scale[0]
        return self._ids[: self._count].copy(), scores * scale[0]
