"""Files as notes of class `source`: made, replaced, moved, put in the trash and brought back (V13, N1).

Each function works inside the caller's transaction and writes the note and what is known of its file together, so that
a process that dies leaves a file taken or not taken, never in between.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from souvenance.domain.access import Actor
from souvenance.domain.folder import FileState, WatchedFile, WatchedFolder, shown_path
from souvenance.domain.note import MAX_FOLDER, MAX_TITLE, Note, NoteClass, new_note_id
from souvenance.ingest.documents import Document
from souvenance.notes import trash
from souvenance.notes.former import put_note
from souvenance.store import history, links, notes, watched_files
from souvenance.store.database import Transaction
from souvenance.store.passages import Piece
from souvenance.store.tables import note as note_table

VERB = "ingest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A file that was read: what is to be known of it, its text, and its text in pieces."""

    file: WatchedFile
    document: Document
    pieces: list[Piece]


def place_of(folder: WatchedFolder, path: bytes) -> tuple[str, str]:
    """Folder and title of a file's note: its place in the tree, and its name, without the suffix of Markdown."""
    *above, name = unicodedata.normalize("NFC", shown_path(path).replace("\\", "\N{REPLACEMENT CHARACTER}")).split("/")
    stem, dot, suffix = name.rpartition(".")
    title = stem if dot and stem and suffix.lower() in {"md", "markdown", "mdown", "mkd"} else name
    place = "/".join([folder.place, *(part.strip() or "_" for part in above)])
    if len(place) > MAX_FOLDER:
        mark = hashlib.sha256(place.encode()).hexdigest()[:12]
        place = f"{place[: MAX_FOLDER - 20].rstrip('/ ')}…{mark}"
    return place, " ".join(title.split())[: MAX_TITLE - 10].strip() or "_"


def known_note(tx: Transaction, actor: Actor, file: WatchedFile) -> Note | None:
    """The note a file is, in the trash or not; None where it was removed for good."""
    if file.note_id is None:
        return None
    here = (note_table.c.vault_id == file.vault_id) & (note_table.c.id == file.note_id)
    found = notes.find_notes(tx, actor, here, trashed=None, limit=1)
    return found[0] if found else None


def take(tx: Transaction, actor: Actor, folder: WatchedFolder, items: Sequence[Taken], *, at: datetime) -> None:
    """Make a note of each file, or replace the text of the one it is; one in the trash comes back."""
    written = []
    for item in items:
        before = known_note(tx, actor, item.file)
        if before is not None:
            after = replace(
                before, content=item.document.content, front_matter=item.document.front_matter, deleted_at=None
            )
            after = _placed(tx, folder, after, item.file.path)
            if after != before:
                put_note(tx, actor, before, after, verb=VERB, at=at)
            watched_files.put_file(tx, item.file)
            continue
        place, title = place_of(folder, item.file.path)
        note = Note(
            id=new_note_id(),
            vault_id=folder.vault_id,
            note_class=NoteClass.SOURCE,
            folder=place,
            title=title,
            content=item.document.content,
            front_matter=item.document.front_matter,
            created_at=at,
            updated_at=at,
        )
        note = _placed(tx, folder, note, item.file.path)
        notes.add_note(tx, note)
        links.adopt(tx, note)
        trash.index(tx, note, item.pieces)
        written.append(history.note_written(note, "create"))
        watched_files.put_file(tx, replace(item.file, note_id=note.id))
    if written:
        history.record_change(tx, actor, verb=VERB, at=at, written=written)


def _placed(tx: Transaction, folder: WatchedFolder, note: Note, path: bytes) -> Note:
    """The note where its file stands; with a number after its title where another note has that place (N7)."""
    place, title = place_of(folder, path)
    is_there = note.folder == place and (note.title == title or note.title.startswith(f"{title} ("))
    if is_there and notes.same_title(tx, note) is None:
        return note
    placed = replace(note, folder=place, title=title)
    number = 2
    while notes.same_title(tx, placed) is not None:
        placed = replace(placed, title=f"{title} ({number})")
        number += 1
    return placed


def move(
    tx: Transaction, actor: Actor, folder: WatchedFolder, before: WatchedFile, after: WatchedFile, *, at: datetime
) -> bool:
    """Let a file that was elsewhere be the same note at its new place; False when that note is no more.

    One that a person deleted while its file stood stays in the trash.
    """
    note = known_note(tx, actor, before)
    if note is None:
        return False
    if note.deleted_at is None or before.state is FileState.GONE:
        placed = _placed(tx, folder, replace(note, deleted_at=None), after.path)
        if placed != note:
            put_note(tx, actor, note, placed, verb=VERB, at=at)
    watched_files.forget_file(tx, before)
    watched_files.put_file(tx, replace(after, note_id=note.id))
    return True


def let_go(tx: Transaction, actor: Actor, file: WatchedFile, *, at: datetime) -> bool:
    """Put the note of a file that is gone in the trash, and remember the file for when it comes back.

    Of a file that never became a note nothing is kept.
    """
    note = known_note(tx, actor, file)
    if note is None:
        watched_files.forget_file(tx, file)
        return False
    if note.deleted_at is None:
        trash.delete(tx, actor, note=note, at=at)
    watched_files.set_state(tx, file, FileState.GONE)
    return True
