"""Which fact of a vault a record of a file already is, so that a file read twice adds nothing twice (R4)."""

from __future__ import annotations

from collections.abc import Sequence

from souvenance.domain.fact import SUMMARY_KEY, State
from souvenance.imports.facts.records import Record
from souvenance.store import imported
from souvenance.store.database import Transaction
from souvenance.store.imported import Standing


class Known:
    """The facts of a vault by what makes a record one of them.

    A record in force is any fact in force of the same words, category and subject, as everywhere (N4). Beyond that it
    is a fact of those words that began at the same second, or one that an import brought with those words, whatever has
    become of it; where the file says nothing of when it began, the words and the state must do. What lies in the trash
    is gone: it comes anew. No fact stands for two records.
    """

    def __init__(self, tx: Transaction, vault_id: int | None) -> None:
        self._vault_id = vault_id
        self._first = {} if vault_id is None else imported.first_words(tx, vault_id=vault_id)
        self._here: dict[str, list[Standing]] = {}
        self._used: set[int] = set()

    def look_up(self, tx: Transaction, records: Sequence[Record]) -> None:
        """Read what there is now of these words."""
        if self._vault_id is not None:
            hashes = list({item.hashed for item in records})
            self._here = imported.same_words(tx, vault_id=self._vault_id, hashes=hashes)

    def find(self, item: Record) -> int | None:
        """The number of the fact that a record which was looked up is; None where it is new."""
        here = self._here.get(item.hashed, [])
        state = item.state
        if state is State.IN_FORCE:
            standing = next((one.number for one in here if one.state is state), None)
            if standing is not None:
                self._used.add(standing)
                return standing
        first = self._first.get(item.hashed, [])
        pool = [
            one
            for one in dict.fromkeys([*here, *first])
            if one.number not in self._used and (one.state is State.TRASHED) == (state is State.TRASHED)
        ]
        if item.created_at is not None:
            began = item.created_at.replace(microsecond=0)
            pool = [one for one in pool if one.created_at.replace(microsecond=0) == began]
        elif item.key != SUMMARY_KEY:  # a summary may have gone to the journal as it came in
            pool = [one for one in pool if one in first or one.state is state]
        if not pool:
            return None
        best = min(pool, key=lambda one: (one.state is not state, one.number))
        self._used.add(best.number)
        return best.number

    def wrote(self, numbers: Sequence[int]) -> None:
        """These facts were made of records just now."""
        self._used.update(numbers)
