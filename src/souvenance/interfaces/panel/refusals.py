"""What the engine says in English, in the reader's language: refusals, their hints and the reasons it gives.

The engine raises sentences, not codes, so a sentence is known again by its shape: the texts of the source, with `{}`
where a value was put, stand in `locale/LANGUAGE/refusals.po`. What is not there stays English. Hints that name a
command are said as `ways_out.py` has them, in every language.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice

from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from souvenance.domain import proposal
from souvenance.domain.errors import SouvenanceError
from souvenance.domain.proposal import label
from souvenance.interfaces.panel.render import ROOM, tongue
from souvenance.interfaces.panel.ways_out import WAYS_OUT
from souvenance.retrieval import matching

FILE = "refusals.po"
SOURCE = "en"
"""The language the engine speaks."""
LONGEST = 8_000
"""Characters of a text above which it is left as it is."""
MOST_SENTENCES = 12
"""Ends of sentences at which a hint is looked for."""
DEEPEST = 3
"""How far a refusal may hold another one."""

_HOLE = re.compile(r"\{([0-9]?)(~?)\}")
_NAMED = re.compile(r"\{([a-z]+)\}")
_LARGE = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\Z")
_END = re.compile(r"[.?!)] ")
_PREFIX = re.compile(r"(?:\A|; )([\w-]{1,100}): ")


@dataclass(frozen=True, slots=True)
class Told:
    """A refusal as a person reads it."""

    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


def told(error: SouvenanceError, language: str) -> Told:
    """A refusal in a language."""
    return Told(in_language(error.message, language), in_language(error.hint, language))


def in_language(text: str, language: str) -> str:
    """A message, a hint or a reason of the engine in a language; what is not known stays as it is."""
    return _known(language).said(text) or text


def joined_in_language(text: str, language: str) -> str:
    """The same of a text that may be a message with its hint behind it, as `str(error)` is."""
    known = _known(language)
    for end in islice(_END.finditer(text[:LONGEST]), MOST_SENTENCES):
        message, hint = known.said(text[: end.end()].rstrip()), known.said(text[end.end() :])
        if hint is not None and (message is not None or language == SOURCE):
            return f"{message or text[: end.end()].rstrip()} {hint}"
    return known.said(text) or text


def given_in_language(why: str, language: str) -> str:
    """Why facts were found as they were, vault by vault (`harp: no embedding model is set; …`), in a language."""
    places = [*_PREFIX.finditer(why[:LONGEST])]
    if not places or places[0].start():
        return joined_in_language(why, language)
    ends = [*(place.start() for place in places[1:]), len(why)]
    colon = "\N{NO-BREAK SPACE}:" if language == "fr" else ":"
    return ("\N{NARROW NO-BREAK SPACE}; " if language == "fr" else "; ").join(
        f"{place[1]}{colon} {in_language(why[place.end() : end], language)}"
        for place, end in zip(places, ends, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Shape:
    """A sentence with holes: the words around them, and what is said instead, hole numbers between words.

    `in_words` are the holes whose values are words of ours, to be said in the language too.
    """

    around: tuple[str, ...]
    said: tuple[str | int, ...]
    in_words: frozenset[int]

    @property
    def weight(self) -> int:
        return sum(map(len, self.around))

    def values(self, text: str) -> list[str] | None:
        """What fills the holes, each as short as can be; None where the text is another one. Takes one pass."""
        first, *inner, last = self.around
        if len(text) < self.weight or not text.startswith(first) or not text.endswith(last):
            return None
        found, place, end = [], len(first), len(text) - len(last)
        for words in inner:
            here = text.find(words, place, end)
            if here < 0:
                return None
            found.append(text[place:here])
            place = here + len(words)
        return [*found, text[place:end]]


class _Table:
    """Texts of a language, whole ones and those with holes; where several shapes fit, the one of most words does."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        given = dict(pairs)
        self.whole = {english: said for english, said in given.items() if "{}" not in english}
        shapes = (_shape(english, said) for english, said in given.items() if english not in self.whole)
        self.shapes = sorted(shapes, key=lambda shape: -shape.weight)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is said in one language: sentences, and the words that fill their holes."""

    language: str
    sentences: _Table
    words: _Table

    def said(self, text: str) -> str | None:
        """A sentence; None where it is not known."""
        return self._said(self.sentences, text, DEEPEST)

    def _said(self, table: _Table, text: str, deep: int) -> str | None:
        if text in table.whole:
            return table.whole[text]
        if not text or len(text) > LONGEST or not deep:
            return None
        for shape in table.shapes:
            values = shape.values(text)
            if values is not None:
                filled = [
                    self._in_words(value, deep - 1) if hole in shape.in_words else self._counted(value, before)
                    for hole, (value, before) in enumerate(zip(values, shape.around, strict=False))
                ]
                return "".join(part if isinstance(part, str) else filled[part] for part in shape.said)
        return None

    def _counted(self, value: str, before: str) -> str:
        """A large number as the language writes it; what is quoted was typed so by someone, and stays."""
        if before.endswith("“") or not _LARGE.match(value):
            return value
        return format_decimal(int(value.replace(",", "")), locale=self.language)

    def _in_words(self, value: str, deep: int) -> str:
        """A value that is a word of ours, a list of such words, or a sentence of ours, also without its point."""
        known = self.words.whole
        listed = value.split(", ")
        if all(word in known for word in listed):
            return ", ".join(known[word] for word in listed)
        said = self._said(self.words, value, deep) or self._said(self.sentences, value, deep)
        whole = None if said else self._said(self.sentences, f"{value}.", deep)
        return said or (whole.removesuffix(".") if whole else value)


def _shape(english: str, said: str) -> _Shape:
    parts: list[str | int] = []
    in_words = set()
    place = 0
    for at, hole in enumerate(_HOLE.finditer(said)):
        number = int(hole[1]) - 1 if hole[1] else at
        parts += [said[place : hole.start()], number]
        place = hole.end()
        if hole[2]:
            in_words.add(number)
    return _Shape(tuple(english.split("{}")), (*parts, said[place:]), frozenset(in_words))


@cache
def _known(language: str) -> _Known:
    file = resources.files(ROOM) / "locale" / language / FILE
    tables: dict[str, list[tuple[str, str]]] = {"sentence": [], "word": []}
    if file.is_file():
        tables = {"sentence": [*_matching(language)], "word": [*_labels(language)]}
        for one in read_po(io.BytesIO(file.read_bytes()), locale=language):
            if one.id and one.string and one.context in tables:
                tables[one.context].append((str(one.id), str(one.string)))
    tables["sentence"] += [(hint, tongue(language).say(here)) for hint, here in WAYS_OUT.items()]
    return _Known(language, _Table(tables["sentence"]), _Table(tables["word"]))


def _labels(language: str) -> Iterator[tuple[str, str]]:
    """Words that the engine itself has in both languages."""
    for kind in (*proposal.Kind, *proposal.Answer, *proposal.Overtaken):
        yield label(kind), label(kind, language)


def _matching(language: str) -> Iterator[tuple[str, str]]:
    """Sentences that the engine itself has in both languages."""
    english, said = matching.SENTENCES["en"], matching.SENTENCES.get(language, {})
    for state, text in said.items():
        names = _NAMED.findall(english[state])
        yield (
            _NAMED.sub("{}", english[state]),
            _NAMED.sub(lambda hole, names=names: _numbered(hole[1], names), text),  # type: ignore[misc]
        )


def _numbered(name: str, names: list[str]) -> str:
    return f"{{{names.index(name) + 1}{'~' if name == 'refusal' else ''}}}" if name in names else f"{{{name}}}"
