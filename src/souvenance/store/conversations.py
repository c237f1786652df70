"""Conversations and their turns, per user; what was made from which vault is kept with each turn (V7, V8)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, delete, func, insert, or_, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.domain.access import Actor
from souvenance.domain.conversation import Turn
from souvenance.domain.fact import folded
from souvenance.domain.vault import Protection
from souvenance.store.database import Transaction
from souvenance.store.tables import conversation, turn, turn_vault, vault

LONGEST_FOLDED = 200_000
MOST_TITLES = 10_000
"""Titles that a search looks through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation. `without_memory`: nothing is read in it, whatever the weights (V7)."""

    id: int
    title: str
    without_memory: bool
    created_at: datetime
    updated_at: datetime
    turns: int = 0
    is_protected: bool = False


def mine(actor: Actor) -> ColumnElement[bool]:
    """The condition that a conversation is this actor's: a person has all of theirs, a token those it began."""
    condition = conversation.c.user_id == actor.user_id
    return condition if actor.token_id is None else and_(condition, conversation.c.token_id == actor.token_id)


def _open_vaults() -> Any:
    return select(vault.c.id).where(vault.c.protection != Protection.MAXIMUM)


def _is_guarded() -> Any:
    """Rows of turn_vault whose vault is protected now, or gone: no foreign key holds them."""
    return turn_vault.c.vault_id.not_in(_open_vaults())


def _protected_conversations(ids: Collection[int]) -> Any:
    return select(turn_vault.c.conversation_id).where(turn_vault.c.conversation_id.in_(list(ids)), _is_guarded())


def add_conversation(tx: Transaction, *, actor: Actor, title: str, without_memory: bool, at: datetime) -> int:
    """A new conversation; its id."""
    statement = insert(conversation).values(
        user_id=actor.user_id,
        token_id=actor.token_id,
        title=title,
        without_memory=without_memory,
        created_at=at,
        updated_at=at,
    )
    return int(tx.execute(statement.returning(conversation.c.id)).scalar_one())


def list_conversations(
    tx: Transaction, actor: Actor, *, query: str = "", open_only: bool = False, limit: int, offset: int = 0
) -> list[Conversation]:
    """The actor's conversations, the last used first; with `query`, those whose title or turns say it, case and
    accents aside.

    `open_only` looks only through turns that no protected vault is in, and titles of conversations without such a turn.
    """
    statement = select(conversation).where(mine(actor))
    wanted = folded(query)
    if wanted:
        here = turn.c.folded.contains(wanted, autoescape=True)
        if open_only:
            here = and_(
                here,
                ~select(turn_vault.c.vault_id)
                .where(
                    turn_vault.c.conversation_id == turn.c.conversation_id,
                    turn_vault.c.ordinal == turn.c.ordinal,
                    _is_guarded(),
                )
                .exists(),
            )
        said = select(turn.c.conversation_id).where(here)
        called = _called(tx, actor, wanted, open_only=open_only)
        statement = statement.where(or_(conversation.c.id.in_(said), conversation.c.id.in_(called)))
    statement = statement.order_by(conversation.c.updated_at.desc(), conversation.c.id.desc())
    return _conversations(tx, statement.limit(limit).offset(offset))


def _called(tx: Transaction, actor: Actor, wanted: str, *, open_only: bool) -> list[int]:
    """Ids of the conversations whose title says it; of the last ten thousand, since titles have no folded form."""
    statement = select(conversation.c.id, conversation.c.title).where(mine(actor))
    newest = statement.order_by(conversation.c.updated_at.desc()).limit(MOST_TITLES)
    called = [row.id for row in tx.execute(newest) if wanted in folded(row.title)]
    hidden = set(tx.execute(_protected_conversations(called)).scalars()) if open_only and called else set()
    return [one for one in called if one not in hidden]


def find_conversation(tx: Transaction, actor: Actor, conversation_id: int) -> Conversation | None:
    """One conversation of the actor's."""
    found = _conversations(tx, select(conversation).where(mine(actor), conversation.c.id == conversation_id))
    return found[0] if found else None


class Place(NamedTuple):
    """What an exchange needs of the conversation it goes on with, read at every question."""

    title: str
    without_memory: bool


def find_place(tx: Transaction, actor: Actor, conversation_id: int) -> Place | None:
    """The conversation, where it is the actor's."""
    statement = select(conversation.c.title, conversation.c.without_memory)
    found = tx.execute(statement.where(mine(actor), conversation.c.id == conversation_id)).one_or_none()
    return None if found is None else Place(found.title, bool(found.without_memory))


def _conversations(tx: Transaction, statement: Any) -> list[Conversation]:
    rows = tx.execute(statement).mappings().all()
    ids = [row["id"] for row in rows]
    counted = select(turn.c.conversation_id, func.count().label("turns")).where(turn.c.conversation_id.in_(ids))
    counts = {row.conversation_id: row.turns for row in tx.execute(counted.group_by(turn.c.conversation_id))}
    guarded = set(tx.execute(_protected_conversations(ids)).scalars())
    return [
        Conversation(
            id=row["id"],
            title=row["title"],
            without_memory=bool(row["without_memory"]),
            created_at=row["created_at"],
            updated_at=row["updated_at"],
            turns=counts.get(row["id"], 0),
            is_protected=row["id"] in guarded,
        )
        for row in rows
    ]


def save_conversation(tx: Transaction, *, conversation_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of one conversation."""
    tx.execute(update(conversation).where(conversation.c.id == conversation_id).values(**values))


def remove_conversation(tx: Transaction, *, conversation_id: int) -> None:
    """Remove a conversation with its turns."""
    tx.execute(delete(conversation).where(conversation.c.id == conversation_id))


# --- turns -----------------------------------------------------------------------------------------------------


def hold_turns(tx: Transaction, *, conversation_id: int) -> None:
    """Make others who would add or change turns of a conversation wait until this transaction ends."""
    tx.hold("turn", conversation_id)


def add_turn(tx: Transaction, *, conversation_id: int, question: str, at: datetime, until: datetime) -> int:
    """The next turn of a conversation, asked and not answered yet; its ordinal, from 1. It is given up at `until`,
    unless a sign of life comes. That the conversation was used is for the caller to say."""
    hold_turns(tx, conversation_id=conversation_id)
    last = select(func.coalesce(func.max(turn.c.ordinal), 0)).where(turn.c.conversation_id == conversation_id)
    made = insert(turn).values(
        conversation_id=conversation_id,
        ordinal=last.scalar_subquery() + 1,
        state="asked",
        question=question,
        folded=folded(question)[:LONGEST_FOLDED],
        asked_at=at,
        until=until,
    )
    return int(tx.execute(made.returning(turn.c.ordinal)).scalar_one())


def save_turn(
    tx: Transaction,
    *,
    conversation_id: int,
    ordinal: int,
    values: Mapping[str, Any],
    read: Collection[int] = (),
    asked_at: datetime | None = None,
) -> bool:
    """Change columns of one turn, and add to the vaults it was made from; False where it is not there any more.

    `asked_at` tells it from one that was asked again in its place.
    """
    here = (turn.c.conversation_id == conversation_id) & (turn.c.ordinal == ordinal)
    if asked_at is not None:
        here = here & (turn.c.asked_at == asked_at)
    if tx.execute(update(turn).where(here).values(**values)).rowcount != 1:
        return False
    rows = [{"vault_id": one, "conversation_id": conversation_id, "ordinal": ordinal} for one in sorted(read)]
    if rows:
        statement = (sqlite_insert if tx.is_sqlite else postgresql_insert)(turn_vault)
        tx.execute(statement.on_conflict_do_nothing(), rows)
    return True


def under_way_until(tx: Transaction, *, conversation_id: int) -> datetime | None:
    """When the last answer under way in a conversation is given up, unless a sign of life comes; None where none is."""
    here = (turn.c.conversation_id == conversation_id) & (turn.c.state == "asked")
    return tx.execute(select(func.max(turn.c.until)).where(here)).scalar()


def is_asked_again(tx: Transaction, *, conversation_id: int, ordinal: int, asked_at: datetime) -> bool:
    """Whether another question stands in the place of one that was asked at that moment."""
    here = (turn.c.conversation_id == conversation_id) & (turn.c.ordinal == ordinal) & (turn.c.asked_at != asked_at)
    return tx.execute(select(turn.c.ordinal).where(here)).first() is not None


def has_lapsed(tx: Transaction, *, at: datetime) -> bool:
    """Whether a turn that is asked gave no sign of life in time."""
    return tx.execute(select(turn.c.ordinal).where(_lapsed(at)).limit(1)).first() is not None


def settle_lapsed(tx: Transaction, *, at: datetime, failure: Mapping[str, Any]) -> list[int]:
    """Turns that gave no sign of life in time have failed, with what was said by then; the users they are of."""
    statement = select(turn.c.conversation_id, turn.c.ordinal, conversation.c.user_id).join(
        conversation, conversation.c.id == turn.c.conversation_id
    )
    users = []
    for row in tx.execute(statement.where(_lapsed(at))).all():
        here = (turn.c.conversation_id == row.conversation_id) & (turn.c.ordinal == row.ordinal) & _lapsed(at)
        values = {"state": "failed", "failure": dict(failure), "answered_at": at, "until": None}
        if tx.execute(update(turn).where(here).values(**values)).rowcount == 1:
            users.append(row.user_id)
    return users


def _lapsed(at: datetime) -> ColumnElement[bool]:
    return (turn.c.state == "asked") & (turn.c.until <= at)


def remove_turn(tx: Transaction, *, conversation_id: int, ordinal: int) -> None:
    """Remove one turn."""
    tx.execute(delete(turn).where(turn.c.conversation_id == conversation_id, turn.c.ordinal == ordinal))


def folded_turn(question: str, answer: str) -> str:
    """What instant search looks through of a turn."""
    return f"{folded(question)}\n{folded(answer)}"[:LONGEST_FOLDED]


class Before(NamedTuple):
    """A turn as what was said before: without what it showed and wrote."""

    question: str
    answer: str
    read: frozenset[int]


def said_before(tx: Transaction, *, conversation_id: int, last: int, but: int | None = None) -> list[Before]:
    """The last turns of a conversation that were answered, if only in part, in order; not that of the ordinal `but`."""
    own = select(turn.c.ordinal, turn.c.question, turn.c.answer).where(
        turn.c.conversation_id == conversation_id, turn.c.answer != ""
    )
    if but is not None:
        own = own.where(turn.c.ordinal != but)
    rows = tx.execute(own.order_by(turn.c.ordinal.desc()).limit(last)).all()[::-1]
    if not rows:
        return []
    made = select(turn_vault.c.ordinal, turn_vault.c.vault_id).where(
        turn_vault.c.conversation_id == conversation_id, turn_vault.c.ordinal >= rows[0].ordinal
    )
    read: dict[int, set[int]] = {}
    for row in tx.execute(made):
        read.setdefault(row.ordinal, set()).add(row.vault_id)
    return [Before(row.question, row.answer, frozenset(read.get(row.ordinal, ()))) for row in rows]


def list_turns(
    tx: Transaction, *, conversation_id: int, last: int | None = None, before: int | None = None
) -> list[Turn]:
    """The turns of a conversation in order, or the last of them; of those before an ordinal where one is given."""
    statement = select(turn).where(turn.c.conversation_id == conversation_id).order_by(turn.c.ordinal.desc())
    if before is not None:
        statement = statement.where(turn.c.ordinal < before)
    rows = tx.execute(statement.limit(last)).mappings().all()[::-1]
    read: dict[int, set[int]] = {}
    for row in tx.execute(select(turn_vault).where(turn_vault.c.conversation_id == conversation_id)):
        read.setdefault(row.ordinal, set()).add(row.vault_id)
    guarded = set(
        tx.execute(
            select(turn_vault.c.ordinal).where(turn_vault.c.conversation_id == conversation_id, _is_guarded())
        ).scalars()
    )
    return [
        Turn(
            ordinal=row["ordinal"],
            state=row["state"],
            question=row["question"],
            answer=row["answer"],
            failure=row["failure"],
            model=row["model"],
            trace=row["trace"],
            wrote=tuple(row["wrote"] or ()),
            asked_at=row["asked_at"],
            answered_at=row["answered_at"],
            until=row["until"],
            read=frozenset(read.get(row["ordinal"], ())),
            is_protected=row["ordinal"] in guarded,
        )
        for row in rows
    ]
