"""One process at a time scans a folder, and one watches: claims that a dead process of this machine does not keep."""

from __future__ import annotations

import os
import socket
import uuid

from souvenance.domain.clock import Clock
from souvenance.store import claims
from souvenance.store.database import Database, Transaction


def new_holder() -> str:
    """A name for one holder that says which process of which machine it is."""
    return f"{socket.gethostname()}|{os.getpid()}|{uuid.uuid4().hex[:8]}"


def claim(database: Database, clock: Clock, *, name: str, holder: str, seconds: float) -> bool:
    """Take, or take again, a piece of work; also from a process of this machine that is no more."""
    with database.write() as tx:
        return claim_in(tx, clock, name=name, holder=holder, seconds=seconds)


def claim_in(tx: Transaction, clock: Clock, *, name: str, holder: str, seconds: float) -> bool:
    """The same, in a transaction under way."""
    at = clock()
    other = claims.holder_of(tx, name=name, at=at)
    if other is not None and other != holder and _is_dead(other):
        claims.release(tx, name=name, holder=other)
    return claims.claim(tx, name=name, holder=holder, seconds=seconds, at=at)


def release(database: Database, *, name: str, holder: str) -> None:
    """Give a piece of work back."""
    with database.write() as tx:
        claims.release(tx, name=name, holder=holder)


def _is_dead(holder: str) -> bool:
    host, _, rest = holder.partition("|")
    number = rest.partition("|")[0]
    if host != socket.gethostname() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
