"""Facts as rows (F1). Every read names its vaults; every write rests on the version it saw."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NoReturn

from sqlalchemy import ColumnElement, and_, bindparam, delete, false, func, select, update

from souvenance.domain.access import Actor, Source
from souvenance.domain.errors import NotFound, StaleVersion, Withheld
from souvenance.domain.fact import Fact, SaidDate, State, SubjectKind, folded
from souvenance.store import passages, proposals
from souvenance.store.access import readable, withheld
from souvenance.store.database import Transaction
from souvenance.store.tables import fact, link, passage, revision

MUTABLE = (
    "note_id", "key", "content", "confidence", "importance", "category", "subject_kind", "subject_id", "channel",
    "author", "language", "said_at", "version", "position", "updated_at", "valid_from", "valid_to", "reason",
    "replaced_by", "disabled", "deleted_at",
)  # fmt: skip
_mutable = attrgetter(*MUTABLE)


def content_hash(*, key: str, content: str, category: str, subject_kind: str, subject_id: str) -> str:
    """What makes two observations the same one (N4): the words, whom they are about and where they are filed."""
    parts = "\x1f".join((key, " ".join(content.split()), category, subject_kind, subject_id))
    return hashlib.blake2b(parts.encode(), digest_size=16).hexdigest()


def hash_of(item: Fact) -> str:
    """The content hash of a fact."""
    return content_hash(
        key=item.key,
        content=item.content,
        category=item.category,
        subject_kind=item.subject_kind,
        subject_id=item.subject_id,
    )


def folded_words(item: Fact) -> str:
    """What an instant search looks through: key and content on a line each, case and accents aside (F3)."""
    return f"{folded(item.key)}\n{folded(item.content)}"


def values_of(item: Fact) -> dict[str, Any]:
    """The values of a fact that can change, and where it came from."""
    values: dict[str, Any] = dict(zip(MUTABLE, _mutable(item), strict=True))
    values["source"] = item.source
    values["said_dates"] = [[date.said, date.resolved] for date in item.said_dates] or None
    return values


def _row(item: Fact, hashed: str) -> dict[str, Any]:
    row = values_of(item)
    row["vault_id"] = item.vault_id
    row["number"] = item.number
    row["content_hash"] = hashed
    row["folded"] = folded_words(item)
    row["created_at"] = item.created_at
    return row


def fact_of(row: Mapping[Any, Any]) -> Fact:
    """The fact of a row."""
    values = {name: row[name] for name in MUTABLE} | {
        "vault_id": row["vault_id"],
        "number": row["number"],
        "created_at": row["created_at"],
        "subject_kind": SubjectKind(row["subject_kind"]),
        "source": Source(row["source"]),
        "said_dates": tuple(SaidDate(said, resolved) for said, resolved in row["said_dates"] or ()),
        "disabled": bool(row["disabled"]),
    }
    return Fact(**values)


def in_state(*states: State) -> ColumnElement[bool]:
    """The condition that a fact is in one of these states."""
    conditions = {
        State.TRASHED: fact.c.deleted_at.is_not(None),
        State.RETIRED: and_(fact.c.deleted_at.is_(None), fact.c.valid_to.is_not(None)),
        State.IN_FORCE: and_(fact.c.deleted_at.is_(None), fact.c.valid_to.is_(None)),
    }
    if not states:
        return false()
    chosen = conditions[states[0]]
    for state in states[1:]:
        chosen = chosen | conditions[state]
    return chosen


def add_facts(tx: Transaction, items: Sequence[tuple[str, Fact]]) -> None:
    """Write new facts, each with its content hash."""
    if items:
        tx.add_rows(fact, [_row(item, hashed) for hashed, item in items])


def save_fact(tx: Transaction, before: Fact, after: Fact) -> None:
    """Write a changed fact over the version it was made from; refuse when someone else wrote meanwhile."""
    values = values_of(after) | {
        "content_hash": hash_of(after),
        "folded": folded_words(after),
        "vault_id": after.vault_id,
    }
    statement = update(fact).where(
        fact.c.vault_id == before.vault_id, fact.c.number == before.number, fact.c.version == before.version
    )
    if tx.execute(statement.values(**values)).rowcount != 1:
        raise StaleVersion(
            f"Fact #{before.number} was changed meanwhile; nothing was written.", hint="Read it again, then retry."
        )


def get_fact(tx: Transaction, actor: Actor, number: int) -> Fact:
    """The fact with that number, trashed or not, if the actor may read its vault over its route."""
    row = (
        tx.execute(select(fact).where(fact.c.number == number, fact.c.vault_id.in_(readable(actor)))).mappings().first()
    )
    if row is None:
        refuse_missing(tx, actor, fact.c.number == number, f"There is no fact #{number} that you can read.")
    return fact_of(row)


def vaults_of(tx: Transaction, actor: Actor, numbers: Sequence[int]) -> list[int]:
    """The vaults in which those of these facts stand that the actor may read."""
    here = fact.c.number.in_(list(numbers)) & fact.c.vault_id.in_(readable(actor))
    return list(tx.execute(select(fact.c.vault_id).where(here).distinct()).scalars())


def shown_fact(tx: Transaction, actor: Actor, number: int) -> Fact:
    """The same for reading: to a model what lies in the trash is out of every read (F9)."""
    found = get_fact(tx, actor, number)
    if actor.is_model and found.state is State.TRASHED:
        raise NotFound(f"Fact #{number} is in the trash.", hint="A person can restore it.")
    return found


def refuse_missing(tx: Transaction, actor: Actor, condition: ColumnElement[bool], message: str) -> NoReturn:
    """Say that it is withheld where that is so, else that there is none; both say nothing of what it is."""
    if tx.execute(
        select(func.count()).select_from(fact).where(condition, fact.c.vault_id.in_(withheld(actor)))
    ).scalar():
        raise Withheld(
            "This fact stands in a protected vault and is withheld on a cloud route.",
            hint="Read it on this machine, or have the owner declare your route local.",
        )
    raise NotFound(message, hint="A search finds its number.")


def list_facts(
    tx: Transaction,
    *,
    vault_ids: Iterable[int],
    states: Sequence[State] = (State.IN_FORCE,),
    condition: ColumnElement[bool] | None = None,
    order: Sequence[ColumnElement[Any]] = (),
    limit: int | None = None,
    offset: int = 0,
) -> list[Fact]:
    """Facts of these vaults (ids the caller was granted), in a given order, by number when none is."""
    statement = select(fact).where(fact.c.vault_id.in_(list(vault_ids)), in_state(*states))
    if condition is not None:
        statement = statement.where(condition)
    statement = statement.order_by(*(order or (fact.c.number,))).limit(limit).offset(offset)
    return [fact_of(row) for row in tx.execute(statement).mappings()]


def page_of(tx: Transaction, *, vault_id: int, note_id: str, limit: int | None = None, offset: int = 0) -> list[Fact]:
    """The facts in force of one category, in the order of its page (N2)."""
    return list_facts(
        tx,
        vault_ids=[vault_id],
        condition=fact.c.note_id == note_id,
        order=(fact.c.position, fact.c.number),
        limit=limit,
        offset=offset,
    )


@dataclass(frozen=True, slots=True)
class Extent:
    """A page's size without reading it: how many facts in force, and its lowest and highest position."""

    count: int
    first: int
    last: int


def page_extent(tx: Transaction, *, vault_id: int, note_id: str) -> Extent:
    """How large a page is; positions are 0 where it is empty."""
    here = (fact.c.vault_id == vault_id) & (fact.c.note_id == note_id)
    statement = select(
        func.count().label("count"), func.min(fact.c.position).label("first"), func.max(fact.c.position).label("last")
    )
    row = tx.execute(statement.where(here, in_state(State.IN_FORCE))).mappings().one()
    return Extent(row["count"], row["first"] or 0, row["last"] or 0)


def place_facts(tx: Transaction, items: Sequence[Fact]) -> None:
    """Give facts their positions anew; no version rises, since neither their words nor their order change."""
    if items:
        here = (fact.c.vault_id == bindparam("b_vault")) & (fact.c.number == bindparam("b_number"))
        tx.execute(
            update(fact).where(here).values(position=bindparam("b_position")),
            [{"b_vault": item.vault_id, "b_number": item.number, "b_position": item.position} for item in items],
        )


def same_facts(tx: Transaction, *, vault_id: int, hashes: Sequence[str]) -> dict[str, Fact]:
    """Of these content hashes, those that a fact in force of the vault already has."""
    found: dict[str, Fact] = {}
    for start in range(0, len(hashes), 500):
        chunk = hashes[start : start + 500]
        # Asked for the state as well, SQLite takes the index of states and reads every fact of the vault.
        statement = select(fact).where(fact.c.vault_id == vault_id, fact.c.content_hash.in_(chunk))
        for row in tx.execute(statement).mappings():
            item = fact_of(row)
            if item.state is State.IN_FORCE:
                found.setdefault(row["content_hash"], item)
    return found


def count_facts(tx: Transaction, vault_ids: Iterable[int]) -> dict[int, int]:
    """Facts in force per vault."""
    statement = select(fact.c.vault_id, func.count().label("facts")).where(
        fact.c.vault_id.in_(list(vault_ids)), in_state(State.IN_FORCE)
    )
    return {row.vault_id: row.facts for row in tx.execute(statement.group_by(fact.c.vault_id))}


def purge_facts(tx: Transaction, *, vault_id: int, numbers: Sequence[int]) -> None:
    """Remove facts for good: passages, words, vectors, revisions and what proposals keep of them go too (F9)."""
    if numbers:
        tx.mark("vault", vault_id)  # its past days hold less now
    for start in range(0, len(numbers), 500):
        chunk = list(numbers[start : start + 500])
        here = (passage.c.vault_id == vault_id) & passage.c.fact_number.in_(chunk)
        passages.remove_passages(
            tx, vault_id=vault_id, ids=list(tx.execute(select(passage.c.id).where(here)).scalars())
        )
        references = [str(number) for number in chunk]
        tx.execute(
            delete(revision).where(
                revision.c.vault_id == vault_id, revision.c.kind == "fact", revision.c.subject_ref.in_(references)
            )
        )
        tx.execute(
            delete(link).where(
                link.c.vault_id == vault_id, link.c.source_kind == "fact", link.c.source_id.in_(references)
            )
        )
        tx.execute(delete(fact).where(fact.c.vault_id == vault_id, fact.c.number.in_(chunk)))
        proposals.forget_facts(tx, vault_id=vault_id, numbers=chunk)
