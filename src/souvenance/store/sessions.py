"""Sessions of browsers, one-time links and attempts to log in (A2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, insert, select, update

from souvenance.domain.access import Route
from souvenance.domain.person import EnteredBy, Session
from souvenance.store.database import Transaction
from souvenance.store.tables import browser_session as table
from souvenance.store.tables import entry_link, login_attempt, user


def _session(row: Mapping[Any, Any]) -> Session:
    return Session(
        id=row["id"],
        user_id=row["user_id"],
        entered_by=EnteredBy(row["entered_by"]),
        user_agent=row["user_agent"],
        route=Route(row["route"]),
        created_at=row["created_at"],
        last_used_at=row["last_used_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
    )


def add_session(
    tx: Transaction,
    *,
    user_id: int,
    hashed: str,
    entered_by: EnteredBy,
    user_agent: str,
    route: Route,
    at: datetime,
    expires_at: datetime,
) -> Session:
    """Keep a session's hash."""
    statement = insert(table).values(
        user_id=user_id,
        hash=hashed,
        entered_by=entered_by,
        user_agent=user_agent,
        route=route,
        created_at=at,
        last_used_at=at,
        expires_at=expires_at,
    )
    row = tx.execute(statement.returning(table)).mappings().one()
    return replace(_session(row), is_current=True)


def find_session(tx: Transaction, hashed: str) -> Session | None:
    """The session with that hash whose user may still come in; expired and revoked ones too."""
    statement = select(table).join(user, user.c.id == table.c.user_id)
    row = tx.execute(statement.where(table.c.hash == hashed, user.c.disabled_at.is_(None))).mappings().one_or_none()
    return None if row is None else _session(row)


def list_sessions(tx: Transaction, *, user_id: int, at: datetime, idle: timedelta) -> list[Session]:
    """The sessions of a user that are in force, the last used first."""
    statement = select(table).where(
        table.c.user_id == user_id,
        table.c.revoked_at.is_(None),
        table.c.expires_at > at,
        table.c.last_used_at > at - idle,
    )
    ordered = statement.order_by(table.c.last_used_at.desc(), table.c.id.desc())
    return [_session(row) for row in tx.execute(ordered).mappings()]


def touch_session(tx: Transaction, *, session_id: int, at: datetime) -> None:
    """Remember when a session was last used."""
    tx.execute(update(table).where(table.c.id == session_id).values(last_used_at=at))


def revoke_sessions(
    tx: Transaction, *, user_id: int, at: datetime, only: int | None = None, but: int | None = None
) -> int:
    """End a user's sessions, the one with an id, or all but one; how many were in force."""
    statement = update(table).where(table.c.user_id == user_id, table.c.revoked_at.is_(None))
    if only is not None:
        statement = statement.where(table.c.id == only)
    if but is not None:
        statement = statement.where(table.c.id != but)
    return tx.execute(statement.values(revoked_at=at)).rowcount


def revoke_beyond(tx: Transaction, *, user_id: int, keep: int, at: datetime) -> None:
    """End a user's sessions but so many, those used last."""
    in_force = select(table.c.id).where(table.c.user_id == user_id, table.c.revoked_at.is_(None))
    older = in_force.order_by(table.c.last_used_at.desc(), table.c.id.desc()).offset(keep)
    ids = tx.execute(older).scalars().all()
    if ids:
        tx.execute(update(table).where(table.c.id.in_(ids)).values(revoked_at=at))


def forget_sessions(tx: Transaction, *, user_id: int, before: datetime) -> None:
    """Drop what is known of a user's sessions that ended long ago."""
    ended = (table.c.expires_at < before) | (table.c.revoked_at < before)
    tx.execute(delete(table).where(table.c.user_id == user_id, ended))


def add_link(tx: Transaction, *, user_id: int, hashed: str, at: datetime, expires_at: datetime) -> None:
    """Keep a one-time link's hash, and drop those whose time is over."""
    tx.execute(delete(entry_link).where(entry_link.c.expires_at <= at))
    tx.execute(insert(entry_link).values(hash=hashed, user_id=user_id, expires_at=expires_at))


def take_link(tx: Transaction, *, hashed: str, at: datetime) -> int | None:
    """Use a link up: whose it is, None where there is none in force. Of several at once one is answered."""
    statement = delete(entry_link).where(entry_link.c.hash == hashed).returning(entry_link)
    row = tx.execute(statement).mappings().one_or_none()
    return None if row is None or row["expires_at"] <= at else int(row["user_id"])


def count_attempts(tx: Transaction, *, key: str, since: datetime) -> tuple[int, datetime | None]:
    """How many attempts were made under a key since then, and when the first of them was."""
    statement = select(func.count(login_attempt.c.id).label("times"), func.min(login_attempt.c.at).label("first"))
    row = tx.execute(statement.where(login_attempt.c.key == key, login_attempt.c.at > since)).mappings().one()
    return int(row["times"]), row["first"]


def add_attempts(tx: Transaction, *, keys: Sequence[str], at: datetime, forget_before: datetime) -> None:
    """Write an attempt down under each key, and drop those that no longer count."""
    tx.execute(delete(login_attempt).where(login_attempt.c.at <= forget_before))
    tx.execute(insert(login_attempt), [{"key": key, "at": at} for key in keys])


def forgive_attempts(tx: Transaction, *, key: str, at: datetime | None = None) -> None:
    """Drop the attempts under a key, or the one made at that moment."""
    statement = delete(login_attempt).where(login_attempt.c.key == key)
    tx.execute(statement if at is None else statement.where(login_attempt.c.at == at))
