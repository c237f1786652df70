"""Noticing that something was written, by this process or another, without asking the data.

SQLite counts the commits other connections made (`PRAGMA data_version`, a read of shared memory); it is looked at a few
times a second. PostgreSQL says it itself (LISTEN; every write transaction ends with NOTIFY).
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Any

from souvenance.store.database import CHANGE_CHANNEL, Database

LOOK_EVERY = 0.2
"""Seconds between two looks, and at most between `stop` being set and `wait` returning."""


class ChangeFeed:
    """One listener. Used by one thread; its connection is its own, outside the pool and outside any transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Any = None
        self._seen: int | None = None

    def wait(self, seconds: float, stop: threading.Event) -> bool:
        """Return True as soon as something was written since the last call, False after so many seconds or on `stop`.

        The first call, and the first one after the connection was lost, answers True: what was missed is unknown.
        """
        try:
            if self._connection is None:
                self._connect()
                return True
            return self._watch_file(seconds, stop) if self._database.is_sqlite else self._listen(seconds, stop)
        except Exception:  # whatever the driver raises: the feed is advice, and a lost one is made again
            self.close()
            return not stop.wait(min(seconds, 1.0))

    def close(self) -> None:
        """Give the connection back."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()

    def _connect(self) -> None:
        self._connection = self._database.private_connection()
        if self._database.is_sqlite:
            self._seen = self._data_version()
        else:
            self._connection.autocommit = True
            self._connection.execute(f"LISTEN {CHANGE_CHANNEL}")

    def _data_version(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def _watch_file(self, seconds: float, stop: threading.Event) -> bool:
        deadline = time.monotonic() + seconds
        while True:
            found = self._data_version()
            if found != self._seen:
                self._seen = found
                return True
            left = deadline - time.monotonic()
            if left <= 0 or stop.wait(min(LOOK_EVERY, left)):
                return False

    def _listen(self, seconds: float, stop: threading.Event) -> bool:
        deadline = time.monotonic() + seconds
        while not stop.is_set():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            for _ in self._connection.notifies(timeout=min(LOOK_EVERY, left), stop_after=1):
                return True
        return False
