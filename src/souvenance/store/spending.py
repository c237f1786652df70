"""Tokens spent, by vault, use, member and hour (C6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.domain.endpoint import Use
from souvenance.store.database import Transaction
from souvenance.store.tables import spending as table
from souvenance.store.tables import vault

NO_VAULT = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What one vault spent on one use: calls, and tokens sent and received. Vault 0: what no vault was read for."""

    vault_id: int
    use: Use
    calls: int
    sent: int
    received: int


def add_spending(
    tx: Transaction, *, vault_id: int, use: Use, member: str, hour: datetime, calls: int, sent: int, received: int
) -> None:
    """Add to what was spent in that hour."""
    statement = (sqlite_insert if tx.is_sqlite else postgresql_insert)(table).values(
        vault_id=vault_id, used_for=use, member=member, hour=hour, calls=calls, sent=sent, received=received
    )
    more = {name: table.c[name] + statement.excluded[name] for name in ("calls", "sent", "received")}
    tx.execute(statement.on_conflict_do_update(index_elements=["vault_id", "used_for", "member", "hour"], set_=more))


def list_spending(
    tx: Transaction, *, vault_ids: Collection[int], since: datetime, member: str | None = None
) -> list[Spending]:
    """What these vaults spent since a moment, by use, and what was spent for no vault: by a member, or by anybody."""
    for_none = table.c.vault_id == NO_VAULT
    if member is not None:
        for_none = for_none & (table.c.member == member)
    statement = (
        select(
            table.c.vault_id,
            table.c.used_for,
            func.sum(table.c.calls).label("calls"),
            func.sum(table.c.sent).label("sent"),
            func.sum(table.c.received).label("received"),
        )
        .where(table.c.vault_id.in_(list(vault_ids)) | for_none, table.c.hour >= since)
        .group_by(table.c.vault_id, table.c.used_for)
        .order_by(table.c.vault_id, table.c.used_for)
    )
    return [
        Spending(
            vault_id=row.vault_id,
            use=Use(row.used_for),
            calls=int(row.calls),
            sent=int(row.sent),
            received=int(row.received),
        )
        for row in tx.execute(statement)
    ]


def limits(tx: Transaction, *, vault_id: int) -> tuple[str, Mapping[str, Any]] | None:
    """The name and the settings of a vault, for its limits alone: nobody is shown them."""
    row = tx.execute(select(vault.c.name, vault.c.settings).where(vault.c.id == vault_id)).one_or_none()
    return None if row is None else (row.name, row.settings)


def tokens_since(tx: Transaction, *, vault_id: int, since: datetime) -> int:
    """Tokens sent and received for a vault since a moment, all uses together."""
    total = func.coalesce(func.sum(table.c.sent + table.c.received), 0)
    return int(tx.execute(select(total).where(table.c.vault_id == vault_id, table.c.hour >= since)).scalar_one())


def questions_in(tx: Transaction, *, vault_id: int, member: str, hour: datetime) -> int:
    """How many questions a member put to a vault in that hour."""
    mine = (table.c.vault_id == vault_id) & (table.c.member == member) & (table.c.hour == hour)
    statement = select(func.coalesce(func.sum(table.c.calls), 0)).where(mine, table.c.used_for == Use.ANSWERS)
    return int(tx.execute(statement).scalar_one())
