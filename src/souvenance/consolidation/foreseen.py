"""What a pass over a vault would propose, as far as a third of a second goes: for the simulation of its step (T8)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from souvenance.consolidation.finding import Found, find_pairs
from souvenance.consolidation.meaning import vectors_of
from souvenance.retrieval.embedding import Embedding
from souvenance.store import fact_lists as lists
from souvenance.store import proposals
from souvenance.store.database import Database
from souvenance.store.said import Said, said_by_number

SECONDS = 0.35
FIRST_COMPARED = 100
FIRST_SECONDS = 5.0
"""The first facts get so much: a moment for a machine that is not busy, and a small vault is compared whole on any."""
MOST_COMPARED = 20_000
MOST_VECTORS = 1500
"""Vectors that are read to foresee; a pass reads all."""
SHARED_KEY = 6
"""A key that more facts share tells nothing."""


@dataclass(slots=True)
class Foreseen:
    """The pairs found among the `compared` facts; `is_complete` where those are all there are and none was skipped."""

    facts: int
    compared: int = 0
    is_complete: bool = False
    pairs: list[Found] = field(default_factory=list)

    def count(self, label: str) -> int:
        """How many pairs are of one kind."""
        return sum(pair.verdict.label == label for pair in self.pairs)


def foresee(database: Database, embedding: Embedding, *, vault_id: int, seconds: float = SECONDS) -> Foreseen:
    """Look for pairs as a pass does, first among the facts likeliest to make one, then among twice as many, until the
    time is up."""
    began = time.perf_counter()
    until = began + seconds
    with database.read() as tx:
        total = lists.amount(tx, vault_id=vault_id).facts
        numbers = _likeliest_first(lists.newest_keys(tx, vault_id=vault_id, limit=MOST_COMPARED))
        vectors = vectors_of(tx, embedding, vault_id=vault_id, numbers=numbers, limit=MOST_VECTORS)
        apart = proposals.kept_apart(tx, vault_id=vault_id)
    found, size = Foreseen(total), min(FIRST_COMPARED, len(numbers))
    facts: list[Said] = []
    while size > len(facts):
        with database.read() as tx:
            facts += said_by_number(tx, vault_id=vault_id, numbers=numbers[len(facts) : size])
        started = time.perf_counter()
        end = until if found.compared else max(until, began + FIRST_SECONDS)
        judged = find_pairs(facts, vectors=vectors, kept_apart=apart, go_on=_before(end))
        if judged.is_cut and found.compared:
            break
        found.compared, found.pairs = len(facts), judged.pairs
        found.is_complete = len(facts) >= total and not judged.is_cut
        # Twice as many take somewhat more than twice as long: go on only where that fits.
        now, following = time.perf_counter(), min(2 * size, len(numbers))
        if judged.is_cut or now + 1.25 * following / size * (now - started) > until:
            break
        size = following
    return found


def _before(end: float) -> Callable[[], bool]:
    return lambda: time.perf_counter() < end


def _likeliest_first(keyed: Sequence[tuple[int, str]]) -> list[int]:
    """Numbers in the order worth comparing: facts whose key a few others have, then the rest, each the newest first."""
    counts = Counter(key for _, key in keyed if key)
    shared = [number for number, key in keyed if 2 <= counts.get(key, 0) <= SHARED_KEY]
    return [*shared, *(number for number, key in keyed if not 2 <= counts.get(key, 0) <= SHARED_KEY)]
