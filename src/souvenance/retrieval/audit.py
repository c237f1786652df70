"""Writing every read down without slowing it, and letting the owner review them (N11)."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence

from souvenance.domain.access import Actor
from souvenance.domain.errors import NotAllowed, Withheld
from souvenance.domain.protection import may_leave
from souvenance.domain.vault import Protection
from souvenance.store import retrievals as rows
from souvenance.store.database import Database
from souvenance.store.retrievals import AskedOften, Retrieval

_PENDING = 1000
_PATIENCE = 10.0
"""Seconds a reader of the audit waits for what is still to be written."""
_GATHER = 0.1
"""Seconds in which reads gather to be written together, so that a run of searches is not slowed by as many commits."""


class Retrievals:
    """The retrieval audit. Reads are written by a thread of their own, so that an audit that cannot be written
    neither slows nor fails the read; `dropped` counts what was lost so."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: queue.Queue[tuple[Actor, Retrieval] | None] = queue.Queue(_PENDING)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._hurry = threading.Event()
        self.dropped = 0
        self.observers: list[Callable[[Retrieval], None]] = []
        """Told of each read in the thread that made it; none may raise or take time."""

    def record(self, actor: Actor, entry: Retrieval) -> None:
        """Write a read down soon."""
        for observer in self.observers:
            observer(entry)
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._write, name="retrieval-audit", daemon=True)
                self._thread.start()
        try:
            self._pending.put_nowait((actor, entry))
        except queue.Full:
            self.dropped += 1

    def flush(self) -> None:
        """Wait until all that was recorded is written, for a few seconds at most."""
        self._hurry.set()
        with self._pending.all_tasks_done:
            self._pending.all_tasks_done.wait_for(lambda: not self._pending.unfinished_tasks, timeout=_PATIENCE)
        self._hurry.clear()

    def close(self) -> None:
        """Write what is left and stop."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._hurry.set()
            self._pending.put(None)
            thread.join(timeout=10)

    def _write(self) -> None:
        while True:
            batch = [self._pending.get()]
            self._hurry.wait(_GATHER)
            while len(batch) < 100 and not self._pending.empty():
                batch.append(self._pending.get())
            entries = [entry for entry in batch if entry is not None]
            try:
                with self._database.write() as tx:
                    rows.add_retrievals(tx, entries)
            except Exception:  # whatever it is, the next reads are to be written down
                self.dropped += len(entries)
            finally:
                for _ in batch:
                    self._pending.task_done()
            if len(entries) < len(batch):
                return

    # --- for the owner -----------------------------------------------------------------------------------------

    def list(self, *, actor: Actor, limit: int = 50, offset: int = 0, misses_only: bool = False) -> list[Retrieval]:
        """The caller's reads, through whatever they came, newest first."""
        self._require_owner(actor)
        with self._database.read() as tx:
            return rows.list_retrievals(tx, user_id=actor.user_id, limit=limit, offset=offset, misses_only=misses_only)

    def frequent(self, *, actor: Actor, limit: int = 20) -> Sequence[AskedOften]:
        """Queries that came more than once, the most frequent first."""
        self._require_owner(actor)
        with self._database.read() as tx:
            return rows.asked_often(tx, user_id=actor.user_id, limit=limit, blind=False)

    def blind_spots(self, *, actor: Actor, limit: int = 20) -> Sequence[AskedOften]:
        """Queries that never found anything relevant: what the memory was asked and does not know. What was asked
        while every vault was muted is none of them."""
        self._require_owner(actor)
        with self._database.read() as tx:
            return rows.asked_often(tx, user_id=actor.user_id, limit=limit, blind=True)

    def _require_owner(self, actor: Actor) -> None:
        if actor.token_id is not None or actor.is_model:
            raise NotAllowed("The retrieval audit is its owner's only.", hint="Use the panel or the command line.")
        if not may_leave(Protection.MAXIMUM, actor.route):
            # What was asked of a protected vault tells what stands in it, and the log names the vaults that answered.
            raise Withheld(
                "The retrieval log holds what protected vaults were asked: it does not leave over a cloud route.",
                hint="Read it on this machine.",
            )
        self.flush()
