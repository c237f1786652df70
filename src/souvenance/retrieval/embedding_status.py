"""What is said of the embedding of a memory: its state, its backlog and its pace."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from souvenance.domain.clock import isoformat

RATE_WINDOW = 60.0


class State(StrEnum):
    """What the embedding of this memory is doing, seen from this process."""

    OFF = "off"
    IDLE = "idle"
    WORKING = "working"
    FAILING = "failing"
    ELSEWHERE = "elsewhere"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingStatus:
    """Passages with and without a vector of the model in use, in all vaults; `rate` in passages per second, over the
    last minute, of this process. `why` says in words why nothing moves, where nothing does. `refused` are passages the
    model fails on; `withheld` stand in protected vaults and the embedder is reached over a cloud route (V8);
    `damaged` are vectors that cannot be read and are being made again.
    """

    model: str
    state: State
    passages: int
    embedded: int
    waiting: int
    withheld: int
    refused: int
    damaged: int
    rate: float
    why: str
    last_error: str
    next_try: datetime | None

    def as_dict(self) -> dict[str, Any]:
        """The status as every interface sends it."""
        return {
            "model": self.model,
            "state": self.state,
            "passages": self.passages,
            "embedded": self.embedded,
            "waiting": self.waiting,
            "withheld": self.withheld,
            "refused": self.refused,
            "damaged": self.damaged,
            "rate_per_second": round(self.rate, 1),
            "why": self.why,
            "last_error": self.last_error,
            "next_try": None if self.next_try is None else isoformat(self.next_try),
        }


class Pace:
    """How many passages a second were embedded over the last minute. Thread-safe."""

    def __init__(self) -> None:
        self._kept: deque[tuple[float, int]] = deque()
        self._lock = threading.Lock()

    def add(self, count: int) -> None:
        """Note that so many passages were just embedded."""
        with self._lock:
            self._kept.append((time.monotonic(), count))
            self._forget()

    def per_second(self) -> float:
        """The rate; over less than a minute right after a pause, so that it does not read low."""
        with self._lock:
            self._forget()
            if len(self._kept) < 2:
                return 0.0
            # The first batch marks the start: how long it took itself is not known.
            spent = time.monotonic() - self._kept[0][0]
            return sum(count for _, count in list(self._kept)[1:]) / max(spent, 0.001)

    def _forget(self) -> None:
        oldest = time.monotonic() - RATE_WINDOW
        while self._kept and self._kept[0][0] < oldest:
            self._kept.popleft()
