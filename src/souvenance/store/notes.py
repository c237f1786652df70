"""Notes as rows (N1). Every read names its vaults; every write rests on the version it saw."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, literal, literal_column, select, tuple_, update

from souvenance.domain.access import Actor
from souvenance.domain.errors import NotFound, StaleVersion, Withheld
from souvenance.domain.fact import SubjectKind
from souvenance.domain.note import Note, NoteClass, title_key
from souvenance.store.access import readable, withheld
from souvenance.store.database import Transaction
from souvenance.store.tables import context_item, note, revision

MUTABLE = (
    "folder", "title", "content", "category", "subject_kind", "subject_id", "digest", "muted", "disabled",
    "front_matter", "version", "updated_at", "deleted_at",
)  # fmt: skip


_MEMORY: ColumnElement[str] = literal_column(f"'{NoteClass.AGENT_MEMORY}'")
IS_DOCUMENT = note.c.note_class != _MEMORY
"""Not agent memory: in as many words, so that the index of titles, which holds such notes only, can answer."""


def note_of(row: Mapping[Any, Any]) -> Note:
    """The note of a row."""
    return Note(
        **{name: row[name] for name in MUTABLE if name not in {"subject_kind", "front_matter"}},
        id=row["id"],
        vault_id=row["vault_id"],
        note_class=NoteClass(row["note_class"]),
        subject_kind=SubjectKind(row["subject_kind"]),
        front_matter=dict(row["front_matter"]),
        created_at=row["created_at"],
    )


def _row(item: Note) -> dict[str, Any]:
    return {name: getattr(item, name) for name in MUTABLE} | {
        "vault_id": item.vault_id,
        "id": item.id,
        "note_class": item.note_class,
        "title_key": title_key(item.title),
        "created_at": item.created_at,
    }


_SELECT = select(*(column.label(name) for name, column in note.c.items()))
_SELECT_BARE = select(
    *(column.label(name) for name, column in note.c.items() if name != "content"), literal("").label("content")
)


def add_note(tx: Transaction, item: Note) -> None:
    """Write a new note."""
    tx.execute(insert(note).values(_row(item)))


def save_note(tx: Transaction, before: Note, after: Note) -> None:
    """Write a changed note over the version it was made from; refuse when someone else wrote meanwhile."""
    here = (note.c.vault_id == before.vault_id) & (note.c.id == before.id) & (note.c.version == before.version)
    values = {name: value for name, value in _row(after).items() if name not in {"id", "created_at", "note_class"}}
    if tx.execute(update(note).where(here).values(values)).rowcount != 1:
        raise _stale()


def _stale() -> StaleVersion:
    return StaleVersion(
        "This note was changed meanwhile; nothing was written.",
        hint="Read it again, then send the edit with its new version.",
    )


def get_note(tx: Transaction, actor: Actor, note_id: str) -> Note:
    """The note with that id, trashed or not, if the actor may read its vault over its route."""
    found = find_notes(tx, actor, note.c.id == note_id, trashed=None, limit=1)
    if found:
        return found[0]
    hidden = select(func.count()).select_from(note).where(note.c.id == note_id, note.c.vault_id.in_(withheld(actor)))
    if tx.execute(hidden).scalar():
        raise Withheld(
            "This note stands in a protected vault and is withheld on a cloud route.",
            hint="Read it on this machine, or have the owner declare your route local.",
        )
    raise NotFound("There is no such note that you can read.", hint="A search finds its id.")


def note_at(tx: Transaction, *, vault_id: int, note_id: str) -> Note:
    """The note with that id in a vault the caller was granted."""
    return note_of(tx.execute(_SELECT.where(note.c.vault_id == vault_id, note.c.id == note_id)).mappings().one())


def find_notes(
    tx: Transaction,
    actor: Actor,
    condition: ColumnElement[bool] | None = None,
    *,
    trashed: bool | None = False,
    with_content: bool = True,
    order: Sequence[ColumnElement[Any]] = (),
    limit: int | None = None,
    offset: int = 0,
) -> list[Note]:
    """Notes the actor may read that meet the condition; `trashed=None` takes both. A list may leave the texts out."""
    statement = (_SELECT if with_content else _SELECT_BARE).where(note.c.vault_id.in_(readable(actor)))
    if condition is not None:
        statement = statement.where(condition)
    if trashed is not None:
        statement = statement.where(note.c.deleted_at.is_not(None) if trashed else note.c.deleted_at.is_(None))
    statement = statement.order_by(*(order or (note.c.folder, note.c.title_key, note.c.id))).limit(limit).offset(offset)
    return [note_of(row) for row in tx.execute(statement).mappings()]


def category_note(
    tx: Transaction, *, vault_id: int, category: str, subject_kind: SubjectKind, subject_id: str
) -> Note | None:
    """The page of a category about someone, where there is one (N2). The caller was granted the vault."""
    statement = _SELECT.where(
        note.c.vault_id == vault_id,
        note.c.note_class == NoteClass.AGENT_MEMORY,
        note.c.category == category,
        note.c.subject_kind == subject_kind,
        note.c.subject_id == subject_id,
        note.c.deleted_at.is_(None),
    )
    row = tx.execute(statement).mappings().first()
    return None if row is None else note_of(row)


Place = tuple[str, SubjectKind, str]
"""What a memory page is the page of: category, kind of subject, subject."""


def category_notes(tx: Transaction, *, vault_id: int, places: Collection[Place]) -> dict[Place, Note]:
    """The pages of these places that there are (N2). The caller was granted the vault."""
    wanted = sorted(places)
    found: dict[Place, Note] = {}
    for start in range(0, len(wanted), 300):
        statement = _SELECT.where(
            note.c.vault_id == vault_id,
            note.c.note_class == _MEMORY,  # as the index says it, which a parameter is not
            tuple_(note.c.category, note.c.subject_kind, note.c.subject_id).in_(wanted[start : start + 300]),
            note.c.deleted_at.is_(None),
        )
        for row in tx.execute(statement).mappings():
            found[row["category"], SubjectKind(row["subject_kind"]), row["subject_id"]] = note_of(row)
    return found


def renew_pages(tx: Transaction, items: Sequence[Note], *, at: datetime, digest: str | None = None) -> None:
    """Raise the version of memory pages of one vault, and set their digest where one is given; refuse when someone else
    wrote one meanwhile."""
    values: dict[str, Any] = {"version": note.c.version + 1, "updated_at": at}
    if digest is not None:
        values["digest"] = digest
    for start in range(0, len(items), 400):
        chunk = items[start : start + 400]
        seen = tuple_(note.c.id, note.c.version).in_([(item.id, item.version) for item in chunk])
        here = (note.c.vault_id == chunk[0].vault_id) & seen
        if tx.execute(update(note).where(here).values(values)).rowcount != len(chunk):
            raise _stale()


def list_categories(tx: Transaction, *, vault_id: int) -> list[str]:
    """The labels of the vault's memory pages. The caller was granted the vault."""
    here = (note.c.vault_id == vault_id) & (note.c.note_class == NoteClass.AGENT_MEMORY) & note.c.deleted_at.is_(None)
    return list(tx.execute(select(note.c.category).where(here).distinct().order_by(note.c.category)).scalars())


def count_by_folder(tx: Transaction, *, vault_id: int) -> dict[str, int]:
    """How many documents stand in each folder of a vault, those below it aside. The caller was granted the vault."""
    here = (note.c.vault_id == vault_id) & IS_DOCUMENT & note.c.deleted_at.is_(None)
    statement = select(note.c.folder, func.count().label("many")).where(here).group_by(note.c.folder)
    return {row.folder: int(row.many) for row in tx.execute(statement)}


def touch_notes(tx: Transaction, *, vault_id: int, note_ids: Iterable[str], at: Any) -> None:
    """Raise the version of pages whose facts changed."""
    ids = sorted(set(note_ids))
    if ids:
        here = (note.c.vault_id == vault_id) & note.c.id.in_(ids)
        tx.execute(update(note).where(here).values(version=note.c.version + 1, updated_at=at))


def same_title(tx: Transaction, item: Note) -> str | None:
    """The id of another note that stands in the same folder under the same title (N7)."""
    statement = select(note.c.id).where(
        note.c.vault_id == item.vault_id,
        note.c.folder == item.folder,
        note.c.title_key == title_key(item.title),
        note.c.note_class != NoteClass.AGENT_MEMORY,
        note.c.deleted_at.is_(None),
        note.c.id != item.id,
    )
    return tx.execute(statement.limit(1)).scalar()


def count_notes(tx: Transaction, vault_ids: Iterable[int]) -> dict[int, int]:
    """Notes that stand per vault; memory pages are counted by their facts."""
    statement = select(note.c.vault_id, func.count().label("notes")).where(
        note.c.vault_id.in_(list(vault_ids)), note.c.deleted_at.is_(None), note.c.note_class != NoteClass.AGENT_MEMORY
    )
    return {row.vault_id: row.notes for row in tx.execute(statement.group_by(note.c.vault_id))}


def purge_note(tx: Transaction, *, vault_id: int, note_id: str) -> None:
    """Remove a note for good with its revisions and its places in what loads at a session's start (F9, N12)."""
    tx.execute(delete(context_item).where(context_item.c.vault_id == vault_id, context_item.c.note_id == note_id))
    # Its own revisions only: facts that stood on a page once and live elsewhere keep theirs.
    own = (revision.c.vault_id == vault_id) & (revision.c.kind == "note") & (revision.c.subject_ref == note_id)
    tx.execute(delete(revision).where(own))
    tx.execute(delete(note).where(note.c.vault_id == vault_id, note.c.id == note_id))
