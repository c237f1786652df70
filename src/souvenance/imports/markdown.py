"""Bringing what stands elsewhere into a vault (R4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from souvenance.domain.access import Actor, Source
from souvenance.domain.clock import Clock
from souvenance.domain.errors import InvalidInput, NotAllowed
from souvenance.domain.note import Note, NoteClass, checked_folder, title_key
from souvenance.domain.vault import Vault
from souvenance.imports.markdown_folder import Found, Parsed, Problem, parse, scan
from souvenance.imports.note_keeping import ImportReport, Progress, create_notes, is_same, last_imported, update_notes
from souvenance.imports.remarks import Remarks
from souvenance.imports.target import require_importer, target_vault
from souvenance.imports.uploads import Upload, laid_out
from souvenance.notes.drafts import BATCH, BATCH_BYTES, Draft
from souvenance.notes.notes import Notes
from souvenance.store import notes as note_rows
from souvenance.store import people
from souvenance.store.database import Database, Transaction
from souvenance.store.tables import note as note_table


class Imports:
    """Use cases that read from outside."""

    def __init__(self, database: Database, clock: Clock, notes: Notes, own: Path | None = None) -> None:
        self._own = own
        self._database = database
        self._clock = clock
        self._notes = notes

    def markdown(
        self,
        *,
        actor: Actor,
        path: Path,
        vault: str,
        folder: str = "",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Read a folder of Markdown files into a vault as notes, below `folder` where one is given.

        Folders, front matter and links are kept. Read again, unchanged files are skipped and changed ones become a new
        revision of their note, found by its folder and title. Nothing that was written here is overwritten, and no
        note is removed because its file is gone. Each batch of files is durable once it is counted as done; `progress`
        counts files.
        """
        with self._database.read() as tx:
            if not actor.is_model and not people.is_owner(tx, actor.user_id):
                raise NotAllowed("Only the owner of this memory imports files of its machine.", hint="Ask them to.")
        if self._own is not None and Path(path).resolve().is_relative_to(self._own.resolve()):
            raise InvalidInput("That is the folder of this memory itself.", hint="Import another folder.")
        return self._read(
            actor=actor, path=path, vault=vault, folder=folder, dry_run=dry_run, may_miss=dry_run, progress=progress
        )

    def uploads(
        self, *, actor: Actor, uploads: Sequence[Upload], vault: str, folder: str = "", dry_run: bool = False
    ) -> ImportReport:
        """`markdown` for files that somebody who configures the vault sends over: Markdown, and zips of folders."""
        with laid_out(uploads) as path:
            return self._read(
                actor=actor, path=path, vault=vault, folder=folder, dry_run=dry_run, may_miss=False, progress=None
            )

    def _read(
        self,
        *,
        actor: Actor,
        path: Path,
        vault: str,
        folder: str,
        dry_run: bool,
        may_miss: bool,
        progress: Progress | None,
    ) -> ImportReport:
        require_importer(actor)
        actor = replace(actor, source=Source.IMPORT)
        below = checked_folder(folder)
        target = target_vault(self._database, actor, vault, may_miss=may_miss)
        found, problems, passed_over = scan(path)
        report = ImportReport(
            files=len(found),
            bytes=sum(item.size for item in found),
            problems=Remarks(problems),
            passed_over=Remarks(item.path for item in passed_over),
            makes_vault=target is None,
            dry_run=dry_run,
        )
        seen: dict[tuple[str, str], str] = {}
        done = 0
        for batch in _batches(found):
            self._take(actor, target, _parsed(batch, below, seen, report), report)
            done += len(batch)
            if progress is not None:
                progress(done, len(found))
        report.close()
        return report

    def _take(self, actor: Actor, vault: Vault | None, batch: Sequence[Parsed], report: ImportReport) -> None:
        if vault is None:
            report.created += len(batch)
            return
        with self._database.read() as tx:
            known = _known(tx, actor, vault, batch)
            differing = [note.id for note, item in known.values() if not is_same(note, item)]
            imported = last_imported(tx, vault, differing)
        fresh: list[Draft] = []
        changed: list[tuple[Note, Parsed]] = []
        for item in batch:
            pair = known.get((item.folder, title_key(item.title)))
            if pair is None:
                fresh.append(
                    Draft(title=item.title, content=item.content, folder=item.folder, front_matter=item.front_matter)
                )
                continue
            note = pair[0]
            before = imported.get(note.id)
            if is_same(note, item):
                report.unchanged += 1
            elif note.note_class is not NoteClass.USER_DOC:
                report.conflicts.append(Problem(item.path, "an ingested file has its place here"))
            elif before is None:
                report.conflicts.append(Problem(item.path, "another note of that title was here before; it was left"))
            elif is_same(before, item):
                report.kept += 1
            elif not is_same(before, note):
                report.conflicts.append(Problem(item.path, "it changed here and in the file; the note was left"))
            else:
                changed.append((note, item))
        taken = {(draft.folder, draft.title) for draft in fresh} | {(item.folder, item.title) for _, item in changed}
        for item in batch:
            kinds = self._notes.secrets_in(item.title, item.content, front_matter=item.front_matter)
            if kinds and (item.folder, item.title) in taken:
                said = ", ".join(kind.replace("_", " ") for kind in kinds)
                report.warnings.append(Problem(item.path, f"it looks like it holds a secret ({said})"))
        if report.dry_run:
            report.created += len(fresh)
            report.updated += len(changed)
            return
        create_notes(self._notes, actor, vault, fresh, report)
        update_notes(self._database, self._clock, actor, changed, report)


def _parsed(batch: Sequence[Found], below: str, seen: dict[tuple[str, str], str], report: ImportReport) -> list[Parsed]:
    taken = []
    for found in batch:
        item = parse(found, below=below)
        if isinstance(item, Problem):
            report.problems.append(item)
            continue
        other = seen.setdefault((item.folder, title_key(item.title)), item.path)
        if other != item.path:
            report.problems.append(Problem(item.path, f"it has the title of {other}, case and accents aside"))
            continue
        if item.warning:
            report.warnings.append(Problem(item.path, item.warning))
        taken.append(item)
    return taken


def _batches(found: Sequence[Found]) -> Iterator[list[Found]]:
    batch: list[Found] = []
    size = 0
    for item in found:
        if batch and (len(batch) >= BATCH or size + item.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.size
    if batch:
        yield batch


def _known(
    tx: Transaction, actor: Actor, vault: Vault, batch: Sequence[Parsed]
) -> dict[tuple[str, str], tuple[Note, Parsed]]:
    """The notes that stand where these files would go, by folder and title, each with its file."""
    wanted = {(item.folder, title_key(item.title)): item for item in batch}
    condition = (
        (note_table.c.vault_id == vault.id)
        & (note_table.c.note_class != NoteClass.AGENT_MEMORY)
        & note_table.c.title_key.in_(sorted({key for _, key in wanted}))
        & note_table.c.folder.in_(sorted({folder for folder, _ in wanted}))
    )
    found = note_rows.find_notes(tx, actor, condition)
    places = {(note.folder, title_key(note.title)): note for note in found}
    return {place: (places[place], item) for place, item in wanted.items() if place in places}
