"""Long lists of facts: found by any part of their words, counted, ordered, and as columns of numbers (F3, T4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, and_, func, literal, literal_column, or_, select, tuple_, type_coerce

from souvenance.domain.fact import SUMMARY_KEY, Fact, Sort, State, SubjectKind, folded
from souvenance.store.database import Transaction
from souvenance.store.facts import fact_of, in_state
from souvenance.store.tables import fact

Subject = tuple[SubjectKind, str]
"""Whom facts are about: the kind and, but for the vault itself, the id."""

_ORDER: dict[Sort, ColumnElement[Any]] = {
    Sort.UPDATED: fact.c.updated_at,
    Sort.CREATED: fact.c.created_at,
    Sort.KEY: fact.c.folded,
    Sort.CONFIDENCE: fact.c.confidence,
    Sort.IMPORTANCE: func.coalesce(fact.c.importance, 0),
    Sort.NUMBER: fact.c.number,
}


_NUMBER = re.compile(r"#([0-9]{1,18})")


def matches(query: str) -> ColumnElement[bool] | None:
    """The condition that the key or the content holds this text, case and accents aside; None for an empty one.

    `#12` is also the fact of that number.
    """
    wanted = folded(query)
    if not wanted:
        return None
    holds = fact.c.folded.contains(wanted, autoescape=True)
    number = _NUMBER.fullmatch(wanted)
    return or_(holds, fact.c.number == int(number[1])) if number else holds


def find_facts(
    tx: Transaction,
    *,
    vault_id: int,
    states: Sequence[State],
    query: str = "",
    sort: Sort = Sort.UPDATED,
    descending: bool = True,
    limit: int | None = None,
    offset: int = 0,
) -> list[Fact]:
    """One page of a vault's facts."""
    statement = select(fact).where(fact.c.vault_id == vault_id, in_state(*states))
    condition = matches(query)
    if condition is not None:
        statement = statement.where(condition)
    order = [_ORDER[sort], fact.c.number]
    by = [column.desc() if descending else column.asc() for column in order]
    return [fact_of(row) for row in tx.execute(statement.order_by(*by).limit(limit).offset(offset)).mappings()]


def count_states(tx: Transaction, *, vault_id: int, query: str = "") -> dict[State, int]:
    """How many facts of a vault are in each state, of those that hold the text."""
    if not folded(query):  # each state is a range of one index: nothing of the table is read
        return {state: count_in(tx, vault_id=vault_id, states=[state]) for state in State}
    trashed, retired = fact.c.deleted_at.is_not(None).label("trashed"), fact.c.valid_to.is_not(None).label("retired")
    statement = select(trashed, retired, func.count().label("number")).where(fact.c.vault_id == vault_id)
    condition = matches(query)
    if condition is not None:
        statement = statement.where(condition)
    counts = dict.fromkeys(State, 0)
    for row in tx.execute(statement.group_by(trashed, retired)):
        state = State.TRASHED if row.trashed else State.RETIRED if row.retired else State.IN_FORCE
        counts[state] += row.number
    return counts


def count_in(
    tx: Transaction, *, vault_id: int, states: Sequence[State], query: str = "", most: int | None = None
) -> int:
    """How many facts of a vault are in these states and hold the text, counted up to `most`."""
    here = select(fact.c.number).where(fact.c.vault_id == vault_id, in_state(*states))
    condition = matches(query)
    if condition is not None:
        here = here.where(condition)
    if most is not None:
        here = here.limit(most)
    return int(tx.execute(select(func.count()).select_from(here.subquery())).scalar_one())


class Standing(NamedTuple):
    """What places in a prompt are decided by. `updated` is in microseconds since 1970."""

    number: int
    updated: int
    importance: int | None
    confidence: float
    subject_kind: SubjectKind
    subject_id: str


def _answering(vault_id: int, about: Collection[Subject] | None) -> ColumnElement[bool]:
    condition = and_(fact.c.vault_id == vault_id, in_state(State.IN_FORCE), fact.c.disabled.is_(False))
    if about is None:
        return condition
    names: dict[SubjectKind, list[str]] = {}
    for kind, name in about:
        names.setdefault(kind, []).append(name)
    someone = [and_(fact.c.subject_kind == kind, fact.c.subject_id.in_(some)) for kind, some in names.items()]
    return and_(condition, or_(fact.c.subject_kind == SubjectKind.VAULT, *someone))


_STANDINGS_SQLITE = (
    "SELECT number, updated_at, importance, confidence, subject_kind, subject_id FROM fact "
    "WHERE vault_id = ? AND deleted_at IS NULL AND valid_to IS NULL AND disabled = 0"
)


def standings(
    tx: Transaction, *, vault_id: int, about: Collection[Subject] | None = None, newest: int | None = None
) -> list[Standing]:
    """The facts of a vault that may be given to a prompt; retired, trashed and disabled ones are not among them,
    whatever is asked (CASES 10).

    `about` keeps to the vault itself and these subjects; `newest` to so many, the last updated first.
    """
    if tx.is_sqlite and about is None and newest is None:
        return [Standing._make(row) for row in tx.rows(_STANDINGS_SQLITE, [vault_id])]
    columns = (
        fact.c.number,
        type_coerce(fact.c.updated_at, BigInteger),
        fact.c.importance,
        fact.c.confidence,
        fact.c.subject_kind,
        fact.c.subject_id,
    )
    statement = select(*columns).where(_answering(vault_id, about))
    if newest is not None:
        statement = statement.order_by(fact.c.updated_at.desc(), fact.c.number.desc()).limit(newest)
    return [Standing._make(row) for row in tx.execute(statement)]


def count_answering(tx: Transaction, *, vault_id: int, about: Collection[Subject] | None = None) -> int:
    """How many facts of a vault may be given to a prompt (see `standings`)."""
    return int(tx.execute(select(func.count()).select_from(fact).where(_answering(vault_id, about))).scalar_one())


def newest_keys(tx: Transaction, *, vault_id: int, limit: int) -> list[tuple[int, str]]:
    """Numbers and keys (case and accents aside) of the facts in force last updated, the newest first."""
    statement = select(fact.c.number, fact.c.key).where(_answering(vault_id, None))
    statement = statement.order_by(fact.c.updated_at.desc(), fact.c.number.desc()).limit(limit)
    return [(row.number, folded(row.key)) for row in tx.execute(statement)]


def find_summary(tx: Transaction, *, vault_id: int) -> Fact | None:
    """The summary of a vault: its fact about itself under the reserved key, or none where it is disabled (F6)."""
    # Written for the planner: an index holds the summaries only, and the key stands in the statement so that it is
    # taken; the state is compared as an expression, or the index of states would be taken instead.
    mine = and_(fact.c.vault_id == vault_id, fact.c.key == literal_column(f"'{SUMMARY_KEY}'"))
    ended = func.coalesce(type_coerce(fact.c.deleted_at, BigInteger), type_coerce(fact.c.valid_to, BigInteger), -1)
    standing = and_(ended == -1, fact.c.disabled.is_(False), fact.c.subject_kind == SubjectKind.VAULT)
    statement = select(fact).where(mine, standing)
    row = tx.execute(statement.order_by(fact.c.updated_at.desc()).limit(1)).mappings().first()
    return None if row is None else fact_of(row)


def summaries(tx: Transaction, *, vault_id: int, state: State) -> list[Fact]:
    """Every summary of a vault in a state, disabled or not: the last retired first, then the last changed."""
    mine = and_(fact.c.vault_id == vault_id, fact.c.key == literal_column(f"'{SUMMARY_KEY}'"))
    statement = select(fact).where(mine, fact.c.subject_kind == SubjectKind.VAULT, in_state(state))
    order = (fact.c.valid_to.desc(), fact.c.updated_at.desc(), fact.c.number.desc())
    return [fact_of(row) for row in tx.execute(statement.order_by(*order)).mappings()]


def standing_summary(tx: Transaction, *, vault_id: int) -> Fact | None:
    """The summary that is in force, disabled or not; the one that answers first."""
    return find_summary(tx, vault_id=vault_id) or next(
        iter(summaries(tx, vault_id=vault_id, state=State.IN_FORCE)), None
    )


def read_facts(tx: Transaction, *, vault_id: int, numbers: Sequence[int]) -> list[Fact]:
    """These facts of a vault, whatever their state, in the order asked for."""
    found: dict[int, Fact] = {}
    for start in range(0, len(numbers), 500):
        chosen = select(fact).where(fact.c.vault_id == vault_id, fact.c.number.in_(list(numbers[start : start + 500])))
        found |= {row["number"]: fact_of(row) for row in tx.execute(chosen).mappings()}
    return [found[number] for number in numbers if number in found]


def facts_to_end(tx: Transaction, *, vault_id: int, state: State, limit: int, above: int = 0) -> list[Fact]:
    """The next facts of a vault in one state, by number, above one: for what is done to all of them in steps."""
    statement = select(fact).where(fact.c.vault_id == vault_id, in_state(state), fact.c.number > above)
    return [fact_of(row) for row in tx.execute(statement.order_by(fact.c.number).limit(limit)).mappings()]


def place_of(item: Fact, *, by_page: bool) -> tuple[Any, ...]:
    """Where a fact stands in the order of `facts_after`."""
    if by_page:
        return (item.category, item.subject_kind.value, item.subject_id, item.position, item.number)
    return (item.number,)


def facts_after(
    tx: Transaction,
    *,
    vault_id: int,
    states: Sequence[State],
    after: tuple[Any, ...] | None,
    limit: int,
    by_page: bool = False,
) -> list[Fact]:
    """The next facts of a vault after a place, by number or as they stand on their pages: for reading a whole vault in
    steps. Nothing stands in two steps unless it was moved on its page in between."""
    page = (fact.c.category, fact.c.subject_kind, fact.c.subject_id, fact.c.position, fact.c.number)
    order = page if by_page else (fact.c.number,)
    statement = select(fact).where(fact.c.vault_id == vault_id, in_state(*states))
    if after is not None:
        statement = statement.where(tuple_(*order) > tuple_(*(literal(value) for value in after)))
    return [fact_of(row) for row in tx.execute(statement.order_by(*order).limit(limit)).mappings()]


class Amount(NamedTuple):
    """How much a vault holds in force: facts, their characters, and how many have an importance."""

    facts: int
    characters: int
    scored: int


def amount(tx: Transaction, *, vault_id: int) -> Amount:
    """What the simulation of a step counts."""
    statement = select(
        func.count(),
        func.coalesce(func.sum(func.length(fact.c.content) + func.length(fact.c.key)), 0),
        func.count(fact.c.importance),
    ).where(_answering(vault_id, None))
    return Amount(*(int(value) for value in tx.execute(statement).one()))
