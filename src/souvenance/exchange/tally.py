"""What is spent in the background and by searches, added up and written down a little later: nobody waits for it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

from souvenance.domain.endpoint import Use
from souvenance.domain.errors import SouvenanceError
from souvenance.exchange.events import Spent
from souvenance.exchange.meter import Meter

SECONDS = 1.0
"""After which what came together is written down; a process that dies before loses no more than that."""

Key = tuple[int, Use, str]
"""Vault, use, and in whose name."""
Write = Callable[[Key, Spent], None]


class Tally:
    """Adds up calls by vault and use. Any thread."""

    def __init__(self, write: Write, *, seconds: float = SECONDS) -> None:
        self._write = write
        self._seconds = seconds
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._meters: dict[Key, Meter] = {}
        self._timer: threading.Timer | None = None
        self._is_closed = False

    def add(self, key: Key, *, usage: Any, sent_text: int) -> None:
        """Add one call: what the endpoint counted, else this estimate."""
        with self._lock:
            self._meters.setdefault(key, Meter()).add(usage=usage, sent_text=sent_text, received_text="")
            if self._timer is None and not self._is_closed:
                self._timer = threading.Timer(self._seconds, self._flush)
                self._timer.daemon = True
                self._timer.start()

    def flush(self) -> None:
        """Write down what came together. Where the store is away it stays, for the next time."""
        with self._writing:
            with self._lock:
                meters, self._meters, self._timer = self._meters, {}, None
            while meters:
                key, meter = next(iter(meters.items()))
                try:
                    self._write(key, meter.spent)
                except SouvenanceError:
                    with self._lock:
                        for left, unwritten in meters.items():
                            self._meters.setdefault(left, Meter()).merge(unwritten)
                    raise
                del meters[key]

    def close(self) -> None:
        """Write down what is left, as far as the store lets."""
        with self._lock:
            self._is_closed = True
            if self._timer is not None:
                self._timer.cancel()
        self._flush()

    def _flush(self) -> None:
        with contextlib.suppress(SouvenanceError):
            self.flush()
