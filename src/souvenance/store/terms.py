"""Words as the text index knows them: folded, stemmed, and cut into pairs where a script has no spaces.

One analysis serves both sides. A passage is analysed once, in its own language, into the terms that are stored
(`analyse`). A query is analysed into *words*, each with the forms it may have been stored under (`analyse_query`),
since the language of a short question is seldom known and a vault often mixes two: « anniversaires » is looked for as
the French stem and as the English one, and a passage matches the word when it holds either.

What a term is: lower case, accents removed, compatibility forms unified (full width, ligatures), stemmed by Snowball.
Words glued together (`snake_case`, `camelCase`, `barnacle42`) are stored whole and in parts. Chinese, Japanese, Korean
and Thai runs are stored as overlapping pairs of characters, so that a word is found anywhere inside a sentence; Chinese
characters and Korean syllables also singly, since both languages have words of one character.

A term holds letters, digits and the vowel signs of scripts that write them as marks; never a space, never ASCII
punctuation, so that a store may put a vault's number before it (`12_chat`).
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

import Stemmer  # type: ignore[import-not-found]

from souvenance.store.function_words import is_function_word

LONGEST_TERM: Final = 64
"""Characters kept of one term. Longer ones are encoded data, not words; the beginning still finds them."""

MOST_KNOWN: Final = 1 << 16
"""Words of a language whose terms are kept in memory; all are let go when there are more."""

MOST_QUERY_WORDS: Final = 256
"""Distinct words kept of a query, the first ones, so that a pasted book stays a question that can be answered."""

DEFAULT_LANGUAGES: Final = ("fr", "en")
"""The languages in which a word is stemmed when nobody said which one it is in."""

_SNOWBALL: Final = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

# Python's \w leaves out combining marks, which would cut Thai and Indic words at every vowel sign.
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0df3"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
)
_WORD: Final = re.compile(rf"[^\W_](?:[^\W_]|[{_MARKS}])*")
_ASCII_WORD: Final = re.compile("[A-Za-z0-9]+")
_ACCENTS: Final = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]+")
_UNSPACED: Final = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
_SINGLE: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
_LETTERS: Final = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_APOSTROPHES: Final = re.compile("(?<=[^\\W\\d_])['\u2019\u02bc\uff07](?=[^\\W\\d_])")
_ELIDED: Final = frozenset(["c", "d", "j", "l", "m", "n", "s", "t", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"])
_CLITICS: Final = frozenset(["s", "t", "d", "m", "ll", "re", "ve"])

_local = threading.local()


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word of a query and the terms it may be stored as; a passage holding any of `forms` holds the word.

    `common` marks function words (« le », "what"): they tell one passage from another so little that the ranking
    counts them for a fraction. `compound` marks a word glued to digits as a whole (`room12`), beside the one that its
    parts make: it tells room12 from room13, and counts only where the memory holds it, since many write « room 12 ».
    """

    forms: tuple[str, ...]
    common: bool
    compound: bool = False


def analyse(text: str, language: str | None) -> list[str]:
    """Return the terms under which `text` is indexed, in order, repeated as often as they occur.

    `language` is an ISO 639-1 code, with or without a region (`fr`, `pt-BR`). With `None` or a language that has no
    stemmer, each word is stored under its stem in every one of `DEFAULT_LANGUAGES`, once where they agree.
    Never raises on odd input: NUL, unpaired surrogates, emoji and punctuation separate words; time is linear.
    """
    languages = _stemmed_in(language)
    return list(chain.from_iterable(map(_known_in(languages).__getitem__, _words(text))))


def analyse_query(text: str, languages: tuple[str, ...] = DEFAULT_LANGUAGES) -> list[QueryWord]:
    """Return the distinct words of a query, in order of first appearance, with the terms each may be stored as.

    `languages` are those of the passages searched; words are stemmed in each of them (in `DEFAULT_LANGUAGES` where none
    has a stemmer). At most `MOST_QUERY_WORDS` are returned. Runs of Chinese, Japanese,
    Korean and Thai give one word per pair of characters, or the character itself where it stands alone.
    """
    known_codes = [code for code in map(_code, languages) if code in _SNOWBALL]
    stems = tuple(_SNOWBALL[code] for code in known_codes or DEFAULT_LANGUAGES)
    found: dict[str, QueryWord] = {}
    for raw in dict.fromkeys(_words(text)):
        for word in _query_words(raw, stems):
            # « scie » and « scies » are one word: asked twice, it must not weigh twice.
            stem = word.forms[0]
            if stem in found:
                known = found[stem]
                forms = tuple(dict.fromkeys(known.forms + word.forms))
                found[stem] = QueryWord(forms, known.common and word.common, known.compound and word.compound)
            elif len(found) < MOST_QUERY_WORDS:
                found[stem] = word
            else:
                return list(found.values())
    return list(found.values())


def _code(language: str) -> str:
    return language.replace("_", "-").split("-")[0].lower()


def _stemmed_in(language: str | None) -> tuple[str, ...]:
    algorithm = _SNOWBALL.get(_code(language)) if language else None
    return (algorithm,) if algorithm else tuple(_SNOWBALL[code] for code in DEFAULT_LANGUAGES)


def _words(text: str) -> list[str]:
    """The words of `text` as written, without elided articles and possessive endings."""
    is_ascii = text.isascii()
    if not is_ascii:
        text = unicodedata.normalize("NFKC", text)
    if is_ascii and "'" not in text:
        return _ASCII_WORD.findall(text)
    if not _APOSTROPHES.search(text):
        return _WORD.findall(text)
    words: list[str] = []
    # The mark U+0001 stands for an apostrophe between letters, so that what was elided can be told from a word.
    for group in re.findall(rf"[^\W_](?:[^\W_]|[{_MARKS}\x01])*", _APOSTROPHES.sub("\x01", text.replace("\x01", " "))):
        pieces = group.split("\x01")
        first, last = 0, len(pieces)
        while first < last - 1 and pieces[first].lower() in _ELIDED:
            first += 1
        while first < last - 1 and pieces[last - 1].lower() in _CLITICS:
            last -= 1
        words.extend(piece for piece in pieces[first:last] if piece)
    return words


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    # Only accents go: the voicing marks of kana and the syllables of Hangul are put together again.
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", word.casefold()))).translate(
        _LETTERS
    )


def _stem(word: str, algorithm: str) -> str:
    stemmers: dict[str, Stemmer.Stemmer] | None = getattr(_local, "stemmers", None)
    if stemmers is None:
        stemmers = _local.stemmers = {}  # a stemmer holds state and must not be shared between threads
    if algorithm not in stemmers:
        stemmers[algorithm] = Stemmer.Stemmer(algorithm, 0)
    return str(stemmers[algorithm].stemWord(word))[:LONGEST_TERM]


def _pieces(word: str) -> Iterator[tuple[str, bool]]:
    """Yield the stretches of a word and whether each is in a script without spaces."""
    for number, piece in enumerate(_UNSPACED.split(word)):
        if piece:
            yield piece, number % 2 == 1


def _parts(word: str) -> list[str]:
    """Return the parts of a word written in one piece (`BigKettle`, `barnacle42`), none when it is simple."""
    if word.isalpha() and (word.islower() or word.isupper() or word.istitle()):
        return []
    parts = [part for part in _PART.findall(word) if len(part) > 1]
    return [] if parts == [word] else parts


def _stems(word: str, algorithms: tuple[str, ...]) -> list[str]:
    """Return the stems of a word as it is written and of its folded form, folded, each once.

    Stemmers read accents (« réglée » is a participle, "reglee" is not), while people leave them out.
    """
    written, folded = word.casefold()[:LONGEST_TERM], _fold(word)[:LONGEST_TERM]
    if folded.isdigit():
        return [folded]
    stems: list[str] = []
    for algorithm in algorithms:
        stems.append(_fold(_stem(written, algorithm))[:LONGEST_TERM])
        stems.append(_stem(folded, algorithm))
    return list(dict.fromkeys(stems))


def _grams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _word_terms(word: str, algorithms: tuple[str, ...]) -> tuple[str, ...]:
    terms: list[str] = []
    for piece, unspaced in _pieces(word):
        if unspaced:
            run = _fold(piece)
            terms.extend(_grams(run))
            if len(run) > 1:
                terms.extend(_SINGLE.findall(run))
        else:
            terms.extend(_stems(piece, algorithms))
            for part in _parts(piece[:LONGEST_TERM]):
                terms.extend(_stems(part, algorithms))
    return tuple(terms)


class _Known(dict[str, tuple[str, ...]]):
    """The terms of the words met in some languages: most words of most texts were met before."""

    def __init__(self, algorithms: tuple[str, ...]) -> None:
        super().__init__()
        self._algorithms = algorithms

    def __missing__(self, word: str) -> tuple[str, ...]:
        terms = _word_terms(word, self._algorithms)
        if len(word) <= LONGEST_TERM and not word.isdigit():  # numbers are as many as they are quick to analyse
            if len(self) >= MOST_KNOWN:
                self.clear()
            self[word] = terms
        return terms


_known_in = lru_cache(maxsize=None)(_Known)


def forget_words() -> None:
    """Keep no analysed word in this process's memory (F7)."""
    _known_in.cache_clear()


def _query_words(word: str, algorithms: tuple[str, ...]) -> Iterator[QueryWord]:
    for piece, unspaced in _pieces(word):
        if unspaced:
            yield from (QueryWord((gram,), False) for gram in _grams(_fold(piece)))
            continue
        forms = _stems(piece, algorithms)
        parts = [part for part in _parts(piece[:LONGEST_TERM]) if not part.isdigit()]
        if parts and any(map(str.isdigit, piece)):
            yield QueryWord(tuple(forms), common=False, compound=True)
            forms = []
        for part in parts:
            forms.extend(_stems(part, algorithms))
        yield QueryWord(tuple(dict.fromkeys(forms)), is_function_word(piece.casefold(), _fold(piece)))
