"""The details of an audit entry in words: names and figures that people know, never ids or codes (A4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from souvenance.domain.audit import AuditEntry
from souvenance.domain.proposal import Answer, Kind, label
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.pages.endpoints import USES
from souvenance.interfaces.panel.vault_words import KINDS, STEPS
from souvenance.interfaces.panel.visit import Visit

LABELS = {
    "name": _("Name"),
    "description": _("Description"),
    "colour": _("Colour"),
    "protection": _("Protection"),
    "base_url": _("Address"),
    "model": _("Model"),
    "sealed_key": _("Key"),
    "route": _("Where it runs"),
    "takes_schema": _("Structured answers"),
    "dimension": _("Length of its vectors"),
    "max_injected": _("Most facts at once"),
    "recency": _("Recency"),
    "importance": _("Importance"),
    "relevance": _("Relevance"),
    "time_zone": _("Time zone"),
    "daily_tokens": _("Most tokens a day"),
    "member_rate": _("Questions of one member"),
    "read": _("Channels it reads memory in"),
    "write": _("Channels it writes memory in"),
    "include_threads": _("Threads too"),
    "answer_channels": _("Channels it answers in"),
    "listens": _("Listens"),
    "agent": _("Agent"),
    "why": _("Why"),
    "since": _("Since"),
    "asked": _("Asked for"),
    "purged": _("Facts"),
    "restored": _("Facts"),
    "reverted": _("Changes"),
    "facts": _("Facts"),
    "notes": _("Notes"),
    "turns": _("Turns of conversations"),
    "revisions": _("Versions kept"),
    "sessions": _("Browsers signed out"),
    "tokens": _("Tokens revoked"),
}
"""What is said before a value, and the names of what can be changed."""
ASKS = {
    "remember": _("to remember"),
    "retire": _("to retire a fact"),
    "replace": _("to replace a fact"),
    "look_up": _("to look something up"),
}
ROUTES = {"local": _("stays here"), "cloud": _("leaves this machine")}
REACHES = {"all": _("all"), "none": _("none")}
FORMS = {"markdown": "Markdown", "jsonl": "JSON", "json": "JSON", "csv": "CSV", "mem0": "mem0"}
COUNTED = ("facts", "notes", "revisions", "turns")
PLAIN = {"name", "user", "member", "endpoint", "address", "slug"}
"""Said alone: they are names that speak for themselves."""


def told(visit: Visit, entry: AuditEntry) -> list[str]:
    """The details worth reading, one phrase each. Ids that mean nothing to a person are left out."""
    details = entry.details
    said = [_changed_step(visit, details)] if entry.verb == "vault.type" else []
    for name, value in details.items():
        if name == "slug" and value == entry.vault:
            continue  # it stands beside already
        speak = SPEAKERS.get(name)
        text = speak(visit, value) if speak else _plain(visit, name, value)
        if text:
            said.append(text)
    return said


def _plain(visit: Visit, name: str, value: Any) -> str:
    if name in PLAIN:
        return value if isinstance(value, str) else ""  # a number there is the id of a row
    if name not in LABELS or value in (None, "", 0):
        return ""
    return _pair(visit, name, value)


def _pair(visit: Visit, name: str, value: Any) -> str:
    return visit.say("%(what)s: %(value)s", what=visit.say(LABELS.get(name, name)), value=_value(visit, value))


def _value(visit: Visit, value: Any) -> str:
    if isinstance(value, bool):
        return visit.say("yes") if value else visit.say("no")
    if isinstance(value, int | float):
        return visit.tongue.number(value, 0 if isinstance(value, int) else 2)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or visit.say("none")
    known = REACHES.get(str(value))
    return visit.say(known) if known else str(value)


def _changed_step(visit: Visit, details: Mapping[str, Any]) -> str:
    steps = {str(step): name for step, name in STEPS.items()}
    before, after = (str(details.get(name, "")) for name in ("before", "after"))
    return f"{visit.say(steps.get(before, before))} → {visit.say(steps.get(after, after))}"


def _changed(visit: Visit, value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(_pair(visit, str(name), one) for name, one in value.items())
    return ", ".join(visit.say(LABELS.get(str(name), str(name))) for name in value)


def _numbers(visit: Visit, value: Any) -> str:
    numbers = value if isinstance(value, list) else [value]
    more = f" + {visit.tongue.number(len(numbers) - 20)}" if len(numbers) > 20 else ""
    return ", ".join(f"#{number}" for number in numbers[:20]) + more


def _kind(visit: Visit, value: Any) -> str:
    if value in set(Kind):
        return label(Kind(value), visit.language)
    return visit.say(next((name for kind, name in KINDS.items() if str(kind) == value), str(value)))


def _answer(visit: Visit, value: Any) -> str:
    return label(Answer(value), visit.language) if value in set(Answer) else str(value)


def _uses(visit: Visit, value: Any) -> str:
    names = {str(use): name for use, (name, _help) in USES.items()}
    given = value if isinstance(value, list) else [value]
    return ", ".join(visit.say(names.get(str(use), str(use))) for use in given)


def _counts(visit: Visit, value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    facts = sum(value.get(name, 0) for name in ("facts", "facts_retired", "facts_trashed"))  # wherever they stood
    known = [(name, number) for name, number in {**value, "facts": facts}.items() if name in COUNTED and number]
    return ", ".join(_pair(visit, name, number) for name, number in known)


def _since(visit: Visit, value: Any) -> str:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return ""
    return visit.say("%(what)s: %(value)s", what=visit.say(LABELS["since"]), value=visit.tongue.time(moment))


SPEAKERS: dict[str, Callable[[Visit, Any], str]] = {
    "changed": _changed,
    "number": _numbers,
    "numbers": _numbers,
    "this": _numbers,
    "that": _numbers,
    "kind": _kind,
    "answer": _answer,
    "use": _uses,
    "uses": _uses,
    "counts": _counts,
    "since": _since,
    "why": lambda visit, value: _pair(visit, "why", visit.reason(str(value))) if value else "",
    "asked": lambda visit, value: _pair(visit, "asked", visit.say(ASKS.get(str(value), str(value)))),
    "route": lambda visit, value: visit.say(ROUTES.get(str(value), str(value))),
    "write": lambda visit, value: visit.say("reads and writes") if value else visit.say("reads"),
    "can_configure": lambda visit, value: visit.say("reads and configures") if value else visit.say("reads"),
    "form": lambda _visit, value: FORMS.get(str(value), str(value)),
}
"""Details that are said in a way of their own."""
