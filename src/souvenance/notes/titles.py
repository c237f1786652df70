"""What a note may be called, and what a link to it must say (N7)."""

from __future__ import annotations

from dataclasses import replace

from souvenance.domain.errors import Conflict
from souvenance.domain.note import MAX_TITLE, Note, NoteClass, target_key
from souvenance.store import links
from souvenance.store import notes as rows
from souvenance.store.database import Transaction


def under_a_free_title(tx: Transaction, note: Note) -> Note:
    """The note under its title, or under the first “title (2)”, “title (3)” … that is free in its folder."""
    placed, number = note, 2
    while rows.same_title(tx, placed) is not None:
        placed, number = replace(note, title=f"{note.title[: MAX_TITLE - 10]} ({number})"), number + 1
    return placed


def require_free_title(tx: Transaction, note: Note) -> None:
    """Refuse a title that another note of the folder bears; pages of agent memory may share theirs."""
    if note.note_class is NoteClass.AGENT_MEMORY:
        return
    taken = rows.same_title(tx, note)
    if taken is None:
        return
    raise Conflict(
        f"“{note.path}” exists already: {taken}.",
        hint="Edit that note, or choose another title or folder.",
        note=taken,
    )


def link_name(tx: Transaction, source: Note, target: Note) -> str:
    """The shortest of title, path and id that leads from the source to the target."""
    for name in (target.title, target.path):
        if set(name) & set("[]|#"):
            break
        key = target_key(name)
        if links.resolve(tx, vault_id=source.vault_id, keys=[key], folder=source.folder).get(key) == target.id:
            return name
    return target.id
