"""Who may read and write which vault, as conditions that stand inside every query (A1, A3, V8, V9).

A query that reads vault data asks for `vault_id IN readable(actor)`; there is no other way in. A maximum vault is
readable on a local route only, so that a forgotten check withholds rather than leaks.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Select, and_, or_, select, true

from souvenance.domain.access import Actor, Source
from souvenance.domain.protection import may_leave
from souvenance.domain.vault import Protection, VaultKind
from souvenance.store.tables import membership, vault


def _belongs(actor: Actor) -> ColumnElement[bool]:
    """The actor's user is in the owning team, the token lists the vault, and another application's vault is sealed,
    to an agent without a token too (V9)."""
    conditions: list[ColumnElement[bool]] = [membership.c.user_id == actor.user_id]
    if actor.vaults is not None:
        conditions.append(vault.c.id.in_(sorted(actor.vaults)))
    is_agent = actor.is_model and actor.source is Source.AGENT and not actor.is_asked
    if actor.token_id is not None or is_agent:
        conditions.append(or_(vault.c.kind != VaultKind.APP, vault.c.app == (actor.app or "")))
    return and_(*conditions)


def _may_leave(actor: Actor) -> ColumnElement[bool]:
    return true() if may_leave(Protection.MAXIMUM, actor.route) else vault.c.protection != Protection.MAXIMUM


def _ids(condition: ColumnElement[bool]) -> Select[tuple[int]]:
    return select(vault.c.id).join(membership, membership.c.team_id == vault.c.team_id).where(condition)


def readable(actor: Actor) -> Select[tuple[int]]:
    """Ids of the vaults whose content may be given to this actor over its route."""
    return _ids(and_(_belongs(actor), _may_leave(actor)))


def withheld(actor: Actor) -> Select[tuple[int]]:
    """Ids of the vaults that are the actor's but whose content may not leave over its route (V8)."""
    if may_leave(Protection.MAXIMUM, actor.route):
        return _ids(and_(_belongs(actor), vault.c.id.is_(None)))
    return _ids(and_(_belongs(actor), vault.c.protection == Protection.MAXIMUM))


def known(actor: Actor) -> Select[tuple[int]]:
    """Ids of the vaults that exist for this actor, whether or not their content may leave over its route."""
    return _ids(_belongs(actor))


def configured(actor: Actor) -> Select[tuple[int]]:
    """Ids of the vaults whose affairs this actor may see over its route: those it may configure (A1, A4)."""
    return _ids(and_(_belongs(actor), _may_leave(actor), membership.c.can_configure))


def configured_teams(actor: Actor) -> Select[tuple[int]]:
    """Ids of the teams whose affairs this actor's user may see and change (A1)."""
    return select(membership.c.team_id).where(membership.c.user_id == actor.user_id, membership.c.can_configure)
