"""Endpoints and what they are used for, per user (C2)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.domain.access import Route
from souvenance.domain.endpoint import Endpoint, Use
from souvenance.store.database import Transaction
from souvenance.store.tables import endpoint, endpoint_use


class Kept(NamedTuple):
    """An endpoint and its sealed key."""

    endpoint: Endpoint
    sealed_key: str | None


def _kept(row: Mapping[Any, Any], uses: tuple[Use, ...]) -> Kept:
    shown = Endpoint(
        id=row["id"],
        name=row["name"],
        base_url=row["base_url"],
        model=row["model"],
        has_key=row["sealed_key"] is not None,
        route=Route(row["route"]),
        takes_schema=bool(row["takes_schema"]),
        dimension=row["dimension"],
        uses=uses,
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
    return Kept(shown, row["sealed_key"])


def list_endpoints(tx: Transaction, *, user_id: int) -> list[Kept]:
    """A user's endpoints by name."""
    used: dict[int, list[Use]] = {}
    for row in tx.execute(select(endpoint_use).where(endpoint_use.c.user_id == user_id)):
        used.setdefault(row.endpoint_id, []).append(Use(row.used_for))
    rows = tx.execute(select(endpoint).where(endpoint.c.user_id == user_id).order_by(endpoint.c.name)).mappings()
    return [_kept(row, tuple(sorted(used.get(row["id"], ())))) for row in rows]


def endpoint_for(tx: Transaction, *, user_id: int, use: Use) -> Kept | None:
    """The endpoint a user has for a use."""
    statement = (
        select(endpoint)
        .join(endpoint_use, endpoint_use.c.endpoint_id == endpoint.c.id)
        .where(endpoint_use.c.user_id == user_id, endpoint_use.c.used_for == use, endpoint.c.user_id == user_id)
    )
    row = tx.execute(statement).mappings().one_or_none()
    return None if row is None else _kept(row, (use,))


def add_endpoint(tx: Transaction, *, user_id: int, at: datetime, values: Mapping[str, Any]) -> int:
    """A new endpoint; its id."""
    statement = insert(endpoint).values(user_id=user_id, created_at=at, updated_at=at, **values)
    return int(tx.execute(statement.returning(endpoint.c.id)).scalar_one())


def save_endpoint(tx: Transaction, *, user_id: int, endpoint_id: int, at: datetime, values: Mapping[str, Any]) -> None:
    """Change columns of one endpoint."""
    here = (endpoint.c.id == endpoint_id) & (endpoint.c.user_id == user_id)
    tx.execute(update(endpoint).where(here).values(updated_at=at, **values))


def remove_endpoint(tx: Transaction, *, user_id: int, endpoint_id: int) -> None:
    """Remove an endpoint with its key; its uses go with it."""
    tx.execute(delete(endpoint).where(endpoint.c.id == endpoint_id, endpoint.c.user_id == user_id))


def set_use(tx: Transaction, *, user_id: int, use: Use, endpoint_id: int | None) -> None:
    """Say which endpoint a use has; None for none."""
    if endpoint_id is None:
        tx.execute(delete(endpoint_use).where(endpoint_use.c.user_id == user_id, endpoint_use.c.used_for == use))
        return
    statement = (sqlite_insert if tx.is_sqlite else postgresql_insert)(endpoint_use)
    tx.execute(
        statement.values(user_id=user_id, used_for=use, endpoint_id=endpoint_id).on_conflict_do_update(
            index_elements=["user_id", "used_for"], set_={"endpoint_id": endpoint_id}
        )
    )
