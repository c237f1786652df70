"""Whether a memory can be asked, and how much it holds: for those who watch over a server (R6)."""

from __future__ import annotations

from souvenance.store import check
from souvenance.store.database import Database

COUNTED = ("vaults", "facts", "notes", "passages")


class Census:
    """Numbers of one memory, over all its vaults; never what stands in them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check(self) -> str:
        """The schema of the store. Raises StoreUnavailable, or one of its kinds, when it cannot be worked with now."""
        return self._database.require_current()

    def counts(self) -> dict[str, int]:
        """Vaults, facts in force, notes that stand, and passages that can be found."""
        with self._database.read() as tx:
            return check.counts(tx, only=COUNTED)
