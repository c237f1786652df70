"""Following changes: whoever shows something is called when it has changed, here or in another process."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from souvenance.domain.changed import Changed, together
from souvenance.store.change_feed import ChangeFeed, Written, last_mark, marks_after
from souvenance.store.database import Database, Transaction
from souvenance.store.moments import Heard, present_moment, read_snapshot

_log = logging.getLogger(__name__)

QUIET = 30.0
"""Seconds one wait lasts where nothing is written; the thread then just waits again."""


Callback = Callable[[Changed], None]


class Changes:
    """Calls its subscribers from one thread of its own, which runs only while there are any.

    A change by any process on the same store is told within a second of being durable, one by this process too. A
    callback must be quick (hand the news to a loop or a queue); one that raises is called again all the same.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._callbacks: dict[int, Callback] = {}
        self._next = 0
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._heard = Heard()

    def moment(self) -> str:
        """The present moment of the store, to ask later what was written `after` it; read it before what is shown."""
        with self._database.read() as tx:
            return present_moment(tx)

    def after(self, moment: str) -> Changed:
        """What was written after that moment, by any process: everything, where that cannot be told any more.

        Whoever subscribes first and then asks misses nothing; some of it they may be told twice.
        """
        with self._database.read() as tx:
            return self._after_number(tx, moment) if tx.is_sqlite else self._after_snapshot(tx, moment)

    def _after_number(self, tx: Transaction, moment: str) -> Changed:
        if not moment.isascii() or not moment.isdigit() or len(moment) > 18 or int(moment) > last_mark(tx):
            return Changed(everything=True)  # of another store, or of one that was put back since
        return changed(marks_after(tx, int(moment)))

    def _after_snapshot(self, tx: Transaction, moment: str) -> Changed:
        seen, present = read_snapshot(moment), read_snapshot(present_moment(tx))
        if seen is None or present is None:
            return Changed(everything=True)
        with self._lock:
            heard = self._heard.after(seen)
        if heard is None:
            return Changed(everything=seen != present)
        return together(map(changed, heard))

    def subscribe(self, callback: Callback) -> Callable[[], None]:
        """Call back on every change from now on; what is returned ends it. Changes made after this returns are told."""
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._callbacks[number] = callback
            if self._thread is None:
                self._stop, self._ready, self._heard = threading.Event(), threading.Event(), Heard()
                following = (self._stop, self._ready, self._heard)
                self._thread = threading.Thread(target=self._run, args=following, name="changes", daemon=True)
                self._thread.start()
            ready = self._ready
        ready.wait(5.0)  # who comes second, while the first still waits, waits as well

        def unsubscribe() -> None:
            with self._lock:
                self._callbacks.pop(number, None)
                thread = None if self._callbacks else self._ended()
            _join(thread)

        return unsubscribe

    def close(self) -> None:
        """End the thread; nobody is called any more."""
        with self._lock:
            self._callbacks.clear()
            thread = self._ended()
        _join(thread)

    def _ended(self) -> threading.Thread | None:
        """The thread, told to stop; whoever subscribes from now on starts another. Called under the lock."""
        thread, self._thread, self._heard = self._thread, None, Heard()
        self._stop.set()
        return thread

    def _run(self, stop: threading.Event, ready: threading.Event, heard: Heard) -> None:
        feed = ChangeFeed(self._database)
        is_first = True
        try:
            while not stop.is_set():
                if not feed.wait(QUIET, stop):
                    continue
                try:
                    written = feed.take()
                    self._remember(written, heard)
                except Exception:  # the store is away; the next wait finds it again, and then everything is told
                    feed.close()
                    stop.wait(1.0)
                    continue
                if is_first and feed.is_open:  # nothing was missed: nobody was listening before
                    is_first = False
                    ready.set()
                    continue
                self._tell(together(changed(one.marks) for one in written))
        finally:
            ready.set()
            feed.close()

    def _remember(self, written: Sequence[Written], heard: Heard) -> None:
        """Keep what PostgreSQL said for those who ask what was `after` a moment; SQLite keeps it in a table."""
        if self._database.is_sqlite:
            return
        is_anew = any(one.by is None for one in written)
        since = read_snapshot(self.moment()) if is_anew else None  # after what was missed, before what is to come
        with self._lock:
            if is_anew:
                heard.begin(since)
            for one in written:
                heard.add(one)

    def _tell(self, news: Changed) -> None:
        if news == Changed():
            return
        with self._lock:
            callbacks = list(self._callbacks.values())
        for callback in callbacks:
            try:
                callback(news)
            except Exception:
                _log.exception("a subscriber to changes failed")


def _join(thread: threading.Thread | None) -> None:
    if thread is not None and thread is not threading.current_thread():
        thread.join(timeout=5.0)


def changed(marks: frozenset[str] | None) -> Changed:
    """Marks as what they mean."""
    if marks is None:
        return Changed(everything=True)
    kinds: dict[str, set[int]] = {"attention": set(), "vault": set(), "knowledge": set(), "conversations": set()}
    for mark in marks:
        kind, _, name = mark.partition(":")
        kinds[kind].add(int(name))
    return Changed(
        attention=frozenset(kinds["attention"]),
        vaults=frozenset(kinds["vault"]),
        knowledge=frozenset(kinds["knowledge"]),
        conversations=frozenset(kinds["conversations"]),
    )
