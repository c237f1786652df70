"""A note: Markdown with an identity, a place and a history (N1)."""

from __future__ import annotations

import re
import secrets
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from souvenance.domain.errors import InvalidInput
from souvenance.domain.fact import SubjectKind, readable_text

MAX_NOTE_BYTES = 8 * 1024 * 1024
MAX_TITLE = 200
MAX_FOLDER = 500
MOST_NAMES = 10
_ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class NoteClass(StrEnum):
    """Who writes a note: people, an agent's memory of facts, or an ingested file."""

    USER_DOC = "user-doc"
    AGENT_MEMORY = "agent-memory"
    SOURCE = "source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note. For agent memory `content` is derived from its facts and never stored (N2)."""

    id: str
    vault_id: int
    note_class: NoteClass
    folder: str
    title: str
    content: str = ""
    category: str = ""
    subject_kind: SubjectKind = SubjectKind.VAULT
    subject_id: str = ""
    digest: str = ""
    muted: bool = False
    disabled: bool = False
    front_matter: dict[str, Any] = field(default_factory=dict)
    version: int = 1
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None

    @property
    def path(self) -> str:
        """Folder and title, as a person reads it."""
        return f"{self.folder}/{self.title}" if self.folder else self.title

    @property
    def names(self) -> tuple[str, ...]:
        """What its front matter calls it besides its title, under `title` and `aliases`, one each whatever case and
        accents; ten at most.
        """
        aliases = self.front_matter.get("aliases", self.front_matter.get("alias"))
        said = [self.front_matter.get("title"), *(aliases if isinstance(aliases, list) else [aliases])]
        found: dict[str, str] = {}
        for one in said:
            name = " ".join(one.split())[:MAX_TITLE] if isinstance(one, str) else ""
            if name and title_key(name) != title_key(self.title):
                found.setdefault(title_key(name), name)
        return tuple(found.values())[:MOST_NAMES]

    @property
    def heading(self) -> str:
        """What stands over each of its passages, so that it is found under every name it has."""
        return f"{self.title} ({'; '.join(self.names)})" if self.names else self.title


def new_note_id() -> str:
    """A fresh identity of 60 random bits, without letters that read alike."""
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(12))


def title_key(title: str) -> str:
    """What makes two titles the same: case and accents aside (N7, and how links find their note)."""
    decomposed = unicodedata.normalize("NFKD", title)
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).casefold().split())


def target_key(target: str) -> str:
    """What a link's target is known by: a title, or folders and a title, case and accents aside."""
    return "/".join(title_key(part) for part in target.split("/") if part.strip())


def checked_title(title: str) -> str:
    """A title on one line that names no other place: no slash, no control character."""
    cleaned = " ".join(readable_text(title, what="title", limit=MAX_TITLE * 4).split())
    if not cleaned:
        raise InvalidInput("The title is empty.", hint="Give the note a title.")
    if len(cleaned) > MAX_TITLE:
        raise InvalidInput(f"The title is over {MAX_TITLE} characters.", hint="Choose a shorter one.")
    if "/" in cleaned or "\\" in cleaned or cleaned in {".", ".."}:
        raise InvalidInput("A title names no folder.", hint="Put the folder in `path` and leave slashes out.")
    if any(unicodedata.category(c) == "Cc" for c in cleaned):
        raise InvalidInput("The title holds control characters.", hint="Remove them.")
    return cleaned


def checked_folder(path: str | None) -> str:
    """A folder inside the vault as `a/b`, or a clear refusal of anything that would leave it."""
    text = readable_text(path or "", what="path", limit=MAX_FOLDER * 4).replace("\\", "/").strip()
    if text.startswith("/") or re.match(r"^[A-Za-z]:", text) or text.startswith("~"):
        raise InvalidInput("The path must be inside the vault.", hint="Write it as `folder/subfolder`.")
    parts = [part.strip() for part in text.split("/") if part.strip()]
    if any(part in {".", ".."} for part in parts):
        raise InvalidInput("The path must not contain `.` or `..`.", hint="Write it as `folder/subfolder`.")
    folder = "/".join(parts)
    if len(folder) > MAX_FOLDER:
        raise InvalidInput(f"The path is over {MAX_FOLDER} characters.", hint="Choose a shorter one.")
    if any(unicodedata.category(c) == "Cc" for c in folder):
        raise InvalidInput("The path holds control characters.", hint="Remove them.")
    return folder


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkView:
    """A link as it is shown. `target` is what the text says; the rest is the note at the other end, where there is one.

    `fact` is the number of the fact that holds the link, where one does.
    """

    target: str
    note_id: str | None = None
    title: str = ""
    folder: str = ""
    note_class: NoteClass | None = None
    fact: int | None = None
