"""Noticing that something was written, by this process or another, without asking the data.

SQLite counts the commits other connections made (`PRAGMA data_version`, a read of shared memory); it is looked at a few
times a second. PostgreSQL says it itself (LISTEN; every write transaction ends with NOTIFY). What changed is known by
marks, which transactions leave (`Transaction.mark`): in a table on SQLite, in the notification on PostgreSQL.
"""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from souvenance.store.database import CHANGE_CHANNEL, EVERYTHING, Database, Transaction
from souvenance.store.tables import change_mark

LOOK_EVERY = 0.2
"""Seconds between two looks, and at most between `stop` being set and `wait` returning."""

MOST_SAID = 1000
"""Notices kept for someone who never takes them, before they become one that says everything changed."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: marks as `kind:id`, none where no reader is concerned (a log, a vector), None where unknown.

    `by`: the transaction, as PostgreSQL numbers them; None on SQLite, and where several may be meant.
    """

    marks: frozenset[str] | None
    by: int | None = None


class ChangeFeed:
    """One listener. Used by one thread; its connection is its own, outside the pool and outside any transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Any = None
        self._seen: int | None = None
        self._marks_seen: int | None = None
        self._said: list[str] = []

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

    @property
    def is_open(self) -> bool:
        """Whether it listens now."""
        return self._connection is not None

    def take(self) -> tuple[Written, ...]:
        """What was written since the last call, in the order it became durable; unknown at first, and after a loss."""
        if not self._database.is_sqlite:
            said, self._said = self._said, []
            return tuple(_written(one) for one in said)
        with self._database.read() as tx:
            newest = last_mark(tx)
            seen, self._marks_seen = self._marks_seen, newest
            return (Written(None if seen is None else marks_after(tx, seen)),)

    def close(self) -> None:
        """Give the connection back."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()

    def _connect(self) -> None:
        self._connection = self._database.private_connection()
        if self._database.is_sqlite:
            self._marks_seen = None
            self._seen = self._data_version()
        else:
            self._connection.autocommit = True
            self._said = [EVERYTHING]
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
            heard = [
                notice.payload for notice in self._connection.notifies(timeout=min(LOOK_EVERY, left), stop_after=1)
            ]
            if heard:
                heard += [notice.payload for notice in self._connection.notifies(timeout=0)]
                self._said = [EVERYTHING] if len(self._said) > MOST_SAID else [*self._said, *heard]
                return True
        return False


def last_mark(tx: Transaction) -> int:
    """The number of the newest mark that a write left on SQLite."""
    return int(tx.execute(select(func.coalesce(func.max(change_mark.c.seq), 0))).scalar_one())


def marks_after(tx: Transaction, number: int) -> frozenset[str]:
    """What was marked on SQLite after that number."""
    return frozenset(tx.execute(select(change_mark.c.name).where(change_mark.c.seq > number)).scalars())


def _written(said: str) -> Written:
    by, _, marks = said.partition(" ")
    number = int(by) if by.isdigit() else None
    return Written(None if EVERYTHING in said else frozenset(mark for mark in marks.split(",") if mark), number)
