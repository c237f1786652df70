"""Watched folders kept current in the background of a server: told by the kernel, and looked at when that cannot be.

One process of all that share a store watches. Its thread sleeps until the kernel tells of a change or the store says
that a folder was added, asked for or taken away; at rest it does nothing.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Iterable
from typing import Any

from souvenance.domain.clock import Clock
from souvenance.domain.errors import SouvenanceError
from souvenance.domain.folder import Condition, WatchedFolder
from souvenance.ingest import claimed
from souvenance.ingest.folders import Folders
from souvenance.store import folders as rows
from souvenance.store.change_feed import ChangeFeed
from souvenance.store.database import Database

log = logging.getLogger(__name__)

LEASE, RENEW = 300.0, 120.0
"""Seconds the claim to watch holds, and after which it is renewed."""
LOOK_AGAIN = 30.0
"""Seconds between two looks at a folder that cannot be read, has vanished, or of which the kernel tells nothing."""
RESCAN = 3600.0
"""Seconds between two whole scans of a folder that is well: what the kernel failed to tell is found then."""
STEP, DEBOUNCE = 100, 400
"""Milliseconds without a further change after which a change is told, and for which it is held back at most."""
PATIENCE = 1.0
"""Seconds for which a scan waits for a file that is being written; then it is looked at again a little later."""
MOST_PATHS = 500
"""Changes told at once above which the whole folder is looked at instead of each path."""


class Watcher:
    """The background of one process. `start` and `stop` may be called any number of times."""

    def __init__(self, database: Database, clock: Clock, folders: Folders) -> None:
        self._database = database
        self._clock = clock
        self._folders = folders
        self._holder = claimed.new_holder()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._news = threading.Condition()
        self._changed: set[str] = set()
        self._store_changed = True

    @property
    def is_running(self) -> bool:
        """Whether this process watches, or waits for the one that does to end."""
        return self._thread is not None

    def start(self) -> None:
        """Keep every watched folder current from now on. Nothing happens when it runs already."""
        with self._lock:
            if self._thread is None:
                self._stop = threading.Event()
                self._thread = threading.Thread(
                    target=self._run, args=(self._stop,), name="souvenance-folders", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        """End after the file in hand; what was not taken is taken next time."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._stop.set()
        with self._news:
            self._news.notify_all()
        if thread is not None:
            thread.join(timeout=30.0)

    # --- the thread --------------------------------------------------------------------------------------------

    def _run(self, stop: threading.Event) -> None:
        feed = threading.Thread(target=self._follow_store, args=(stop,), name="souvenance-folders-feed", daemon=True)
        feed.start()
        kernel = _Kernel(self._tell)
        turn = _Turn()
        try:
            while not stop.is_set():
                try:
                    pause = self._round(kernel, turn, stop)
                except Exception as error:  # the background outlives whatever a disk or a database does
                    log.warning("watching folders failed with %s; it goes on", type(error).__name__)
                    pause = LOOK_AGAIN
                with self._news:
                    if not self._changed and not self._store_changed and not stop.is_set():
                        self._news.wait(pause)
        finally:
            kernel.close()
            with contextlib.suppress(Exception):
                claimed.release(self._database, name="watch", holder=self._holder)

    def _follow_store(self, stop: threading.Event) -> None:
        feed = ChangeFeed(self._database)
        try:
            while not stop.is_set():
                if feed.wait(60.0, stop):
                    with self._news:
                        self._store_changed = True
                        self._news.notify_all()
        finally:
            feed.close()

    def _tell(self, paths: Iterable[str]) -> None:
        with self._news:
            self._changed.update(paths)
            self._news.notify_all()

    def _round(self, kernel: _Kernel, turn: _Turn, stop: threading.Event) -> float:
        """Do what is to be done now; for how many seconds there is nothing to do unless something is told."""
        with self._news:
            changed, self._changed = self._changed, set()
            self._store_changed = False
        with self._database.read() as tx:
            watched = rows.all_watched(tx)
        if not watched:
            kernel.follow([])
            return 3600.0
        if not self._holds(turn):
            return LOOK_AGAIN
        kernel.follow([folder.path for folder in watched])
        soonest = RENEW
        for folder in watched:
            if stop.is_set():
                break
            now = time.monotonic()
            due = turn.due(folder, told=kernel.tells(folder.path))
            paths = _within(folder.path, changed)
            if folder.wanted or now >= due:
                self._scan(folder, stop)
                turn.scanned[folder.id] = time.monotonic()
                due = turn.due(folder, told=kernel.tells(folder.path))
            elif paths:
                self._scan(folder, stop, paths)
            soonest = min(soonest, max(0.5, due - time.monotonic()))
        return soonest

    def _holds(self, turn: _Turn) -> bool:
        if turn.claimed_at is not None and time.monotonic() - turn.claimed_at < RENEW:
            return True
        if turn.claimed_at is None and turn.tried_at is not None and time.monotonic() - turn.tried_at < LOOK_AGAIN:
            return False  # every try is a write, which would wake the one who holds it, and this one again
        turn.tried_at = time.monotonic()
        held = claimed.claim(self._database, self._clock, name="watch", holder=self._holder, seconds=LEASE)
        turn.claimed_at = time.monotonic() if held else None
        return held

    def _scan(self, folder: WatchedFolder, stop: threading.Event, paths: Iterable[bytes] = (b"",)) -> None:
        chosen = set(paths)
        try:
            self._folders.scan_folder(
                folder,
                paths=chosen,
                stop=stop,
                patience=PATIENCE,
                on_busy=lambda paths: self._again_later(folder, paths),
            )
        except SouvenanceError as error:
            log.warning("a watched folder could not be scanned: %s", error.code)
            self._again_later(folder, chosen)
        except Exception as error:  # one folder's trouble is not the next one's; it is looked at again by the clock
            log.warning("a watched folder could not be scanned: %s", type(error).__name__)

    def _again_later(self, folder: WatchedFolder, paths: Iterable[bytes]) -> None:
        """What another scan holds, or a program goes on writing, is looked at again shortly."""
        again = [os.path.join(folder.path, os.fsdecode(path)) for path in paths]
        timer = threading.Timer(2.0, self._tell, args=(again,))
        timer.daemon = True
        timer.start()


class _Turn:
    """When each folder was last looked at whole, and the claim renewed."""

    def __init__(self) -> None:
        self.scanned: dict[str, float] = {}
        self.claimed_at: float | None = None
        self.tried_at: float | None = None

    def due(self, folder: WatchedFolder, *, told: bool) -> float:
        """When a folder is to be looked at whole without being asked; at once when that was never done here."""
        if folder.id not in self.scanned:
            return 0.0
        is_well = told and folder.condition not in (Condition.UNREADABLE, Condition.VANISHED, Condition.STOPPED)
        return self.scanned[folder.id] + (RESCAN if is_well else LOOK_AGAIN)


def _within(root: str, changed: set[str]) -> list[bytes]:
    """The paths within a root that were told, none below another; the whole root where they are many."""
    prefix = root.rstrip("/") + "/"
    found = sorted(os.fsencode(path[len(prefix) :]) for path in changed if path.startswith(prefix))
    if root in changed or f"{prefix}" in changed or len(found) > MOST_PATHS:
        return [b""]
    kept: list[bytes] = []
    for path in found:
        if not kept or not (path == kept[-1] or path.startswith(kept[-1] + b"/")):
            kept.append(path)
    return kept


class _Kernel:
    """What the kernel tells of changes below some roots, through one thread for each root that can be told of."""

    def __init__(self, tell: Any) -> None:
        self._tell = tell
        self._threads: dict[str, tuple[threading.Thread, threading.Event]] = {}

    def follow(self, roots: Iterable[str]) -> None:
        """Be told of these roots and no others."""
        wanted = set(roots)
        for root in [root for root in self._threads if root not in wanted]:
            self._threads.pop(root)[1].set()
        for root in wanted:
            if root in self._threads and self._threads[root][0].is_alive():
                continue
            if os.path.isdir(root):
                stop = threading.Event()
                thread = threading.Thread(target=self._listen, args=(root, stop), name="souvenance-folder", daemon=True)
                self._threads[root] = (thread, stop)
                thread.start()

    def tells(self, root: str) -> bool:
        """Whether changes below a root are told."""
        return root in self._threads and self._threads[root][0].is_alive()

    def close(self) -> None:
        """Be told of nothing more."""
        threads, self._threads = self._threads, {}
        for _, stop in threads.values():
            stop.set()
        for thread, _ in threads.values():
            thread.join(timeout=5.0)

    def _listen(self, root: str, stop: threading.Event) -> None:
        from watchfiles import watch

        logging.getLogger("watchfiles.main").setLevel(logging.WARNING)  # it says of every change that there was one
        identity = _identity(root)
        try:
            for changes in watch(
                root,
                watch_filter=None,
                debounce=DEBOUNCE,
                step=STEP,
                stop_event=stop,
                rust_timeout=5000,
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                if changes:
                    self._tell({path for _, path in changes})
                if _identity(root) != identity:  # gone, or another disk is mounted there: begin anew
                    self._tell({root})
                    return
        except Exception as error:  # no watches left, no inotify here: the folder is looked at by the clock instead
            log.warning("changes of a watched folder are not told by the system (%s)", type(error).__name__)


def _identity(root: str) -> tuple[int, int] | None:
    try:
        status = os.stat(root)
    except OSError:
        return None
    return status.st_dev, status.st_ino
