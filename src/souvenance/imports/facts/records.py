"""A fact as a file says it: every value checked as a written one would be, and told apart by what makes it the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from souvenance.domain.access import Source
from souvenance.domain.errors import InvalidInput, TooLarge
from souvenance.domain.fact import (
    DEFAULT_CATEGORY,
    SaidDate,
    State,
    SubjectKind,
    checked_confidence,
    checked_content,
    checked_importance,
    checked_language,
    checked_line,
    checked_subject,
)
from souvenance.imports.remarks import MOST_FAULTS, MOST_REMARKS, Remarks
from souvenance.memory.correct import MAX_REASON
from souvenance.memory.remember import checked_category
from souvenance.store.facts import content_hash

FIELDS = (
    "number", "content", "key", "category", "confidence", "importance", "subject_kind", "subject_id", "channel",
    "author", "language", "said_at", "said_dates", "source", "state", "reason", "replaced_by", "disabled",
    "created_at", "updated_at", "valid_from", "valid_to", "deleted_at",
)  # fmt: skip
"""What a record may say, by the names that the export gives them."""
MOST_SAID_DATES = 500
MOST_NUMBER = 2**53
MOST_REJECTED = 500_000
"""Lines of a file that may be left out, as many as facts may be taken."""
MOST_NAME = 40
"""Characters of a field that means nothing here, as it is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One fact of a file. `number` and `replaced_by` are the file's own numbers; what it does not say is None.

    `said_dates` is None where the dates of its wording are still to be resolved. `hashed` is the content hash.
    `is_whole`: it was written by the export, so what it leaves out was empty.
    """

    line: int
    hashed: str
    is_whole: bool = False
    content: str
    key: str = ""
    category: str = DEFAULT_CATEGORY
    confidence: float = 1.0
    importance: int | None = None
    subject_kind: SubjectKind = SubjectKind.VAULT
    subject_id: str = ""
    channel: str = ""
    author: str = ""
    language: str | None = None
    said_at: str = ""
    said_dates: tuple[SaidDate, ...] | None = None
    source: Source = Source.IMPORT
    reason: str = ""
    number: int | None = None
    replaced_by: int | None = None
    disabled: bool = False
    created_at: datetime | None = None
    updated_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    deleted_at: datetime | None = None

    @property
    def state(self) -> State:
        """Where the fact stands."""
        if self.deleted_at is not None:
            return State.TRASHED
        return State.RETIRED if self.valid_to is not None else State.IN_FORCE


@dataclass(frozen=True, slots=True)
class Remark:
    """What is to be said of one line of a file (from 1; 0: of the whole), and why."""

    line: int
    reason: str


@dataclass(slots=True)
class FactFile:
    """What a file of facts holds: `problems` are the lines left out, `warnings` what was taken otherwise than said."""

    form: str
    records: list[Record] = field(default_factory=list)
    problems: Remarks[Remark] = field(default_factory=Remarks)
    warnings: Remarks[Remark] = field(default_factory=Remarks)
    unknown: dict[str, None] = field(default_factory=dict)
    """Fields and columns that mean nothing here, as they begin, in the order they were met; the first of them."""

    def take(self, values: Mapping[str, Any], *, line: int, now: datetime) -> None:
        """Keep a record, or say why it cannot be kept."""
        try:
            self.records.append(record_of(values, line=line, now=now, warnings=self.warnings))
        except InvalidInput as error:
            self.reject(Remark(line, str(error)))

    def reject(self, why: Remark) -> None:
        """Name what was left out; refuse the file where it holds nothing else, or too much of it."""
        self.problems.append(why)
        if self.problems.total >= MOST_FAULTS and not self.records:
            raise InvalidInput("That is no file of facts.", hint="Choose JSON lines, CSV, JSON of mem0 or Markdown.")
        if self.problems.total >= MOST_REJECTED:
            raise TooLarge(
                f"Over {MOST_REJECTED:,} lines of the file are no facts.", hint="Mend it, or send it in parts."
            )

    def meet(self, names: Iterable[str]) -> None:
        """These fields or columns mean nothing here."""
        for name in names:
            if len(self.unknown) < MOST_REMARKS:
                self.unknown[name[:MOST_NAME].encode("utf-8", "replace").decode()] = None


def record_of(values: Mapping[str, Any], *, line: int, now: datetime, warnings: list[Remark]) -> Record:
    """A record of its values by the names of `FIELDS`; raises InvalidInput where it could not be kept as it is.

    What a fact in force cannot have is left out with a warning: an end to come, a reason, a replacement.
    """
    given = {name: value for name, value in values.items() if value not in (None, "")}
    if "content" not in given:
        raise InvalidInput("There is no content.", hint="Each fact says in “content” what is to be remembered.")
    kind, name = checked_subject(given.get("subject_kind", SubjectKind.VAULT), given.get("subject_id", ""))
    content = checked_content(given["content"])
    key = checked_line(given.get("key", ""), what="key")
    category = checked_category(given.get("category", ""))
    moments = {name: _moment(given[name], name) for name in MOMENTS if name in given}
    later = _settle(moments, _state(given.get("state")), now)
    ended = {"reason", "replaced_by"} & set(given)
    if not moments.keys() & {"valid_to", "deleted_at"}:
        given = {name: value for name, value in given.items() if name not in ended}
    is_whole = "number" in given and "state" in given
    record = Record(
        line=line,
        is_whole=is_whole,
        hashed=content_hash(key=key, content=content, category=category, subject_kind=kind, subject_id=name),
        content=content,
        key=key,
        category=category,
        confidence=checked_confidence(given.get("confidence", 1.0)),
        importance=checked_importance(given.get("importance")),
        subject_kind=kind,
        subject_id=name,
        channel=checked_line(given.get("channel", ""), what="channel"),
        author=checked_line(given.get("author", ""), what="author"),
        language=checked_language(given.get("language")),
        said_at=checked_line(given.get("said_at", ""), what="date"),
        said_dates=_said_dates(given.get("said_dates", [])) if is_whole or "said_dates" in given else None,
        source=_source(given.get("source")),
        reason=checked_line(given.get("reason", ""), what="reason", limit=MAX_REASON),
        number=_number(given.get("number"), "number"),
        replaced_by=_number(given.get("replaced_by"), "replaced_by"),
        disabled=_truth(given.get("disabled", False)),
        created_at=moments.get("created_at"),
        updated_at=moments.get("updated_at"),
        valid_from=moments.get("valid_from"),
        valid_to=moments.get("valid_to"),
        deleted_at=moments.get("deleted_at"),
    )
    if later:
        warnings.append(Remark(line, "it was to end later; nothing ends by itself here"))
    elif ended and record.state is State.IN_FORCE:
        warnings.append(Remark(line, "it is in force: its reason and what replaced it were left out"))
    return record


MOMENTS = ("created_at", "updated_at", "valid_from", "valid_to", "deleted_at")


def _moment(value: Any, name: str) -> datetime:
    """An instant as it is written in ISO 8601; a day is its first moment, and what names no zone is UTC."""
    try:
        found = datetime.fromisoformat(value.strip() if isinstance(value, str) else "")
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(f"“{name}” is no date.", hint="Write it as 2023-05-08 or 2023-05-08T09:30:00Z.") from None


def _settle(moments: dict[str, datetime], state: State | None, now: datetime) -> bool:
    """Bring the moments in line with the state; refuse those that deny it. Whether an end to come was taken out."""
    ends = {"valid_to", "deleted_at"} & moments.keys()
    later = {name for name in ends if moments[name] > now} if state in {None, State.IN_FORCE} else set()
    for name in later:
        del moments[name]
    denied = {State.IN_FORCE: ends - later, State.RETIRED: ends - {"valid_to"}}
    if state is not None and denied.get(state):
        raise InvalidInput("“state” says otherwise than when it ended.", hint="Leave out one of the two.")
    if state is State.RETIRED:
        moments.setdefault("valid_to", moments.get("updated_at", now))
    elif state is State.TRASHED:
        moments.setdefault("deleted_at", moments.get("updated_at", now))
    return bool(later)


def _state(value: Any) -> State | None:
    if value is None:
        return None
    try:
        return State(value)
    except ValueError:
        raise InvalidInput("There is no such state.", hint="They are in_force, retired and trashed.") from None


def _source(value: Any) -> Source:
    """Through what the fact first came; what is not known here came by this import."""
    try:
        return Source(value)
    except ValueError:
        return Source.IMPORT


def _said_dates(value: Any) -> tuple[SaidDate, ...]:
    if not isinstance(value, list) or len(value) > MOST_SAID_DATES:
        raise InvalidInput("“said_dates” is no list of dates.", hint="Each has “said” and “resolved”.")
    dates = []
    for one in value:
        if not isinstance(one, Mapping) or not {"said", "resolved"} <= set(one):
            raise InvalidInput("“said_dates” is no list of dates.", hint="Each has “said” and “resolved”.")
        said, resolved = (checked_line(one[name], what="date") for name in ("said", "resolved"))
        dates.append(SaidDate(said, resolved))
    return tuple(dates)


def _number(value: Any, name: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < MOST_NUMBER:
        raise InvalidInput(f"“{name}” is no number of a fact.", hint="Write it as 12, or leave it out.")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput("“disabled” is neither true nor false.", hint="Leave it out where it is false.")
    return value
