"""What is kept of a user's scope beside the weights: Auto, and the weights before the last gesture (V4, V10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.store.database import Transaction
from souvenance.store.tables import scope_setting


@dataclass(frozen=True, slots=True)
class ScopeSetting:
    """Auto, and the weights by vault id before the last gesture, where there was one."""

    auto: bool = False
    previous: dict[int, int] | None = None


def read_setting(tx: Transaction, *, user_id: int) -> ScopeSetting:
    """The user's setting; the first one where nothing was ever set."""
    row = tx.execute(select(scope_setting).where(scope_setting.c.user_id == user_id)).one_or_none()
    if row is None:
        return ScopeSetting()
    pairs = row.previous
    return ScopeSetting(bool(row.auto), None if pairs is None else {int(one): int(weight) for one, weight in pairs})


def save_setting(
    tx: Transaction, *, user_id: int, auto: bool, previous: Mapping[int, int] | None, changed_at: datetime
) -> None:
    """Write the user's setting."""
    tx.mark("attention", user_id)
    values = {
        "auto": auto,
        "previous": None if previous is None else [[vault_id, weight] for vault_id, weight in previous.items()],
        "changed_at": changed_at,
    }
    statement = (sqlite_insert if tx.is_sqlite else postgresql_insert)(scope_setting)
    tx.execute(
        statement.values(user_id=user_id, **values).on_conflict_do_update(index_elements=["user_id"], set_=values)
    )
