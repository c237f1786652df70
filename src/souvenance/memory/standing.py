"""What places in a prompt are decided by, kept as columns between questions: reading them anew takes longest of all.

On SQLite every write leaves a mark (see `store.change_feed`), read in the same transaction as the facts, so that
columns are never older than what the transaction sees. Elsewhere they are read each time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from souvenance.memory.usefulness import Floats, Whole
from souvenance.store import fact_lists as lists
from souvenance.store.database import Transaction
from souvenance.store.fact_lists import Subject
from souvenance.store.tables import change_mark

MOST_VAULTS = 32
MOST_FACTS = 2_000_000
"""Facts whose columns are kept, of all vaults together: some 50 MB."""


@dataclass(frozen=True, slots=True)
class Standings:
    """The facts of a vault that may be given to a prompt, as columns of one length by number; importance NaN where
    none."""

    numbers: Whole
    updated: Whole
    importance: Floats
    confidence: Floats
    subjects: NDArray[np.int32]
    codes: dict[Subject, int]

    def about(self, subjects: Collection[Subject] | None) -> Standings:
        """Those about the vault itself and these subjects; all where None is given."""
        if subjects is None:
            return self
        wanted = [self.codes[one] for one in subjects if one in self.codes]
        wanted += [code for (kind, _), code in self.codes.items() if kind == "vault"]
        return self.only(np.isin(self.subjects, wanted))

    def spread(self, by_number: Mapping[int, float]) -> Floats:
        """Values of some facts as a column, 0 for the others."""
        column = np.zeros(len(self.numbers))
        if len(self.numbers) and by_number:
            wanted = np.fromiter(by_number, dtype=np.int64, count=len(by_number))
            values = np.fromiter(by_number.values(), dtype=np.float64, count=len(by_number))
            places = np.minimum(np.searchsorted(self.numbers, wanted), len(self.numbers) - 1)
            there = self.numbers[places] == wanted
            column[places[there]] = values[there]
        return column

    def only(self, kept: NDArray[np.bool_]) -> Standings:
        """Those that are kept."""
        return Standings(
            self.numbers[kept],
            self.updated[kept],
            self.importance[kept],
            self.confidence[kept],
            self.subjects[kept],
            self.codes,
        )


class StandingColumns:
    """Columns of vaults, those of the last questions kept. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, tuple[int, Standings]] = OrderedDict()

    def of(self, tx: Transaction, vault_id: int) -> Standings:
        """The columns as this transaction sees them."""
        mark = _mark(tx, vault_id)
        with self._lock:
            known = self._kept.get(vault_id)
            if known is not None and mark is not None and known[0] == mark:
                self._kept.move_to_end(vault_id)
                return known[1]
        made = _read(tx, vault_id)
        if mark is not None:
            with self._lock:
                self._kept[vault_id] = (mark, made)
                self._kept.move_to_end(vault_id)
                while (
                    len(self._kept) > MOST_VAULTS
                    or sum(len(one.numbers) for _, one in self._kept.values()) > MOST_FACTS
                ):
                    self._kept.popitem(last=False)
        return made


def _mark(tx: Transaction, vault_id: int) -> int | None:
    """Which write the vault's knowledge was last changed by; None where that is not kept."""
    if not tx.is_sqlite:
        return None
    name = f"knowledge:{vault_id}"
    return tx.execute(select(change_mark.c.seq).where(change_mark.c.name == name)).scalar_one_or_none() or 0


def _read(tx: Transaction, vault_id: int) -> Standings:
    rows = sorted(lists.standings(tx, vault_id=vault_id))
    codes: dict[Subject, int] = {}
    subjects = [codes.setdefault((row.subject_kind, row.subject_id), len(codes)) for row in rows]
    return Standings(
        np.array([row.number for row in rows], dtype=np.int64),
        np.array([row.updated for row in rows], dtype=np.int64),
        np.array([np.nan if row.importance is None else row.importance for row in rows], dtype=np.float64),
        np.array([row.confidence for row in rows], dtype=np.float64),
        np.array(subjects, dtype=np.int32),
        codes,
    )
