"""Watched folders: the use cases (V13). Only people have them: a folder is a path on this machine's disk."""

from __future__ import annotations

import builtins
import os
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound, SouvenanceError
from souvenance.domain.fact import readable_text
from souvenance.domain.folder import (
    DEFAULT_MAX_BYTES,
    Condition,
    FolderStatus,
    WatchedFile,
    WatchedFolder,
    shown_path,
)
from souvenance.domain.note import checked_folder, new_note_id
from souvenance.ingest import claimed, taking
from souvenance.ingest.beat import LEASE, Beat
from souvenance.ingest.folder_views import FolderCensus, FolderView, counted
from souvenance.ingest.globs import checked_patterns
from souvenance.ingest.reader_process import ReaderProcess
from souvenance.ingest.scanning import BATCH_FILES, PATIENCE, Progress, Scan, ScanReport
from souvenance.ingest.tree import RootUnreadable, Tree
from souvenance.store import folders as rows
from souvenance.store import history, people, watched_files
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.tables import vault as vault_table

LARGEST = 1024 * 1024 * 1024


class Folders:
    """Watching folders, looking into them, and bringing in what changed."""

    def __init__(self, database: Database, clock: Clock, own: Path | None = None) -> None:
        self._own = own
        self._database = database
        self._clock = clock
        self._reader = ReaderProcess()

    def watch(
        self,
        *,
        actor: Actor,
        vault: str,
        path: Path | str,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        max_bytes: int = DEFAULT_MAX_BYTES,
        place: str | None = None,
    ) -> WatchedFolder:
        """Let a vault follow a folder from now on; nothing is read yet: `scan` does, or a running server.

        Watched again, the folder gets the patterns and size given now; one that was unwatched takes up its notes.
        """
        _require_person(actor)
        actor.require_write()
        with self._database.read() as tx:
            vault_rows.named_vault(tx, actor, vault, to_write=True)
            _require_owner(tx, actor)
        root = self._free_root(path)
        wanted, unwanted = checked_patterns(include, what="include"), checked_patterns(exclude, what="exclude")
        largest = _checked_size(max_bytes)
        with self._database.write() as tx:
            target = vault_rows.named_vault(tx, actor, vault, to_write=True)
            tx.hold("watched_folder", target.id)
            there = rows.vault_folders(tx, vault_id=target.id)
            before = next((folder for folder in there if folder.path == root), None)
            if before is not None:
                if place is not None and checked_folder(place) != before.place:
                    raise Conflict(f"Its notes stand in {before.place}.", hint="Leave the place out.", folder=before.id)
                status = FolderStatus.WATCHED if before.status is FolderStatus.UNWATCHED else before.status
                patterns = {"include": builtins.list(wanted), "exclude": builtins.list(unwanted)}
                rows.change_folder(tx, before, **patterns, max_bytes=largest, status=status, wanted=True)
                found = rows.get_folder(tx, vault_id=target.id, folder_id=before.id)
                assert found is not None
                self._audit(tx, actor, found, "watch")
                return found
            folder = WatchedFolder(
                id=new_note_id(),
                vault_id=target.id,
                path=root,
                place=_free_place(root, place, {folder.place for folder in there}),
                include=wanted,
                exclude=unwanted,
                max_bytes=largest,
                user_id=actor.user_id,
                created_at=self._clock(),
            )
            rows.add_folder(tx, folder)
            self._audit(tx, actor, folder, "watch")
            return folder

    def unwatch(self, *, actor: Actor, folder: str, vault: str | None = None, keep: bool = False) -> int:
        """Follow a folder no longer. Its notes go to the trash, or stay as they are with `keep`; how many went.

        What is known of its files is remembered, so that watching it again brings the same notes back.
        """
        found = self._changed(actor, folder, vault, status=FolderStatus.UNWATCHED)
        went = 0
        while not keep:
            with self._database.write() as tx:
                files = watched_files.taken_notes(tx, found, limit=BATCH_FILES)
                for file in files:
                    went += taking.let_go(tx, actor, file, at=self._clock())
            if not files:
                break
        with self._database.write() as tx:
            self._audit(tx, actor, found, "unwatch", notes=went)
        return went

    def _audit(self, tx: Transaction, actor: Actor, folder: WatchedFolder, verb: str, **details: int) -> None:
        history.record_audit(
            tx, actor, verb=f"folder.{verb}", at=self._clock(), vault_id=folder.vault_id, folder=folder.id, **details
        )

    def suspend(self, *, actor: Actor, folder: str, vault: str | None = None) -> WatchedFolder:
        """Stop following a folder for now, and any scan of it after the file in hand; nothing of it is lost."""
        return self._changed(actor, folder, vault, status=FolderStatus.SUSPENDED)

    def resume(self, *, actor: Actor, folder: str, vault: str | None = None) -> WatchedFolder:
        """Follow a suspended folder again; what was left undone is taken up."""
        return self._changed(actor, folder, vault, status=FolderStatus.WATCHED, wanted=True)

    def want_scan(self, *, actor: Actor, folder: str, vault: str | None = None) -> WatchedFolder:
        """Ask the server that watches to look at the whole folder now."""
        return self._changed(actor, folder, vault, wanted=True)

    def _changed(self, actor: Actor, ref: str, vault: str | None, **values: object) -> WatchedFolder:
        _require_person(actor)
        actor.require_write()
        with self._database.write() as tx:
            found = self._named(tx, actor, ref, vault)
            self._require_configure(tx, actor, found)
            rows.change_folder(tx, found, **values)
            return rows.get_folder(tx, vault_id=found.vault_id, folder_id=found.id) or found

    def list(self, *, actor: Actor, vault: str | None = None) -> builtins.list[FolderView]:
        """The watched folders of the vaults the actor may read, by path, with how they stand.

        Where a folder stands on the disk is its machine's owner's to know: others get its name in the path's place.
        """
        _require_person(actor)
        with self._database.read() as tx:
            slugs = {item.id: item.slug for item in vault_rows.list_vaults(tx, actor)}
            chosen = None if vault is None else vault_rows.named_vault(tx, actor, vault).id
            return [
                _view(tx, actor, item, slugs[item.vault_id])
                for item in rows.find_folders(tx, actor)
                if chosen in (None, item.vault_id)
            ]

    def get(self, *, actor: Actor, folder: str, vault: str | None = None) -> FolderView:
        """One watched folder, by its id or path; as `list` shows it."""
        _require_person(actor)
        with self._database.read() as tx:
            found = self._named(tx, actor, folder, vault)
            slugs = {item.id: item.slug for item in vault_rows.list_vaults(tx, actor)}
            return _view(tx, actor, found, slugs[found.vault_id])

    def errors(
        self, *, actor: Actor, folder: str, vault: str | None = None, limit: int = 200, offset: int = 0
    ) -> builtins.list[WatchedFile]:
        """The files of a folder that could not be read or were refused, with the reasons, by path."""
        _require_person(actor)
        with self._database.read() as tx:
            found = self._named(tx, actor, folder, vault)
            return watched_files.problem_files(tx, found, limit=max(0, limit), offset=max(0, offset))

    def census(
        self,
        *,
        actor: Actor,
        path: Path | str,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> FolderCensus:
        """How many files of which kinds and sizes watching a folder would take; nothing is opened or kept."""
        _require_person(actor)
        with self._database.read() as tx:
            _require_owner(tx, actor)
        root = self._free_root(path)
        looked = WatchedFolder(
            id="",
            vault_id=0,
            path=root,
            place="",
            include=checked_patterns(include, what="include"),
            exclude=checked_patterns(exclude, what="exclude"),
            max_bytes=_checked_size(max_bytes),
            user_id=actor.user_id,
            created_at=self._clock(),
        )
        try:
            return counted(Tree(looked, own=self._own).look())
        except RootUnreadable as error:  # it went between the two looks
            raise InvalidInput(
                f"The folder {shown_path(root)} cannot be read: {error}.",
                hint="Give the path of a folder you may read.",
            ) from None

    def _free_root(self, path: Path | str) -> str:
        """A folder that may be watched: it can be read, and is neither this memory's own nor within it."""
        root = _root(path)
        if self._own is not None and Path(root).is_relative_to(os.path.realpath(self._own)):
            raise InvalidInput("That is the folder of this memory itself.", hint="Watch another folder.")
        return root

    # --- scanning ----------------------------------------------------------------------------------------------

    def scan(
        self,
        *,
        actor: Actor,
        folder: str,
        vault: str | None = None,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
        retry: bool = False,
        accept_empty: bool = False,
    ) -> ScanReport:
        """Bring in what changed, here and now. Stopped anywhere, or killed, the next scan goes on from there.

        `retry` reads again what could not be read; `accept_empty` confirms that files which are all gone at once are
        meant to be. Refused while another process scans the folder.
        """
        _require_person(actor)
        actor.require_write()
        with self._database.read() as tx:
            found = self._named(tx, actor, folder, vault)
            self._require_configure(tx, actor, found)
        if found.status is FolderStatus.SUSPENDED:
            raise Conflict("The folder is suspended.", hint="Resume it first: souvenance folder resume.")
        return self.scan_folder(
            found, progress=progress, stop=stop, retry=retry, accept_empty=accept_empty, raise_unreadable=True
        )

    def scan_folder(
        self,
        folder: WatchedFolder,
        *,
        paths: Collection[bytes] = (b"",),
        progress: Progress | None = None,
        stop: threading.Event | None = None,
        retry: bool = False,
        accept_empty: bool = False,
        raise_unreadable: bool = False,
        patience: float = PATIENCE,
        on_busy: Callable[[Sequence[bytes]], None] = lambda _paths: None,
    ) -> ScanReport:
        """The scan itself, for the background too, in the name of whoever watches the folder.

        `on_busy` is told which files were left since they were still being written after `patience` seconds.
        """
        actor = Actor(user_id=folder.user_id, source=Source.IMPORT, route=Route.LOCAL)
        with self._database.read() as tx:
            self._require_configure(tx, actor, folder)
            others = [item for item in rows.vault_folders(tx, vault_id=folder.vault_id) if item.id != folder.id]
        name, holder = f"scan:{folder.id}", claimed.new_holder()
        if not claimed.claim(self._database, self._clock, name=name, holder=holder, seconds=LEASE):
            raise Conflict("Another process scans this folder now.", hint="Wait for it; `folder list` shows how far.")
        beat = Beat(self._database, self._clock, folder, name=name, holder=holder, stop=stop, progress=progress)
        whole = b"" in paths
        scan = Scan(
            self._database,
            self._clock,
            self._reader,
            actor=actor,
            folder=folder,
            inner=[item.path for item in others if item.status is not FolderStatus.UNWATCHED],
            own=self._own,
            progress=beat.progress,
            beat=beat.go_on,
            retry=retry,
            accept_empty=accept_empty,
            patience=patience,
        )
        try:
            report = scan.run(paths)
            if scan.busy:
                on_busy(scan.busy)
            self._conclude(folder, report, whole=whole)
            return report
        except RootUnreadable as error:
            self._say(folder, Condition.UNREADABLE, f"the folder cannot be read: {error}", wanted=False)
            if raise_unreadable:
                raise InvalidInput(
                    f"The folder {folder.name} cannot be read: {error}. Its notes are left as they are.",
                    hint="Mount its disk or give the folder back, then scan again.",
                ) from None
            return scan.report
        except SouvenanceError as error:
            self._say(folder, Condition.STOPPED, str(error))
            raise
        except Exception as error:
            self._say(folder, Condition.STOPPED, f"the scan failed ({type(error).__name__})", wanted=False)
            raise
        finally:
            claimed.release(self._database, name=name, holder=holder)

    def _conclude(self, folder: WatchedFolder, report: ScanReport, *, whole: bool) -> None:
        if report.stopped:
            self._say(folder, Condition.STOPPED, "the scan was stopped; the next one goes on from there")
        elif report.held:
            reason = f"all {report.held:,} files are gone at once; their notes are kept until a person confirms it"
            self._say(folder, Condition.VANISHED, reason, wanted=False)
        elif whole:
            self._say(folder, Condition.WELL, "", wanted=False, done=0, total=0, scanned_at=self._clock())
        elif folder.condition in (Condition.VANISHED, Condition.UNREADABLE):
            with self._database.write() as tx:  # something is back: the whole of it is to be looked at
                rows.change_folder(tx, folder, wanted=True)

    def _say(self, folder: WatchedFolder, condition: Condition, reason: str, **values: object) -> None:
        with self._database.write() as tx:
            now = rows.get_folder(tx, vault_id=folder.vault_id, folder_id=folder.id)
            wanted = {"condition": condition, "reason": reason} | values
            if now is not None and any(getattr(now, name) != value for name, value in wanted.items()):
                rows.change_folder(tx, folder, **wanted)

    def close(self) -> None:
        """End the reader process."""
        self._reader.close()

    # --- whose and which ---------------------------------------------------------------------------------------

    def _named(self, tx: Transaction, actor: Actor, ref: str, vault: str | None) -> WatchedFolder:
        wanted = readable_text(ref, what="folder", limit=16_384)
        found = rows.find_folders(tx, actor, rows.matches(wanted))
        if not found:
            found = rows.find_folders(tx, actor, rows.matches(os.path.realpath(os.path.expanduser(wanted))))
        if vault is not None:
            target = vault_rows.named_vault(tx, actor, vault)
            found = [item for item in found if item.vault_id == target.id]
        if not found:
            raise NotFound("No such folder is watched.", hint="souvenance folder list shows those there are.")
        if len(found) > 1:
            raise Conflict("Several vaults watch that folder.", hint="Name it by its id, or name the vault too.")
        return found[0]

    def _require_configure(self, tx: Transaction, actor: Actor, folder: WatchedFolder) -> None:
        target = vault_rows.find_vault(tx, actor, vault_table.c.id == folder.vault_id)
        if target is None or not target.can_configure:
            raise NotAllowed(
                "You may read this vault but not change it.", hint="Ask its team for the configure permission."
            )


def _require_person(actor: Actor) -> None:
    if actor.is_model or actor.token_id is not None:
        raise NotAllowed(
            "Watched folders are the owner's only, never a model's or a token's.", hint="Use the command line."
        )


def _require_owner(tx: Transaction, actor: Actor) -> None:
    """What stands on the machine's disk is for its owner to give away, whoever configures the vault."""
    if not people.is_owner(tx, actor.user_id):
        raise NotAllowed(
            "Only the owner of this memory lets a vault follow a folder of its machine.", hint="Ask them to."
        )


def _view(tx: Transaction, actor: Actor, folder: WatchedFolder, vault: str) -> FolderView:
    counts = watched_files.count_states(tx, folder)
    if not people.is_owner(tx, actor.user_id):
        folder = replace(folder, path=folder.name)
    return FolderView(folder=folder, vault=vault, counts=counts)


def _root(path: Path | str) -> str:
    text = readable_text(str(path), what="path", limit=16_384)
    if not text.strip():  # else it would be whatever folder the program runs in
        raise InvalidInput("No folder was named.", hint="Give the path of a folder you may read.")
    try:
        root = os.path.realpath(os.path.expanduser(text), strict=True)
        with os.scandir(root):
            pass
    except OSError as error:
        raise InvalidInput(
            f"The folder {shown_path(text)} cannot be read: {error.strerror}.",
            hint="Give the path of a folder you may read.",
        ) from None
    return readable_text(root, what="path", limit=16_384)


def _checked_size(max_bytes: int) -> int:
    if not 1 <= max_bytes <= LARGEST:
        raise InvalidInput(f"The largest size is between 1 and {LARGEST:,} bytes.", hint="Leave it out for 32 MiB.")
    return max_bytes


def _free_place(root: str, asked: str | None, taken: set[str]) -> str:
    if asked is not None:
        place = checked_folder(asked)
        if place in taken or not place:
            raise Conflict("The notes of another watched folder stand there.", hint="Choose another place.")
        return place
    name = shown_path(os.path.basename(root)).replace("\\", "_").strip(" .~")[:100] or "folder"
    place, number = name, 2
    while place in taken:
        place, number = f"{name} {number}", number + 1
    return place
