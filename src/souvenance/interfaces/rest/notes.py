"""`/notes`: writing, reading, editing and arranging notes (N1, N2, N5, N7, N12)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from souvenance.domain.note import Note, NoteClass
from souvenance.interfaces.rest.caller import Caller, Memory, slugs
from souvenance.interfaces.rest.facts import FactShown
from souvenance.interfaces.rest.facts import shown as shown_fact
from souvenance.interfaces.rest.fields import Given, Limit, NoteId, Offset, Shown, Text, Vault, Version, page
from souvenance.notes.categories import Edited
from souvenance.notes.drafts import Draft
from souvenance.notes.edit import Operation
from souvenance.notes.reading import NoteView

router = APIRouter(prefix="/notes", tags=["notes"])

AT_ONCE = 500
"""Notes of one request at most."""

Title = Annotated[Text, Field(min_length=1, max_length=1000, description="Unique within its folder.")]
Folder = Annotated[Text, Field(max_length=4000, description="Where in the vault, as `a/b`; empty is the top.")]


class DraftGiven(Given):
    """A note to write."""

    title: Title
    content: Annotated[Text, Field(description="Markdown; `[[title]]` links to a note of the same vault.")]
    folder: Folder = ""
    front_matter: dict[str, Any] = Field(default_factory=dict)

    def draft(self) -> Draft:
        """What the use case takes."""
        return Draft(title=self.title, content=self.content, folder=self.folder, front_matter=self.front_matter)


class NewNote(DraftGiven):
    """A note to write, and the vault it goes to."""

    vault: Vault


class NewNotes(Given):
    """Notes for one vault, written in order."""

    vault: Vault
    notes: Annotated[list[DraftGiven], Field(min_length=1, max_length=AT_ONCE)]


class Reference(Given):
    """A note as a person names it."""

    ref: Annotated[
        Text,
        Field(min_length=1, max_length=4000, description="Id, title, `folder/title` or `vault:folder/title`."),
    ]


class NoteEdit(Given):
    """One edit. `find` goes with find_replace and `section` with replace_section."""

    operation: Annotated[Operation, Field(strict=False)]
    content: Text
    find: Text | None = None
    section: Text | None = None
    version: Version = None


class FolderGiven(Given):
    """Where a note goes."""

    folder: Folder


class TitleGiven(Given):
    """A note's new title."""

    title: Title


class DigestGiven(Given):
    """What a note holds, in one line."""

    digest: Text


class MutedGiven(Given):
    """Whether a note stays out of start-up and recall."""

    muted: bool


class LinkGiven(Given):
    """The note to link to."""

    target: Annotated[Text, Field(min_length=1, max_length=4000)]


class NoteShown(Shown):
    """A note without its text. `vault` is null when it is protected and this route is cloud."""

    note: str
    version: int
    vault: str | None
    note_class: NoteClass = Field(serialization_alias="class")
    folder: str
    title: str
    path: str
    category: str
    digest: str
    muted: bool
    disabled: bool
    front_matter: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


class LinkShown(Shown):
    """A link as the text says it (`target`), and the note at its other end where there is one."""

    target: str
    note: str | None
    title: str
    folder: str
    note_class: NoteClass | None = Field(serialization_alias="class")
    fact: int | None


class NoteText(NoteShown):
    """A note with its text, its links, and of a memory page the facts it shows."""

    content: str
    links: list[LinkShown]
    backlinks: list[LinkShown]
    facts: list[FactShown]
    facts_total: int


class NoteWritten(NoteShown):
    """A note as it was written. `warnings`: kinds of secrets it seems to hold; it was kept all the same."""

    warnings: list[str]


class NotesWritten(Shown):
    """Notes as they were written, in order."""

    notes: list[NoteWritten]


class NoteList(Shown):
    """One page of notes; `more` says whether a next one is there."""

    notes: list[NoteShown]
    more: bool


class EditedShown(NoteShown):
    """A note after an edit; of a memory page, the numbers of the facts it changed. `warnings`: kinds of secrets that
    the text sent seems to hold; it was kept all the same.
    """

    facts_added: list[int]
    facts_changed: list[int]
    facts_removed: list[int]
    facts_skipped: list[int]
    warnings: list[str]


def _values(note: Note, names: dict[int, str]) -> dict[str, Any]:
    values = {name: getattr(note, name) for name in NoteShown.model_fields if name not in {"note", "vault"}}
    return values | {"note": note.id, "vault": names.get(note.vault_id)}


def shown(note: Note, names: dict[int, str]) -> NoteShown:
    """A note as it is listed. Of one in a protected vault, a cloud route sees that it was written and no more."""
    if note.vault_id not in names:
        hidden = {"category": "", "digest": "", "front_matter": {}}
        return NoteShown(**_values(note, names) | hidden)
    return NoteShown(**_values(note, names))


def _links(view: NoteView, *, back: bool) -> list[dict[str, Any]]:
    return [
        {
            "target": link.target,
            "note": link.note_id,
            "title": link.title,
            "folder": link.folder,
            "note_class": link.note_class,
            "fact": link.fact,
        }
        for link in (view.backlinks if back else view.links)
    ]


def _text(view: NoteView, names: dict[int, str]) -> NoteText:
    return NoteText.model_validate(
        _values(view.note, names)
        | {
            "content": view.note.content,
            "links": _links(view, back=False),
            "backlinks": _links(view, back=True),
            "facts": [shown_fact(fact, names).model_dump() for fact in view.facts],
            "facts_total": view.facts_total,
        }
    )


def _written(memory: Memory, note: Note, draft: Draft, names: dict[int, str]) -> NoteWritten:
    kinds = memory.notes.secrets_in(draft.title, draft.content, front_matter=draft.front_matter)
    return NoteWritten(**shown(note, names).model_dump(), warnings=list(kinds))


def _edited(edited: Edited, names: dict[int, str], *, warnings: Sequence[str] = ()) -> EditedShown:
    numbers = ("facts_added", "facts_changed", "facts_removed", "facts_skipped")
    values = shown(edited.note, names).model_dump()
    changed = {name: list(getattr(edited, name)) for name in numbers}
    return EditedShown(**values | changed, warnings=list(warnings))


@router.get("", summary="List notes")
def list_notes(
    memory: Memory,
    actor: Caller,
    vault: Annotated[str | None, Query(max_length=200, description="Only this vault.")] = None,
    folder: Annotated[str | None, Query(max_length=4000, description="Only this folder and those below it.")] = None,
    note_class: Annotated[NoteClass | None, Query(alias="class", description="Only this class.")] = None,
    trashed: Annotated[bool, Query(description="What is in the trash instead.")] = False,
    limit: Limit = 50,
    offset: Offset = 0,
) -> NoteList:
    """Notes by folder and title; agent memory only when its class is named, or in the trash."""
    found = memory.notes.list(
        actor=actor,
        vault=vault,
        folder=folder,
        note_class=note_class,
        trashed=trashed,
        limit=limit + 1,
        offset=offset,
    )
    kept, more = page(found, limit)
    names = slugs(memory, actor)
    return NoteList(notes=[shown(note, names) for note in kept], more=more)


@router.get("/recent", summary="List what changed last")
def recent_notes(
    memory: Memory,
    actor: Caller,
    vault: Annotated[str | None, Query(max_length=200, description="Only this vault.")] = None,
    limit: Limit = 20,
) -> NoteList:
    """The documents changed last; agent memory is not among them."""
    kept, more = page(memory.notes.recent(actor=actor, vault=vault, limit=limit + 1), limit)
    names = slugs(memory, actor)
    return NoteList(notes=[shown(note, names) for note in kept], more=more)


@router.post("", status_code=201, summary="Write a note")
def create_note(memory: Memory, actor: Caller, given: NewNote) -> NoteWritten:
    """A new note; refused when its title is taken in its folder."""
    draft = given.draft()
    made = memory.notes.create_many(actor=actor, vault=given.vault, drafts=[draft])[0]
    return _written(memory, made, draft, slugs(memory, actor))


@router.post("/batch", status_code=201, summary="Write several notes")
def create_notes(memory: Memory, actor: Caller, given: NewNotes) -> NotesWritten:
    """New notes of one vault, in order. Some 200 are stored together: when one is refused, earlier ones are kept."""
    drafts = [item.draft() for item in given.notes]
    made = memory.notes.create_many(actor=actor, vault=given.vault, drafts=drafts)
    names = slugs(memory, actor)
    return NotesWritten(notes=[_written(memory, note, draft, names) for note, draft in zip(made, drafts, strict=True)])


@router.post("/find", summary="Find a note by its name")
def find_note(memory: Memory, actor: Caller, given: Reference) -> NoteShown:
    """The note that a title, a path or an address means; 409 when several do."""
    return shown(memory.notes.get(actor=actor, ref=given.ref, limit=0).note, slugs(memory, actor))


@router.get("/{note}", summary="Show a note")
def get_note(memory: Memory, actor: Caller, note: NoteId, limit: Limit = 100, offset: Offset = 0) -> NoteText:
    """A note with its text, links and backlinks. `limit` and `offset` choose a part of a memory page's facts."""
    view = memory.notes.get(actor=actor, ref=_address(note), limit=limit, offset=offset)
    return _text(view, slugs(memory, actor))


@router.post("/{note}/edit", summary="Edit a note")
def edit_note(memory: Memory, actor: Caller, note: NoteId, given: NoteEdit) -> EditedShown:
    """One of five operations. On a memory page it edits facts; nothing is written when it could mean two things."""
    edited = memory.notes.edit(actor=actor, ref=_address(note), **given.model_dump())
    return _edited(edited, slugs(memory, actor), warnings=memory.notes.secrets_in(given.content))


@router.post("/{note}/move", summary="Move a note")
def move_note(memory: Memory, actor: Caller, note: NoteId, given: FolderGiven) -> NoteShown:
    """Put a note in another folder of its vault; its id and the links to it stay."""
    return shown(memory.notes.move(actor=actor, ref=_address(note), folder=given.folder), slugs(memory, actor))


@router.post("/{note}/rename", summary="Rename a note")
def rename_note(memory: Memory, actor: Caller, note: NoteId, given: TitleGiven) -> NoteShown:
    """Give a note another title; its id and the links to it stay."""
    return shown(memory.notes.rename(actor=actor, ref=_address(note), title=given.title), slugs(memory, actor))


@router.post("/{note}/links", summary="Link a note to another")
def link_notes(memory: Memory, actor: Caller, note: NoteId, given: LinkGiven) -> EditedShown:
    """Add a link to another note of the same vault at the end of this one."""
    edited = memory.notes.link(actor=actor, source_ref=_address(note), target_ref=given.target)
    return _edited(edited, slugs(memory, actor))


@router.put("/{note}/digest", summary="Say what a note holds")
def set_digest(memory: Memory, actor: Caller, note: NoteId, given: DigestGiven) -> NoteShown:
    """One line that the index of memory and the start of a session show."""
    return shown(memory.notes.set_digest(actor=actor, ref=_address(note), digest=given.digest), slugs(memory, actor))


@router.put("/{note}/muted", summary="Mute a note")
def mute_note(memory: Memory, actor: Caller, note: NoteId, given: MutedGiven) -> NoteShown:
    """Keep a note out of start-up and recall, or let it in again; search still finds it."""
    return shown(memory.notes.mute(actor=actor, ref=_address(note), muted=given.muted), slugs(memory, actor))


@router.delete("/{note}", summary="Put a note in the trash")
def delete_note(memory: Memory, actor: Caller, note: NoteId) -> NoteShown:
    """Out of every read at once; a memory page takes its facts along. It can be restored."""
    return shown(memory.notes.delete(actor=actor, ref=_address(note)), slugs(memory, actor))


@router.post("/{note}/restore", summary="Restore a note")
def restore_note(memory: Memory, actor: Caller, note: NoteId) -> NoteShown:
    """Bring a note back from the trash, with the facts that went with it."""
    return shown(memory.notes.restore(actor=actor, ref=_address(note)), slugs(memory, actor))


@router.post("/{note}/purge", status_code=204, summary="Remove a trashed note for good")
def purge_note(memory: Memory, actor: Caller, note: NoteId) -> None:
    """Remove a note that is in the trash, with its history. This cannot be undone."""
    memory.notes.purge(actor=actor, ref=_address(note))


def _address(note: str) -> str:
    """The form of an id that can be no title."""
    return f"/n/{note}"
