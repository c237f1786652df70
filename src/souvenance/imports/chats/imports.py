"""Conversations held elsewhere into a vault, each as a note that search finds (R4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from souvenance.domain.access import Actor, Source
from souvenance.domain.clock import Clock, isoformat
from souvenance.domain.errors import InvalidInput, TooLarge
from souvenance.domain.note import MAX_NOTE_BYTES, MAX_TITLE, Note, NoteClass, checked_folder, title_key
from souvenance.domain.vault import Vault
from souvenance.imports.chats.files import BrokenOff, entries
from souvenance.imports.chats.formats import Conversation, conversation_of
from souvenance.imports.deeds import Stop, deed_of, named_where_it_fails
from souvenance.imports.markdown_folder import Parsed, Problem
from souvenance.imports.note_keeping import ImportReport, Progress, create_notes, is_same, last_imported, update_notes
from souvenance.imports.remarks import MOST_FAULTS
from souvenance.imports.target import require_importer, target_vault
from souvenance.imports.uploads import Upload
from souvenance.notes.drafts import BATCH, BATCH_BYTES, Draft
from souvenance.notes.notes import Notes
from souvenance.store import notes as note_rows
from souvenance.store.database import Database
from souvenance.store.tables import note as note_table

LEFT_OUT = 10_000
"""Entries left out after which an import shows how far it is, as after a batch."""
CONVERSATION = "conversation"
"""The value of a note's front matter that says which conversation it is."""


@dataclass(slots=True, kw_only=True)
class ChatsReport(ImportReport):
    """What an import of conversations did: `files` counts them, `turns` what was said in them.

    `passed_over` names those in which nobody said anything. `deed` is the name under which all of it can be reviewed
    and taken back together, since `begun`. `stopped`: it ended before all was in; the same again goes on from there.
    """

    turns: int = 0
    programs: list[str] = field(default_factory=list)
    stopped: bool = False
    deed: str = ""
    begun: datetime | None = None

    def as_dict(self) -> dict[str, Any]:
        """The report as every interface sends it."""
        shown = ImportReport.as_dict(self)
        shown["conversations"] = shown.pop("files")
        shown |= {name: getattr(self, name) for name in ("turns", "programs", "stopped", "deed")}
        return shown | {"begun": None if self.begun is None else isoformat(self.begun)}


class ChatImports:
    """Reading conversations from outside."""

    def __init__(self, database: Database, clock: Clock, notes: Notes) -> None:
        self._database = database
        self._clock = clock
        self._notes = notes

    def chats(
        self,
        *,
        actor: Actor,
        upload: Upload,
        vault: str,
        folder: str = "",
        dry_run: bool = False,
        may_miss: bool = False,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> ChatsReport:
        """Read the conversations of an export of ChatGPT or Claude into a vault, below `folder` where one is given.

        A conversation is known again by its id, wherever its note was moved and whatever it is called now: one that
        went on is a new revision of its note, unless that was edited here. Entries that are none are named and passed
        over. Only people do this. Each batch is durable once it is counted as done; `progress` counts bytes of the
        file. `may_miss`: a dry run may name a vault that is not there yet.
        """
        require_importer(actor)
        below = checked_folder(folder)
        target = target_vault(self._database, actor, vault, may_miss=may_miss and dry_run)
        size = upload.data.seek(0, 2)
        report = ChatsReport(bytes=size, dry_run=dry_run, makes_vault=target is None, begun=self._clock())
        report.deed = deed_of("chats")
        actor = replace(actor, source=Source.IMPORT, name=report.deed)
        known = self._known(actor, target)
        read = 0

        def follow(place: int) -> None:
            nonlocal read
            read = place

        with named_where_it_fails(report.deed, lambda: 0 if dry_run else report.created + report.updated):
            for batch in _batches(_found(upload, report, follow)):
                if stop is not None and stop():
                    report.stopped = True
                    break
                if batch:
                    self._take(actor, target, batch, below, known, report)
                if progress is not None:
                    progress(min(read, size), size)
        if dry_run or not report.created + report.updated:
            report.deed, report.begun = "", None
        report.close()
        return report

    def _known(self, actor: Actor, target: Vault | None) -> _Known:
        if target is None:
            return _Known([])
        here = (note_table.c.vault_id == target.id) & (note_table.c.note_class == NoteClass.USER_DOC)
        with self._database.read() as tx:
            return _Known(note_rows.find_notes(tx, actor, here, with_content=False))

    def _take(
        self,
        actor: Actor,
        target: Vault | None,
        batch: list[Conversation],
        below: str,
        known: _Known,
        report: ChatsReport,
    ) -> None:
        held = {item.id: known.notes[item.id] for item in batch if item.id in known.notes}
        notes: dict[str, Note] = {}
        imported: dict[str, Parsed] = {}
        if held and target is not None:
            chosen = (note_table.c.vault_id == target.id) & note_table.c.id.in_(sorted(held.values()))
            with self._database.read() as tx:
                notes = {note.id: note for note in note_rows.find_notes(tx, actor, chosen)}
                imported = last_imported(tx, target, list(notes))
        fresh: list[Draft] = []
        changed: list[tuple[Note, Parsed]] = []
        for item in batch:
            parsed = known.placed(item, below)
            if len(parsed.content.encode()) > MAX_NOTE_BYTES:
                report.problems.append(Problem(item.name, "it is longer than a note may be"))
                continue
            note = notes.get(held.get(item.id, ""))
            if note is None:
                fresh.append(Draft(title=parsed.title, content=parsed.content, folder=parsed.folder,
                                   front_matter=parsed.front_matter))  # fmt: skip
            elif not self._goes_on(note, imported.get(note.id), parsed, report):
                continue
            else:
                changed.append((note, parsed))
            self._warn(parsed, report)
        if report.dry_run or target is None:
            report.created += len(fresh)
            report.updated += len(changed)
            return
        create_notes(self._notes, actor, target, fresh, report)
        update_notes(self._database, self._clock, actor, changed, report)

    def _goes_on(self, note: Note, before: Parsed | None, parsed: Parsed, report: ChatsReport) -> bool:
        """Whether a conversation that has its note changed in the file alone; else it is counted as what it is."""
        if is_same(note, parsed):
            report.unchanged += 1
        elif before is not None and is_same(before, parsed):
            report.kept += 1
        elif before is None or not is_same(before, note):
            report.conflicts.append(Problem(note.path, "it changed here and in the file; the note was left"))
        else:
            return True
        return False

    def _warn(self, parsed: Parsed, report: ChatsReport) -> None:
        kinds = self._notes.secrets_in(parsed.title, parsed.content, front_matter=parsed.front_matter)
        if kinds:
            said = ", ".join(kind.replace("_", " ") for kind in kinds)
            report.warnings.append(Problem(parsed.path, f"it looks like it holds a secret ({said})"))


class _Known:
    """The notes of a vault: which conversation each is, and which places are taken."""

    def __init__(self, notes: list[Note]) -> None:
        self.notes = {
            str(note.front_matter[CONVERSATION]): note.id for note in notes if CONVERSATION in note.front_matter
        }
        self._taken = {(note.folder, title_key(note.title)) for note in notes}

    def placed(self, item: Conversation, below: str) -> Parsed:
        """A conversation as the note it becomes; where its title is taken, its day tells it apart, then its id."""
        folder = checked_folder("/".join(part for part in (below, item.program) if part))
        names = [item.name]
        if item.id not in self.notes:
            names += [f"{item.name} ({item.day})"] if item.day else []
            names += [f"{item.name} ({item.id[:8]})", f"Conversation {item.id}"[:MAX_TITLE].replace("/", "-")]
        title = next((name for name in names if (folder, title_key(name)) not in self._taken), names[-1])
        if item.id not in self.notes:
            self._taken.add((folder, title_key(title)))
        return Parsed(
            path=f"{folder}/{title}",
            folder=folder,
            title=title,
            content=item.text(),
            front_matter=item.front_matter(),
        )


def _found(upload: Upload, report: ChatsReport, follow: Any) -> Iterator[Conversation | None]:
    """The conversations of a file, None for what is left out; that is told by its place in it, and so is where the
    file breaks off."""
    seen: set[str] = set()
    place = 0
    try:
        for place, entry in enumerate(entries(upload, read=follow), 1):
            item = conversation_of(entry, place)
            if item is None:
                report.problems.append(Problem(f"#{place}", "it is no conversation"))
                if report.problems.total >= MOST_FAULTS and not report.files and not report.passed_over:
                    raise InvalidInput(
                        "That is no export of conversations.", hint="Choose the archive that ChatGPT or Claude sent."
                    )
                yield None
            elif item.id in seen:
                report.problems.append(Problem(item.name, "it stands in the file twice; the first was taken"))
                yield None
            elif not item.turns:
                report.passed_over.append(item.name)
                yield None
            else:
                seen.add(item.id)
                report.files += 1
                report.turns += len(item.turns)
                if item.program not in report.programs:
                    report.programs.append(item.program)
                yield item
    except BrokenOff:
        report.problems.append(Problem(f"#{place + 1}", "the file breaks off here; what stood before was taken"))
    except TooLarge as error:
        report.problems.append(Problem(f"#{place + 1}", str(error)))


def _batches(found: Iterator[Conversation | None]) -> Iterator[list[Conversation]]:
    """The conversations to be stored together; now and then none, where much is left out, so that it can be stopped."""
    batch: list[Conversation] = []
    size = left_out = 0
    for item in found:
        if item is None:
            left_out += 1
            if left_out % LEFT_OUT == 0:
                yield batch
                batch, size = [], 0
            continue
        length = sum(len(turn.text) for turn in item.turns)
        if batch and (len(batch) >= BATCH or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += length
    if batch:
        yield batch
