"""A fact or a note as one of its revisions kept it, to be put back in its place (N9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from souvenance.domain.access import Actor
from souvenance.domain.fact import Fact, SaidDate, State, SubjectKind
from souvenance.domain.note import Note, NoteClass
from souvenance.memory import correct
from souvenance.notes import trash
from souvenance.store import facts, history, links, notes
from souvenance.store.database import Transaction
from souvenance.store.revisions import Revision
from souvenance.store.tables import fact as fact_table
from souvenance.store.tables import note as note_table


def fact_as(current: Fact, kept: Mapping[str, Any], *, pages: set[str]) -> Fact:
    """The fact with every value its revision kept; it stays on its present page where the former one was purged."""
    former = replace(
        current,
        key=kept.get("key", ""),
        content=kept["content"],
        confidence=kept.get("confidence", 1.0),
        importance=kept.get("importance"),
        channel=kept.get("channel", ""),
        author=kept.get("author", ""),
        language=kept.get("language"),
        said_at=kept.get("said_at", ""),
        said_dates=tuple(SaidDate(said, resolved) for said, resolved in kept.get("said_dates", ())),
        valid_from=_instant(kept.get("valid_from")),
        valid_to=_instant(kept.get("valid_to")),
        reason=kept.get("reason", ""),
        replaced_by=kept.get("replaced_by"),
        disabled=kept.get("disabled", False),
        deleted_at=_instant(kept.get("deleted_at")),
    )
    if kept["note_id"] not in pages:
        return former
    return replace(
        former,
        note_id=kept["note_id"],
        category=kept["category"],
        subject_kind=SubjectKind(kept.get("subject_kind", SubjectKind.VAULT)),
        subject_id=kept.get("subject_id", ""),
        position=kept["position"],
    )


def note_as(current: Note, kept: Mapping[str, Any]) -> Note:
    """The note with every value its revision kept. Of a memory page, whose text is its facts, all but the text."""
    return replace(
        current,
        folder=kept.get("folder", ""),
        title=kept["title"],
        content="" if current.note_class is NoteClass.AGENT_MEMORY else kept.get("content", ""),
        category=kept.get("category", ""),
        digest=kept.get("digest", ""),
        muted=kept.get("muted", False),
        disabled=kept.get("disabled", False),
        front_matter=dict(kept.get("front_matter", {})),
        deleted_at=_instant(kept.get("deleted_at")),
    )


def is_same_fact(one: Fact, other: Fact) -> bool:
    """Whether putting one in the place of the other would change nothing that anyone can notice."""
    return _timeless_fact(one) == _timeless_fact(other)


def is_same_note(one: Note, other: Note) -> bool:
    """Whether putting one in the place of the other would change nothing that anyone can notice."""
    return _timeless_note(one) == _timeless_note(other)


def _timeless_fact(item: Fact) -> Fact:
    trashed = item.deleted_at and item.created_at
    return replace(item, version=0, position=0, updated_at=item.created_at, deleted_at=trashed)


def _timeless_note(item: Note) -> Note:
    return replace(item, version=0, updated_at=item.created_at, deleted_at=item.deleted_at and item.created_at)


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def pages_of(tx: Transaction, actor: Actor, vault_id: int, kept: Iterable[Revision]) -> set[str]:
    """Ids of the memory pages of a vault, those in the trash too, that these revisions of facts were on."""
    ids = sorted({item.after["note_id"] for item in kept})
    found: set[str] = set()
    for start in range(0, len(ids), 500):
        here = (note_table.c.vault_id == vault_id) & note_table.c.id.in_(ids[start : start + 500])
        here &= note_table.c.note_class == NoteClass.AGENT_MEMORY
        found |= {page.id for page in notes.find_notes(tx, actor, here, trashed=None, with_content=False)}
    return found


def place_is_taken(tx: Transaction, item: Note) -> bool:
    """Whether another note that stands has the place this one would take (N7)."""
    if item.note_class is not NoteClass.AGENT_MEMORY:
        return notes.same_title(tx, item) is not None
    standing = notes.category_note(
        tx,
        vault_id=item.vault_id,
        category=item.category,
        subject_kind=item.subject_kind,
        subject_id=item.subject_id,
    )
    return standing is not None and standing.id != item.id


def facts_of(tx: Transaction, vault_id: int, numbers: Sequence[int]) -> list[Fact]:
    """These facts of a vault the caller was granted, whatever their state."""
    found: list[Fact] = []
    for start in range(0, len(numbers), 500):
        chosen = fact_table.c.number.in_(list(numbers[start : start + 500]))
        found += facts.list_facts(tx, vault_ids=[vault_id], states=list(State), condition=chosen)
    return found


def put_note(tx: Transaction, actor: Actor, before: Note, after: Note, *, verb: str, at: datetime) -> Note:
    """Write a former state of a note over the present one, as a new revision, with its passages and links."""
    saved = replace(after, version=before.version + 1, updated_at=at)
    notes.save_note(tx, before, saved)
    trash.index(tx, saved)
    if saved.deleted_at is not None:
        links.release(tx, saved)
    elif before.deleted_at is not None:
        links.reclaim(tx, saved)
    else:
        links.adopt(tx, saved)
    history.record_change(tx, actor, verb=verb, at=at, written=[history.note_written(saved, verb)])
    return saved


def put_facts(
    tx: Transaction, actor: Actor, pairs: Sequence[tuple[Fact, Fact]], *, verb: str, at: datetime
) -> list[Fact]:
    """Write former states of facts over the present ones, as one change; a page they need comes back with them."""
    changes = []
    pages: list[history.Written] = []
    for before, former in pairs:
        # Only a new link can close a circle, and following the old ones takes a query each.
        linked = former if former.replaced_by == before.replaced_by else correct.without_circle(tx, former)
        after, written = correct.on_a_page(tx, linked, at=at)
        pages += written
        changes.append((before, after, verb))
    return correct.apply(tx, actor, changes=changes, verb=verb, at=at, also=pages)
