"""A fact: one numbered thing the memory holds to be so (F1)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from souvenance.domain.access import Source
from souvenance.domain.errors import InvalidInput, TooLarge

MAX_CONTENT_BYTES = 64 * 1024
MAX_KEY = 200
DEFAULT_CATEGORY = "general"
SUMMARY_KEY = "summary"


_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


class SubjectKind(StrEnum):
    """Whom a fact is about (F1)."""

    VAULT = "vault"
    MEMBER = "member"
    ROLE = "role"
    USER = "user"


class State(StrEnum):
    """Where a fact stands: answering, retired in the journal, or in the trash. Whether it is disabled is told apart."""

    IN_FORCE = "in_force"
    RETIRED = "retired"
    TRASHED = "trashed"


class Sort(StrEnum):
    """By what a list of facts is ordered."""

    UPDATED = "updated"
    CREATED = "created"
    KEY = "key"
    CONFIDENCE = "confidence"
    IMPORTANCE = "importance"
    NUMBER = "number"


class Action(StrEnum):
    """What can be done to many facts at once."""

    RETIRE = "retire"
    RESTORE = "restore"
    DELETE = "delete"
    PURGE = "purge"
    MOVE = "move"
    EDIT = "edit"


@dataclass(frozen=True, slots=True)
class SaidDate:
    """A date as it was said and what it meant when written; `resolved` keeps the precision it was given (F10)."""

    said: str
    resolved: str

    @property
    def is_said_whole(self) -> bool:
        """Whether the words name the year themselves ("8 May 2023"), so that nothing has to be told beside them."""
        return self.resolved[:4] in self.said


def dates_meant(dates: Iterable[SaidDate], within: str | None = None) -> str:
    """What relative dates meant, as it stands behind the words that say them: ` (avant-hier = 2026-02-27)`.

    Only those that `within` says, where it is given; empty where there is none.
    """
    said = [(" ".join(one.said.split()), one.resolved) for one in dates if not one.is_said_whole]
    told = [f"{words} = {resolved}" for words, resolved in said if within is None or words in within]
    return f" ({', '.join(told)})" if told else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact. `version` rises with every change to it; `note_id` is the page of its category (N2)."""

    number: int
    vault_id: int
    note_id: str
    content: str
    key: str = ""
    confidence: float = 1.0
    importance: int | None = None
    category: str = DEFAULT_CATEGORY
    subject_kind: SubjectKind = SubjectKind.VAULT
    subject_id: str = ""
    channel: str = ""
    author: str = ""
    language: str | None = None
    said_at: str = ""
    said_dates: tuple[SaidDate, ...] = field(default=())
    source: Source = Source.LIBRARY
    version: int = 1
    position: int = 0
    created_at: datetime
    updated_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    reason: str = ""
    replaced_by: int | None = None
    disabled: bool = False
    deleted_at: datetime | None = None

    @property
    def is_summary(self) -> bool:
        """Whether it is a summary of its vault, in force or not (F6)."""
        return self.key == SUMMARY_KEY and self.subject_kind is SubjectKind.VAULT

    @property
    def state(self) -> State:
        """Trash first, then the journal: a deletion always deletes (F9)."""
        if self.deleted_at is not None:
            return State.TRASHED
        return State.RETIRED if self.valid_to is not None else State.IN_FORCE


def folded(text: str) -> str:
    """Text as an instant search looks at it: case and accents aside, blank space as one space (F3)."""
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(text.casefold().split())


def readable_text(text: str, *, what: str, limit: int) -> str:
    """Text that any store can keep, unchanged but for line ends; refuses what it would have to alter or cut.

    `limit` is in bytes of UTF-8. NUL bytes and unpaired surrogates are refused rather than dropped.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"The {what} must be text, not {type(text).__name__}.")
    if "\x00" in text:
        raise InvalidInput(f"The {what} holds a NUL byte.", hint="Remove it and send the text again.")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidInput(
            f"The {what} is not valid Unicode (an unpaired surrogate).", hint="Send it as proper UTF-8."
        ) from None
    if size > limit:
        raise TooLarge(
            f"The {what} is {size:,} bytes; at most {limit:,} are kept.",
            hint="Split it, or store it as a note." if what == "fact" else "Split it, or make it shorter.",
            size=size,
            limit=limit,
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def checked_content(content: str) -> str:
    """The content of a fact: readable, not empty, at most 64 KiB; outer blank space is not part of it."""
    text = readable_text(content, what="fact", limit=MAX_CONTENT_BYTES).strip()
    if not text:
        raise InvalidInput("The fact is empty.", hint="Say in one sentence what should be remembered.")
    return text


def checked_line(text: str, *, what: str, limit: int = MAX_KEY) -> str:
    """A short label on one line (key, category, author ...); may be empty."""
    if text == "":  # most labels of most facts: bulk writes notice
        return text
    line = " ".join(readable_text(text, what=what, limit=limit * 4).split())
    if len(line) > limit:
        raise TooLarge(f"The {what} is over {limit} characters.", hint="Choose a shorter one.", limit=limit)
    if not line.isprintable() and any(unicodedata.category(c) == "Cc" for c in line):
        raise InvalidInput(f"The {what} holds control characters.", hint="Remove them.")
    return line


def checked_subject(kind: SubjectKind, name: str) -> tuple[SubjectKind, str]:
    """Whom a fact is about: a member or a role by its id, the vault itself by none (F1)."""
    try:
        kind = SubjectKind(kind)
    except ValueError:
        raise InvalidInput(f"{kind!r} is no kind of subject.", hint=f"Say {', '.join(SubjectKind)}.") from None
    found = checked_line(name, what="subject")
    if kind in {SubjectKind.MEMBER, SubjectKind.ROLE} and not found:
        raise InvalidInput(f"Which {kind} it is about is not said.", hint=f"Give the id of the {kind}.")
    if kind is SubjectKind.VAULT and found:
        raise InvalidInput(
            f"A fact about the vault itself is about nobody by the id {found!r}.",
            hint="Say that it is about a member or a role, or leave the id out.",
        )
    return kind, found


def checked_language(tag: str | None) -> str | None:
    """A language as programs name one, `fr` or `pt-BR`; nothing where none is given."""
    wanted = tag.strip() if isinstance(tag, str) else tag
    if not wanted:
        return None
    if not isinstance(wanted, str) or not _LANGUAGE.fullmatch(wanted):
        raise InvalidInput(
            "The language is not a code.", hint="Write it as fr, en or pt-BR, or leave it out: both are then tried."
        )
    return wanted


def checked_confidence(value: float) -> float:
    """Confidence from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidInput(f"Confidence is a number from 0 to 1, not {value!r}.")
    return float(value)


def checked_importance(value: int | None) -> int | None:
    """Importance from 1 to 10, or none."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10:
        raise InvalidInput(f"Importance is a whole number from 1 to 10 or nothing, not {value!r}.")
    return value
