"""Discord servers and their members as rows (D1 to D4)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Select, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.domain.access import Actor
from souvenance.domain.fact import Fact, State, SubjectKind
from souvenance.domain.server import Server, ServerSettings, settings_of
from souvenance.store.access import readable
from souvenance.store.database import Transaction
from souvenance.store.facts import fact_of, in_state
from souvenance.store.tables import fact, server, server_member, vault


def _servers() -> Select[Any]:
    return select(server, vault.c.slug).join(vault, vault.c.id == server.c.vault_id)


def _server(row: Mapping[Any, Any]) -> Server:
    return Server(
        guild_id=row["guild_id"],
        vault_id=row["vault_id"],
        vault=row["slug"],
        name=row["name"],
        settings=settings_of(row["settings"]),
        heard_from=row["heard_from"],
        joined_at=row["joined_at"],
        updated_at=row["updated_at"],
    )


def find_server(tx: Transaction, *, guild_id: str | None = None, vault_id: int | None = None) -> Server | None:
    """The server of that id, or whose memory that vault is."""
    condition = server.c.guild_id == guild_id if guild_id is not None else server.c.vault_id == vault_id
    row = tx.execute(_servers().where(condition)).mappings().one_or_none()
    return None if row is None else _server(row)


def list_servers(tx: Transaction, actor: Actor) -> list[Server]:
    """The servers whose vaults may be shown to this actor, by name."""
    statement = _servers().where(server.c.vault_id.in_(readable(actor))).order_by(server.c.name, server.c.guild_id)
    return [_server(row) for row in tx.execute(statement).mappings()]


def add_server(tx: Transaction, *, guild_id: str, vault_id: int, name: str, at: datetime) -> None:
    """Keep that a server's memory is that vault."""
    values = {"heard_from": at, "joined_at": at, "updated_at": at, "settings": ServerSettings().plain()}
    tx.execute(insert(server).values(guild_id=guild_id, vault_id=vault_id, name=name, **values))


def update_server(tx: Transaction, *, guild_id: str, at: datetime, **values: Any) -> None:
    """Change columns of one server."""
    tx.execute(update(server).where(server.c.guild_id == guild_id).values(updated_at=at, **values))


def keep_member(tx: Transaction, *, vault_id: int, member_id: str, at: datetime, **values: Any) -> None:
    """Keep what is given of a member: the name shown now, whether they opted out."""
    make = sqlite_insert if tx.is_sqlite else postgresql_insert
    statement = make(server_member).values(vault_id=vault_id, member_id=member_id, updated_at=at, **values)
    changed = {name: statement.excluded[name] for name in ("updated_at", *values)}
    tx.execute(statement.on_conflict_do_update(index_elements=["vault_id", "member_id"], set_=changed))


def member_names(tx: Transaction, *, vault_id: int, member_ids: Collection[str]) -> dict[str, str]:
    """The names that these members of a server had when last seen, by id, where one is kept."""
    statement = select(server_member.c.member_id, server_member.c.name).where(
        server_member.c.vault_id == vault_id,
        server_member.c.member_id.in_(list(member_ids)),
        server_member.c.name != "",
    )
    return {row.member_id: row.name for row in tx.execute(statement)}


def opted_out(tx: Transaction, *, vault_id: int, member_ids: Collection[str]) -> frozenset[str]:
    """Those of these members whom nothing may be learnt about."""
    statement = select(server_member.c.member_id).where(
        server_member.c.vault_id == vault_id,
        server_member.c.member_id.in_(list(member_ids)),
        server_member.c.opted_out.is_(True),
    )
    return frozenset(tx.execute(statement).scalars())


def all_opted_out(tx: Transaction, *, vault_id: int) -> frozenset[str]:
    """Everyone of a server who opted out, by id."""
    statement = select(server_member.c.member_id).where(
        server_member.c.vault_id == vault_id, server_member.c.opted_out.is_(True)
    )
    return frozenset(tx.execute(statement).scalars())


def facts_about(tx: Transaction, *, vault_id: int, member_id: str, states: Collection[State]) -> list[Fact]:
    """The facts about a member, the most recently updated first."""
    statement = select(fact).where(
        fact.c.vault_id == vault_id,
        fact.c.subject_kind == SubjectKind.MEMBER,
        fact.c.subject_id == member_id,
        in_state(*states),
    )
    order = (fact.c.updated_at.desc(), fact.c.number.desc())
    return [fact_of(row) for row in tx.execute(statement.order_by(*order)).mappings()]
