"""One scan of one watched folder, whole or in part: only what changed is read, and each step can be the last (V13).

A file is unchanged when its size and change time are those that were known, or else its SHA-256. What is written stands
in transactions of a few files, each with what is known of them, so that a scan that was stopped or killed is taken up
by the next one where it stood. Attention is not asked: a vault at 0 is filled like any other (V3).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.errors import SouvenanceError, StoreUnavailable
from souvenance.domain.folder import FileState, FolderStatus, WatchedFile, WatchedFolder
from souvenance.ingest import taking
from souvenance.ingest.documents import Document, NotText, Unreadable, read_text
from souvenance.ingest.kinds import IN_PROCESS
from souvenance.ingest.passages import split
from souvenance.ingest.reader_process import ReaderProcess
from souvenance.ingest.taking import Taken
from souvenance.ingest.tree import Seen, Sight, Tree
from souvenance.store import folders as folder_rows
from souvenance.store import watched_files
from souvenance.store.database import Database, Transaction

QUIET = 0.3
"""Seconds since its last change after which a file counts as written."""
PATIENCE = 5.0
"""Seconds a scan waits at its end for files that are being written; then they are left for the next one."""
BATCH_FILES = 40
BATCH_BYTES = 256 * 1024
"""What is stored under one hold of the write lock, so that other writers are not kept waiting for long."""

Progress = Callable[[int, int], None]
"""Called with how many files are done and how many there are to do."""
Beat = Callable[[], bool]
"""Called now and then; False when the scan is to stop."""


@dataclass(slots=True, kw_only=True)
class ScanReport:
    """What a scan did. `held`: files that are gone but whose notes wait for a person, since all went at once."""

    unchanged: int = 0
    created: int = 0
    updated: int = 0
    moved: int = 0
    restored: int = 0
    deleted: int = 0
    failed: int = 0
    refused: int = 0
    skipped: int = 0
    busy: int = 0
    held: int = 0
    unknown: int = 0
    stopped: bool = False


class _Vanished(Exception):
    """The file went away while it was looked at."""


class _Settled(Exception):
    """The file cannot be opened, and that was written down."""


class _Busy(Exception):
    """The file is being written."""


class _Suspended(Exception):
    """The folder is no longer watched."""


class Scan:
    """One scan by one process that holds the folder's claim."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        reader: ReaderProcess,
        *,
        actor: Actor,
        folder: WatchedFolder,
        inner: Collection[str] = (),
        progress: Progress | None = None,
        beat: Beat = lambda: True,
        retry: bool = False,
        accept_empty: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self._database = database
        self._clock = clock
        self._reader = reader
        self._actor = actor
        self._folder = folder
        self._tree = Tree(folder, inner=inner)
        self._progress = progress or (lambda _done, _total: None)
        self._beat = beat
        self._retry = retry
        self._accept_empty = accept_empty
        self._patience = patience
        self.busy: list[bytes] = []
        self._root = os.fsencode(folder.path)
        self._batch: list[Taken] = []
        self._batch_bytes = 0
        self._known: dict[bytes, WatchedFile] = {}
        self.report = ScanReport()

    def run(self, paths: Collection[bytes] = (b"",)) -> ScanReport:
        """Bring the notes in line with the files at these paths and below. RootUnreadable where nothing is known."""
        sight = self._tree.look(paths)
        with self._database.read() as tx:
            for path in paths:
                found = watched_files.known_files(tx, self._folder, below=path)
                self._known.update({file.path: file for file in found})
        self.report.unknown = len(sight.unknown)
        todo = [seen for seen in sight.seen.values() if not self._is_done(seen)]
        try:
            if self._read_all(todo, sight):
                self._release(sight)
        except _Suspended:
            self.report.stopped = True
        return self.report

    def _is_done(self, seen: Seen) -> bool:
        """Whether nothing is to be done about a file, going by its size and time alone."""
        known = self._known.get(seen.path)
        if known is None or (known.size, known.mtime) != (seen.size, seen.mtime):
            return False
        if seen.refused:
            same = known.state is FileState.REFUSED and known.reason == seen.refused
            self.report.refused += same
            return same
        if known.state is FileState.FAILED:
            self.report.failed += not self._retry
            return not self._retry
        same = known.state in (FileState.TAKEN, FileState.SKIPPED)
        self.report.unchanged += same
        return same

    # --- reading what is there ---------------------------------------------------------------------------------

    def _read_all(self, todo: list[Seen], sight: Sight) -> bool:
        """Read these files, those that are being written at the end; False when the scan was stopped."""
        total, done = len(todo), 0
        deadline: float | None = None
        self._progress(0, total)
        while todo:
            busy: list[Seen] = []
            for seen in todo:
                if not self._beat():
                    self._flush()
                    self.report.stopped = True
                    return False
                try:
                    self._one(seen)
                except _Busy:
                    busy.append(seen)
                    continue
                except _Settled:
                    pass
                except _Vanished:
                    sight.seen.pop(seen.path, None)
                done += 1
                self._progress(done, total)
            self._flush()
            deadline = deadline or time.monotonic() + self._patience
            if busy and time.monotonic() > deadline:
                self.busy = [seen.path for seen in busy]
                self.report.busy = len(busy)
                return True
            if busy:
                time.sleep(QUIET / 2)
            todo = [again for seen in busy if (again := self._again(seen, sight))]
        return True

    def _again(self, seen: Seen, sight: Sight) -> Seen | None:
        found = self._tree.look([seen.path]).seen.get(seen.path)
        if found is None:
            sight.seen.pop(seen.path, None)
        return found

    def _one(self, seen: Seen) -> None:
        if seen.refused:
            self.report.refused += 1
            self._note_down(self._file(seen, FileState.REFUSED, reason=seen.refused))
            return
        raw, seen = self._bytes(seen)
        digest = hashlib.sha256(raw).hexdigest()
        known = self._known.get(seen.path)
        file = self._file(seen, FileState.TAKEN, digest=digest)
        if known is not None and known.hash == digest and known.state is FileState.TAKEN:
            self.report.unchanged += 1
            self._note_down(file)
            return
        if (known is None or known.note_id is None) and self._was_elsewhere(file):
            return
        try:
            document = self._document(raw, seen)
        except NotText as error:
            self.report.skipped += 1
            self._note_down(replace(file, state=FileState.SKIPPED, reason=str(error)))
        except Unreadable as error:
            # The note of what the file said before is kept as it is: nothing is lost because a file broke.
            self.report.failed += 1
            self._note_down(replace(file, state=FileState.FAILED, reason=str(error)))
        else:
            self._batch.append(Taken(file=file, document=document, pieces=split(document.content)))
            self._batch_bytes += len(document.content)
            if len(self._batch) >= BATCH_FILES or self._batch_bytes >= BATCH_BYTES:
                self._flush()

    def _document(self, raw: bytes, seen: Seen) -> Document:
        name = os.fsdecode(seen.path.rpartition(b"/")[2])
        if seen.kind in IN_PROCESS:
            return read_text(raw, name=name, kind=seen.kind)
        return self._reader.read(raw, kind=seen.kind, name=name)

    def _bytes(self, seen: Seen) -> tuple[bytes, Seen]:
        """The bytes of a file that is not being written, and what it was when they were read."""
        try:
            # Never through a link that took the file's place, and never waiting for the other end of a pipe.
            number = os.open(os.path.join(self._root, seen.path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            raise _Vanished from None
        except OSError as error:
            self.report.failed += 1
            reason = f"it cannot be read: {error.strerror}"
            self._note_down(self._file(seen, FileState.FAILED, reason=reason))
            raise _Settled from None
        with os.fdopen(number, "rb") as source:
            before = os.fstat(number)
            if not stat.S_ISREG(before.st_mode) or 0 <= time.time() - before.st_mtime < QUIET:
                raise _Busy
            raw = source.read(self._folder.max_bytes + 1)
            after = os.fstat(number)
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or len(raw) != after.st_size:
            raise _Busy
        return raw, replace(seen, size=after.st_size, mtime=after.st_mtime_ns)

    def _file(self, seen: Seen, state: FileState, *, digest: str = "", reason: str = "") -> WatchedFile:
        known = self._known.get(seen.path)
        return WatchedFile(
            vault_id=self._folder.vault_id,
            folder_id=self._folder.id,
            path=seen.path,
            hash=digest,
            size=seen.size,
            mtime=seen.mtime,
            note_id=known.note_id if known else None,
            state=state,
            reason=reason,
            taken_at=self._clock(),
        )

    # --- writing -----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """A transaction that writes only while the folder is watched: what an erasure took must not come back (F7)."""
        with self._database.write() as tx:
            now = folder_rows.get_folder(tx, vault_id=self._folder.vault_id, folder_id=self._folder.id)
            if now is None or now.status is not FolderStatus.WATCHED:
                raise _Suspended
            yield tx

    def _note_down(self, file: WatchedFile) -> None:
        with self._writing() as tx:
            watched_files.put_file(tx, file)

    def _was_elsewhere(self, file: WatchedFile) -> bool:
        """Whether the file was moved here, from another place of this vault's folders: then it keeps its note."""
        with self._database.read() as tx:
            same = watched_files.same_content(tx, vault_id=file.vault_id, digest=file.hash)
            roots = {one.id: one.path for one in folder_rows.vault_folders(tx, vault_id=file.vault_id)} if same else {}
        here = os.path.join(self._root, file.path)
        name = os.path.basename(file.path)
        # Of several with this content, the one that was not written since, then the one of the same name.
        same.sort(key=lambda one: (one.mtime != file.mtime, os.path.basename(one.path) != name))
        for before in same:
            there = os.path.join(os.fsencode(roots[before.folder_id]), before.path)
            if there != here and os.path.lexists(there):
                continue
            self._flush()
            with self._writing() as tx:
                if taking.move(tx, self._actor, self._folder, before, file, at=self._clock()):
                    self._known.pop(before.path if before.folder_id == self._folder.id else b"", None)
                    self.report.moved += 1
                    return True
        return False

    def _flush(self) -> None:
        """Write what was read; one by one where something is refused, so that it alone is left out."""
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        if not batch:
            return
        try:
            self._take(batch)
        except StoreUnavailable:
            raise
        except SouvenanceError as error:
            if len(batch) == 1:
                self.report.failed += 1
                self._note_down(replace(batch[0].file, state=FileState.FAILED, reason=str(error)))
                return
            for item in batch:
                self._batch = [item]
                self._flush()

    def _take(self, batch: list[Taken]) -> None:
        with self._writing() as tx:
            fresh = []
            for item in batch:
                now = watched_files.get_file(tx, self._folder, item.file.path)
                if now is None or now.hash != item.file.hash or now.state is not FileState.TAKEN:
                    fresh.append(item if now is None else replace(item, file=replace(item.file, note_id=now.note_id)))
            taking.take(tx, self._actor, self._folder, fresh, at=self._clock())
        for item in fresh:
            known = self._known.get(item.file.path)
            if known is None or known.note_id is None:
                self.report.created += 1
            elif known.state is FileState.GONE:
                self.report.restored += 1
            else:
                self.report.updated += 1

    # --- what is gone ------------------------------------------------------------------------------------------

    def _release(self, sight: Sight) -> None:
        """Put the notes of files that are gone in the trash; none, where not one known file of the folder is left."""
        gone = [
            file
            for file in self._known.values()
            if file.state is not FileState.GONE and file.path not in sight.seen and not sight.may_be_there(file.path)
        ]
        notes = [file for file in gone if file.note_id is not None]
        with self._database.read() as tx:
            counts = watched_files.count_states(tx, self._folder)
            standing = counts.get(FileState.TAKEN, 0)
        taken = sum(file.state is FileState.TAKEN for file in notes)
        fresh = self.report.created + self.report.moved + self.report.restored
        is_all = taken > 0 and taken >= standing - fresh and not (self.report.moved or self.report.unchanged)
        if is_all and not self._accept_empty:
            self.report.held = taken
            return
        for start in range(0, len(gone), BATCH_FILES):
            if not self._beat():
                self.report.stopped = True
                return
            self._tree.look(())  # the root must still be there, or nothing is known
            with self._writing() as tx:
                for file in gone[start : start + BATCH_FILES]:
                    self.report.deleted += taking.let_go(tx, self._actor, file, at=self._clock())
