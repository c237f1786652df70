"""`souvenance user`, `session` and `open`: who may sign in, where they are signed in, and coming in at this machine."""

from __future__ import annotations

import getpass
import http.client
import json
import sys
import webbrowser
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from souvenance.domain.errors import InvalidInput, NotAllowed, NotFound, StoreUnavailable
from souvenance.domain.wording import counted
from souvenance.interfaces.cli.session import Session, verb

if TYPE_CHECKING:
    from souvenance.domain.person import User
    from souvenance.upkeep.presence import Presence

group = typer.Typer(name="user", help="People who may sign in.", no_args_is_help=True)
sessions = typer.Typer(name="session", help="Browsers in which you are signed in.", no_args_is_help=True)
single = typer.Typer()

Handle = Annotated[str, typer.Argument(help="What they log in with.")]
FromInput = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]
_SECONDS = 10.0


def _shape(user: User) -> dict[str, Any]:
    return {
        "user": user.handle,
        "display_name": user.display_name,
        "has_password": user.has_password,
        "is_owner": user.is_owner,
        "created_at": user.created_at,
        "disabled_at": user.disabled_at,
    }


def _password(session: Session, *, from_input: bool) -> str:
    """Typed twice unseen, or the first line of standard input. Never an argument, which others could see."""
    if from_input:
        try:
            return sys.stdin.buffer.readline().decode().rstrip("\r\n")
        except UnicodeDecodeError:
            raise InvalidInput("The password on standard input is not UTF-8.", hint="Convert it first.") from None
    if not sys.stdin.isatty() or session.out.as_json:
        raise InvalidInput("A password is needed.", hint="Say --password-stdin and send it on standard input.")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != first:
        raise InvalidInput("The two are not the same.", hint="Try again; nothing was changed.")
    return first


@verb(group, "add")
def add(
    session: Session,
    handle: Handle,
    *,
    name: Annotated[str, typer.Option(help="What they are called; the handle when left out.")] = "",
    password_stdin: FromInput = False,
    no_password: Annotated[bool, typer.Option("--no-password", help="They cannot log in yet.")] = False,
) -> None:
    """Make a user with a personal vault."""
    password = None if no_password else _password(session, from_input=password_stdin)
    made = session.memory.users.create(actor=session.actor, handle=handle, display_name=name, password=password)
    session.out.say(_shape(made), f"{made.handle} may sign in." if password else f"{made.handle} is made.")


@verb(group, "list")
def list_users(session: Session) -> None:
    """List the users, those who were removed too."""
    shapes = [_shape(user) for user in session.memory.users.list(actor=session.actor)]
    session.out.table(
        {"users": shapes},
        columns=("handle", "name", "password", "created", "removed"),
        rows=[
            (s["user"], s["display_name"], "set" if s["has_password"] else "none", s["created_at"], s["disabled_at"])
            for s in shapes
        ],
        empty="There is nobody.",
    )


@verb(group, "password")
def password(session: Session, handle: Handle, *, password_stdin: FromInput = False) -> None:
    """Set a user's password; they are signed out everywhere."""
    given = _password(session, from_input=password_stdin)
    ended = session.memory.users.set_password(actor=session.actor, handle=handle, password=given)
    session.out.say(
        {"user": handle, "ended_sessions": ended}, f"The password is set; {counted(ended, 'session')} ended."
    )


@verb(group, "remove")
def remove(
    session: Session, handle: Handle, *, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
) -> None:
    """Let a user in no more: sessions and tokens end, teams are left. What they wrote stays."""
    session.confirm(f"Let {handle} in no more?", yes=yes, why="Their sessions and tokens end.")
    removed = session.memory.users.remove(actor=session.actor, handle=handle)
    session.out.say(_shape(removed), f"{removed.handle} is let in no more; what they wrote stays.")


@verb(group, "restore")
def restore(session: Session, handle: Handle) -> None:
    """Let a removed user in again."""
    found = session.memory.users.restore(actor=session.actor, handle=handle)
    session.out.say(_shape(found), f"{found.handle} may come in again.")


@verb(sessions, "list")
def list_sessions(session: Session) -> None:
    """List where you are signed in, the last used first; never the secrets."""
    found = session.memory.sessions.list(actor=session.actor)
    session.out.table(
        {"sessions": found},
        columns=("session", "entered by", "browser", "since", "last used", "until"),
        rows=[(s.id, s.entered_by, s.user_agent, s.created_at, s.last_used_at, s.expires_at) for s in found],
        empty="You are signed in nowhere.",
    )


@verb(sessions, "revoke")
def revoke(
    session: Session,
    number: Annotated[int | None, typer.Argument(min=1, help="Its number, as `session list` shows it.")] = None,
    *,
    everywhere: Annotated[bool, typer.Option("--all", help="End all of them.")] = False,
) -> None:
    """Sign out of one browser, or of all of them."""
    if number is not None and everywhere:
        raise InvalidInput("Name one session or say --all, not both.", hint="souvenance session list shows them.")
    if number is None and not everywhere:
        raise InvalidInput("Name one session, or say --all.", hint="souvenance session list shows them.")
    if number is None:
        ended = session.memory.sessions.revoke_others(actor=session.actor)
    else:
        session.memory.sessions.revoke(actor=session.actor, session=number)
        ended = 1
    session.out.say({"ended": ended}, f"{counted(ended, 'session')} ended.")


@verb(single, "open")
def open_panel(
    session: Session,
    *,
    only_print: Annotated[bool, typer.Option("--print", help="Print the link and open no browser.")] = False,
) -> None:
    """Open the panel of the running server as its owner, with a link that works once."""
    from souvenance.upkeep import presence

    running = presence.read(session.settings().data_folder)
    if running is None or not presence.is_running(running):
        raise NotFound("No server runs on this memory.", hint="Start one: souvenance serve.")
    link = running.url + _new_link(running)
    session.out.say({"url": link}, link)
    if not (only_print or session.out.as_json or webbrowser.open(link)):
        session.out.note("No browser opens here: follow the link in one on this machine.")


def _new_link(running: Presence) -> str:
    """Ask the server for a link: it knows whether others can reach it."""
    at = urlsplit(running.url)
    connection = http.client.HTTPConnection(at.hostname or "", at.port, timeout=_SECONDS)
    headers = {"Authorization": f"Bearer {running.token}", "X-Souvenance-Route": "local"}
    try:
        connection.request("POST", "/api/v1/entry-links", headers=headers)
        response = connection.getresponse()
        found = json.loads(response.read(100_000))
    except (OSError, http.client.HTTPException, ValueError):
        raise StoreUnavailable("The server does not answer.", hint="Restart it: souvenance serve.") from None
    finally:
        connection.close()
    if response.status != http.HTTPStatus.CREATED:
        raise NotAllowed(str(found.get("message", "The server refused.")), hint=str(found.get("hint", "")))
    return str(found["path"])
