"""Users, their teams and their tokens (A1 to A3)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, text, update

from souvenance.domain.access import Route
from souvenance.domain.person import OWNER, Token, User
from souvenance.store.database import Transaction
from souvenance.store.tables import membership, team, token, token_vault, user


def find_user(tx: Transaction, handle: str, *, lock: bool = False) -> User | None:
    """The user with that handle; with `lock`, others who would make one wait until this transaction ends."""
    if lock and not tx.is_sqlite:
        tx.execute(text("LOCK TABLE user_account IN EXCLUSIVE MODE"))
    row = tx.execute(select(user).where(user.c.handle == handle)).mappings().one_or_none()
    return None if row is None else _user(row)


def _user(row: Mapping[Any, Any]) -> User:
    return User(
        id=row["id"],
        handle=row["handle"],
        display_name=row["display_name"],
        language=row["language"],
        time_zone=row["time_zone"],
        theme=row["theme"],
        has_password=row["password_hash"] is not None,
        created_at=row["created_at"],
        disabled_at=row["disabled_at"],
    )


def get_user(tx: Transaction, user_id: int) -> User | None:
    """The user with that id."""
    row = tx.execute(select(user).where(user.c.id == user_id)).mappings().one_or_none()
    return None if row is None else _user(row)


def list_users(tx: Transaction) -> list[User]:
    """Every user, those who may no longer come in too, by handle."""
    return [_user(row) for row in tx.execute(select(user).order_by(user.c.handle)).mappings()]


def is_owner(tx: Transaction, user_id: int) -> bool:
    """Whether that user is the one whose machine the memory is on."""
    return tx.execute(select(user.c.id).where(user.c.id == user_id, user.c.handle == OWNER)).first() is not None


def has_any_password(tx: Transaction) -> bool:
    """Whether anybody could log in."""
    statement = select(user.c.id).where(user.c.password_hash.is_not(None), user.c.disabled_at.is_(None)).limit(1)
    return tx.execute(statement).first() is not None


def password_hash_of(tx: Transaction, user_id: int) -> str | None:
    """What is kept of a user's password, None where they have none."""
    found: str | None = tx.execute(select(user.c.password_hash).where(user.c.id == user_id)).scalar()
    return found


def update_user(tx: Transaction, *, user_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of one user."""
    tx.execute(update(user).where(user.c.id == user_id).values(**values))


def add_user(tx: Transaction, *, handle: str, display_name: str, at: datetime) -> User:
    """A new user with a team of their own, which nobody else joins."""
    values = {"handle": handle, "display_name": display_name, "created_at": at}
    made = _user(tx.execute(insert(user).values(**values).returning(user)).mappings().one())
    team_id = add_team(tx, name=display_name, at=at, own_of=made.id)
    add_member(tx, team_id=team_id, user_id=made.id, can_configure=True)
    return made


def add_team(tx: Transaction, *, name: str, at: datetime, own_of: int | None = None) -> int:
    """A new team; its id."""
    values = {"name": name, "created_at": at, "own_of": own_of}
    return int(tx.execute(insert(team).values(**values).returning(team.c.id)).scalar_one())


def add_member(tx: Transaction, *, team_id: int, user_id: int, can_configure: bool) -> None:
    """Put a user in a team."""
    tx.execute(insert(membership).values(team_id=team_id, user_id=user_id, can_configure=can_configure))


def own_team(tx: Transaction, user_id: int) -> int:
    """The team a user was given at first, which nobody else joins: where their own vaults go."""
    return int(tx.execute(select(team.c.id).where(team.c.own_of == user_id)).scalar_one())


def add_token(
    tx: Transaction,
    *,
    user_id: int,
    name: str,
    hashed: str,
    can_write: bool,
    route: Route,
    app: str | None,
    vault_ids: frozenset[int] | None,
    at: datetime,
) -> int:
    """Keep a token's hash; its id."""
    token_id = tx.execute(
        insert(token)
        .values(
            user_id=user_id,
            name=name,
            hash=hashed,
            can_write=can_write,
            route=route,
            app=app,
            every_vault=vault_ids is None,
            created_at=at,
        )
        .returning(token.c.id)
    ).scalar_one()
    if vault_ids:
        tx.execute(insert(token_vault), [{"token_id": token_id, "vault_id": vault_id} for vault_id in vault_ids])
    return int(token_id)


def list_tokens(tx: Transaction, *, user_id: int | None = None, hashed: str | None = None) -> list[Token]:
    """Tokens of one user, or the one with that hash; revoked ones too."""
    statement = select(token).order_by(token.c.id)
    if user_id is not None:
        statement = statement.where(token.c.user_id == user_id)
    if hashed is not None:
        statement = statement.where(token.c.hash == hashed)
    rows = tx.execute(statement).mappings().all()
    listed: dict[int, set[int]] = {}
    if rows:
        ids = [row["id"] for row in rows]
        for pair in tx.execute(
            select(token_vault.c.token_id, token_vault.c.vault_id).where(token_vault.c.token_id.in_(ids))
        ):
            listed.setdefault(pair.token_id, set()).add(pair.vault_id)
    return [
        Token(
            id=row["id"],
            user_id=row["user_id"],
            name=row["name"],
            can_write=row["can_write"],
            route=Route(row["route"]),
            app=row["app"],
            vault_ids=None if row["every_vault"] else frozenset(listed.get(row["id"], ())),
            created_at=row["created_at"],
            last_used_at=row["last_used_at"],
            revoked_at=row["revoked_at"],
        )
        for row in rows
    ]


def revoke_token(tx: Transaction, *, user_id: int, token_id: int, at: datetime) -> bool:
    """End a token of that user; False where there is none in force."""
    statement = update(token).where(token.c.id == token_id, token.c.user_id == user_id, token.c.revoked_at.is_(None))
    return tx.execute(statement.values(revoked_at=at)).rowcount == 1


def revoke_tokens(tx: Transaction, *, user_id: int, at: datetime) -> int:
    """End every token of a user; how many were in force."""
    statement = update(token).where(token.c.user_id == user_id, token.c.revoked_at.is_(None))
    return tx.execute(statement.values(revoked_at=at)).rowcount


def touch_token(tx: Transaction, *, token_id: int, at: datetime) -> None:
    """Remember when a token was last used."""
    tx.execute(update(token).where(token.c.id == token_id).values(last_used_at=at))


def time_zone_of(tx: Transaction, user_id: int) -> str:
    """The IANA name of the zone a user lives in; UTC until they say."""
    return str(tx.execute(select(user.c.time_zone).where(user.c.id == user_id)).scalar() or "UTC")


def display_name_of(tx: Transaction, user_id: int) -> str:
    """What a user is called; empty where there is no such user."""
    return str(tx.execute(select(user.c.display_name).where(user.c.id == user_id)).scalar() or "")


def language_of(tx: Transaction, user_id: int) -> str:
    """The language a user chose; empty until they do."""
    return str(tx.execute(select(user.c.language).where(user.c.id == user_id)).scalar() or "")
