"""Who does a piece of background work now: rows taken by compare-and-set, free again when their lease runs out.

Any number of processes may ask; one holds. A process that dies loses its claims when their time is up, and so loses
nothing else: what is to be done is always read from the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.store.database import Transaction
from souvenance.store.tables import claim as table


def claim(tx: Transaction, *, name: str, holder: str, seconds: float, at: datetime) -> bool:
    """Take, or take again, a piece of work for some seconds from `at`; False while another holder's lease runs."""
    make = sqlite_insert if tx.is_sqlite else postgresql_insert
    wanted = make(table).values(name=name, holder=holder, until=at + timedelta(seconds=seconds))
    taken = wanted.on_conflict_do_update(
        index_elements=["name"],
        set_={"holder": wanted.excluded.holder, "until": wanted.excluded.until},
        where=(table.c.holder == holder) | (table.c.until <= at),
    )
    return tx.execute(taken.returning(table.c.name)).first() is not None


def release(tx: Transaction, *, name: str, holder: str) -> None:
    """Give a piece of work back; nothing happens when another holds it."""
    tx.execute(delete(table).where(table.c.name == name, table.c.holder == holder))


def end(tx: Transaction, *, name: str) -> None:
    """End a lease, whoever holds it."""
    tx.execute(delete(table).where(table.c.name == name))


def held(tx: Transaction, *, prefix: str, at: datetime) -> list[str]:
    """Names of the pieces under a prefix whose lease runs."""
    statement = select(table.c.name).where(table.c.name.startswith(prefix, autoescape=True), table.c.until > at)
    return list(tx.execute(statement.order_by(table.c.name)).scalars())


def sweep(tx: Transaction, *, prefixes: Sequence[str], at: datetime) -> None:
    """Remove the rows of leases that ran out, which crashed processes left."""
    for prefix in prefixes:
        tx.execute(delete(table).where(table.c.name.startswith(prefix, autoescape=True), table.c.until <= at))


def holder_of(tx: Transaction, *, name: str, at: datetime) -> str | None:
    """Who holds a piece of work whose lease runs; None where nobody does."""
    return tx.execute(select(table.c.holder).where(table.c.name == name, table.c.until > at)).scalar()
