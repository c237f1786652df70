"""Writing what was read as notes: new ones, those that changed where they came from, and what stays as it is (R4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from souvenance.domain.access import Actor, Source
from souvenance.domain.clock import Clock
from souvenance.domain.errors import SouvenanceError
from souvenance.domain.note import Note
from souvenance.domain.vault import Vault
from souvenance.imports.markdown_folder import Parsed, Problem
from souvenance.imports.remarks import Remarks
from souvenance.notes.drafts import Draft
from souvenance.notes.former import put_note
from souvenance.notes.notes import Notes
from souvenance.store import revisions
from souvenance.store.database import Database, Transaction

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """What an import did, or with `dry_run` would do.

    `kept` counts notes edited here whose file did not change: they were left as they are. `conflicts` changed in both
    places, or were here before any import, and were left as they are. `problems` were left out; `warnings` were taken.
    `passed_over` are the folders and files that watched folders leave out too. `makes_vault`: a dry run found no such
    vault, and without it one would be made.
    """

    files: int = 0
    bytes: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    kept: int = 0
    conflicts: Remarks[Problem] = field(default_factory=Remarks)
    problems: Remarks[Problem] = field(default_factory=Remarks)
    warnings: Remarks[Problem] = field(default_factory=Remarks)
    passed_over: Remarks[str] = field(default_factory=Remarks)
    makes_vault: bool = False
    dry_run: bool = False

    def close(self) -> None:
        """Say of what there was more than is named."""
        for said in (self.conflicts, self.problems, self.warnings):
            said.close(Problem("…", f"not named here: {said.more:,} more"))

    def as_dict(self) -> dict[str, Any]:
        """The report as every interface sends it."""
        shown: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                "files",
                "bytes",
                "created",
                "updated",
                "unchanged",
                "kept",
                "passed_over",
                "makes_vault",
                "dry_run",
            )
        }
        for name in ("conflicts", "problems", "warnings"):
            shown[name] = [{"path": item.path, "reason": item.reason} for item in getattr(self, name)]
        return shown


def create_notes(notes: Notes, actor: Actor, vault: Vault, drafts: Sequence[Draft], report: ImportReport) -> None:
    """All at once; one by one where one is refused, so that it alone is left out."""
    try:
        report.created += len(notes.create_many(actor=actor, vault=vault.slug, drafts=drafts))
        return
    except SouvenanceError as error:
        if len(drafts) == 1:
            path = "/".join(part for part in (drafts[0].folder, drafts[0].title) if part)
            report.problems.append(Problem(path, str(error)))
            return
    for draft in drafts:
        create_notes(notes, actor, vault, [draft], report)


def update_notes(
    database: Database, clock: Clock, actor: Actor, changed: Sequence[tuple[Note, Parsed]], report: ImportReport
) -> None:
    """Each as a new revision of its note."""
    for note, item in changed:
        after = replace(note, content=item.content, front_matter=item.front_matter)
        try:
            with database.write() as tx:
                put_note(tx, actor, note, after, verb="import", at=clock())
        except SouvenanceError as error:
            report.problems.append(Problem(item.path, str(error)))
        else:
            report.updated += 1


def last_imported(tx: Transaction, vault: Vault, ids: Sequence[str]) -> dict[str, Parsed]:
    """What each of these notes was when it was last imported; nothing for one that never was."""
    kept = revisions.revisions_of(tx, vault_id=vault.id, kind=revisions.NOTE, references=ids)
    found = {}
    for note_id, items in kept.items():
        last = next((item.after for item in reversed(items) if item.source == Source.IMPORT), None)
        if last is not None:
            found[note_id] = Parsed(
                path="",
                folder=last.get("folder", ""),
                title=last["title"],
                content=last.get("content", ""),
                front_matter=dict(last.get("front_matter", {})),
            )
    return found


def is_same(one: Note | Parsed, other: Note | Parsed) -> bool:
    """Whether they say the same, wherever they stand."""
    return one.content == other.content and one.front_matter == other.front_matter
