"""What erased texts leave to be recognised by: windows of their bytes, kept as numbers in this process only.

Of every text the windows of 16 bytes at every fourth place are kept, so that any piece of 19 bytes or more that has
survived anywhere holds one; of texts and words of 8 to 15 bytes the first and the last 8. Shorter ones tell nothing:
they stand in every file. A window is known by a 64-bit number (of 8 bytes it is the bytes themselves), two of which are
alike by chance once in some 10^19 comparisons. Texts count both as UTF-8 and as JSON writes them (\\u00e9). Of a blob,
such as a vector, six windows are enough: it is written and moved as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint64]

LONG, SHORT = 16, 8
EVERY = 4
MOST = 2_000_000
"""Windows kept; where there are more, every second one goes, again and again: memory stays bounded, and a piece that
has survived is still found by one of its many windows."""
GATHER = 1 << 18
"""Bytes taken in at a time: working on them takes some eighty times as many."""
TELLING = 8
"""Different bytes in a window of a blob, below which it could be anybody's: a run of zeros stands in every file."""
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_MIX = np.uint64(29)
_EMPTY: Numbers = np.empty(0, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Windows:
    """Sorted numbers of long and of short windows."""

    long: Numbers
    short: Numbers

    def __len__(self) -> int:
        return len(self.long) + len(self.short)

    def without(self, other: Windows) -> Windows:
        """Those that are not among others."""
        return Windows(np.setdiff1d(self.long, other.long), np.setdiff1d(self.short, other.short))

    def also(self, other: Windows) -> Windows:
        """Those of either."""
        return Windows(np.union1d(self.long, other.long), np.union1d(self.short, other.short))


NOTHING = Windows(_EMPTY, _EMPTY)


def _eights(raw: NDArray[np.uint8]) -> Numbers:
    """The number of the 8 bytes that begin at each place."""
    count = max(len(raw) - SHORT + 1, 0)
    return np.ndarray((count,), dtype="<u8", buffer=raw, strides=(1,)).astype(np.uint64)


def _sixteens(eights: Numbers) -> Numbers:
    """The number of the 16 bytes that begin at each place."""
    if len(eights) <= SHORT:
        return _EMPTY
    with np.errstate(over="ignore"):
        mixed: Numbers = (eights[:-SHORT] * _FIRST) ^ (eights[SHORT:] * _SECOND)
        return mixed ^ (mixed >> _MIX)


def _distinct(numbers: Numbers) -> Numbers:
    """Sorted, each once: NumPy's own hashes millions of them, which takes many times as long."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def _escaped(text: str) -> bytes:
    """The text as JSON writes it; nothing where that is no different."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return b""
    return json.dumps(text)[1:-1].encode()


class Traces:
    """Gathers the windows of what is about to go. Memory is bounded, whatever the texts are."""

    def __init__(self) -> None:
        self._long: list[Numbers] = []
        self._short: list[Numbers] = []
        self._step = EVERY
        self._pieces: list[bytes] = []
        self._size = 0
        self.terms: set[str] = set()
        """The terms under which the texts were indexed."""

    def add(self, value: Any) -> None:
        """Take note of what a column holds: text, bytes, or what JSON holds."""
        if isinstance(value, str):
            self._text(value)
        elif isinstance(value, (bytes, bytearray, memoryview)):
            self._blob(bytes(value))
        elif isinstance(value, dict):
            for part in value.values():
                self.add(part)
        elif isinstance(value, (list, tuple)):
            for part in value:
                self.add(part)

    def add_terms(self, terms: str) -> None:
        """Take note of the terms of a passage: each by itself as well."""
        self._text(terms)
        for term in set(terms.split()) - self.terms:
            self.terms.add(term)
            self._text(term)

    def _text(self, text: str) -> None:
        self._bytes(text.encode("utf-8", "replace"))
        if escaped := _escaped(text):
            self._bytes(escaped)

    def _blob(self, raw: bytes) -> None:
        last = len(raw) - LONG
        for place in {last * part // 5 for part in range(6)} if last > 0 else {0}:
            window = raw[place : place + LONG]
            if len(set(window)) >= TELLING:
                self._bytes(window)

    def _bytes(self, raw: bytes) -> None:
        if len(raw) < SHORT:
            return
        self._pieces.append(raw)
        self._size += len(raw)
        if self._size >= GATHER:
            self._gather()

    def _gather(self) -> None:
        pieces, self._pieces, self._size = self._pieces, [], 0
        if not pieces:
            return
        raw = np.frombuffer(b"".join(pieces), dtype=np.uint8)
        lengths = np.array([len(piece) for piece in pieces], dtype=np.int64)
        ends = np.cumsum(lengths)
        starts = ends - lengths
        eights = _eights(raw)
        sixteens = _sixteens(eights)
        short = lengths < LONG
        places = np.concatenate([starts[short], ends[short] - SHORT])
        self._short.append(eights[places])
        # Every place within its own text, counted from its start, and the last place of each.
        within = np.arange(len(raw)) - np.repeat(starts, lengths)
        left = np.repeat(ends, lengths) - np.arange(len(raw))
        wanted = np.flatnonzero((left >= LONG) & ((within % self._step == 0) | (left == LONG)))
        wanted = wanted[eights[wanted] != eights[wanted + SHORT]]  # a row of dashes tells nothing
        self._long.append(sixteens[wanted])
        if sum(map(len, self._long)) > MOST:
            self._settle()

    def _settle(self) -> Windows:
        settled = Windows(*(_distinct(np.concatenate([_EMPTY, *kept])) for kept in (self._long, self._short)))
        while len(settled.long) > MOST:
            settled, self._step = Windows(settled.long[::2].copy(), settled.short), self._step * 2
        self._long, self._short = [settled.long], [settled.short]
        return settled

    def windows(self) -> Windows:
        """What was gathered so far."""
        self._gather()
        return self._settle()


class Finder:
    """Looks for windows in bytes."""

    def __init__(self, windows: Windows) -> None:
        self._wanted = windows
        self._bits = 16
        while self._bits < 24 and (1 << self._bits) < 16 * max(len(windows), 1):
            self._bits += 1
        self._marks = tuple(self._marked(numbers) for numbers in (windows.long, windows.short))

    def _marked(self, numbers: Numbers) -> NDArray[np.bool_]:
        marks = np.zeros(1 << self._bits, dtype=bool)
        marks[self._place(numbers)] = True
        return marks

    def _place(self, numbers: Numbers) -> NDArray[np.int64]:
        with np.errstate(over="ignore"):
            return ((numbers * _FIRST) >> np.uint64(64 - self._bits)).astype(np.int64)

    def found_in(self, raw: bytes) -> Windows:
        """Which of the windows stand anywhere in these bytes."""
        eights = _eights(np.frombuffer(raw, dtype=np.uint8))
        return Windows(
            self._known(_sixteens(eights), self._wanted.long, self._marks[0]),
            self._known(eights, self._wanted.short, self._marks[1]),
        )

    def _known(self, numbers: Numbers, wanted: Numbers, marks: NDArray[np.bool_]) -> Numbers:
        if not len(wanted) or not len(numbers):
            return _EMPTY
        likely = numbers[marks[self._place(numbers)]]
        places = np.minimum(np.searchsorted(wanted, likely), len(wanted) - 1)
        return _distinct(likely[wanted[places] == likely])

    def found_in_values(self, values: Iterable[Any]) -> Windows:
        """Which of the windows stand in any of these values of columns; a window never spans two of them."""
        found: list[Windows] = []
        pieces: list[bytes] = []
        size = 0
        for value in values:
            for raw in _raw(value):
                pieces.append(raw)
                size += len(raw)
            if size >= GATHER:
                found.append(self.found_in(_APART.join(pieces)))
                pieces, size = [], 0
        if pieces:
            found.append(self.found_in(_APART.join(pieces)))
        return together(found)


def together(parts: Sequence[Windows]) -> Windows:
    """Those of any."""
    if not parts:
        return NOTHING
    return Windows(
        _distinct(np.concatenate([part.long for part in parts])),
        _distinct(np.concatenate([part.short for part in parts])),
    )


# 0xFF stands in no UTF-8 text, so that no window of one spans two values.
_APART = b"\xff" * LONG


def _raw(value: Any) -> Iterator[bytes]:
    if isinstance(value, str):
        yield value.encode("utf-8", "replace")
        if escaped := _escaped(value):
            yield escaped
    elif isinstance(value, (bytes, bytearray, memoryview)):
        yield bytes(value)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield str(name).encode()
            yield from _raw(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _raw(part)
