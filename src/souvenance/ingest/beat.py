"""What a scan does once a second: keep its claim and its progress, and ask whether to go on."""

from __future__ import annotations

import threading
import time

from souvenance.domain.clock import Clock
from souvenance.domain.folder import Condition, FolderStatus, WatchedFolder
from souvenance.ingest import claimed
from souvenance.ingest.scanning import Progress
from souvenance.store import folders as rows
from souvenance.store.database import Database

LEASE = 60.0
"""Seconds a scan's claim holds without being renewed; it is renewed every second."""


class Beat:
    """Once a second of a scan: the claim renewed, progress kept where everyone sees it, and whether to go on."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        folder: WatchedFolder,
        *,
        name: str,
        holder: str,
        stop: threading.Event | None,
        progress: Progress | None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._folder = folder
        self._name = name
        self._holder = holder
        self._stop = stop
        self._told = progress
        self._next = time.monotonic() + 1.0
        self._done = self._total = 0

    def progress(self, done: int, total: int) -> None:
        """Take note of how far the scan is."""
        self._done, self._total = done, total
        if self._told is not None:
            self._told(done, total)

    def go_on(self) -> bool:
        """Whether the scan is to go on: nobody stopped it, suspended the folder or took its claim."""
        if self._stop is not None and self._stop.is_set():
            return False
        if time.monotonic() < self._next:
            return True
        self._next = time.monotonic() + 1.0
        with self._database.write() as tx:
            if not claimed.claim_in(tx, self._clock, name=self._name, holder=self._holder, seconds=LEASE):
                return False
            now = rows.get_folder(tx, vault_id=self._folder.vault_id, folder_id=self._folder.id)
            if now is None or now.status is not FolderStatus.WATCHED:
                return False
            rows.change_folder(tx, now, condition=Condition.SCANNING, reason="", done=self._done, total=self._total)
        return True
