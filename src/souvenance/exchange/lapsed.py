"""Exchanges whose process ended in the middle: told by a lease that ran out, by whoever comes to it.

An exchange under way gives a sign of life from time to time (`heartbeat.py`). No process takes itself for the only one:
what another one answers is left to it for as long as its lease runs.
"""

from __future__ import annotations

from datetime import timedelta

from souvenance.domain.clock import Clock
from souvenance.domain.errors import BrokenOff
from souvenance.store import conversations as rows
from souvenance.store import spending
from souvenance.store.database import Database

LEASE = timedelta(seconds=120)
"""Without a sign of life for so long, an exchange is given up."""
LEASE_ONCE_STOPPED = timedelta(seconds=30)
"""The same where a person wished it stopped: two signs of life are missed by then."""


def broken_off() -> BrokenOff:
    """What is said of an answer whose process ended in the middle."""
    return BrokenOff(
        "The program that answered ended in the middle; what had been said by then is kept.", hint="Ask again."
    )


def settle_lapsed(database: Database, clock: Clock) -> int:
    """Give up what gave no sign of life in time: its turn is shown as broken off, what it spent is counted, what it
    held of a cap is free. How many turns and counts that were; nothing is written where there are none."""
    now = clock()
    with database.read() as tx:
        if not (rows.has_lapsed(tx, at=now) or spending.has_lapsed(tx, at=now)):
            return 0
    with database.write() as tx:
        turns = rows.settle_lapsed(tx, at=now, failure=broken_off().as_dict())
        for user_id in set(turns):
            tx.mark("conversations", user_id)
        return len(turns) + spending.settle_lapsed(tx, at=now)
