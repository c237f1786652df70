"""Teams, who is in them, and invitations into them (A1, A2)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Select, delete, func, insert, select, update

from souvenance.domain.person import Invitation, Member, Team
from souvenance.store.database import Transaction
from souvenance.store.tables import invitation, membership, team, user, vault


def list_teams(tx: Transaction, user_id: int, *, team_id: int | None = None) -> list[Team]:
    """The teams a user is in, or the one with that id if they are in it: their own first, then by name."""
    mine = select(membership.c.team_id).where(membership.c.user_id == user_id)
    statement = (
        select(team, membership.c.user_id, membership.c.can_configure, user.c.handle, user.c.display_name,
               user.c.disabled_at)
        .join(membership, membership.c.team_id == team.c.id)
        .join(user, user.c.id == membership.c.user_id)
        .where(team.c.id.in_(mine if team_id is None else mine.where(membership.c.team_id == team_id)))
        .order_by(team.c.own_of.is_(None), func.lower(team.c.name), team.c.id, user.c.handle)
    )  # fmt: skip
    members: dict[int, list[Member]] = {}
    rows: dict[int, Mapping[Any, Any]] = {}
    for row in tx.execute(statement).mappings():
        rows[row["id"]] = row
        members.setdefault(row["id"], []).append(
            Member(
                user_id=row["user_id"],
                handle=row["handle"],
                display_name=row["display_name"],
                can_configure=row["can_configure"],
                is_disabled=row["disabled_at"] is not None,
            )
        )
    return [
        Team(
            id=row["id"],
            name=row["name"],
            is_own=row["own_of"] == user_id,
            can_configure=any(one.can_configure for one in members[row["id"]] if one.user_id == user_id),
            members=tuple(members[row["id"]]),
            created_at=row["created_at"],
        )
        for row in rows.values()
    ]


def hold_team(tx: Transaction, team_id: int) -> None:
    """Make others who would change who is in a team wait until this transaction ends."""
    tx.hold("team", team_id)


def rename_team(tx: Transaction, *, team_id: int, name: str) -> None:
    """Call a team something else."""
    tx.execute(update(team).where(team.c.id == team_id).values(name=name))


def set_configure(tx: Transaction, *, team_id: int, user_id: int, can_configure: bool) -> None:
    """Give a member the configure permission, or take it."""
    here = (membership.c.team_id == team_id) & (membership.c.user_id == user_id)
    tx.execute(update(membership).where(here).values(can_configure=can_configure))


def remove_member(tx: Transaction, *, team_id: int, user_id: int) -> None:
    """Take a user out of a team."""
    tx.execute(delete(membership).where(membership.c.team_id == team_id, membership.c.user_id == user_id))


def mark_vaults(tx: Transaction, team_id: int) -> None:
    """Tell whoever shows the team's vaults that who may see them has changed."""
    for vault_id in tx.execute(select(vault.c.id).where(vault.c.team_id == team_id)).scalars():
        tx.mark("vault", vault_id)


def slug_is_taken(tx: Transaction, *, team_id: int, slug: str) -> bool:
    """Whether a vault of that team goes by that slug."""
    return tx.execute(select(vault.c.id).where(vault.c.team_id == team_id, vault.c.slug == slug)).first() is not None


def add_invitation(
    tx: Transaction,
    *,
    team_id: int,
    hashed: str,
    can_configure: bool,
    made_by: int,
    at: datetime,
    expires_at: datetime,
) -> int:
    """Keep an invitation's hash; its id."""
    statement = insert(invitation).values(
        team_id=team_id,
        hash=hashed,
        can_configure=can_configure,
        made_by=made_by,
        created_at=at,
        expires_at=expires_at,
    )
    return int(tx.execute(statement.returning(invitation.c.id)).scalar_one())


def _open_invitations(at: datetime) -> Select[Any]:
    # It speaks for who made it: without the permission, or gone, they invite nobody any more.
    still = (membership.c.team_id == invitation.c.team_id) & (membership.c.user_id == invitation.c.made_by)
    return (
        select(invitation, team.c.name.label("team"), user.c.display_name.label("by"))
        .join(team, team.c.id == invitation.c.team_id)
        .join(user, user.c.id == invitation.c.made_by)
        .join(membership, still & membership.c.can_configure)
        .where(invitation.c.ended_at.is_(None), invitation.c.expires_at > at, user.c.disabled_at.is_(None))
        .order_by(invitation.c.id)
    )


def _invitation(row: Mapping[Any, Any]) -> Invitation:
    return Invitation(
        id=row["id"],
        team_id=row["team_id"],
        team=row["team"],
        can_configure=row["can_configure"],
        made_by=row["by"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
    )


def list_invitations(tx: Transaction, *, team_id: int, at: datetime) -> list[Invitation]:
    """The invitations into a team that can still be used, the oldest first."""
    statement = _open_invitations(at).where(invitation.c.team_id == team_id)
    return [_invitation(row) for row in tx.execute(statement).mappings()]


def find_invitation(tx: Transaction, *, hashed: str, at: datetime) -> Invitation | None:
    """The invitation with that hash, if it can still be used."""
    row = tx.execute(_open_invitations(at).where(invitation.c.hash == hashed)).mappings().one_or_none()
    return None if row is None else _invitation(row)


def end_invitation(
    tx: Transaction, *, invitation_id: int, team_id: int, at: datetime, used_by: int | None = None
) -> bool:
    """Use an invitation up, or withdraw it; False where it was ended already."""
    here = (invitation.c.id == invitation_id) & (invitation.c.team_id == team_id) & invitation.c.ended_at.is_(None)
    return tx.execute(update(invitation).where(here).values(ended_at=at, used_by=used_by)).rowcount == 1
