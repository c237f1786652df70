"""Everyday French and English words with their synonyms, translations, opposites and rivals, by stem.

The words are in `opposites.txt` and `words.txt`.

Everything is looked up folded (no case, no accents) and stemmed by Snowball in the fact's language, so that inflected
words of both languages meet. Words that the lexicon does not know are compared by their stem alone.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import Stemmer  # type: ignore[import-not-found]

LANGUAGES = ("fr", "en")
_NAMES = {"fr": "french", "en": "english"}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word may stand for."""

    concepts: frozenset[int] = frozenset()
    axes: tuple[tuple[str, int], ...] = ()  # (axis, +1 or -1)
    rivals: tuple[tuple[str, int], ...] = ()  # (category, member concept)
    light: bool = False


UNKNOWN = Meaning()


@dataclass(slots=True)
class _Entry:
    concepts: set[int] = field(default_factory=set)
    axes: set[tuple[str, int]] = field(default_factory=set)
    rivals: set[tuple[str, int]] = field(default_factory=set)
    light: bool = False


class Lexicon:
    """Meanings of stems and of expressions of up to four stems, per language."""

    longest = 4

    def __init__(self, text: str) -> None:
        self._stemmers = {lang: Stemmer.Stemmer(name) for lang, name in _NAMES.items()}
        self._cache: dict[tuple[str, str], str] = {}
        entries: dict[str, dict[tuple[str, ...], _Entry]] = {lang: {} for lang in LANGUAGES}
        self.stop: dict[str, set[str]] = {lang: set() for lang in LANGUAGES}
        section, name, concept = "same", "", 0
        for raw in text.splitlines():
            line = raw.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("["):
                section, _, name = line.strip("[]").partition(" ")
                continue
            if section == "stop":
                for lang, words in zip(LANGUAGES, line.split("|"), strict=True):
                    self.stop[lang].update(words.split())
                continue
            sign = {"+": 1, "-": -1}.get(line[0], 0) if section == "axis" else 0
            concept += 1
            for lang, words in zip(LANGUAGES, (line[1:] if sign else line).split("|"), strict=True):
                for word in words.split():
                    entry = entries[lang].setdefault(self._phrase(word, lang), _Entry())
                    if section == "light":
                        entry.light = True
                        continue
                    entry.concepts.add(concept)
                    if sign:
                        entry.axes.add((name, sign))
                    elif section == "rival":
                        entry.rivals.add((name, concept))
        self.categories = frozenset(name for table in entries.values() for e in table.values() for name, _ in e.rivals)
        self.axes = frozenset(name for table in entries.values() for e in table.values() for name, _ in e.axes)
        self._meanings = {
            lang: {
                key: Meaning(frozenset(e.concepts), tuple(sorted(e.axes)), tuple(sorted(e.rivals)), e.light)
                for key, e in table.items()
            }
            for lang, table in entries.items()
        }
        self._starts = {lang: {key[0] for key in table if len(key) > 1} for lang, table in self._meanings.items()}

    def stem(self, word: str, lang: str) -> str:
        """Stem of a folded word; words of other languages stay as they are."""
        stemmer = self._stemmers.get(lang)
        if stemmer is None or not word.isalpha():
            return word
        known = self._cache.get((lang, word))
        if known is None:
            known = self._cache[lang, word] = stemmer.stemWord(_regular(word) if lang == "fr" else word)
        return known

    def meaning(self, stems: tuple[str, ...], lang: str) -> Meaning | None:
        """Meaning of one stem or of an expression, in that language; None when unknown."""
        return self._meanings.get(lang, {}).get(stems)

    def starts_expression(self, stem: str, lang: str) -> bool:
        """Could this stem begin an expression of several words?"""
        return stem in self._starts.get(lang, ())

    def guess(self, words: list[str]) -> str:
        """The likelier language of folded words; "fr" and "en" only, since only they are stemmed here."""
        score = {
            lang: sum(
                (word in self.stop[lang]) + 0.6 * ((self.stem(word, lang),) in self._meanings[lang]) for word in words
            )
            for lang in LANGUAGES
        }
        return "en" if score["en"] > score["fr"] else "fr"

    def _phrase(self, word: str, lang: str) -> tuple[str, ...]:
        spaced = elide(fold(word).replace("_", " "))
        return tuple(self.stem(part, lang) for part in re.split(r"[ -]", spaced) if part)


_ELISION = re.compile(r"\b(?:l|d|j|m|t|s|c|n|qu|jusqu|lorsqu|puisqu|quelqu)'(?=\w)")


def elide(folded: str) -> str:
    """Elided French articles and pronouns taken off (« l'été » is « été »); « n' » is written « ne », which denies."""
    return _ELISION.sub(lambda match: "ne " if match[0] == "n'" else " ", folded)


def _regular(word: str) -> str:
    """Folded French endings that Snowball reads only with their accents (« fondées ») or not at all (« jeux »)."""
    if len(word) > 4 and (ending := re.search(r"ees?$", word)):
        return word[: ending.start()] + "e"
    return word[:-1] if len(word) > 3 and word.endswith(("eux", "eaux")) else word


def fold(text: str) -> str:
    """Lower case without accents; ligatures opened."""
    text = text.casefold().replace("œ", "oe").replace("æ", "ae").replace("’", "'")
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


@cache
def lexicon() -> Lexicon:
    """The lexicon, read once."""
    here = files("souvenance.consolidation")
    return Lexicon("\n".join(here.joinpath(name).read_text("utf-8") for name in ("opposites.txt", "words.txt")))
