"""The words that French and English make dates of: months, weekdays, small numbers (F10)."""

from __future__ import annotations

_MONTHS_EN = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_SHORT_EN = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS_FR = (
    "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
    "décembre",
)  # fmt: skip
_PLAIN_FR = {"fevrier": 2, "aout": 8, "decembre": 12}
_WEEKDAYS = {
    "en": ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    "fr": ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
}
_NUMBERS = {
    "en": {
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
        "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
    },
    "fr": {
        "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9,
        "dix": 10, "onze": 11, "douze": 12, "quinze": 15, "vingt": 20, "trente": 30,
    },
}  # fmt: skip

_MONTHS = {
    "en": {name: place for names in (_MONTHS_EN, _SHORT_EN) for place, name in enumerate(names, 1)} | {"sept": 9},
    "fr": {name: place for place, name in enumerate(_MONTHS_FR, 1)} | _PLAIN_FR,
}

MONTHS: dict[str, int] = _MONTHS["en"] | _MONTHS["fr"]
"""Months by lower-case name, 1 to 12."""

WEEKDAYS: dict[str, int] = {name: place for names in _WEEKDAYS.values() for place, name in enumerate(names)}
"""Weekdays by lower-case name, Monday 0."""

NUMBERS: dict[str, int] = _NUMBERS["en"] | _NUMBERS["fr"]
"""Numbers by lower-case word."""

TRIGGERS = frozenset(
    {
        "yesterday", "today", "tomorrow", "tonight", "ago", "last", "next", "days", "week", "weeks",
        "weekend", "month", "months", "year", "years", "morning", "afternoon", "evening",
        "hier", "hui", "demain", "soir", "matin", "midi", "jours", "semaine", "semaines", "mois", "an",
        "ans", "année", "années", "dernier", "dernière", "passé", "passée", "prochain", "prochaine",
        *WEEKDAYS,
        *map(str, range(1500, 2100)),
    }
)  # fmt: skip
"""Words without one of which no text says a date."""


def _longest_first(words: object) -> str:
    return "|".join(sorted(map(str, words), key=lambda word: (-len(word), word)))  # type: ignore[call-overload]


def one_of(language: str) -> str:
    """A pattern for the weekdays of a language."""
    return _longest_first(_WEEKDAYS[language])


def month_pattern(language: str | None) -> str:
    """A pattern for the months of a language, or of both, as the group `month`."""
    return rf"(?P<month>{_longest_first(MONTHS if language is None else _MONTHS[language])})\b"


def number_pattern(language: str) -> str:
    """A pattern for a small number, in digits or in the words of a language."""
    return rf"\d{{1,4}}|{_longest_first(_NUMBERS[language])}"
