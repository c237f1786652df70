"""The single owner of a memory on one's own machine (A2)."""

from __future__ import annotations

from souvenance.domain.clock import Clock
from souvenance.domain.person import OWNER, UNNAMED, User
from souvenance.store import people
from souvenance.store.database import Database


def ensure_owner(database: Database, clock: Clock) -> User:
    """The owner, made when the memory is first opened; two processes opening it at once make one."""
    with database.read() as tx:
        found = people.find_user(tx, OWNER)
    if found is not None:
        return found
    with database.write() as tx:
        found = people.find_user(tx, OWNER, lock=True)
        return found or people.add_user(tx, handle=OWNER, display_name=UNNAMED, at=clock())
