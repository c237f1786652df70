"""What was kept of reads and exchanges and betrays what is gone: it holds words that nothing left holds (F7, N11)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

from souvenance.store import backlog, text_index
from souvenance.store.database import Transaction
from souvenance.store.erasure.remaining import rightful
from souvenance.store.erasure.traces import Finder, Traces, Windows, together
from souvenance.store.terms import analyse_query

Key = TypeVar("Key", bound=Hashable)


def betraying(tx: Transaction, traces: Traces, entries: Iterable[tuple[Key, str, Sequence[Any]]]) -> set[Key]:
    """The keys of entries (key, query, values) of which the query holds a word, or a value a piece of text, that was
    erased and that nothing holds any more. Asked once the rows are gone."""
    finder, chosen = Finder(traces.windows()), set[Key]()
    suspects: dict[Key, Windows] = {}
    words = _Words(tx, traces)
    for key, query, values in entries:
        if words.has_lost(query):
            chosen.add(key)
        elif len(held := finder.found_in_values(values)):
            suspects[key] = held
    if suspects:
        fine = rightful(tx, together(list(suspects.values())), with_logs=False, with_vectors=False)
        chosen |= {key for key, held in suspects.items() if len(held.without(fine))}
    return chosen


class _Words:
    """Which erased words no passage holds any more; each is looked up once."""

    def __init__(self, tx: Transaction, traces: Traces) -> None:
        self._tx = tx
        self._terms = traces.terms
        self._vault_ids = backlog.every_vault(tx)
        self._lost: dict[str, bool] = {}

    def has_lost(self, query: str) -> bool:
        return any(self._is_lost(word.forms) for word in analyse_query(query))

    def _is_lost(self, forms: tuple[str, ...]) -> bool:
        if self._terms.isdisjoint(forms):
            return False
        first = forms[0]
        if first not in self._lost:
            held = text_index.count_holding(self._tx, vault_ids=self._vault_ids, forms=forms, limit=1)
            self._lost[first] = not held
        return self._lost[first]
