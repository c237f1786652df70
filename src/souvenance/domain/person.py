"""People who own or share vaults, their teams, how they come in, and the tokens that speak for them (A1 to A3)."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from souvenance.domain.access import Route
from souvenance.domain.errors import InvalidInput

OWNER = "owner"
"""Handle of the one user there always is: whose machine it is, and who makes the others."""
UNNAMED = "Owner"
"""What the owner is called until they say a name."""

LONGEST_HANDLE = 40
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1024
"""Characters."""

LANGUAGES = ("", "en", "fr")
"""Empty: that of the browser."""


class Theme(StrEnum):
    """How the panel looks."""

    BROWSER = ""
    LIGHT = "light"
    DARK = "dark"


class EnteredBy(StrEnum):
    """How a session began."""

    LINK = "link"
    PASSWORD = "password"  # noqa: S105 - the word, not one
    INVITATION = "invitation"


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person who owns or shares vaults. `theme` and `language` are empty until chosen: those of the browser.

    `disabled_at`: from then on nobody comes in as this user; what they wrote stays.
    """

    id: int
    handle: str
    display_name: str
    language: str
    time_zone: str
    theme: str = ""
    has_password: bool = False
    created_at: datetime | None = None
    disabled_at: datetime | None = None

    @property
    def is_owner(self) -> bool:
        """Whether this is the one who makes and removes users, and whose machine the memory is on."""
        return self.handle == OWNER


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A user as those of a team see them."""

    user_id: int
    handle: str
    display_name: str
    can_configure: bool
    is_disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A team as one of its members sees it; `can_configure` is that member's. `is_own`: nobody else ever joins it."""

    id: int
    name: str
    is_own: bool
    can_configure: bool
    members: tuple[Member, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An invitation into a team; its secret is shown once and kept only as a hash."""

    id: int
    team_id: int
    team: str
    can_configure: bool
    made_by: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser in which someone is signed in; its secret stands in a cookie and is kept only as a hash.

    `expires_at`: when it ends if it is not used until then. `is_current`: the one that asks.
    """

    id: int
    user_id: int
    entered_by: EnteredBy
    user_agent: str
    route: Route
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    is_current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """An API token as its owner sees it; the secret itself is shown once and kept only as a hash (A3)."""

    id: int
    user_id: int
    name: str
    can_write: bool
    route: Route
    app: str | None
    vault_ids: frozenset[int] | None
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


def handle_key(text: str) -> str:
    """A handle as it is compared and kept: one form of each letter, lower case, no blanks around it."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).strip()


def checked_handle(text: str) -> str:
    """The handle someone wants to log in with, as it is kept; letters of every script are welcome."""
    key = handle_key(text)
    if not 2 <= len(key) <= LONGEST_HANDLE:
        raise InvalidInput(f"A handle has 2 to {LONGEST_HANDLE} characters.", hint="Choose another one.")
    plain = "".join(c for c in key if c not in "._-" and unicodedata.category(c)[0] != "M")
    if not plain or not plain.isalnum() or key[0] in "._-":
        raise InvalidInput(
            "A handle is made of letters, digits, dots, underscores and hyphens, and begins with a letter or digit.",
            hint="Leave other characters to the display name.",
        )
    return key


def checked_password(password: str, *, handle: str) -> str:
    """A password that may be set: no word on its characters, only on its length."""
    try:
        password.encode()
    except UnicodeEncodeError:
        raise InvalidInput("The password holds half a character.", hint="Type it again.") from None
    if len(password) < SHORTEST_PASSWORD:
        raise InvalidInput(
            f"A password has at least {SHORTEST_PASSWORD} characters.", hint="A few words in a row are a good one."
        )
    if len(password) > LONGEST_PASSWORD:
        raise InvalidInput(f"A password has at most {LONGEST_PASSWORD} characters.", hint="Choose a shorter one.")
    if handle_key(password) == handle_key(handle) or len(set(password)) < 4:
        raise InvalidInput("That password is too easily guessed.", hint="A few words in a row are a good one.")
    return password
