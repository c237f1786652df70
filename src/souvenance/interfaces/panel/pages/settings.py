"""One's own settings: name, language, theme, time zone, password, and where one is signed in (R5, A2)."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from starlette.responses import Response

from souvenance.domain.person import SHORTEST_PASSWORD
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "settings.html"


def show(visit: Visit) -> Response:
    """The account."""
    return visit.page(PAGE, **_shown(visit))


def change_profile(visit: Visit) -> Response:
    """Change name, language, theme or time zone; the page comes again in the language that was chosen."""
    name = visit.given("display_name")
    visit.memory.users.set_profile(
        actor=visit.actor,
        display_name=visit.user.display_name if name == visit.named(visit.user.display_name) else name,
        language=visit.given("language"),
        theme=visit.given("theme"),
        time_zone=visit.given("time_zone"),
    )
    return visit.go("/settings")


def change_password(visit: Visit) -> Response:
    """Set a password; other sessions end."""
    ended = visit.memory.users.change_password(actor=visit.actor, old=visit.given("old"), new=visit.given("new"))
    said = visit.say("The password is set.")
    if ended:
        said += " " + visit.tongue.count("%(n)s other session was ended.", "%(n)s other sessions were ended.", ended)
    return visit.html(_account(visit), visit.note(said))


def revoke_session(visit: Visit) -> Response:
    """Sign another browser out."""
    visit.memory.sessions.revoke(actor=visit.actor, session=visit.path["session"])
    return visit.html(_account(visit), visit.note(visit.say("That browser is signed out.")))


def revoke_others(visit: Visit) -> Response:
    """Sign every other browser out."""
    visit.memory.sessions.revoke_others(actor=visit.actor)
    return visit.html(_account(visit), visit.note(visit.say("All other browsers are signed out.")))


def _account(visit: Visit) -> str:
    return visit.block(PAGE, "account", **_shown(visit))


def _shown(visit: Visit) -> dict[str, Any]:
    return {
        "here": "settings",
        "tab": "account",
        "user": visit.memory.users.me(actor=visit.actor),
        "sessions": visit.memory.sessions.list(actor=visit.actor),
        "browser": browser,
        "zones": sorted(name for name in available_timezones() if "/" in name or name == "UTC"),
        "shortest": SHORTEST_PASSWORD,
    }


BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
SYSTEMS = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}
"""What browsers call themselves; the first that is found counts, since each also claims to be those after it."""


def browser(user_agent: str) -> str:
    """A browser as its owner knows it; the start of what it calls itself where that is not known."""
    program = next((name for mark, name in BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return " · ".join(part for part in (program, system) if part) or user_agent[:40]


WAYS: tuple[Way, ...] = (
    get("/settings", show),
    post("/settings/profile", change_profile),
    post("/settings/password", change_password),
    post("/settings/sessions/others/revoke", revoke_others),
    post("/settings/sessions/{session:int}/revoke", revoke_session),
)
