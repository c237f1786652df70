"""Where notes stand, for people who look around: folders, recent activity, the index of agent memory (N1, N8)."""

from __future__ import annotations

import builtins
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from souvenance.domain.access import Actor
from souvenance.domain.errors import InvalidInput
from souvenance.domain.folder import shown_path
from souvenance.domain.note import Note, NoteClass, checked_folder
from souvenance.domain.vault import Vault
from souvenance.notes.find import shown_note
from souvenance.store import context, people, watched_files
from souvenance.store import notes as rows
from souvenance.store import revisions as revision_rows
from souvenance.store import vaults as vault_rows
from souvenance.store.context import PageLine
from souvenance.store.database import Database
from souvenance.store.revisions import NOTE, Revision
from souvenance.store.tables import note as note_table

MOST = 2000
"""Entries one call lists at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderView:
    """A folder of a vault; `notes` counts the documents in it and below it."""

    path: str
    name: str
    notes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """What stands directly in one folder of a vault ("" is its top); `more` notes stand there than are listed."""

    vault: Vault
    folder: str
    folders: tuple[FolderView, ...]
    notes: tuple[Note, ...]
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """A document and the last change that was made to it."""

    note: Note
    vault: Vault
    last: Revision | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryIndex:
    """The pages of agent memory in one vault, the last changed first; `more` pages stand there than are listed."""

    vault: Vault
    pages: tuple[PageLine, ...]
    more: bool


class Explorer:
    """Looking around among notes. Agent memory stands in its own index and nowhere else (N8)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def vaults(self, *, actor: Actor) -> builtins.list[tuple[Vault, int]]:
        """The vaults the actor may read, by name, each with how many documents stand in it."""
        with self._database.read() as tx:
            found = vault_rows.list_vaults(tx, actor)
            return [(item, sum(rows.count_by_folder(tx, vault_id=item.id).values())) for item in found]

    def branch(self, *, actor: Actor, vault: str, folder: str = "", limit: int = 100) -> Branch:
        """The folders and documents directly in a folder, by name; a folder nobody uses is an empty branch."""
        _checked_limit(limit)
        place = checked_folder(folder)
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
            counts = rows.count_by_folder(tx, vault_id=found.id)
            here = (note_table.c.vault_id == found.id) & (note_table.c.folder == place)
            documents = here & rows.IS_DOCUMENT
            listed = rows.find_notes(tx, actor, documents, with_content=False, limit=limit + 1)
        return Branch(
            vault=found,
            folder=place,
            folders=_children(counts, place),
            notes=tuple(listed[:limit]),
            more=len(listed) > limit,
        )

    def folders(self, *, actor: Actor, vault: str) -> builtins.list[str]:
        """Every folder of a vault that holds a document, by path: what a note can be moved to without typing."""
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
            return sorted(filter(None, rows.count_by_folder(tx, vault_id=found.id)))[:MOST]

    def activity(
        self, *, actor: Actor, vault: str | None = None, limit: int = 30, offset: int = 0
    ) -> builtins.list[Activity]:
        """The documents changed last, each with who changed it, through what, and how."""
        _checked_limit(limit)
        with self._database.read() as tx:
            known = {item.id: item for item in vault_rows.list_vaults(tx, actor)}
            condition = rows.IS_DOCUMENT
            if vault is not None:
                condition = condition & (note_table.c.vault_id == vault_rows.named_vault(tx, actor, vault).id)
            order = (note_table.c.updated_at.desc(), note_table.c.id)
            listed = rows.find_notes(
                tx, actor, condition, with_content=False, order=order, limit=limit, offset=max(0, offset)
            )
            last = revision_rows.last_revisions(tx, things=[(item.vault_id, item.id) for item in listed], kind=NOTE)
        return [
            Activity(note=item, vault=known[item.vault_id], last=last.get(item.id))
            for item in listed
            if item.vault_id in known
        ]

    def memory(
        self, *, actor: Actor, vault: str | None = None, limit: int = 200, offset: int = 0
    ) -> builtins.list[MemoryIndex]:
        """The index of agent memory, vault by vault: one line per category and axis, muted and disabled ones too (N8).

        What a session starts with is told from the same digests. Vaults without agent memory are left out.
        """
        _checked_limit(limit)
        with self._database.read() as tx:
            known = vault_rows.list_vaults(tx, actor) if vault is None else [vault_rows.named_vault(tx, actor, vault)]
            found = []
            for item in known:
                lines = context.memory_index(tx, vault_id=item.id, limit=limit + 1, offset=max(0, offset), hidden=True)
                if lines:
                    found.append(MemoryIndex(vault=item, pages=tuple(lines[:limit]), more=len(lines) > limit))
        return found

    def file_of(self, *, actor: Actor, ref: str) -> str:
        """The path of the file an ingested note was taken from; empty where it was taken from none that is known.

        Who does not own the machine gets it from the watched folder's name on.
        """
        with self._database.read() as tx:
            note = shown_note(tx, actor, ref)
            if note.note_class is not NoteClass.SOURCE:
                return ""
            found = watched_files.file_of(tx, vault_id=note.vault_id, note_id=note.id)
            is_owner = people.is_owner(tx, actor.user_id)
        if found is None:
            return ""
        root = shown_path(found[0])
        return f"{root if is_owner else os.path.basename(root)}/{found[1].shown}"


def _children(counts: dict[str, int], place: str) -> tuple[FolderView, ...]:
    """The folders directly below one, from how many documents stand in each folder there is."""
    below: Counter[str] = Counter()
    start = f"{place}/" if place else ""
    for folder, count in counts.items():
        if folder.startswith(start) and folder != place and folder:
            below[folder[len(start) :].split("/", 1)[0]] += count
    names: Sequence[str] = sorted(below, key=lambda name: (name.casefold(), name))
    return tuple(FolderView(path=start + name, name=name, notes=below[name]) for name in names)


def _checked_limit(limit: int) -> None:
    if not 1 <= limit <= MOST:
        raise InvalidInput(f"A page has 1 to {MOST} entries.", hint="Ask for fewer at once.")
