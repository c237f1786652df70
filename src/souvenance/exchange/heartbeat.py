"""The signs of life of what is under way in this process: others give up what gives none (C1)."""

from __future__ import annotations

import contextlib
import logging
import threading
import weakref

from souvenance.domain.clock import Clock
from souvenance.domain.errors import SouvenanceError
from souvenance.exchange.keeping import Keeping, Kept
from souvenance.exchange.lapsed import settle_lapsed
from souvenance.store.database import Database

BEAT_SECONDS = 15.0
"""Between two signs of life; an exchange that is shorter needs none."""

log = logging.getLogger(__name__)


class Heartbeat:
    """Renews what is under way, in a thread that begins with the first exchange. Who lets go of an exchange without
    saving it lets it lapse too."""

    def __init__(self, database: Database, clock: Clock, keeping: Keeping, *, seconds: float = BEAT_SECONDS) -> None:
        self.seconds = seconds
        self._database = database
        self._clock = clock
        self._keeping = keeping
        self._living: weakref.WeakSet[Kept] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, kept: Kept) -> None:
        """Give signs of life of this exchange until it is saved."""
        with self._lock:
            self._living.add(kept)
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, name="souvenance-heartbeat", daemon=True)
                self._thread.start()

    def beat(self) -> None:
        """One sign of life of all that is under way; and what others left is given up where its time is up."""
        with self._lock:
            living = list(self._living)
            for kept in living:
                if kept.is_saved:
                    self._living.discard(kept)
        if living:
            self._keeping.renew(living)
        settle_lapsed(self._database, self._clock)

    def close(self) -> None:
        """Give no more signs of life."""
        self._stop.set()
        thread = self._thread
        if thread is not None:
            thread.join(timeout=10.0)

    def _run(self) -> None:
        while not self._stop.wait(self.seconds):
            with contextlib.suppress(SouvenanceError):  # a store that is away for a moment: the next one tries again
                try:
                    self.beat()
                except SouvenanceError:
                    raise
                except Exception as error:
                    log.error("a sign of life failed with %s", type(error).__name__)
