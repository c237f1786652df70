"""What an import has to say of a file, however much of the file is wrong (R4)."""

from __future__ import annotations

from typing import TypeVar

MOST_REMARKS = 1_000
"""Remarks of one kind that are kept; more of them are only counted."""
MOST_FAULTS = 10_000
"""Entries that are none, after which a file of which nothing could be taken is refused."""

_Said = TypeVar("_Said")


class Remarks(list[_Said]):
    """A list that keeps the first of what is appended and counts the others: a small file may hold endless faults."""

    more = 0
    """How many were appended and not kept."""

    def append(self, said: _Said, /) -> None:
        """Keep it, or count it."""
        if len(self) < MOST_REMARKS:
            super().append(said)
        else:
            self.more += 1

    @property
    def total(self) -> int:
        """How many there were."""
        return len(self) + self.more

    def close(self, last: _Said) -> None:
        """Say at the end that there were more, where there were."""
        if self.more:
            self.insert(len(self), last)
            self.more = 0
