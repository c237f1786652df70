"""One fact, read: its content words with what they mean, its names, its values, and what it denies."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from souvenance.consolidation.frames import words_of
from souvenance.consolidation.lexicon import LANGUAGES, UNKNOWN, Meaning, elide, fold, lexicon
from souvenance.consolidation.values import Value, read_values

_CONTRACTED = re.compile(r"\b(ca|wo|sha)?(\w*?)n't\b")
_TOKEN = re.compile(r"[#@]?\w+(?:[.+&'-]\w+)*[+#]{0,2}|[,;:.!?()]")
_CLAUSE_END = frozenset(",;:.!?()") | {"mais", "but", "et", "and", "car", "because", "sauf", "except", "unless"}
_NEGATIVE = {
    "fr": frozenset({"pas", "jamais", "aucun", "aucune", "rien", "ni", "sans", "non", "personne", "nulle"}),
    "en": frozenset(
        {
            "not",
            "no",
            "never",
            "none",
            "nobody",
            "nothing",
            "neither",
            "nor",
            "without",
            "cannot",
            "stopped",
            "stop",
            "stops",
        }
    ),
}
_CHANGED = re.compile(
    r"\b(?:desormais|dorenavant|finalement|n'est plus|ne \w+ plus|n'\w+ plus|depuis peu|a partir de maintenant"
    r"|report(?:e|ee|es|ees)\b|decale\w*|"
    r"deplace\w*|transfere\w*|demenage\w*|a change|ont change|remplace\w*|repousse\w*|annule\w*|abandonne\w*"
    r"|arrete\w*|decide de|succede|reprend|a repris|"
    r"quitte\w*|est passee? [ad]|augmente\w*|baisse\w*|no longer|anymore|any more|moved|changed|switched"
    r"|has become|became|postponed|cancell?ed|abandoned|"
    r"stopped|gave up|given up|quit|from now on|used to|went back|gone back|replaced|raised|lowered|dropped"
    r"|took over|takes over|taken over|withdrew|now)\b"
)
_NO_LONGER = re.compile(
    r"\b(?:ne \w+ plus|n'\w+ plus|no longer|any ?more|used to|formerly|previously|auparavant|autrefois|(?:was"
    r"|were|a ete|est) (?:abandoned|dropped|cancelled|abandonne|annule)e?)\b"
    r"|(?:^|[,;:.]) ?(?:plus|no more) (?:de |d'|du |une? |aucun)"
)


@dataclass(frozen=True, slots=True)
class Term:
    """A content word: stem, folded spelling, meaning; (probably) a proper name? denied? and its weight."""

    stem: str
    surface: str
    meaning: Meaning
    name: bool
    negated: bool
    weight: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What `read` understood of a text."""

    language: str
    terms: tuple[Term, ...]
    values: tuple[Value, ...]
    negative: bool
    changed: bool
    no_longer: bool
    words: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """Proper names, folded."""
        return frozenset(term.surface for term in self.terms if term.name)


NAME_WEIGHT = 1.6
LONGEST = 4000
"""Characters read of a fact: facts are short, and comparing two grows with the product of their words."""


def forget_readings() -> None:
    """Drop what `read` remembers, after a pass or an erasure: it holds words of the facts it read."""
    read.cache_clear()


@lru_cache(maxsize=32768)
def read(text: str, language: str | None = None) -> Reading:
    """Read a fact's content. `language` is a code ("fr", "en"); None or another language is guessed between the two."""
    text = text[:LONGEST]
    words = lexicon()
    names = _names(text)
    folded = fold(text)
    folded = _CONTRACTED.sub(lambda m: {"ca": "can", "wo": "will"}.get(m[1] or "", m[2]) + " not", folded)
    folded = re.sub(r"'s\b", "", folded)
    values, rest = read_values(folded)
    raw = _TOKEN.findall(elide(rest))
    plain = [part for part in raw if part not in ",;:.!?()"]
    lang = language if language in LANGUAGES else words.guess(plain)
    parts: list[str] = []
    for part in raw:
        known = words.meaning((words.stem(part, lang),), lang) or part in names or part[0] in "#@"
        parts.extend([part] if known else part.split("-"))
    terms, negative = _terms(parts, lang, names)
    return Reading(
        lang,
        tuple(terms),
        tuple(_named_units(values, lang)),
        negative,
        _CHANGED.search(folded) is not None,
        _NO_LONGER.search(folded) is not None,
        words_of(text),
    )


def read_key(key: str, language: str | None = None) -> tuple[Term, ...]:
    """The words of a key ("bot_tone"), each meaning what it may mean in either language."""
    words = lexicon()
    found = []
    for part in re.split(r"[\W_]+", fold(key)):
        if not part or part.isdigit():
            continue
        meanings = [m for lang in LANGUAGES if (m := words.meaning((words.stem(part, lang),), lang))]
        concepts = frozenset().union(*(m.concepts for m in meanings)) if meanings else frozenset()
        found.append(
            Term(words.stem(part, language or words.guess([part])), part, Meaning(concepts), False, False, 1.0)
        )
    return tuple(found)


# A capital beside another capital makes a title of known words ("the Old Customs House").
_TITLE = re.compile(r"^(?: (?:of|of the|de|du|des|la|le|les))? [A-ZÀ-Þ][\w]")
_TITLED = re.compile(r"(?:\w|,) [A-ZÀ-Þ][\w'’-]+(?: (?:of|of the|de|du|des|la|le|les))? $")


def _names(text: str) -> frozenset[str]:
    """Words written as proper names: a capital that no sentence start explains, or a word nobody's dictionary holds."""
    words = lexicon()
    found: set[str] = set()
    for match in re.finditer(r"[#@]?[^\W_][\w&'’.-]*[^\W_]|[^\W_]", text):
        word = re.sub(r"^(?:[ldjmtscnLDJMTSCN]|[Qq]u|[Jj]usqu)['’](?=\w)", "", match[0])
        word = re.sub(r"['’]s$", "", word)
        before = text[: match.start()].rstrip(' «"“(')
        starts = not before or before[-1] in ".!?:;\n"
        folded = fold(word)
        if len(word) == 1:
            if (
                word.isupper()
                and not starts
                and text[match.end() : match.end() + 1] not in ("'", "’")
                and folded not in ("i", "a")
            ):
                found.add(folded)
            continue
        if word[:1] in "#@" or (
            len(word) > 2 and re.search(r"[a-zà-ÿ][A-Z]|[A-Za-z]\d|\d[A-Za-z]{2}", word) and not word[0].isdigit()
        ):
            found.add(folded)
        elif word[:1].isupper() and word != "I":
            titled = (not starts and _TITLE.search(text[match.end() : match.end() + 24])) or _TITLED.search(
                text[max(0, match.start() - 40) : match.start()]
            )
            known = not titled and any(
                words.meaning((words.stem(folded, lang),), lang) or folded in words.stop[lang] for lang in LANGUAGES
            )
            if not known and not (starts and re.search(r"(?:[^aeéèi]s|es|ing|tions?|ment|ers)$", word)):
                found.add(folded)
    return frozenset(found)


def _terms(parts: list[str], lang: str, names: frozenset[str]) -> tuple[list[Term], bool]:
    words = lexicon()
    stems = [words.stem(part, lang) for part in parts]
    terms: list[Term] = []
    denied, any_denied, place = 0, False, 0
    while place < len(parts):
        part = parts[place]
        if part in _CLAUSE_END:
            denied = 0
        size, meaning = _longest(stems, place, lang)
        if size == 1 and part in _NEGATIVE[lang]:
            # "personne" denies only with "ne"; « pas » after its verb denies that verb too.
            if part != "personne" or "ne" in parts[max(0, place - 1) : place + 4]:
                any_denied, denied = True, 6
                if lang == "fr" and "ne" in parts[max(0, place - 5) : place] and terms and part != "sans":
                    terms[-1] = _deny(terms[-1])
            place += 1
            continue
        if size == 1 and part == "plus" and lang == "fr" and "ne" in parts[max(0, place - 4) : place]:
            any_denied, denied = True, 6
            if terms:
                terms[-1] = _deny(terms[-1])
        elif meaning is not None or (
            (part[0].isalnum() or part[0] in "#@") and (part not in words.stop[lang] or part in names)
        ):
            meaning = meaning or _foreign(part, lang)
            name = size == 1 and part in names
            light = meaning.light or (size == 1 and part in words.stop[lang] and not name)
            if name or not (size == 1 and part in words.stop[lang] and not meaning.axes):
                stem = " ".join(stems[place : place + size])
                surface = " ".join(parts[place : place + size])
                terms.append(
                    Term(stem, surface, meaning, name, denied > 0, NAME_WEIGHT if name else 0.25 if light else 1.0)
                )
        denied = max(0, denied - 1)
        place += size
    return terms, any_denied


def _longest(stems: list[str], place: int, lang: str) -> tuple[int, Meaning | None]:
    table = lexicon()
    if table.starts_expression(stems[place], lang):
        for size in range(min(table.longest, len(stems) - place), 1, -1):
            meaning = table.meaning(tuple(stems[place : place + size]), lang)
            if meaning is not None:
                return size, meaning
    return 1, table.meaning((stems[place],), lang)


def _foreign(part: str, lang: str) -> Meaning:
    table = lexicon()
    for other in LANGUAGES:
        if other != lang and (meaning := table.meaning((table.stem(part, other),), other)):
            return meaning
    return UNKNOWN


def _deny(term: Term) -> Term:
    return replace(term, negated=True)


def _named_units(values: list[Value], lang: str) -> list[Value]:
    """Units of counts become concepts, so that "30 seats" and « 30 places » count one thing."""
    words = lexicon()
    named = []
    for value in values:
        unit = value.unit
        if value.kind == "count" and unit:
            stem = words.stem(unit, lang)
            meaning = words.meaning((stem,), lang)
            if unit in words.stop[lang]:
                unit = ""
            elif meaning and meaning.concepts:
                unit = "|".join(str(concept) for concept in sorted(meaning.concepts))
            else:
                unit = stem
        named.append(replace(value, unit=unit))
    return named
