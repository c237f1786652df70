"""Numbers, dates, times, amounts and durations said in a fact, on common scales, so that two facts can be compared.

"15:00", "15 h" and "3 pm" are one value; so are "two weeks" and « quinze jours ». A date keeps the precision it was
given: "2026" and "27 May 2026" do not disagree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

_WORDS = {
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9, "dix": 10, "onze": 11,
    "douze": 12,
    "treize": 13, "quatorze": 14, "quinze": 15, "seize": 16, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50,
    "soixante": 60, "septante": 70, "nonante": 90, "cent": 100, "mille": 1000, "two": 2, "three": 3, "four": 4,
    "five": 5,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000, "dozen": 12,
    "douzaine": 12,
}  # fmt: skip
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "janvier january jan janv", "fevrier february feb fev", "mars march mar", "avril april apr avr",
            "mai may", "juin june jun",
            "juillet july jul juil", "aout august aug", "septembre september sep sept", "octobre october oct",
            "novembre november nov",
            "decembre december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_SECONDS = {
    "s": 1, "second": 1, "seconde": 1, "sec": 1, "min": 60, "mn": 60, "minute": 60, "h": 3600, "heure": 3600,
    "hour": 3600,
    "jour": 86400, "day": 86400, "semaine": 604800, "week": 604800, "fortnight": 1209600, "mois": 2592000,
    "month": 2592000, "an": 31536000, "annee": 31536000, "year": 31536000,
}  # fmt: skip
_CURRENCY = {
    "€": "eur", "eur": "eur", "euro": "eur", "£": "gbp", "pound": "gbp", "livre": "gbp", "quid": "gbp",
    "$": "usd", "dollar": "usd", "franc": "chf",
}  # fmt: skip

_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_NUMBER_WORDS = re.compile(rf"(?<![\w-])(?:{_WORD})(?:(?:-et-|-| et | and |\s)(?:{_WORD}|un|une|one))*(?![\w])")
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_UNIT = (
    r"secondes?|seconds?|sec|minutes?|min|mn|heures?|hours?|h|"
    r"jours?|days?|semaines?|weeks?|mois|months?|annees?|ans?|years?"
)
_ONE_UNIT = "heure|hour|jour|day|semaine|week|mois|month|an|year|fortnight"
_CURRENCIES = r"€|£|\$|euros?\b|eur\b|pounds?\b|livres? sterling|quid\b|dollars?\b|francs?\b"
_FEASTS = {
    "jour de l'an|nouvel an|new year's day": (0, 1, 1),
    "saint-valentin|valentine'?s? day|valentine": (0, 2, 14),
    "fete du travail|may day": (0, 5, 1),
    "toussaint|all saints": (0, 11, 1),
    "halloween": (0, 10, 31),
    "reveillon de noel|christmas eve": (0, 12, 24),
    "noel|christmas(?! eve)(?: day)?": (0, 12, 25),
    "saint-sylvestre|new year's eve|reveillon du nouvel an": (0, 12, 31),
}
"""Feasts that fall on one day every year."""
_TH = "(?:er|st|nd|rd|th)?"
_N = r"\d{1,3}(?:[ \u00a0\u202f,]\d{3})+(?!\d)|\d+(?:[.,]\d+)?"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("iso", re.compile(r"(?<!\d)(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?!\d)")),
    ("slash", re.compile(r"(?<![\d/])(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<y>\d{2,4})(?![\d/])")),
    (
        "range",
        re.compile(
            rf"(?<!\d)(?P<d>\d{{1,2}}){_TH}\s*(?:au|a|-|–|to|et|and|until)\s*(?:le )?"
            rf"(?P<d2>\d{{1,2}}){_TH}\s+(?P<m>{_MONTH})\b(?:,?\s+(?P<y>\d{{4}}))?"
        ),
    ),
    ("dmy", re.compile(rf"(?<!\d)(?P<d>\d{{1,2}}){_TH}\s+(?:of )?(?P<m>{_MONTH})\b\.?(?:,?\s+(?P<y>\d{{4}}))?")),
    ("mdy", re.compile(rf"\b(?P<m>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(?P<y>\d{{4}}))?")),
    ("my", re.compile(rf"\b(?P<m>{_MONTH})\s+(?P<y>(?:19|20)\d{{2}})\b")),
    (
        "m",
        re.compile(
            rf"\b(?:en|in|of|by|since|until|before|after|de|d'|fin|debut|mi-|early|late|mid|the)\s?(?P<m>{_MONTH})\b"
        ),
    ),
    ("holiday", re.compile(r"\b(?P<f>" + "|".join(_FEASTS) + r")\b")),
    (
        "monthday",
        re.compile(
            r"\b(?:le|the|on) (?P<d>\d{1,2}|premier|first)(?:er|st|nd|rd|th)? "
            r"(?:de chaque mois|du mois|of (?:the|each|every) month)\b"
        ),
    ),
    (
        "ampm",
        re.compile(r"(?<![\d.:])(?P<h>\d{1,2})(?:[:.](?P<n>\d{2}))?\s*(?P<half>am|pm|a\.m\.?|p\.m\.?)(?!\w)"),
    ),
    (
        "said",
        re.compile(
            r"(?<!\d)(?P<h>\d{1,2})(?:\s?(?:h|heures?|o'clock))?(?:\s?(?P<n>\d{2}))? "
            r"(?P<half>at night|in the evening|du soir|in the afternoon|de l'apres-midi|in the morning|du matin)"
        ),
    ),
    ("colon", re.compile(r"(?<![\d:.])(?P<h>\d{1,2}):(?P<n>\d{2})(?![\d:])")),
    ("fr", re.compile(r"(?<!\d)(?P<h>\d{1,2})\s?(?:h|heures?)\s?(?P<n>\d{2})(?!\d)")),
    (
        "at",
        re.compile(
            r"(?:(?<=\ba )|(?<=apres )|(?<=avant )|(?<=vers )|(?<=des )|(?<=jusqu'a )|(?<=passe )|(?<=\bet )|(?<=-))"
            r"(?P<h>\d{1,2})\s?(?:h|heures?)(?![\w])"
        ),
    ),
    ("noon", re.compile(r"(?<!apres-)\b(?:midi|noon|midday)(?: (?P<half>et demi))?\b")),
    ("midnight", re.compile(r"\b(?:minuit|midnight)\b")),
    ("money", re.compile(rf"(?P<c>[€£$])\s?(?P<n>{_N})|(?<![\d.,])(?P<n2>{_N})\s?(?P<c2>{_CURRENCIES})")),
    ("percent", re.compile(rf"(?<![\d.,])(?P<n>{_N})\s?(?:%|pour (?:cent|100)|percent|per cent|per 100)")),
    ("version", re.compile(r"(?<![\w.,])v?(?P<v>\d+\.\d+(?:\.\d+)*)(?![\w,]|\.\d)|\bversions? (?P<v2>\d+)\b(?!\.\d)")),
    (
        "duration",
        re.compile(
            rf"(?<![\w.,])(?P<n>{_N})[\s-]?(?P<u>{_UNIT})(?:s')?(?![\w])"
            r"(?:\s?(?P<n2>\d{1,2})\s?(?P<u2>s|sec|min|mn)?(?!\w))?"
        ),
    ),
    (
        "one",
        re.compile(
            r"(?<!fois )(?<!par )(?<!once )(?<!twice )(?<!times )"
            rf"\b(?:un|une|a|an|one)\s(?P<u>{_ONE_UNIT})(?:'s)?\b"
        ),
    ),
    ("year", re.compile(r"(?<![\d.,#-])(?P<y>(?:19|20)\d{2})(?![\d.,]\d|\s?(?:€|£|%))")),
    ("ordinal", re.compile(r"(?<![\w.,])(?P<n>\d{1,3})(?:er|ere|re|e|eme|st|nd|rd|th)\b")),
    ("count", re.compile(rf"(?<![\w#.,])(?P<n>[+-]?(?:{_N}))(?![\w])(?:\s+(?P<u>[^\W\d_]{{2,}}))?")),
)  # fmt: skip


_WITHOUT_DIGITS = frozenset({"holiday", "m", "monthday", "noon", "midnight", "one"})
_DIGIT = re.compile(r"\d")


KINDS = ("date", "clock", "money", "percent", "version", "duration", "year", "ordinal", "count")


@dataclass(frozen=True, slots=True)
class Value:
    """One value. `kind` tells the scale: date (year, month, day; 0 unknown), clock (minutes after midnight), money,
    percent, version, duration (seconds), year, ordinal, count (`unit`: the word counted, may be empty)."""

    kind: str
    amount: tuple[float, ...]
    unit: str = ""
    said: str = field(default="", compare=False)  # as written, for people

    def relation(self, other: Value) -> str:
        """`same`, `differs` (one scale, two values) or `other` (cannot be compared)."""
        if self.kind == "date" and other.kind == "date":
            pairs = [(a, b) for a, b in zip(self.amount, other.amount, strict=True) if a and b]
            return "other" if not pairs else "same" if all(a == b for a, b in pairs) else "differs"
        if {self.kind, other.kind} == {"date", "year"}:
            date, year = (self, other) if self.kind == "date" else (other, self)
            return "other" if not date.amount[0] else "same" if date.amount[0] == year.amount[0] else "differs"
        if {self.kind, other.kind} == {"duration", "clock"}:
            # « 1 h 30 » may be either; only its agreement means something.
            duration, clock = (self, other) if self.kind == "duration" else (other, self)
            return "same" if duration.amount[0] == 60 * clock.amount[0] else "other"
        if self.kind != other.kind:
            return "other"
        if self.unit and other.unit and not set(self.unit.split("|")) & set(other.unit.split("|")):
            return "same" if self.amount == other.amount and self.kind == "count" else "other"
        return "same" if self.amount == other.amount else "differs"


def read_values(folded: str) -> tuple[list[Value], str]:
    """The values of a folded text, and that text without them (the word that a number counts stays)."""
    text = _NUMBER_WORDS.sub(_digits, folded)
    numbered = _DIGIT.search(text) is not None
    found: list[Value] = []
    for name, pattern in _PATTERNS:
        if name not in _WITHOUT_DIGITS and not numbered:
            continue

        def take(match: re.Match[str], name: str = name) -> str:
            values = [replace(value, said=match[0].strip()) for value in _values(name, match)]
            found.extend(values)
            if not values:
                return match[0]
            # A counted word goes on being a word of the sentence.
            return " " * (match.end() - match.start()) if name != "count" else f" {match['u'] or ''} "

        text = pattern.sub(take, text)
    return _dated(found), text


def _dated(values: list[Value]) -> list[Value]:
    """A year said apart from the one date that lacks it ("the 2026 cup is on 18 April") is that date's year."""
    years = [v for v in values if v.kind == "year"]
    bare = [v for v in values if v.kind == "date" and not v.amount[0]]
    if len(years) != 1 or not bare or any(v.kind == "date" and v.amount[0] for v in values):
        return values
    year = years[0].amount[0]
    return [replace(v, amount=(year, *v.amount[1:])) if v in bare else v for v in values if v is not years[0]]


def _digits(match: re.Match[str]) -> str:
    words = [part for part in re.split(r"[\s-]+", match[0]) if part not in ("et", "and")]
    if words == ["neuf"] and not match.string[match.end() :].lstrip(" ")[:1].isalpha():
        return match[0]  # « un vélo neuf » is new, not nine
    if words == ["sept"] and match.string[match.end() : match.end() + 1] == ".":
        return match[0]
    total, current = 0, 0
    for word in words:
        value = _WORDS.get(word, 1)
        if value in (100, 1000):
            total, current = total + max(current, 1) * value, 0
        elif value == 20 and current == 4:
            current = 80
        else:
            current += value
    return str(total + current)


def _values(name: str, match: re.Match[str]) -> Iterator[Value]:
    part = match.groupdict()
    if name in ("iso", "slash", "dmy", "mdy", "my", "m", "range"):
        month = part.get("m") or "0"
        number = int(month) if month.isdigit() else _MONTHS[month]
        year = int(part.get("y") or 0)
        for day in (part.get("d"), part.get("d2")):
            if day is not None or name in ("my", "m"):
                yield Value("date", (year + 2000 if 0 < year < 100 else year, number, int(day or 0)))
            if name in ("my", "m"):
                break
    elif name == "holiday":
        yield Value("date", next(day for said, day in _FEASTS.items() if re.fullmatch(said, part["f"])))
    elif name == "monthday":
        yield Value("date", (0, 0, int(part["d"]) if part["d"].isdigit() else 1))
    elif name in ("ampm", "said", "colon", "fr", "at"):
        hour, half = int(part["h"]), part.get("half") or ""
        if half.startswith(("p", "in the a", "in the e", "at n", "du s", "de l")) and hour < 12:
            hour += 12
        if hour <= 24:
            yield Value("clock", ((hour % 24) * 60 + int(part.get("n") or 0),))
    elif name == "noon":
        yield Value("clock", (750 if part["half"] else 720,))
    elif name == "midnight":
        yield Value("clock", (0,))
    elif name == "money":
        raw = (part["c"] or part["c2"]).split()[0]
        yield Value("money", (_number(part["n"] or part["n2"]),), _CURRENCY.get(raw.rstrip("s"), raw))
    elif name == "version":
        yield Value("version", tuple(float(n) for n in (part["v"] or part["v2"]).split(".")))
    elif name == "duration":
        unit = part["u"].rstrip("s") if part["u"] not in ("mois", "s") else part["u"]
        seconds = _number(part["n"]) * _SECONDS[unit]
        if part.get("n2"):
            seconds += int(part["n2"]) * (1 if _SECONDS[unit] == 60 else 60)
        # « quinze jours » are two weeks, « huit jours » one.
        yield Value("duration", ({15 * 86400: 14 * 86400, 8 * 86400: 7 * 86400}.get(int(seconds), seconds),))
    elif name == "one":
        yield Value("duration", (_SECONDS[part["u"]],))
    elif name == "year":
        yield Value("year", (int(part["y"]),))
    elif name in ("percent", "ordinal"):
        yield Value(name, (_number(part["n"]),))
    elif name == "count":
        yield Value("count", (_number(part["n"]),), part["u"] or "")


def _number(raw: str) -> float:
    raw = re.sub(r"(?<=\d)[ \u00a0\u202f,](?=\d{3}(?:\D|$))", "", raw)
    return float(raw.replace(",", "."))
