"""Tokens spent, by vault, use, member and hour (C6), and what exchanges under way have spent so far and hold of a cap.

What is under way becomes spending when its exchange ends. Where its process gives no sign of life, it does so too once
its time is up: what is known of it was spent, and what it held is free again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.domain.endpoint import Use
from souvenance.store.database import Transaction
from souvenance.store.tables import spending as table
from souvenance.store.tables import under_way, vault

NO_VAULT = 0
COUNTS = ("calls", "sent", "received", "estimated", "broken_off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What one vault spent on one use: calls, and tokens sent and received. Vault 0: what no vault was read for.

    `estimated`: how many of these tokens no endpoint counted. `broken_off`: calls whose process ended in the middle.
    """

    vault_id: int
    use: Use
    calls: int = 0
    sent: int = 0
    received: int = 0
    estimated: int = 0
    broken_off: int = 0

    @property
    def key(self) -> tuple[int, Use]:
        """Whose and for what."""
        return self.vault_id, self.use

    def beyond(self, known: Spending) -> Spending:
        """What it is more than what was counted already."""
        less = {name: max(0, getattr(self, name) - getattr(known, name)) for name in COUNTS}
        return replace(self, **less)


def add_spending(tx: Transaction, *, spent: Spending, member: str, hour: datetime) -> None:
    """Add to what was spent in that hour."""
    counts = {name: getattr(spent, name) for name in COUNTS}
    statement = (sqlite_insert if tx.is_sqlite else postgresql_insert)(table).values(
        vault_id=spent.vault_id, used_for=spent.use, member=member, hour=hour, **counts
    )
    more = {name: table.c[name] + statement.excluded[name] for name in COUNTS}
    tx.execute(statement.on_conflict_do_update(index_elements=["vault_id", "used_for", "member", "hour"], set_=more))


def list_spending(
    tx: Transaction, *, vault_ids: Collection[int], since: datetime, member: str | None = None
) -> list[Spending]:
    """What these vaults spent since a moment, by use, and what was spent for no vault: by a member, or by anybody."""
    for_none = table.c.vault_id == NO_VAULT
    if member is not None:
        for_none = for_none & (table.c.member == member)
    statement = (
        select(table.c.vault_id, table.c.used_for, *(func.sum(table.c[name]).label(name) for name in COUNTS))
        .where(table.c.vault_id.in_(list(vault_ids)) | for_none, table.c.hour >= since)
        .group_by(table.c.vault_id, table.c.used_for)
        .order_by(table.c.vault_id, table.c.used_for)
    )
    return [
        Spending(
            vault_id=row["vault_id"], use=Use(row["used_for"]), **{name: int(row[name]) for name in COUNTS}
        )
        for row in tx.execute(statement).mappings()
    ]  # fmt: skip


def limits(tx: Transaction, *, vault_id: int) -> tuple[str, Mapping[str, Any]] | None:
    """The name and the settings of a vault, for its limits alone: nobody is shown them."""
    row = tx.execute(select(vault.c.name, vault.c.settings).where(vault.c.id == vault_id)).one_or_none()
    return None if row is None else (row.name, row.settings)


def tokens_since(tx: Transaction, *, vault_id: int, since: datetime, at: datetime) -> int:
    """Tokens of questions put to a vault since a moment, all uses together but embedding; those that are under way
    count with what they hold."""
    total = func.coalesce(func.sum(table.c.sent + table.c.received), 0)
    here = (table.c.vault_id == vault_id) & (table.c.hour >= since) & (table.c.used_for != Use.EMBEDDINGS)
    spent = int(tx.execute(select(total).where(here)).scalar_one())
    mine = select(under_way).where(under_way.c.vault_id == vault_id, under_way.c.hour >= since)
    for row in tx.execute(mine).mappings():
        known = row["sent"] + row["received"]
        spent += max(known, row["reserved"]) if row["until"] > at else known
    return spent


def questions_in(tx: Transaction, *, vault_id: int, member: str, hour: datetime) -> int:
    """How many questions a member put to a vault in that hour, those under way included."""
    return sum(
        int(
            tx.execute(
                select(func.coalesce(func.sum(one.c.calls), 0)).where(
                    one.c.vault_id == vault_id,
                    one.c.member == member,
                    one.c.hour == hour,
                    one.c.used_for == Use.ANSWERS,
                )
            ).scalar_one()
        )
        for one in (table, under_way)
    )


# --- under way -------------------------------------------------------------------------------------------------


def begin_spending(
    tx: Transaction, *, exchange: str, spent: Spending, member: str, hour: datetime, reserved: int, until: datetime
) -> None:
    """Take note of what an exchange is about to spend of one vault, until a moment at which it is given up. Noted
    again, where nobody knows whether the first time came through, it is there once."""
    statement = (sqlite_insert if tx.is_sqlite else postgresql_insert)(under_way).values(
        vault_id=spent.vault_id,
        exchange=exchange,
        used_for=spent.use,
        member=member,
        hour=hour,
        calls=spent.calls,
        sent=spent.sent,
        received=spent.received,
        reserved=reserved,
        until=until,
    )
    now = {name: statement.excluded[name] for name in ("calls", "sent", "received", "until")}
    key = ["vault_id", "exchange", "used_for"]
    tx.execute(statement.on_conflict_do_update(index_elements=key, set_=now))


def renew_spending(tx: Transaction, *, exchange: str, spent: Spending, until: datetime) -> bool:
    """Say how much it is by now and that it goes on; False where it was given up, or erased, meanwhile."""
    here = _of(exchange, spent.key)
    values = {"calls": spent.calls, "sent": spent.sent, "received": spent.received, "until": until}
    return tx.execute(update(under_way).where(here).values(**values)).rowcount == 1


def end_spending(
    tx: Transaction, *, exchange: str, keys: Collection[tuple[int, Use]]
) -> set[tuple[int, Use]]:  # fmt: skip
    """It ended: which of these were still under way. What it spent is for the caller to add."""
    return {key for key in keys if tx.execute(delete(under_way).where(_of(exchange, key))).rowcount == 1}


def has_lapsed(tx: Transaction, *, at: datetime) -> bool:
    """Whether anything under way gave no sign of life in time."""
    return tx.execute(select(under_way.c.exchange).where(under_way.c.until <= at).limit(1)).first() is not None


def settle_lapsed(tx: Transaction, *, at: datetime) -> int:
    """Count as spent what is known of exchanges whose process gave no sign of life in time; how many counts that were.
    Any number of processes may do so at once."""
    settled = 0
    for row in tx.execute(select(under_way).where(under_way.c.until <= at)).mappings().all():
        use = Use(row["used_for"])
        here = _of(row["exchange"], (row["vault_id"], use)) & (under_way.c.until <= at)
        if tx.execute(delete(under_way).where(here)).rowcount != 1:
            continue
        settled += 1
        spent = Spending(
            vault_id=row["vault_id"],
            use=use,
            calls=row["calls"],
            sent=row["sent"],
            received=row["received"],
            estimated=row["sent"] + row["received"],
            broken_off=int(use is Use.ANSWERS),
        )
        add_spending(tx, spent=spent, member=row["member"], hour=row["hour"])
    return settled


def _of(exchange: str, key: tuple[int, Use]) -> Any:
    return (under_way.c.vault_id == key[0]) & (under_way.c.exchange == exchange) & (under_way.c.used_for == key[1])
