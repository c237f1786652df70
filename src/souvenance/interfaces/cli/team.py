"""`souvenance team`: who shares vaults with whom (A1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from souvenance.domain.errors import Conflict, InvalidInput, NotFound
from souvenance.domain.fact import folded
from souvenance.interfaces.cli.session import Session, verb

if TYPE_CHECKING:
    from souvenance.domain.person import Team

group = typer.Typer(name="team", help="Teams that share vaults.", no_args_is_help=True)

Named = Annotated[str, typer.Argument(metavar="TEAM", help="Its name or its number, as `team list` shows them.")]


def _numbered(session: Session, team: str) -> int:
    """The number of the team that is named, case and accents aside, or numbered as `3` or `#3`."""
    teams = session.memory.teams.list(actor=session.actor)
    digits = team.strip().removeprefix("#")
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else None
    is_name = not team.strip().startswith("#")
    found = {one.id for one in teams if (is_name and folded(one.name) == folded(team)) or one.id == number}
    if len(found) > 1:
        said = ", ".join(f"#{one}" for one in sorted(found))
        raise Conflict(f"“{team}” may be any of the teams {said}.", hint="Say which: its number with # before it.")
    if found:
        return found.pop()
    if number is None:
        names = ", ".join(one.name for one in teams if not one.is_own) or "none that you share"
        raise NotFound(
            f"You are in no team of that name. There are: {names}.", hint="souvenance team list shows yours."
        )
    return number  # of a team one is not in: whoever runs the server may take somebody out of it


def _shape(team: Team) -> dict[str, Any]:
    return {
        "team": team.id,
        "name": team.name,
        "is_own": team.is_own,
        "can_configure": team.can_configure,
        "members": [
            {"user": one.handle, "display_name": one.display_name, "can_configure": one.can_configure}
            for one in team.members
        ],
        "created_at": team.created_at,
    }


@verb(group, "add")
def add(session: Session, name: Annotated[str, typer.Argument(help="What it is called.")]) -> None:
    """Make a team, which you configure."""
    made = session.memory.teams.create(actor=session.actor, name=name)
    session.out.say(_shape(made), f"Team {made.id}: {made.name}.")


@verb(group, "list")
def list_teams(session: Session) -> None:
    """List your teams with their members; a star marks who may configure."""
    teams = session.memory.teams.list(actor=session.actor)
    session.out.table(
        {"teams": [_shape(team) for team in teams]},
        columns=("team", "name", "members"),
        rows=[
            (
                team.id,
                f"{team.name} (your own)" if team.is_own else team.name,
                ", ".join(f"{one.handle}{'*' if one.can_configure else ''}" for one in team.members),
            )
            for team in teams
        ],
        empty="You are in no team.",
    )


@verb(group, "rename", example="team rename 'Harp makers' Harps")
def rename(session: Session, team: Named, name: Annotated[str, typer.Argument(help="Its new name.")]) -> None:
    """Call a team something else."""
    found = session.memory.teams.rename(actor=session.actor, team=_numbered(session, team), name=name)
    session.out.say(_shape(found), f"Team {found.id} is called {found.name}.")


@verb(
    group,
    "invite",
    example="team invite 'Harp makers' --days 2",
)
def invite(
    session: Session,
    team: Named,
    *,
    configure: Annotated[bool, typer.Option("--configure", help="They may change what is in its vaults.")] = False,
    days: Annotated[int, typer.Option(min=1, max=90, help="For how long it can be used.")] = 7,
) -> None:
    """Make an invitation into a team and show its link, this once. It lets one person in."""
    from souvenance.accounts.invitations import PATH
    from souvenance.upkeep import presence

    made, secret = session.memory.invitations.invite(
        actor=session.actor, team=_numbered(session, team), can_configure=configure, days=days
    )
    running = presence.read(session.settings().data_folder)
    url = running.url if running is not None and presence.is_running(running) else None
    path = PATH + secret
    shape = {
        "invitation": made.id,
        "team": made.team_id,
        "can_configure": made.can_configure,
        "expires_at": made.expires_at,
        "secret": secret,
        "path": path,
        "url": None if url is None else url + path,
    }
    session.out.say(shape, path if url is None else url + path)
    session.out.note("It works once. Send it to the one person it is for, with your server's public name before it.")


@verb(group, "invitations")
def invitations(session: Session, team: Named) -> None:
    """List the invitations into a team that can still be used; never their links."""
    found = session.memory.invitations.list(actor=session.actor, team=_numbered(session, team))
    session.out.table(
        {"invitations": found},
        columns=("invitation", "made by", "configure", "until"),
        rows=[(one.id, one.made_by, "yes" if one.can_configure else "no", one.expires_at) for one in found],
        empty="There is none.",
    )


@verb(group, "withdraw", example="team withdraw 'Harp makers' 3")
def withdraw(
    session: Session, team: Named, invitation: Annotated[int, typer.Argument(min=1, help="The invitation's number.")]
) -> None:
    """End an invitation before it is used."""
    session.memory.invitations.withdraw(actor=session.actor, team=_numbered(session, team), invitation=invitation)
    session.out.say({"invitation": invitation, "withdrawn": True}, f"Invitation {invitation} lets nobody in any more.")


@verb(
    group,
    "member",
    example="team member 'Harp makers' zoe --configure",
)
def member(
    session: Session,
    team: Named,
    handle: Annotated[str, typer.Argument(help="Who.")],
    *,
    configure: Annotated[bool, typer.Option("--configure", help="Let them change what is in its vaults.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Let them read only.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take them out of the team.")] = False,
) -> None:
    """Change what a member may do, or take them out of the team."""
    if configure + read_only + remove != 1:
        raise InvalidInput(
            "Say one of --configure, --read-only and --remove.", hint="souvenance team list shows who is."
        )
    teams, number = session.memory.teams, _numbered(session, team)
    if remove:
        teams.remove_member(actor=session.actor, team=number, member=handle)
        said = f"{handle} is out of team {number}."
    else:
        teams.set_configure(actor=session.actor, team=number, member=handle, can_configure=configure)
        said = f"{handle} may {'configure' if configure else 'only read'} what team {number} owns."
    shape = {"team": number, "user": handle, "can_configure": configure, "removed": remove}
    session.out.say(shape, said)


@verb(group, "leave")
def leave(session: Session, team: Named) -> None:
    """Leave a team."""
    number = _numbered(session, team)
    session.memory.teams.leave(actor=session.actor, team=number)
    session.out.say({"team": number, "left": True}, f"You are out of team {number}.")


@verb(
    group,
    "give",
    example="team give 'Harp makers' server",
)
def give(session: Session, team: Named, vault: Annotated[str, typer.Argument(help="A vault you configure.")]) -> None:
    """Give a vault to a team: its members read it from now on, those of the team before no more."""
    moved = session.memory.teams.move_vault(actor=session.actor, vault=vault, team=_numbered(session, team))
    session.out.say({"vault": moved.slug, "team": moved.team_id}, f"{moved.name} belongs to team {moved.team_id}.")
