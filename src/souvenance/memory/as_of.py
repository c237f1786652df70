"""A vault's facts as they stood at a past moment, and pages of facts (F1, F3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from souvenance.domain.fact import Fact, Sort, State, folded
from souvenance.notes.former import fact_as
from souvenance.store import fact_lists as lists
from souvenance.store import revisions
from souvenance.store.database import Transaction
from souvenance.store.facts import folded_words


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPage:
    """One page of facts. `total` counts all that were asked for, `by_state` those of every state that hold the text."""

    facts: tuple[Fact, ...]
    total: int
    by_state: Mapping[State, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """One page of facts as someone who is still typing sees them.

    `found` counts all that hold the text in the states asked for, or, where `is_more_than_found`, is how far it was
    counted. `by_state` counts the facts of the vaults whatever they hold.
    """

    facts: tuple[Fact, ...]
    has_next: bool
    found: int
    is_more_than_found: bool
    by_state: Mapping[State, int]


def standing_at(tx: Transaction, *, vault_id: int, at: datetime) -> list[Fact]:
    """The facts of a vault as its revisions kept them at a moment, trashed and retired ones as such.

    Exact in the words and the state of that moment; `updated_at` is not kept by revisions and stays the present one.
    A fact that was moved since stands in the vault it moved to, with all of its past: what it said is as protected as
    what it says (V8).
    Takes about a second per 100,000 facts.
    """
    then = revisions.facts_at(tx, vault_id=vault_id, at=at)
    pages = {kept["note_id"] for _, kept in then.values()}
    present = lists.read_facts(tx, vault_id=vault_id, numbers=sorted(then))
    return [replace(fact_as(item, then[item.number][1], pages=pages), version=then[item.number][0]) for item in present]


SORT_KEYS: dict[Sort, Callable[[Fact], Any]] = {
    Sort.UPDATED: lambda item: (item.updated_at, item.number),
    Sort.CREATED: lambda item: (item.created_at, item.number),
    Sort.KEY: lambda item: (folded_words(item), item.number),
    Sort.CONFIDENCE: lambda item: (item.confidence, item.number),
    Sort.IMPORTANCE: lambda item: (item.importance or 0, item.number),
    Sort.NUMBER: lambda item: item.number,
}


def page_of(
    facts: Sequence[Fact],
    *,
    query: str,
    states: Sequence[State],
    sort: Sort,
    descending: bool,
    limit: int,
    offset: int,
) -> FactPage:
    """One page of facts that are at hand, chosen as the store would choose it."""
    wanted = folded(query)
    holding = [item for item in facts if wanted in folded_words(item)]
    counts = Counter(item.state for item in holding)
    chosen = sorted((item for item in holding if item.state in states), key=SORT_KEYS[sort], reverse=descending)
    return FactPage(
        facts=tuple(chosen[offset : offset + limit]),
        total=len(chosen),
        by_state={state: counts[state] for state in State},
    )
