"""What was changed, as people read it: operations in words, and a diff as rows that say which side they are (N9)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.refusals import in_language, joined_in_language
from souvenance.interfaces.panel.render import Tongue
from souvenance.interfaces.panel.visit import Visit

OPERATIONS = {
    "create": _("written"),
    "append": _("added to"),
    "prepend": _("added to at the top"),
    "replace": _("rewritten"),
    "replace_section": _("a section rewritten"),
    "find_replace": _("a passage changed"),
    "move": _("moved"),
    "rename": _("renamed"),
    "digest": _("summed up"),
    "mute": _("muted"),
    "unmute": _("no longer muted"),
    "disable": _("disabled"),
    "enable": _("enabled"),
    "delete": _("deleted"),
    "restore": _("restored"),
    "revert": _("taken back"),
    "ingest": _("taken from its file"),
    "import": _("imported"),
    "add": _("fact added"),
    "edit": _("fact reworded"),
    "retire": _("fact retired"),
    "replaced": _("fact replaced"),
    "place": _("put in order"),
    "arrive": _("arrived from another vault"),
    "trash": _("to the trash"),
    "remember": _("remembered"),
    "former wording": _("its former words again"),
    "back in force": _("in force again"),
    "out of force again": _("out of force again"),
}
"""What a revision did; one that is not here is shown by its code."""

SOURCES = {
    "panel": _("the panel"),
    "bot": _("Discord"),
    "agent": _("an agent"),
    "import": _("an import"),
    "consolidation": _("the consolidation"),
    "library": _("a program"),
    "cli": _("the command line"),
    "rest": _("the REST interface"),
}

NAMES = {
    "folder": _("folder"),
    "title": _("title"),
    "category": _("category"),
    "digest": _("digest"),
    "muted": _("muted"),
    "disabled": _("disabled"),
    "state": _("state"),
    "key": _("key"),
    "confidence": _("confidence"),
    "importance": _("importance"),
    "language": _("language"),
    "author": _("author"),
    "said at": _("said on"),
    "channel": _("channel"),
    "subject id": _("about"),
    "subject kind": _("kind of subject"),
}
_YES_OR_NO = {"True": _("yes"), "False": _("no")}
VALUES: dict[str, dict[str, str]] = {
    "muted": _YES_OR_NO,
    "disabled": _YES_OR_NO,
    "state": {"trash": _("in the trash"), "in force": _("in force")},
    "subject kind": {
        "vault": _("the vault"),
        "member": _("a member"),
        "role": _("a role"),
        "user": _("the user"),
    },
    "category": {"general": _("general")},
    "language": {"en": _("English"), "fr": _("French")},
}
"""What a property's values are called; those of people's own words stay as they are."""

_RETIRED = re.compile(r"retired(?: \((?P<reason>.*)\))?(?:, replaced by #(?P<number>[0-9]+))?\Z", re.DOTALL)
_TOLD = re.compile(r"([a-z_ ]{2,20}): (.*) → (.*)\Z", re.DOTALL)
_FRESH = re.compile(r"([a-z_ ]{2,20}): (.*)\Z", re.DOTALL)
_SHARE = re.compile(r"[0-9]+(?:\.[0-9]+)?\Z")
_PLACE = re.compile(r"@@ line ([0-9]+)\Z")
_LEFT = re.compile(r"… ([0-9,]+) more lines")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a diff: `gone`, `came`, `same`, `place` (where it stands) or `told` (a property, in words)."""

    kind: str
    text: str


def did(tongue: Tongue, operations: str) -> str:
    """One operation, or several with commas between them, in words."""
    return ", ".join(tongue.say(OPERATIONS.get(one, one)) for one in operations.split(", ") if one)


def left_alone(visit: Visit, conflict: str) -> str:
    """Why a thing is not taken back, its moment as the reader tells time."""
    found = _MOMENT.search(conflict)
    if found is None:
        return visit.reason(conflict)
    when = visit.tongue.time(datetime.fromisoformat(found[0]))
    return visit.reason(conflict).replace(found[0], when)


def through(tongue: Tongue, source: str) -> str:
    """Through what a change came."""
    return tongue.say(SOURCES.get(source, source))


_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z\Z")

_WHY = (
    (re.compile(r"no embedder is set\Z"), _("no embedder is set")),
    (re.compile(r"(?P<done>\d+) of (?P<total>\d+) embedded\Z"), _("%(done)s of %(total)s embedded")),
    (re.compile(r"words only in (?P<many>\d+) protected\Z"), _("words only in %(many)s that are protected")),
    (re.compile(r"words only in (?P<many>\d+) below step six\Z"), _("words only in %(many)s below step six")),
    (re.compile(r"words only in (?P<many>\d+) not yet embedded\Z"), _("words only in %(many)s not embedded yet")),
)


def why(tongue: Tongue, said: str) -> str:
    """Why a matcher ran, as a trace says it, in the reader's language; what is not known here stays as it is."""
    whole = in_language(said, tongue.language)
    return whole if whole != said else ", ".join(_why(tongue, part) for part in said.split(", "))


def _why(tongue: Tongue, part: str) -> str:
    for pattern, text in _WHY:
        if found := pattern.match(part):
            return tongue.say(text, **{name: tongue.number(int(value)) for name, value in found.groupdict().items()})
    return in_language(part, tongue.language)


def diff_rows(tongue: Tongue, diff: str) -> list[Row]:
    """The lines of a diff with what each is; what the program says in them is said in the reader's language."""
    return [_row(tongue, line) for line in diff.split("\n")] if diff else []


def _row(tongue: Tongue, line: str) -> Row:
    for start, kind in (("- ", "gone"), ("+ ", "came"), ("  ", "same")):
        if line.startswith(start):
            return Row(kind, line[2:])
    if line in {"-", "+", ""}:
        return Row({"-": "gone", "+": "came", "": "same"}[line], "")
    if place := _PLACE.match(line):
        return Row("place", tongue.say(_("Line %(number)s"), number=tongue.number(int(place[1]))))
    if left := _LEFT.match(line):
        return Row("place", tongue.say(_("… and %(number)s more lines"), number=left[1]))
    if told := _TOLD.match(line):
        was, now = (_value(tongue, told[1], told[place]) for place in (2, 3))
        return Row("told", f"{_named(tongue, told[1])} {was} → {now}")
    if (fresh := _FRESH.match(line)) and fresh[1] in NAMES:
        return Row("told", f"{_named(tongue, fresh[1])} {_value(tongue, fresh[1], fresh[2])}")
    if line == "moved on its page":
        return Row("told", tongue.say(_("moved on its page")))
    if line == "the line break at its end":
        return Row("told", tongue.say(_("the line break at its end")))
    return Row("told", line)


def _named(tongue: Tongue, name: str) -> str:
    said = tongue.say(NAMES[name]) if name in NAMES else name  # a property of a note may have any name
    return said + ("\N{NO-BREAK SPACE}:" if tongue.language == "fr" else ":")


def _value(tongue: Tongue, name: str, value: str) -> str:
    if value == "none":
        return tongue.say(_("none"))
    if name == "confidence" and _SHARE.match(value):
        return tongue.percent(float(value))
    if name == "state" and (retired := _RETIRED.match(value)):
        return _retired(tongue, retired["reason"], retired["number"])
    known = VALUES.get(name, {}).get(value)
    return tongue.say(known) if known else value


def _retired(tongue: Tongue, reason: str | None, number: str | None) -> str:
    said = tongue.say(_("retired"))
    if reason:
        said += f" ({joined_in_language(reason, tongue.language)})"
    return said + (tongue.say(_(", replaced by #%(number)s"), number=number) if number else "")
