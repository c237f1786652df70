"""Finding by words: how rare each word of a query is in its scope, and which passages are worth scoring."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from souvenance.store import candidates, text_index
from souvenance.store.database import Transaction
from souvenance.store.terms import QueryWord

STALE_AFTER = 50
"""A statistic is used for as many times as long as it took to compute: at most a fiftieth of time goes to counting."""

SAME_SIZE = 0.01
"""A count of a frequent word holds while its vaults have grown or shrunk by less than this part."""

OLDEST = 600.0
"""Seconds after which even that is counted again."""


@dataclass(frozen=True, slots=True)
class WordField:
    """The words of a query in a scope: in how many of its `passages` each stands, and how long a passage is."""

    passages: int
    average_length: float
    frequencies: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Size:
    """How many passages a vault has and how long they are, used `until` (monotonic seconds)."""

    passages: int
    length: float
    until: float


class Words:
    """Search by words. Statistics that take long to compute are remembered for a while; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sizes: dict[int, _Size] = {}
        self._frequent: dict[tuple[tuple[int, ...], tuple[str, ...]], tuple[float, int, int]] = {}

    def field(self, tx: Transaction, *, vault_ids: Sequence[int], words: Sequence[QueryWord]) -> WordField:
        """Statistics of these words over these vaults taken as one."""
        sizes = [self._size(tx, vault_id) for vault_id in vault_ids]
        passages = sum(size.passages for size in sizes)
        total = sum(size.passages * size.length for size in sizes)
        asked = tuple(vault_ids)
        frequencies = tuple(self._frequency(tx, asked, word.forms, passages) if passages else 0 for word in words)
        return WordField(passages, total / passages if passages else 0.0, frequencies)

    def find(
        self, tx: Transaction, *, vault_ids: Sequence[int], words: Sequence[QueryWord], field: WordField, limit: int
    ) -> list[int]:
        """Ids of the passages worth scoring. Function words look for candidates only where no other word is known."""
        known = [(word, count) for word, count in zip(words, field.frequencies, strict=True) if count]
        telling = [(word, count) for word, count in known if not word.common] or known
        telling.sort(key=lambda pair: pair[1])
        return text_index.find(
            tx, vault_ids=vault_ids, words=[(word.forms, count) for word, count in telling], limit=limit
        )

    def forget(self) -> None:
        """Count everything anew, and keep no word that was asked for (F7)."""
        with self._lock:
            self._sizes.clear()
            self._frequent.clear()

    def _size(self, tx: Transaction, vault_id: int) -> _Size:
        known = self._sizes.get(vault_id)
        started = time.monotonic()
        if known is not None and started < known.until:
            return known
        count = candidates.count_passages(tx, vault_id=vault_id)
        length = candidates.average_length(tx, vault_id=vault_id)
        # An empty vault is counted again each time: remembered as empty it would hide the first fact it is given.
        size = self._sizes[vault_id] = _Size(count, length, fresh_until(started) if count else 0.0)
        return size

    def _frequency(self, tx: Transaction, vault_ids: tuple[int, ...], forms: tuple[str, ...], passages: int) -> int:
        place = (vault_ids, forms)
        known = self._frequent.get(place)
        if known is not None:
            until, then, frequency = known
            if abs(passages - then) <= SAME_SIZE * then and time.monotonic() < until:
                return frequency
        count = text_index.count_holding(tx, vault_ids=vault_ids, forms=forms, limit=text_index.COUNTED)
        if count < text_index.COUNTED:
            return count
        count = text_index.count_holding(tx, vault_ids=vault_ids, forms=forms, limit=None)
        with self._lock:
            if len(self._frequent) > 10_000:
                self._frequent.clear()
            self._frequent[place] = (time.monotonic() + OLDEST, passages, count)
        return count


def fresh_until(started: float) -> float:
    """Until when (monotonic seconds) a statistic whose computation began at `started` may be used again."""
    now = time.monotonic()
    return now + STALE_AFTER * (now - started) if now - started > 0.001 else now
