"""Notes about to be written: checked, taken apart and put in batches, before any transaction (N1, N5, F8)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from souvenance.domain.access import Actor
from souvenance.domain.errors import InvalidInput, TooLarge
from souvenance.domain.fact import readable_text
from souvenance.domain.markdown import targets
from souvenance.domain.note import MAX_NOTE_BYTES, Note, NoteClass, checked_folder, checked_title
from souvenance.ingest.passages import split
from souvenance.memory.guard import refuse_added_secrets, refuse_secrets
from souvenance.notes.edit import Edit, applied
from souvenance.store.passages import Piece

BATCH = 200
"""Notes stored under one hold of the write lock, so that other writers are never kept waiting for long."""

BATCH_BYTES = 4 * 1024 * 1024
DEEPEST = 50
"""Lists and maps that front matter may nest."""
MAX_FRONT_MATTER_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A note to be made."""

    title: str
    content: str
    folder: str = ""
    note_class: NoteClass = NoteClass.USER_DOC
    front_matter: dict[str, Any] = field(default_factory=dict)


def checked(actor: Actor, draft: Draft) -> Draft:
    """The draft as it can be kept; refuses what it would have to alter, and a model's secrets (F8)."""
    note_class = NoteClass(draft.note_class)
    if note_class is NoteClass.AGENT_MEMORY:
        raise InvalidInput("Agent memory is made of facts, not of notes.", hint="Use remember.")
    try:
        _require_shallow(draft.front_matter)
        written = json.dumps(draft.front_matter, ensure_ascii=False, allow_nan=False)
        size = len(written.encode())
        if re.search(r"(?<!\\)(?:\\\\)*\\u0000", written):
            raise ValueError("a NUL byte")
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput("The front matter is not plain data.", hint="Use text, numbers, lists and maps.") from None
    if size > MAX_FRONT_MATTER_BYTES:
        raise TooLarge(
            "The front matter is too large.", hint="Put it in the note's text.", limit=MAX_FRONT_MATTER_BYTES
        )
    refuse_secrets(actor, draft.title, draft.content, written)
    return Draft(
        title=checked_title(draft.title),
        content=readable_text(draft.content, what="note", limit=MAX_NOTE_BYTES),
        folder=checked_folder(draft.folder),
        note_class=note_class,
        front_matter=draft.front_matter,
    )


def _require_shallow(values: dict[str, Any]) -> None:
    waiting: list[tuple[Any, int]] = [(values, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError("nested too deep")
        if isinstance(value, (dict, list, tuple)):
            inner = value.values() if isinstance(value, dict) else value
            waiting += [(item, depth + 1) for item in inner]


def batched(drafts: Sequence[Draft]) -> list[list[Draft]]:
    """Drafts in parts that are stored under one hold of the write lock each."""
    batches: list[list[Draft]] = []
    size = BATCH_BYTES
    for draft in drafts:
        length = len(draft.content)
        if not batches or len(batches[-1]) >= BATCH or size + length > BATCH_BYTES:
            batches.append([])
            size = 0
        batches[-1].append(draft)
        size += length
    return batches


@dataclass(frozen=True, slots=True)
class Drafted:
    """A document's new text, made of it as it stood at a version, taken apart."""

    note_id: str
    version: int
    content: str
    pieces: list[Piece]
    targets: list[str]


def drafted(actor: Actor, note: Note, edit: Edit) -> Drafted:
    """A document\'s text after an edit, taken apart; refuses what would be too long, and secrets a model adds."""
    content = applied(note.content, edit)
    refuse_added_secrets(actor, before=note.content, after=content)
    if len(content.encode()) > MAX_NOTE_BYTES:
        raise TooLarge(
            f"The note would be over {MAX_NOTE_BYTES:,} bytes; nothing was written.",
            hint="Continue in a new note and link to it.",
            limit=MAX_NOTE_BYTES,
        )
    return Drafted(note.id, note.version, content, split(content), targets(content, folder=note.folder))
