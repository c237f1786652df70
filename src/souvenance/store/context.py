"""What a user wants loaded when a session starts, and the index of memory pages it loads from (N8, N10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, insert, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.domain.fact import State, SubjectKind
from souvenance.domain.note import NoteClass
from souvenance.store.database import Transaction
from souvenance.store.facts import in_state
from souvenance.store.tables import context_item, context_setting, fact, note


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A note that a user put in a place: `pins`, or a context set."""

    place: str
    vault_id: int
    note_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLine:
    """One memory page as the index tells it; `first_words` begin its first fact. `facts` counts those in force."""

    vault_id: int
    note_id: str
    category: str
    subject_id: str
    digest: str
    first_words: str
    facts: int
    updated_at: datetime
    subject_kind: str = SubjectKind.VAULT
    muted: bool = False
    disabled: bool = False


def list_placed(tx: Transaction, *, user_id: int) -> list[Placed]:
    """What a user placed, by place and in the user's order."""
    statement = select(context_item).where(context_item.c.user_id == user_id)
    statement = statement.order_by(context_item.c.place, context_item.c.position, context_item.c.note_id)
    return [
        Placed(place=row["place"], vault_id=row["vault_id"], note_id=row["note_id"])
        for row in tx.execute(statement).mappings()
    ]


def fill_place(tx: Transaction, *, user_id: int, place: str, items: Sequence[tuple[int, str]]) -> None:
    """Make a place hold these notes (vault, id), in this order; none empties it."""
    tx.execute(delete(context_item).where(context_item.c.user_id == user_id, context_item.c.place == place))
    rows = [
        {"user_id": user_id, "place": place, "vault_id": vault_id, "note_id": note_id, "position": position}
        for position, (vault_id, note_id) in enumerate(items)
    ]
    if rows:
        tx.execute(insert(context_item), rows)


def get_settings(tx: Transaction, *, user_id: int) -> tuple[int, list[str]] | None:
    """A user's budget and order of places, where they set them."""
    found = tx.execute(select(context_setting).where(context_setting.c.user_id == user_id)).mappings().first()
    return None if found is None else (found["budget_tokens"], list(found["order"]))


def save_settings(tx: Transaction, *, user_id: int, budget_tokens: int, order: Sequence[str]) -> None:
    """Keep a user's budget and order of places."""
    make = sqlite_insert if tx.is_sqlite else postgresql_insert
    values = {"user_id": user_id, "budget_tokens": budget_tokens, "order": list(order)}
    statement = make(context_setting).values(values)
    tx.execute(statement.on_conflict_do_update(index_elements=["user_id"], set_=values))


def memory_index(
    tx: Transaction, *, vault_id: int, limit: int, offset: int = 0, hidden: bool = False
) -> list[PageLine]:
    """The memory pages of a vault that hold a fact in force, the last changed first. The caller was granted the vault.

    Muted and disabled ones, and facts that are disabled, are left out unless `hidden` asks for them too.
    """
    on_page = (fact.c.vault_id == note.c.vault_id) & (fact.c.note_id == note.c.id) & in_state(State.IN_FORCE)
    shown: list[ColumnElement[bool]] = []
    if not hidden:
        on_page &= fact.c.disabled.is_(False)
        shown = [note.c.muted.is_(False), note.c.disabled.is_(False)]
    count = select(func.count()).where(on_page).correlate(note).scalar_subquery()
    first = (
        select(func.substr(fact.c.content, 1, 200))
        .where(on_page)
        .order_by(fact.c.position, fact.c.number)
        .limit(1)
        .correlate(note)
        .scalar_subquery()
    )
    statement = (
        select(
            note.c.vault_id,
            note.c.id.label("note_id"),
            note.c.category,
            note.c.subject_id,
            note.c.digest,
            first.label("first_words"),
            count.label("facts"),
            note.c.updated_at,
            note.c.subject_kind,
            note.c.muted,
            note.c.disabled,
        )
        .where(
            note.c.vault_id == vault_id,
            note.c.note_class == NoteClass.AGENT_MEMORY,
            note.c.deleted_at.is_(None),
            *shown,
            select(fact.c.number).where(on_page).correlate(note).exists(),
        )
        .order_by(note.c.updated_at.desc(), note.c.id)
        .limit(limit)
        .offset(offset)
    )
    return [PageLine(**row) for row in tx.execute(statement).mappings()]


def count_muted(tx: Transaction, *, vault_id: int) -> int:
    """How many categories of a vault are muted. The caller was granted the vault."""
    muted = note.c.muted.is_(True) & (note.c.note_class == NoteClass.AGENT_MEMORY) & note.c.deleted_at.is_(None)
    statement = select(func.count()).select_from(note).where(note.c.vault_id == vault_id, muted)
    return int(tx.execute(statement).scalar_one())
