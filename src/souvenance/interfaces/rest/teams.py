"""`/teams` and `/invitations`: who shares vaults with whom (A1)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field

from souvenance.accounts.invitations import DAYS, MOST_DAYS
from souvenance.accounts.invitations import PATH as JOIN
from souvenance.interfaces.rest.accounts import GivenHandle, Handle, Password, SessionMade, entered_shown
from souvenance.interfaces.rest.caller import Memory, Owner
from souvenance.interfaces.rest.fields import LARGEST, Given, Shown, Text, VaultName

router = APIRouter(tags=["teams"])

TeamNumber = Annotated[int, Path(ge=1, le=LARGEST, description="Number of a team.")]
InvitationNumber = Annotated[int, Path(ge=1, le=LARGEST, description="Number of an invitation.")]
Secret = Annotated[Text, Field(min_length=1, max_length=200, description="The secret of an invitation.")]


class MemberShown(Shown):
    """Someone in a team."""

    handle: str
    display_name: str
    can_configure: bool
    is_disabled: bool


class TeamShown(Shown):
    """A team the caller is in; `can_configure` is the caller's. `is_own`: nobody else ever joins it."""

    id: int
    name: str
    is_own: bool
    can_configure: bool
    members: list[MemberShown]
    created_at: datetime


class TeamList(Shown):
    """The caller's teams, their own first."""

    teams: list[TeamShown]


class TeamName(Given):
    """What a team is called."""

    name: Annotated[Text, Field(min_length=1)]


class Permission(Given):
    """Whether a member may change what is in the team's vaults."""

    can_configure: bool


class InvitationShown(Shown):
    """An invitation that can still be used; never its secret."""

    id: int
    team_id: int
    team: str
    can_configure: bool
    made_by: str
    created_at: datetime
    expires_at: datetime


class InvitationList(Shown):
    """A team's invitations, the oldest first."""

    invitations: list[InvitationShown]


class InvitationMade(InvitationShown):
    """A new invitation with its secret, which is shown this once, and the path of the panel that takes it."""

    secret: str
    path: str


class NewInvitation(Given):
    """An invitation to make."""

    can_configure: bool = False
    days: Annotated[int, Field(ge=1, le=MOST_DAYS)] = DAYS


class Used(Given):
    """The invitation one holds."""

    secret: Secret


class Acceptance(Used):
    """The account to make with it."""

    handle: GivenHandle
    password: Password
    display_name: Text = ""


class Moved(Shown):
    """Where a vault is now."""

    vault: str
    team: int


@router.get("/teams", summary="List teams")
def list_teams(memory: Memory, actor: Owner) -> TeamList:
    """The teams one is in, with their members."""
    return TeamList.model_validate({"teams": memory.teams.list(actor=actor)})


@router.post("/teams", status_code=201, summary="Make a team")
def create_team(memory: Memory, actor: Owner, given: TeamName) -> TeamShown:
    """A new team, which the caller configures."""
    return TeamShown.model_validate(memory.teams.create(actor=actor, name=given.name))


@router.get("/teams/{team}", summary="Show a team")
def get_team(memory: Memory, actor: Owner, team: TeamNumber) -> TeamShown:
    """One of one's teams."""
    return TeamShown.model_validate(memory.teams.get(actor=actor, team=team))


@router.patch("/teams/{team}", summary="Rename a team")
def rename_team(memory: Memory, actor: Owner, team: TeamNumber, given: TeamName) -> TeamShown:
    """Call a team something else."""
    return TeamShown.model_validate(memory.teams.rename(actor=actor, team=team, name=given.name))


@router.put("/teams/{team}/members/{handle}", summary="Set a member's permission")
def set_configure(memory: Memory, actor: Owner, team: TeamNumber, handle: Handle, given: Permission) -> TeamShown:
    """Give a member the configure permission, or take it."""
    changed = memory.teams.set_configure(actor=actor, team=team, member=handle, can_configure=given.can_configure)
    return TeamShown.model_validate(changed)


@router.delete("/teams/{team}/members/{handle}", summary="Remove a member")
def remove_member(memory: Memory, actor: Owner, team: TeamNumber, handle: Handle) -> TeamShown:
    """Take a member out of a team: they see its vaults no more."""
    return TeamShown.model_validate(memory.teams.remove_member(actor=actor, team=team, member=handle))


@router.post("/teams/{team}/leave", status_code=204, summary="Leave a team")
def leave(memory: Memory, actor: Owner, team: TeamNumber) -> None:
    """Leave a team."""
    memory.teams.leave(actor=actor, team=team)


@router.put("/teams/{team}/vaults/{vault}", summary="Give a vault to a team")
def move_vault(memory: Memory, actor: Owner, team: TeamNumber, vault: VaultName) -> Moved:
    """Give a vault to a team: its members read it from now on, those of the one before no more."""
    moved = memory.teams.move_vault(actor=actor, vault=vault, team=team)
    return Moved(vault=moved.slug, team=moved.team_id)


@router.get("/teams/{team}/invitations", summary="List invitations")
def list_invitations(memory: Memory, actor: Owner, team: TeamNumber) -> InvitationList:
    """The invitations into a team that can still be used."""
    return InvitationList.model_validate({"invitations": memory.invitations.list(actor=actor, team=team)})


@router.post("/teams/{team}/invitations", status_code=201, summary="Invite someone")
def invite(memory: Memory, actor: Owner, team: TeamNumber, given: NewInvitation) -> InvitationMade:
    """An invitation into a team, and its secret this once."""
    made, secret = memory.invitations.invite(actor=actor, team=team, can_configure=given.can_configure, days=given.days)
    shown = InvitationShown.model_validate(made).model_dump()
    return InvitationMade.model_validate(shown | {"secret": secret, "path": JOIN + secret})


@router.delete("/teams/{team}/invitations/{invitation}", status_code=204, summary="Withdraw an invitation")
def withdraw(memory: Memory, actor: Owner, team: TeamNumber, invitation: InvitationNumber) -> None:
    """End an invitation before it is used."""
    memory.invitations.withdraw(actor=actor, team=team, invitation=invitation)


@router.post("/invitations/look", summary="Look at an invitation")
def look(memory: Memory, given: Used) -> InvitationShown:
    """What an invitation is for; asks for no token and does not use it up."""
    return InvitationShown.model_validate(memory.invitations.look(given.secret))


@router.post("/invitations/accept", status_code=201, summary="Accept an invitation as a newcomer")
def accept(memory: Memory, request: Request, given: Acceptance) -> SessionMade:
    """Make an account, join the team and begin a session; asks for no token."""
    return entered_shown(
        memory.invitations.accept(
            given.secret,
            handle=given.handle,
            password=given.password,
            display_name=given.display_name,
            user_agent=request.headers.get("user-agent", ""),
        )
    )


@router.post("/invitations/join", summary="Accept an invitation as a user")
def join(memory: Memory, actor: Owner, given: Used) -> TeamShown:
    """Join a team as the user one is."""
    return TeamShown.model_validate(memory.invitations.join(given.secret, actor=actor))
