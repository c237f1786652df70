"""Coming in and going out: the one-time link of the owner, the password, an invitation (A2)."""

from __future__ import annotations

from starlette.responses import Response

from souvenance.accounts.sessions import Entered
from souvenance.domain.errors import NotAuthenticated, NotFound, SouvenanceError
from souvenance.interfaces.panel.problems import status_of
from souvenance.interfaces.panel.safety import let_in, let_out, secret_of
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, own_address, post
from souvenance.terminal import command_of


def show_login(visit: Visit) -> Response:
    """The door: a password where there are accounts, how to get a link where the owner is alone."""
    if visit.known is not None:
        return visit.go(own_address(visit.asked("next")))
    return _door(visit)


def log_in(visit: Visit) -> Response:
    """Begin a session with a password. What is refused is said beside the form, which keeps the handle."""
    try:
        entered = visit.memory.sessions.log_in(
            handle=visit.given("handle"),
            password=visit.given("password"),
            address=visit.request.client.host if visit.request.client else "",
            user_agent=visit.request.headers.get("user-agent", ""),
        )
    except SouvenanceError as error:
        return _door(visit, error=error)
    return _admitted(visit, entered, own_address(visit.given("next")))


def enter(visit: Visit) -> Response:
    """Come in by a one-time link."""
    try:
        entered = visit.memory.entry.enter(visit.path["secret"], user_agent=visit.request.headers.get("user-agent", ""))
    except NotAuthenticated as error:
        if visit.known is not None:  # the link was opened twice by one who is in already
            return visit.go("/")
        return _door(visit, error=error)
    return _admitted(visit, entered, "/")


def show_invitation(visit: Visit) -> Response:
    """What one is invited to: a newcomer makes an account, one who is signed in joins."""
    invitation = visit.memory.invitations.look(visit.path["secret"])
    return visit.page("join.html", invitation=invitation, error=None, handle="", display_name="")


def accept_invitation(visit: Visit) -> Response:
    """Join: with the account that is signed in, or with a new one."""
    secret = visit.path["secret"]
    if visit.known is not None:
        visit.memory.invitations.join(secret, actor=visit.actor)
        return visit.go("/team")
    handle, display_name = visit.given("handle"), visit.given("display_name")
    try:
        entered = visit.memory.invitations.accept(
            secret,
            handle=handle,
            display_name=display_name,
            password=visit.given("password"),
            user_agent=visit.request.headers.get("user-agent", ""),
        )
    except NotFound:
        raise
    except SouvenanceError as error:
        return visit.page(
            "join.html",
            status=status_of(error),
            invitation=visit.memory.invitations.look(secret),
            error=error,
            handle=handle,
            display_name=display_name,
        )
    return _admitted(visit, entered, "/")


def log_out(visit: Visit) -> Response:
    """End this browser's session."""
    visit.memory.sessions.log_out(secret_of(visit.request))
    return let_out(visit.go("/login"), secure=visit.is_secure)


def _door(visit: Visit, *, error: SouvenanceError | None = None) -> Response:
    return visit.page(
        "login.html",
        status=200 if error is None else status_of(error),
        error=error,
        command=_command(visit),
        by_link=visit.memory.entry.is_open,
        by_password=visit.memory.users.can_anyone_log_in(),
        handle=visit.given("handle"),
        next=own_address(visit.given("next") or visit.asked("next")),
    )


def _command(visit: Visit) -> str:
    """What is typed on the machine itself; whoever asks from elsewhere is not told where things stand on it."""
    return command_of(visit.memory) if visit.memory.entry.is_open else "souvenance"


def _admitted(visit: Visit, entered: Entered, address: str) -> Response:
    lasts = int((entered.session.expires_at - visit.memory.clock()).total_seconds())
    return let_in(visit.go(address), entered.secret, seconds=max(lasts, 60), secure=visit.is_secure)


WAYS: tuple[Way, ...] = (
    get("/login", show_login, stranger=True),
    post("/login", log_in, stranger=True),
    get("/enter/{secret}", enter, stranger=True),
    get("/join/{secret}", show_invitation, stranger=True),
    post("/join/{secret}", accept_invitation, stranger=True),
    post("/logout", log_out, stranger=True),
)
