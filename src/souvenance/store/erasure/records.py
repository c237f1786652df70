"""What was recorded of reads and exchanges with one vault, and goes with what is erased of it: entries of the retrieval
log and turns of conversations (F7)."""

from __future__ import annotations

from collections.abc import Collection

from souvenance.store.database import Transaction
from souvenance.store.erasure.declared import Doomed
from souvenance.store.erasure.logs import LogEntries
from souvenance.store.erasure.traces import Traces
from souvenance.store.erasure.turns import Key, Turns, count, remove_turns


class Records:
    """Chosen at once by what they found and name, then, when the rows are gone, by what they say; then removed."""

    def __init__(self, tx: Transaction, doomed: Doomed, *, names: Collection[str]) -> None:
        self._tx = tx
        self._names = names
        self._log = LogEntries(tx, doomed, names=names)
        self._turns = Turns(tx, doomed, names=names)
        self._entries = self._log.before()
        self._keys = self._turns.before()

    def count(self, counted: set[Key]) -> dict[str, int]:
        """How many would go as far as is known before; turns that are `counted` already are not, and join them."""
        counts = {"retrievals": len(self._entries)} | count(self._tx, self._keys, counted=counted)
        counted |= self._keys
        return counts

    def choose_by_words(self, traces: Traces) -> None:
        """Choose also those that hold what nothing holds any more."""
        self._entries |= self._log.after(traces)
        self._keys |= self._turns.after(traces)

    def remove(self, traces: Traces) -> dict[str, int]:
        """Remove them, and what asked the same, taking note of their words; how many went."""
        removed = remove_turns(self._tx, self._keys, names=self._names)
        self._entries |= self._log.asking(removed.questions)
        self._log.remove(self._entries, traces)
        traces.add(removed.texts)
        return {"retrievals": len(self._entries), "turns": removed.turns, "conversations": removed.conversations}
