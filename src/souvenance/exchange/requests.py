"""What a model may write in a reply to ask something of memory, read leniently: how it is written is forgiven, what it
may do is decided elsewhere.

One form is taught: `<<verb ... | ... | ...>>`. Models also write the verb in another language or case, quotation marks
or square brackets for the angle ones, names before the values, JSON, several numbers at once; all of it is read here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from souvenance.domain.fact import folded
from souvenance.exchange.events import Verb
from souvenance.memory.shown import LookUp, Replace, Retire

MOST_NUMBERS = 20
"""Facts that one request may name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember:
    """The model says what is worth keeping, and about whom: `user`, a member, a vault, or empty where it did not."""

    content: str
    key: str = ""
    importance: int | None = None
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A request that cannot be read as one; nothing is guessed."""

    verb: Verb
    why: str


Request = Remember | Retire | Replace | LookUp | Unreadable

WORDS: Mapping[str, Verb] = {
    **dict.fromkeys(
        ("remember", "memorize", "memorise", "memoriser", "retenir", "retiens", "noter", "note", "save", "store"),
        Verb.REMEMBER,
    ),
    **dict.fromkeys(
        ("retire", "retirer", "forget", "oublier", "oublie", "delete", "supprimer", "supprime", "remove"), Verb.RETIRE
    ),
    **dict.fromkeys(("replace", "remplacer", "remplace", "update", "correct", "corriger", "corrige"), Verb.REPLACE),
    **dict.fromkeys(
        ("lookup", "look-up", "look_up", "look up", "chercher", "cherche", "rechercher", "recherche", "search"),
        Verb.LOOK_UP,
    ),
}
"""The verbs, in the languages of the interface, lower case, accents aside."""

_PLAIN = str.maketrans("éèêëàâäîïôöùûüç", "eeeeaaaiioouuuc")
_VERB = re.compile("(?:" + "|".join(map(re.escape, sorted(WORDS, key=len, reverse=True))) + r")(?![^\W_])")
_NUMBER = r"\[?#?\s?(\d{1,18})\]?"
_NUMBERS = re.compile(rf"\s*{_NUMBER}(?:(?:\s*(?:,|;|&|\+|\band\b|\bet\b)\s*|\s+(?=\[?#)){_NUMBER})*\s*", re.IGNORECASE)
_ONE = re.compile(_NUMBER)
_RANGE = re.compile(r"\s*(?:-|–|—|\.\.+|…|\bto\b|\bthrough\b|à|\bjusqu)\s*\[?#?\s?\d", re.IGNORECASE)
_LEAD = " \t\n:;,.|=→>–—-"
_NAMED = re.compile(
    r"(?:^|[|,;\s])(key|cle|content|contenu|fact|fait|importance|about|sujet|subject|reason|raison|number|numero|query|name|nom)"
    r"\s*[:=]\s*",
    re.IGNORECASE,
)
_SAME_NAME = {
    "cle": "key", "contenu": "content", "fact": "content", "fait": "content", "sujet": "about", "subject": "about",
    "raison": "reason", "numero": "number", "name": "query", "nom": "query",
}  # fmt: skip
_IMPORTANCE = re.compile(r"(?:importance)?\s*[:=]?\s*(\d{1,2})\s*(?:/\s*10)?", re.IGNORECASE)
_ABOUT = re.compile(r"(?:about|sujet|au sujet de|concerne)\s*[:=]?\s+", re.IGNORECASE)


def plain_letters(text: str) -> str:
    """Lower case without the accents of Latin letters; of the same length."""
    lower = text.lower()
    return (lower if len(lower) == len(text) else text).translate(_PLAIN)


def verb_at(text: str) -> tuple[Verb, int] | None:
    """The verb that a text begins with, and where it ends."""
    found = _VERB.match(plain_letters(text[:20]))
    return None if found is None else (WORDS[found[0]], found.end())


def may_become_verb(text: str) -> bool:
    """Whether a text could be the beginning of a verb."""
    begun = plain_letters(text[:20])
    return any(word.startswith(begun) for word in WORDS)


def has_form(verb: Verb, body: str) -> bool:
    """Whether what follows a verb has the form of a request, so that it cannot be an ordinary sentence."""
    head = body[:200]
    if verb in {Verb.RETIRE, Verb.REPLACE}:
        return _NUMBERS.match(body.lstrip(_LEAD)) is not None
    if verb is Verb.LOOK_UP:
        return head.lstrip()[:1] in {":", "|"}
    return "|" in head or head.lstrip()[:1] == "{" or _NAMED.search(plain_letters(head)) is not None


def read_requests(verb: Verb, body: str) -> list[Request]:
    """What one request asks for; several things where it names several facts."""
    text = body.strip()
    named = _named(text)
    if verb is Verb.REMEMBER:
        return [_remember(named or _remember_parts(_parts(text)))]
    if verb is Verb.LOOK_UP:
        query = _bare(str(named.get("query") or "") if named else text.strip(_LEAD))
        return [LookUp(query=query) if query else Unreadable(verb=verb, why="nothing is asked for")]
    if named and "number" in named:
        rest = [str(named.get(name, "")) for name in ("content", "reason")]
        parts = [str(named["number"]), *(rest if verb is Verb.REPLACE else rest[1:])]
    else:
        parts = _parts(text.lstrip(_LEAD))
    return list(_on_facts(verb, parts))


def verb_of(request: Request) -> Verb:
    """What a request asks."""
    if isinstance(request, Unreadable):
        return request.verb
    return {Remember: Verb.REMEMBER, Retire: Verb.RETIRE, Replace: Verb.REPLACE, LookUp: Verb.LOOK_UP}[type(request)]


def gist(request: Request) -> tuple[object, ...]:
    """What makes two requests the same, however they are written."""
    if isinstance(request, Retire):
        return (Verb.RETIRE, request.number)
    if isinstance(request, Replace):
        return (Verb.REPLACE, request.number, _letters(request.content))
    if isinstance(request, LookUp):
        return (Verb.LOOK_UP, _letters(request.query))
    if isinstance(request, Remember):
        return (Verb.REMEMBER, _letters(request.content))
    return (request.verb, request.why)


def _letters(text: str) -> str:
    return "".join(c for c in folded(text) if c.isalnum())


def _on_facts(verb: Verb, parts: list[str]) -> Iterator[Request]:
    head = parts[0] if parts else ""
    found = _NUMBERS.match(head)
    if found is None:
        yield Unreadable(verb=verb, why="it names no fact by its number")
        return
    rest = head[found.end() :]
    if _RANGE.match(rest):
        yield Unreadable(verb=verb, why="facts are named one by one, not from one to another")
        return
    numbers = list(dict.fromkeys(int(one) for one in _ONE.findall(found[0])))
    after = [_bare(part) for part in [rest.lstrip(_LEAD), *parts[1:]]]
    after = [part for part in after if part]
    if len(numbers) > MOST_NUMBERS:
        yield Unreadable(verb=verb, why=f"it names more than {MOST_NUMBERS} facts")
    elif verb is Verb.RETIRE:
        reason = " ".join(after)
        for number in numbers:
            yield Retire(number=number, reason=reason)
    elif len(numbers) > 1:
        yield Unreadable(verb=verb, why="one fact is replaced at a time")
    elif not after:
        yield Unreadable(verb=verb, why="it says nothing in the fact's place")
    else:
        content = re.sub(r"^(?:with|by|par|avec)\s+(?=\S)", "", after[0], flags=re.IGNORECASE)
        yield Replace(number=numbers[0], content=content, reason=" ".join(after[1:]))


def _remember_parts(parts: list[str]) -> dict[str, Any]:
    """Values by their place: key, content, then importance and about in either order."""
    values = [_bare(part) for part in parts]
    while values and not values[-1]:
        values.pop()
    tail: dict[str, Any] = {}
    while len(values) > 1 and (found := _IMPORTANCE.fullmatch(values[-1])) and "importance" not in tail:
        tail["importance"] = found[1]
        values.pop()
    if len(values) > 2:
        about = values.pop()
        tail["about"] = _ABOUT.sub("", about, count=1)
        if len(values) > 2 and (found := _IMPORTANCE.fullmatch(values[-1])):
            tail["importance"] = found[1]
            values.pop()
    if len(values) == 1:
        return tail | {"content": values[0]}
    return tail | {"key": values[0] if values else "", "content": " | ".join(values[1:])}


def _remember(values: Mapping[str, Any]) -> Request:
    content = _bare(str(values.get("content") or ""))
    if not content:
        return Unreadable(verb=Verb.REMEMBER, why="nothing is to be remembered")
    found = _IMPORTANCE.fullmatch(str(values.get("importance") or "").strip())
    importance = int(found[1]) if found else None
    return Remember(
        key=_bare(str(values.get("key") or "")),
        content=content,
        importance=importance if importance and 1 <= importance <= 10 else None,
        about=_bare(str(values.get("about") or "")).lstrip("@"),
    )


def _named(text: str) -> dict[str, Any]:
    """Values by name, from JSON or `name=value`; empty where they have none."""
    if text.lstrip(_LEAD).startswith("{"):
        try:
            found = json.loads(text.lstrip(_LEAD))
        except (ValueError, RecursionError):
            return {}
        return {_name(str(name)): value for name, value in found.items()} if isinstance(found, dict) else {}
    marks = list(_NAMED.finditer(plain_letters(text)))
    if not marks or text[: marks[0].start()].strip(_LEAD):
        return {}
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return {_name(mark[1]): text[mark.end() : end].strip(" \t\n|,;") for mark, end in zip(marks, ends, strict=True)}


def _name(name: str) -> str:
    plain = plain_letters(name)
    return _SAME_NAME.get(plain, plain)


def _parts(text: str) -> list[str]:
    return [part.replace(r"\|", "|") for part in re.split(r"(?<!\\)\|", text.lstrip(":").strip())]


def _bare(text: str) -> str:
    """A value on one line without the quotation marks or the emphasis around it."""
    line = " ".join(text.split())
    while len(line) > 1 and (line[0], line[-1]) in {('"', '"'), ("'", "'"), ("`", "`"), ("*", "*"), ("“", "”")}:
        line = line[1:-1].strip()
    return line
