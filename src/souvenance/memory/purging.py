"""Completing purges in the background, and letting go in memory of what another process erased (F7)."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable

from souvenance.domain.changed import Changed
from souvenance.memory.erase import Erasures
from souvenance.store.changes import Changes

log = logging.getLogger(__name__)

AGAIN = 20.0
"""Seconds between two tries of a purge that is pending."""
REST = 3600.0
"""Seconds after which receipts are looked at although nothing was said to have changed."""


class Purging:
    """The background of one process. `start` and `stop` may be called any number of times."""

    def __init__(self, erasures: Erasures, changes: Changes, *, again: float = AGAIN) -> None:
        self._erasures = erasures
        self._changes = changes
        self._again = again
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._news = threading.Event()
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Complete what is pending from now on, and follow what others erase."""
        with self._lock:
            if self._thread is None:
                self._stop, self._news = threading.Event(), threading.Event()
                self._unsubscribe = self._changes.subscribe(self._told)
                self._thread = threading.Thread(
                    target=self._run, args=(self._stop, self._news), name="souvenance-purge", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        """End after the try in hand; what is pending is completed by a later process."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._stop.set()
            self._news.set()
            self._unsubscribe()
        if thread is not None:
            thread.join(timeout=30.0)

    def _told(self, news: Changed) -> None:
        if news.everything or news.knowledge:
            self._news.set()

    def _run(self, stop: threading.Event, news: threading.Event) -> None:
        seen: int | None = None
        while not stop.is_set():
            pause = self._again
            with contextlib.suppress(Exception):  # the store is away for a moment; the next round finds it again
                seen = self._erasures.newest() if seen is None else self._erasures.forget_since(seen)
                pending = self._erasures.finish()
                pause = self._again if pending else REST
                if pending:
                    log.info("purges pending: %d", pending)
            if pause == REST:
                news.wait(pause)
            else:
                stop.wait(pause)
            news.clear()
