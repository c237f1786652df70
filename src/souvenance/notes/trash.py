"""Deleting a note, bringing it back, and removing it for good (F9, N12). A memory page takes its facts along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement

from souvenance.domain.access import Actor
from souvenance.domain.errors import Conflict
from souvenance.domain.fact import Fact, State
from souvenance.domain.note import Note, NoteClass
from souvenance.ingest.passages import split
from souvenance.memory import correct
from souvenance.memory.summaries import beside
from souvenance.store import facts, history, links, notes, passages
from souvenance.store.database import Transaction
from souvenance.store.passages import Piece
from souvenance.store.tables import fact as fact_table

BATCH = 300
"""Facts of a memory page changed under one hold of the write lock."""


def index(tx: Transaction, note: Note, pieces: list[Piece] | None = None, targets: Sequence[str] | None = None) -> None:
    """Make what search and the graph know of a document what its text says; nothing where it is out of every read.

    `pieces` and `targets` of its links are those of its text where that was taken apart before the transaction.
    """
    if note.note_class is NoteClass.AGENT_MEMORY:
        return
    found = pieces_of(note, pieces)
    passages.replace_note_passages(
        tx, vault_id=note.vault_id, note_id=note.id, title=note.heading, pieces=found, active=not note.disabled
    )
    links.follow_note(tx, note, targets)


def pieces_of(note: Note, pieces: list[Piece] | None = None) -> list[Piece]:
    """What search should know of a document: its text in pieces, or its title; nothing of one in the trash."""
    if note.deleted_at is not None:
        return []
    return (split(note.content) if pieces is None else pieces) or [Piece(heading="", text=note.heading)]


def _on_page(tx: Transaction, note: Note, *states: State, extra: ColumnElement[bool] | None = None) -> list[Fact]:
    """The next facts of a memory page in one of these states, one more than a batch where there are more."""
    if note.note_class is not NoteClass.AGENT_MEMORY:
        return []
    here = fact_table.c.note_id == note.id
    condition = here if extra is None else here & extra
    return facts.list_facts(tx, vault_ids=[note.vault_id], states=states, condition=condition, limit=BATCH + 1)


def delete_part(tx: Transaction, actor: Actor, *, note: Note, at: datetime) -> int:
    """Put a batch of a large memory page's facts in the trash; how many, 0 where `delete` can take all there are.

    Each part in a transaction of its own, with the same `at`: no writer waits long. After a failure those before it
    lie in the trash one by one, and deleting the page again takes the rest.
    """
    here = _on_page(tx, note, State.IN_FORCE, State.RETIRED)
    if len(here) <= BATCH:
        return 0
    changes = [(item, correct.deleted(item, at=at), "delete") for item in here[:BATCH]]
    return len(correct.apply(tx, actor, changes=changes, verb="delete_note", at=at))


def delete(tx: Transaction, actor: Actor, *, note: Note, at: datetime, already: int = 0) -> Note:
    """Put a note in the trash, out of every read at once; of a memory page, all its facts, retired ones too.

    `already` facts of it went before, by `delete_part`.
    """
    here = _on_page(tx, note, State.IN_FORCE, State.RETIRED)
    changes = [(item, correct.deleted(item, at=at), "delete") for item in here]
    after = replace(note, deleted_at=at, version=note.version + 1, updated_at=at)
    written = [revision for _, revision in correct.stored(tx, actor, changes=changes, at=at)]
    notes.save_note(tx, note, after)
    index(tx, after)
    links.release(tx, after)
    written.append(history.note_written(after, "delete"))
    history.record_change(tx, actor, verb="delete_note", at=at, written=written)
    history.record_audit(tx, actor, verb="note.delete", at=at, vault_id=note.vault_id, note=note.id,
                         facts=already + len(changes))  # fmt: skip
    return after


def restore(tx: Transaction, actor: Actor, *, note: Note, at: datetime) -> Note:
    """Bring a note back as it was; a memory page with the facts that went with it.

    Where its category has a page again by now, the facts come back on that one, which is returned. Of a large page a
    batch comes back; `restore_part` brings the others.
    """
    if note.note_class is NoteClass.AGENT_MEMORY:
        return _restore_page(tx, actor, note=note, at=at)
    after = replace(note, deleted_at=None, version=note.version + 1, updated_at=at)
    taken = notes.same_title(tx, after)
    if taken is not None:
        raise Conflict(
            f"Another note of that title stands in its folder now: {taken}.",
            hint="Rename or move that one, then restore this.",
            note=taken,
        )
    notes.save_note(tx, note, after)
    index(tx, after)
    links.reclaim(tx, after)
    history.record_change(tx, actor, verb="restore_note", at=at, written=[history.note_written(after, "restore")])
    return after


def _restore_page(tx: Transaction, actor: Actor, *, note: Note, at: datetime) -> Note:
    standing = notes.category_note(
        tx,
        vault_id=note.vault_id,
        category=note.category,
        subject_kind=note.subject_kind,
        subject_id=note.subject_id,
    )
    went = _on_page(tx, note, State.TRASHED, extra=fact_table.c.deleted_at == note.deleted_at)[:BATCH]
    if standing is not None and not went:
        raise Conflict(
            f"Its category has another page now, {standing.id}, and no fact of this one is left to bring back.",
            hint="Purge this page, or leave it in the trash.",
            note=standing.id,
        )
    before = standing or note
    after = replace(before, deleted_at=None, version=before.version + 1, updated_at=at)
    notes.save_note(tx, before, after)
    changes = _back(tx, went, page=after.id, at=at)
    written = [revision for _, revision in correct.stored(tx, actor, changes=changes, at=at)]
    if standing is None:
        links.reclaim(tx, after)
        written.insert(0, history.note_written(after, "restore"))
    history.record_change(tx, actor, verb="restore_note", at=at, written=written)
    return after


def _back(tx: Transaction, went: Sequence[Fact], *, page: str, at: datetime) -> list[tuple[Fact, Fact, str]]:
    """The facts of a page that come back with it; its summary stays retired where another stands by now (F6)."""
    back = beside(tx, [replace(item, deleted_at=None, note_id=page) for item in went], at=at)
    return [(item, after, "restore") for item, after in zip(went, back, strict=True)]


def restore_part(tx: Transaction, actor: Actor, *, note: Note, page: str, at: datetime) -> int:
    """Bring back, on the page of this id, a batch of what went with `note` as it lay in the trash; how many."""
    went = _on_page(tx, note, State.TRASHED, extra=fact_table.c.deleted_at == note.deleted_at)[:BATCH]
    if not went or notes.note_at(tx, vault_id=note.vault_id, note_id=page).deleted_at is not None:
        return 0
    changes = _back(tx, went, page=page, at=at)
    return len(correct.apply(tx, actor, changes=changes, verb="restore_note", at=at))


def purge_part(tx: Transaction, *, note: Note) -> int:
    """Remove a batch of a large memory page's facts for good; how many, 0 where `purge` can take all there are."""
    numbers = [item.number for item in _on_page(tx, note, *State)]
    if len(numbers) <= BATCH:
        return 0
    facts.purge_facts(tx, vault_id=note.vault_id, numbers=numbers[:BATCH])
    return BATCH


def purge(tx: Transaction, actor: Actor, *, note: Note, at: datetime, already: int = 0) -> None:
    """Remove a trashed note for good, with its revisions, passages and links; of a page, with all its facts.

    `already` facts of it went before, by `purge_part`.
    """
    numbers = [item.number for item in _on_page(tx, note, *State)]
    facts.purge_facts(tx, vault_id=note.vault_id, numbers=numbers)
    ids = passages.passage_ids(tx, vault_id=note.vault_id, note_id=note.id)
    passages.remove_passages(tx, vault_id=note.vault_id, ids=ids)
    links.purge(tx, vault_id=note.vault_id, note_id=note.id)
    notes.purge_note(tx, vault_id=note.vault_id, note_id=note.id)
    history.record_audit(tx, actor, verb="note.purge", at=at, vault_id=note.vault_id, note=note.id,
                         facts=already + len(numbers))  # fmt: skip


def disable_part(tx: Transaction, actor: Actor, *, note: Note, disabled: bool, at: datetime) -> int:
    """Disable or enable a batch of a large memory page's facts; how many, 0 where `set_disabled` can take the rest."""
    here = _on_page(tx, note, State.IN_FORCE, extra=fact_table.c.disabled.is_(not disabled))
    if len(here) <= BATCH or note.disabled == disabled:
        return 0
    operation = "disable" if disabled else "enable"
    changes = [(item, replace(item, disabled=disabled), operation) for item in here[:BATCH]]
    return len(correct.apply(tx, actor, changes=changes, verb=f"{operation}_note", at=at))


def set_disabled(tx: Transaction, actor: Actor, *, note: Note, disabled: bool, at: datetime) -> Note:
    """Take a note out of every retrieval, or let it be found again; of a memory page, its facts (V14)."""
    if note.disabled == disabled:
        return note
    after = replace(note, disabled=disabled, version=note.version + 1, updated_at=at)
    operation = "disable" if disabled else "enable"
    here = _on_page(tx, note, State.IN_FORCE, extra=fact_table.c.disabled.is_(not disabled))
    changes = [(item, replace(item, disabled=disabled), operation) for item in here]
    written = [revision for _, revision in correct.stored(tx, actor, changes=changes, at=at)]
    notes.save_note(tx, note, after)
    if note.note_class is not NoteClass.AGENT_MEMORY:
        passages.set_note_active(tx, vault_id=note.vault_id, note_id=note.id, active=not disabled)
        links.follow_note(tx, after)
    written.append(history.note_written(after, "disable" if disabled else "enable"))
    history.record_change(tx, actor, verb="disable_note" if disabled else "enable_note", at=at, written=written)
    return after
