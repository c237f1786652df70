"""Notes as they are read: one with what it links to, or a list without texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, true

from souvenance.domain.access import Actor
from souvenance.domain.fact import Fact, State
from souvenance.domain.note import LinkView, Note, NoteClass, checked_folder
from souvenance.domain.vault import Vault
from souvenance.notes.find import in_folder, shown_note, vault_of
from souvenance.notes.page import render
from souvenance.store import facts, links
from souvenance.store import notes as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Transaction
from souvenance.store.tables import fact as fact_table
from souvenance.store.tables import note as note_table

MOST_LINKS = 2000
"""Links of one note that are read with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteView:
    """A note as it is read: its text, its vault, what it links to and what links to it.

    Of a memory page `facts` are those of the part that was asked for, in order, and `facts_total` how many there are;
    `note.content` is that part as Markdown.
    """

    note: Note
    vault: Vault
    links: tuple[LinkView, ...] = ()
    backlinks: tuple[LinkView, ...] = ()
    facts: tuple[Fact, ...] = ()
    facts_total: int = 0


def view(tx: Transaction, actor: Actor, ref: str, *, limit: int | None, offset: int) -> NoteView:
    """A note as it stands or, to a person, as it lies in the trash; of a page the part asked for."""
    note = shown_note(tx, actor, ref)
    vault = vault_of(tx, actor, note)
    shown: list[Fact] = []
    total = 0
    if note.note_class is NoteClass.AGENT_MEMORY:
        shown, total = _page(tx, note, limit=limit, offset=offset)
        note = replace(note, content=render(shown))
    return NoteView(
        note=note,
        vault=vault,
        links=links.links_of(tx, vault_id=note.vault_id, note_id=note.id, limit=MOST_LINKS),
        backlinks=links.backlinks_of(tx, vault_id=note.vault_id, note_id=note.id),
        facts=tuple(shown),
        facts_total=total,
    )


def listed(
    tx: Transaction,
    actor: Actor,
    vault: str | None,
    folder: str | None = None,
    note_class: NoteClass | None = None,
    *,
    trashed: bool = False,
    order: Sequence[Any] = (),
    limit: int,
    offset: int,
) -> list[Note]:
    """Notes without their texts; agent memory only where its class is named, or in the trash (N8)."""
    condition: ColumnElement[bool] = true()
    if note_class is not None:
        condition &= note_table.c.note_class == note_class
    elif not trashed:
        condition &= note_table.c.note_class != NoteClass.AGENT_MEMORY
    if vault is not None:
        condition &= note_table.c.vault_id == vault_rows.named_vault(tx, actor, vault).id
    if folder:
        condition &= in_folder(checked_folder(folder))
    return rows.find_notes(
        tx,
        actor,
        condition,
        trashed=trashed,
        with_content=False,
        order=order,
        limit=max(0, limit),
        offset=max(0, offset),
    )


def _page(tx: Transaction, note: Note, *, limit: int | None, offset: int) -> tuple[list[Fact], int]:
    """A part of a memory page and how many facts the whole has; in the trash, the facts that went with it."""
    if note.deleted_at is None:
        total = facts.page_extent(tx, vault_id=note.vault_id, note_id=note.id).count
        return facts.page_of(tx, vault_id=note.vault_id, note_id=note.id, limit=limit, offset=offset), total
    went = facts.list_facts(
        tx,
        vault_ids=[note.vault_id],
        states=(State.TRASHED,),
        condition=(fact_table.c.note_id == note.id)
        & (fact_table.c.deleted_at == note.deleted_at)
        & fact_table.c.valid_to.is_(None),
        order=(fact_table.c.position, fact_table.c.number),
    )
    return went[offset:][:limit], len(went)
