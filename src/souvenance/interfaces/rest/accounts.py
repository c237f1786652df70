"""`/me`, `/sessions`, `/users` and `/entry-links`: people who sign in, and how (A2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field

from souvenance.accounts.entry import PATH
from souvenance.accounts.sessions import Entered
from souvenance.domain.access import Route
from souvenance.domain.person import EnteredBy, Theme
from souvenance.interfaces.rest.caller import Caller, Memory, Owner, slugs
from souvenance.interfaces.rest.fields import LARGEST, Given, Shown, Text

router = APIRouter(tags=["accounts"])

Handle = Annotated[str, Path(min_length=1, max_length=200, description="Handle of a user.")]
GivenHandle = Annotated[Text, Field(min_length=1, max_length=200, description="What one logs in with.")]
Password = Annotated[str, Field(max_length=4096)]


class UserShown(Shown):
    """A user. An empty language or theme is that of the browser."""

    handle: str
    display_name: str
    language: str
    theme: str
    time_zone: str
    has_password: bool
    is_owner: bool
    created_at: datetime
    disabled_at: datetime | None


class UserList(Shown):
    """Every user, those who were removed too."""

    users: list[UserShown]


class NewUser(Given):
    """A user to make; without a password they cannot log in yet."""

    handle: GivenHandle
    display_name: Text = ""
    password: Password | None = None


class Profile(Given):
    """What to change of one's own profile; what is left out stays."""

    display_name: Annotated[Text, Field(min_length=1)] | None = None
    language: Annotated[Text, Field(description="`en`, `fr`, or empty for the browser's.")] | None = None
    theme: Annotated[Theme, Field(strict=False)] | None = None
    time_zone: Annotated[Text, Field(max_length=100, description="As Europe/Paris.")] | None = None


class NewPassword(Given):
    """A password to set for oneself. `old` is not looked at where there is none yet."""

    old: Password = ""
    new: Password


class SetPassword(Given):
    """A password to set for a user."""

    password: Password


class Ended(Shown):
    """How many sessions ended."""

    ended: int


class SessionShown(Shown):
    """Where someone is signed in; never its secret. `expires_at`: when it ends if it is not used until then."""

    id: int
    entered_by: EnteredBy
    user_agent: str
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    is_current: bool


class SessionList(Shown):
    """The caller's sessions in force, the last used first."""

    sessions: list[SessionShown]


class SessionMade(Shown):
    """A new session with its secret, which is shown this once: send it as a bearer token."""

    secret: str
    session: SessionShown
    user: UserShown


class LogIn(Given):
    """Who wants in."""

    handle: Annotated[str, Field(max_length=4096)]
    password: Password


class LinkMade(Shown):
    """The path of a link that lets the owner in once, on this machine."""

    path: str


def entered_shown(entered: Entered) -> SessionMade:
    """Who has just come in, as they are answered."""
    return SessionMade.model_validate(entered)


class Me(Shown):
    """Who this caller is to the memory: the handle of the user, and the token or session by its number."""

    user: str
    session: int | None
    token: int | None
    name: str
    can_write: bool
    route: Route
    app: str | None
    vaults: list[str] | None = Field(description="What the token is bound to; null where it reaches every vault.")


@router.patch("/me", summary="Change my profile")
def change_me(memory: Memory, actor: Owner, given: Profile) -> UserShown:
    """Change what is given of one's own profile."""
    changed = memory.users.set_profile(
        actor=actor,
        display_name=given.display_name,
        language=given.language,
        theme=given.theme,
        time_zone=given.time_zone,
    )
    return UserShown.model_validate(changed)


@router.get("/me", summary="Who am I")
def me(memory: Memory, actor: Caller) -> Me:
    """What this caller may do, and for which user."""
    names = slugs(memory, actor)
    return Me(
        user=memory.users.me(actor=actor).handle,
        session=actor.session_id,
        token=actor.token_id,
        name=actor.name,
        can_write=actor.can_write,
        route=actor.route,
        app=actor.app,
        vaults=None if actor.vaults is None else sorted(names[item] for item in actor.vaults if item in names),
    )


@router.put("/me/password", summary="Change my password")
def change_password(memory: Memory, actor: Owner, given: NewPassword) -> Ended:
    """Set one's own password; one's other sessions end."""
    return Ended(ended=memory.users.change_password(actor=actor, old=given.old, new=given.new))


@router.post("/sessions", status_code=201, summary="Log in")
def log_in(memory: Memory, request: Request, given: LogIn) -> SessionMade:
    """Begin a session with a handle and a password; asks for no token. Limited per account and address."""
    address = request.client.host if request.client else ""
    agent = request.headers.get("user-agent", "")
    return entered_shown(
        memory.sessions.log_in(handle=given.handle, password=given.password, address=address, user_agent=agent)
    )


@router.get("/sessions", summary="List my sessions")
def list_sessions(memory: Memory, actor: Owner) -> SessionList:
    """Where one is signed in."""
    return SessionList.model_validate({"sessions": memory.sessions.list(actor=actor)})


@router.delete("/sessions", summary="End my other sessions")
def revoke_others(memory: Memory, actor: Owner) -> Ended:
    """End all of one's sessions but the one that asks."""
    return Ended(ended=memory.sessions.revoke_others(actor=actor))


@router.delete("/sessions/{session}", status_code=204, summary="End a session")
def revoke_session(memory: Memory, actor: Owner, session: Annotated[int, Field(ge=1, le=LARGEST)]) -> None:
    """End one of one's own sessions at once."""
    memory.sessions.revoke(actor=actor, session=session)


@router.get("/users", summary="List users")
def list_users(memory: Memory, actor: Owner) -> UserList:
    """Every user, for the owner of the memory."""
    return UserList.model_validate({"users": memory.users.list(actor=actor)})


@router.post("/users", status_code=201, summary="Make a user")
def create_user(memory: Memory, actor: Owner, given: NewUser) -> UserShown:
    """A new user with a personal vault, for the owner of the memory."""
    made = memory.users.create(
        actor=actor, handle=given.handle, display_name=given.display_name, password=given.password
    )
    return UserShown.model_validate(made)


@router.put("/users/{handle}/password", summary="Set a user's password")
def set_password(memory: Memory, actor: Owner, handle: Handle, given: SetPassword) -> Ended:
    """Set another's password, for the owner of the memory; their sessions end."""
    return Ended(ended=memory.users.set_password(actor=actor, handle=handle, password=given.password))


@router.delete("/users/{handle}", summary="Remove a user")
def remove_user(memory: Memory, actor: Owner, handle: Handle) -> UserShown:
    """Let a user in no more, for the owner of the memory. What they wrote stays."""
    return UserShown.model_validate(memory.users.remove(actor=actor, handle=handle))


@router.post("/users/{handle}/restore", summary="Let a user in again")
def restore_user(memory: Memory, actor: Owner, handle: Handle) -> UserShown:
    """Let a removed user in again, for the owner of the memory."""
    return UserShown.model_validate(memory.users.restore(actor=actor, handle=handle))


@router.post("/entry-links", status_code=201, summary="Make a link to come in")
def make_link(memory: Memory, actor: Owner) -> LinkMade:
    """A link that lets the owner in once, within a quarter of an hour, where nobody else can reach the server."""
    return LinkMade(path=PATH + memory.entry.make_link(actor=actor))
