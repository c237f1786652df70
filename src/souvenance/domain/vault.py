"""A vault: where knowledge lives, who owns it, and how it answers (V1, V8, section 3)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from souvenance.domain.errors import InvalidInput


class VaultKind(StrEnum):
    """What a vault is for (V1)."""

    PERSONAL = "personal"
    PROJECT = "project"
    SERVER = "server"
    LIBRARY = "library"
    APP = "app"


class Protection(StrEnum):
    """Whether content may leave over a cloud route (V8)."""

    NORMAL = "normal"
    MAXIMUM = "maximum"


class MemoryType(StrEnum):
    """The six steps of the ladder, lowest first; each adds one thing to the one below."""

    CLASSIC = "classic"
    JOURNAL = "journal"
    ARCHIVE = "archive"
    RANKED = "ranked"
    CONSOLIDATED = "consolidated"
    SEMANTIC = "semantic"

    @property
    def step(self) -> int:
        """1 for Classic to 6 for Semantic."""
        return list(MemoryType).index(self) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Vault:
    """One vault as its reader sees it; `attention` is that reader's weight, 0 to 100."""

    id: int
    team_id: int
    slug: str
    name: str
    kind: VaultKind
    protection: Protection = Protection.NORMAL
    memory_type: MemoryType = MemoryType.SEMANTIC
    description: str = ""
    colour: str = ""
    app: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    attention: int = 100
    can_configure: bool = True
    created_at: datetime
    updated_at: datetime


MAX_NAME = 120
PERSONAL_NAME = "Personal"
PERSONAL_NAME_IN_FRENCH = "Personnel"
"""What a person's own vault is called while nobody names it: how it is kept, and how it is shown."""


def name_in_french(vault: Vault) -> str:
    """What a personal vault that nobody named is shown as in French, with its number if it has one; else empty."""
    unnamed = re.fullmatch(rf"{PERSONAL_NAME}( [0-9]+)?", vault.name) if vault.kind is VaultKind.PERSONAL else None
    return PERSONAL_NAME_IN_FRENCH + (unnamed[1] or "") if unnamed else ""


_COLOUR = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})")
COLOURS = ("aqua", "black", "blue", "brown", "cyan", "fuchsia", "gray", "green", "grey", "lime", "magenta", "maroon",
           "navy", "olive", "orange", "pink", "purple", "red", "silver", "teal", "turquoise", "violet", "white",
           "yellow")  # fmt: skip


def checked_colour(text: str) -> str:
    """A colour any screen knows: `#rgb`, `#rrggbb` or one of the everyday names; empty for none."""
    colour = text.strip().lower()
    if colour and not _COLOUR.fullmatch(colour) and colour not in COLOURS:
        raise InvalidInput("That is no colour.", hint=f"Write it as #c02020, or as one of {', '.join(COLOURS)}.")
    return colour


def slugify(name: str) -> str:
    """A name as it is typed: lower case, no accents, words joined by hyphens. Empty where nothing is left.

    Letters of every script are kept, so that a vault named in Chinese has a slug of its own.
    """
    decomposed = unicodedata.normalize("NFKD", name)
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return re.sub(r"[^\w]+|_+", "-", plain.casefold()).strip("-")


def clean_name(name: str, *, what: str = "name") -> str:
    """A name on one line, trimmed, or a clear refusal."""
    cleaned = re.sub(r"\s+", " ", name).strip()
    if not cleaned:
        raise InvalidInput(f"The {what} is empty.", hint="Give it at least one letter or digit.")
    if len(cleaned) > MAX_NAME:
        raise InvalidInput(f"The {what} is over {MAX_NAME} characters.", hint="Choose a shorter one.")
    if any(unicodedata.category(c) in {"Cc", "Cs"} for c in cleaned):
        raise InvalidInput(f"The {what} holds characters that cannot be shown.", hint="Remove control characters.")
    return cleaned
