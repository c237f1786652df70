"""Teams: who shares vaults with whom, and who may change what is in them (A1)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from souvenance.accounts.invitations import PATH
from souvenance.domain.address import is_loopback
from souvenance.domain.person import Invitation
from souvenance.domain.vault import VaultKind
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "team.html"


def show(visit: Visit) -> Response:
    """Every team one is in, with its members, its vaults and its open invitations."""
    return visit.page(PAGE, **_shown(visit))


def create(visit: Visit) -> Response:
    """Make a team."""
    made = visit.memory.teams.create(actor=visit.actor, name=visit.given("name"))
    return _again(visit, visit.say("The team %(name)s is made. Invite someone.", name=made.name))


def rename(visit: Visit) -> Response:
    """Call a team something else."""
    visit.memory.teams.rename(actor=visit.actor, team=visit.path["team"], name=visit.given("name"))
    return _again(visit, visit.say("Saved."))


def invite(visit: Visit) -> Response:
    """Make an invitation; its link is shown this once."""
    invitation, secret = visit.memory.invitations.invite(
        actor=visit.actor, team=visit.path["team"], can_configure=visit.chosen("can_configure", "", "1") == "1"
    )
    link = f"{visit.request.url.scheme}://{visit.request.url.netloc}{PATH}{secret}"
    return visit.piece(
        PAGE,
        "board",
        **{
            **_shown(visit),
            "made": invitation,
            "link": link,
            "is_here_only": is_loopback(visit.request.url.hostname or ""),
        },
    )


def withdraw(visit: Visit) -> Response:
    """Take an invitation back."""
    visit.memory.invitations.withdraw(actor=visit.actor, team=visit.path["team"], invitation=visit.path["invitation"])
    return _again(visit, visit.say("The invitation no longer opens anything."))


def set_configure(visit: Visit) -> Response:
    """Give a member the permission to change things, or take it."""
    visit.memory.teams.set_configure(
        actor=visit.actor,
        team=visit.path["team"],
        member=visit.given("member"),
        can_configure=visit.chosen("can_configure", "0", "1") == "1",
    )
    return _again(visit, visit.say("Saved."))


def remove_member(visit: Visit) -> Response:
    """Take a member out of a team."""
    visit.memory.teams.remove_member(actor=visit.actor, team=visit.path["team"], member=visit.given("member"))
    return _again(visit, visit.say("%(who)s no longer sees this team's vaults.", who=visit.given("member")))


def leave(visit: Visit) -> Response:
    """Leave a team."""
    visit.memory.teams.leave(actor=visit.actor, team=visit.path["team"])
    return _again(visit, visit.say("You have left the team."))


def give_vault(visit: Visit) -> Response:
    """Move a vault to a team: its members read it from now on."""
    moved = visit.memory.teams.move_vault(actor=visit.actor, vault=visit.given("vault"), team=visit.path["team"])
    return _again(visit, visit.say("%(name)s belongs to this team now.", name=moved.name))


def _again(visit: Visit, said: str) -> Response:
    return visit.html(visit.block(PAGE, "board", **_shown(visit)), visit.note(said))


def _shown(visit: Visit) -> dict[str, Any]:
    teams = visit.memory.teams.list(actor=visit.actor)
    invitations: dict[int, list[Invitation]] = {
        team.id: visit.memory.invitations.list(actor=visit.actor, team=team.id)
        for team in teams
        if team.can_configure and not team.is_own
    }
    vaults = visit.memory.vaults.list(actor=visit.actor)
    return {
        "here": "settings",
        "tab": "team",
        "teams": teams,
        "invitations": invitations,
        "vaults": {team.id: [one for one in vaults if one.team_id == team.id] for team in teams},
        "movable": [one for one in vaults if one.can_configure and one.kind not in {VaultKind.PERSONAL, VaultKind.APP}],
        "made": None,
        "link": "",
        "is_here_only": False,
    }


WAYS: tuple[Way, ...] = (
    get("/team", show),
    post("/team", create),
    post("/team/{team:int}/rename", rename),
    post("/team/{team:int}/invite", invite),
    post("/team/{team:int}/invitations/{invitation:int}/withdraw", withdraw),
    post("/team/{team:int}/configure", set_configure),
    post("/team/{team:int}/remove", remove_member),
    post("/team/{team:int}/leave", leave),
    post("/team/{team:int}/vault", give_vault),
)
