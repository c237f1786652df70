"""Moments of a store that can be told apart: what was written after one is what a page made then does not show yet.

On SQLite a moment is the number of the newest mark. PostgreSQL numbers transactions when they begin to write, not when
they become durable; there a moment is its snapshot: which transactions one sees (pg_current_snapshot).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from sqlalchemy import text

from souvenance.store.change_feed import Written, last_mark
from souvenance.store.database import Transaction

MOST_REMEMBERED = 1000
"""Writes that are remembered; of those before, only that something was written is known."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The transactions of PostgreSQL that one sees: all before `end` but those that were `going` on."""

    end: int
    going: frozenset[int]

    def sees(self, number: int) -> bool:
        """Whether what that transaction wrote was there."""
        return number < self.end and number not in self.going

    def follows(self, other: Snapshot) -> bool:
        """Whether it sees all that the other one sees."""
        return other.end <= self.end and not any(other.sees(number) for number in self.going)


def present_moment(tx: Transaction) -> str:
    """What this transaction sees, as a text to be given back later."""
    if tx.is_sqlite:
        return str(last_mark(tx))
    return str(tx.execute(text("SELECT pg_current_snapshot()::text")).scalar_one())


def read_snapshot(said: str) -> Snapshot | None:
    """A snapshot as PostgreSQL writes it, `xmin:xmax:going,going`; None where it is none."""
    parts = said.split(":")
    going = parts[2].split(",") if len(parts) == 3 and parts[2] else []
    if len(parts) != 3 or not all(_is_number(text) for text in (*parts[:2], *going)):
        return None
    return Snapshot(int(parts[1]), frozenset(map(int, going)))


def _is_number(said: str) -> bool:
    return said.isascii() and said.isdigit() and len(said) < 20


class Heard:
    """What a listener on PostgreSQL has heard of late, so that somebody who comes later is told what they missed."""

    def __init__(self) -> None:
        self._since: Snapshot | None = None
        self._writes: deque[tuple[int, frozenset[str] | None]] = deque()

    def begin(self, since: Snapshot | None) -> None:
        """Nothing that was written after this is missed from now on."""
        self._since = since
        self._writes.clear()

    def add(self, write: Written) -> None:
        """One more, heard after `begin`."""
        if write.by is None or self._since is None:
            return
        if len(self._writes) == MOST_REMEMBERED:  # the oldest is known no more: to those only who have seen it
            gone, _ = self._writes.popleft()
            self._since = Snapshot(max(self._since.end, gone + 1), self._since.going - {gone})
        self._writes.append((write.by, write.marks))

    def after(self, moment: Snapshot) -> list[frozenset[str] | None] | None:
        """The marks of all that was written after that moment; None where it is not known any more."""
        if self._since is None or not moment.follows(self._since):
            return None
        return [marks for by, marks in self._writes if not moment.sees(by)]
