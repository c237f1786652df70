"""Dates as they were said and what they meant when written, in French and English (F10).

A date is resolved only as far as it was given: a year stays a year (`2023`), a month a month (`2023-05`), a week a
week (`2023-W19`), a day a day (`2023-05-08`), a weekend its two days (`2023-05-13/2023-05-14`), all ISO 8601. What
could mean two things (a bare « lundi », "the last week", "8 May" without a year) is left as said: silence is better
than a false date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

from souvenance.domain.fact import SaidDate
from souvenance.memory.date_words import MONTHS, NUMBERS, TRIGGERS, WEEKDAYS, month_pattern, number_pattern, one_of

MAX_DATES = 64
"""Dates kept of one text; the following ones stay as said."""

_WORD = re.compile(r"\w+")
_EN, _FR = "en", "fr"
_Resolve = Callable[[re.Match[str], date], "str | None"]
_SOME_DAY = date(2000, 1, 1)
"""From which words are resolved to see whether they say a date at all."""
_SENTENCE = 240
"""Characters of a sentence looked at on either side of a saying."""


@dataclass(frozen=True, slots=True)
class Saying:
    """Words of a text that say a date, and how they are resolved; kept apart since the text is the slow part."""

    match: re.Match[str]
    resolve: _Resolve


def sayings_in(text: str, language: str | None) -> tuple[Saying, ...]:
    """What of a text says a date, in its order, each wording once, at most 64; in time linear in the text.

    `language` is `fr` or `en`, or None where it is not known and both are read; in any other only years and ISO
    dates are.
    """
    words = _WORD.findall(text.lower())
    if TRIGGERS.isdisjoint(words):
        return ()
    spoken = language[:2].lower() if language else None
    chosen = {_EN: (_EN, ""), _FR: (_FR, ""), None: (_EN, _FR, "")}.get(spoken, ("",))
    met = frozenset(words)
    taken = bytearray(len(text))
    found: list[Saying] = []
    for of_language, needed, pattern, resolve in _rules():
        if of_language not in chosen or needed.isdisjoint(met):
            continue
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]):
                continue  # an earlier rule, which reads more, has taken these words
            if _is_quoted(text, start, end) or _resolved(resolve, match, _SOME_DAY) is None:
                continue
            taken[start:end] = b"\x01" * (end - start)
            found.append(Saying(match, resolve))
    found.sort(key=lambda saying: saying.match.span())
    once: dict[str, Saying] = {}
    for saying in found:
        once.setdefault(saying.match[0], saying)
    return tuple(once.values())[:MAX_DATES]


def resolve_said_dates(text: str, language: str | None, said_at: datetime, time_zone: str) -> tuple[SaidDate, ...]:
    """The dates a text says, in its order, each with what it meant to someone speaking at `said_at` in `time_zone`.

    A naive `said_at` is the speaker's own clock; an unknown time zone counts as UTC. For `language` see `sayings_in`.
    """
    return _meant(sayings_in(text, language), said_at, time_zone)


def dates_said(
    sayings: Sequence[Saying], *, said_at: str, written_at: datetime, time_zone: Callable[[], str]
) -> tuple[SaidDate, ...]:
    """The dates of a fact that is being written: seen from when it was said where that is given, else from now.

    Where `said_at` names no day ("2023", "last spring") nothing is known to count from, and dates stay as said. The
    zone is asked for only when there is something to resolve.
    """
    if not sayings:
        return ()
    zone = time_zone()
    base = parse_said_at(said_at, zone) if said_at else written_at
    return () if base is None else _meant(sayings, base, zone)


def _meant(sayings: Sequence[Saying], said_at: datetime, time_zone: str) -> tuple[SaidDate, ...]:
    base = (said_at.astimezone(zone_of(time_zone)) if said_at.tzinfo else said_at).date()
    dates = ((one.match[0], _resolved(one.resolve, one.match, base)) for one in sayings)
    return tuple(SaidDate(said, meant) for said, meant in dates if meant is not None)


def parse_said_at(text: str, time_zone: str) -> datetime | None:
    """When something was said, from what a caller writes about it, or None where that names no day.

    Understood anywhere in the text: ISO 8601 (`2023-05-08`, `2023-05-08T13:56:00Z`), `2023/05/08 (Mon) 02:21`,
    "1:56 pm on 8 May, 2023", "May 8th, 2023", « 8 mai 2023 ». Of the hour nothing is needed, since no date is said
    more finely than a day, but an instant with an offset is brought to the speaker's zone. The result is naive.
    """
    try:
        instant = None if "W" in text else datetime.fromisoformat(text.strip())
    except ValueError:
        instant = None
    if instant is not None:
        return instant.astimezone(zone_of(time_zone)).replace(tzinfo=None) if instant.tzinfo else instant
    for match in _any_day().finditer(text):
        named = match.groupdict()
        month = MONTHS.get((named["month"] or named["month2"] or "").lower()) or int(named["m"] or 0)
        try:
            return datetime(
                int(named["y"] or named["year"] or named["year2"]),
                month,
                int(named["d"] or named["day"] or named["day2"]),
            )
        except ValueError:
            continue
    return None


def zone_of(name: str) -> tzinfo:
    """The time zone of that IANA name; UTC where there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC


def _resolved(resolve: _Resolve, match: re.Match[str], base: date) -> str | None:
    try:
        return resolve(match, base)
    except (ValueError, OverflowError):
        return None  # "in 90000 years", "31 April 2023"


def _is_quoted(text: str, start: int, end: int) -> bool:
    return start > 0 and end < len(text) and text[start - 1] in '"“' and text[end] in '"”'


# --- what the words mean -----------------------------------------------------------------------------------------


def _week(day: date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


def _month(base: date, by: int) -> str:
    months = base.year * 12 + base.month - 1 + by
    return f"{_year(months // 12)}-{months % 12 + 1:02}"


def _year(number: int) -> str:
    if not 1 <= number <= 9999:
        raise ValueError(number)
    return f"{number:04}"


def _moved(base: date, count: int, unit: str) -> str:
    """So many units away, with the precision of the unit."""
    unit = unit.lower()
    if unit.startswith(("day", "jour")):
        return (base + timedelta(days=count)).isoformat()
    if unit.startswith(("week", "semaine")):
        return _week(base + timedelta(weeks=count))
    if unit.startswith(("month", "mois")):
        return _month(base, count)
    return _year(base.year + count)


def _weekend(base: date, by: int) -> str:
    saturday = base - timedelta(days=base.weekday()) + timedelta(days=5, weeks=by)
    return f"{saturday.isoformat()}/{(saturday + timedelta(days=1)).isoformat()}"


def _on_weekday(base: date, name: str, side: str) -> str:
    """The nearest such day strictly before (last), strictly after (next), or from the day itself on (this)."""
    wanted = WEEKDAYS[name.lower()]
    if side == "last":
        return (base - timedelta(days=(base.weekday() - wanted - 1) % 7 + 1)).isoformat()
    ahead = (wanted - base.weekday()) % 7
    return (base + timedelta(days=ahead or 7 if side == "next" else ahead)).isoformat()


def _in_month(base: date, name: str, side: str) -> str:
    """The nearest such month strictly before or after the present one."""
    wanted = MONTHS[name.lower()]
    if side == "last":
        return f"{_year(base.year - (wanted >= base.month))}-{wanted:02}"
    return f"{_year(base.year + (wanted <= base.month))}-{wanted:02}"


def _side(word: str) -> str:
    word = word.lower()
    if word.startswith(("last", "past", "derni", "pass")):
        return "last"
    return "next" if word.startswith(("next", "proch")) else "this"


_STEP = {"last": -1, "this": 0, "next": 1}


def _count(word: str) -> int:
    return NUMBERS[word.lower()] if word.lower() in NUMBERS else int(word)


def _period(match: re.Match[str], base: date) -> str:
    unit, step = match["unit"].lower(), _STEP[_side(match["side"])]
    if unit.replace("-", "").replace(" ", "") == "weekend":
        return _weekend(base, step)
    return _moved(base, step, unit)


def _ago(match: re.Match[str], base: date) -> str:
    return _counted(match, base, -1)


def _ahead(match: re.Match[str], base: date) -> str:
    return _counted(match, base, 1)


def _counted(match: re.Match[str], base: date, way: int) -> str:
    count, unit = _count(match["n"]), match["unit"].lower()
    if unit == "jours" and count in {8, 15}:  # how French says one week and two
        count, unit = count // 7, "semaines"
    return _moved(base, way * count, unit)


def _day_of_week_period(match: re.Match[str], base: date) -> str:
    monday = base - timedelta(days=base.weekday()) + timedelta(weeks=_STEP[_side(match["side"])])
    return (monday + timedelta(days=WEEKDAYS[match["weekday"].lower()])).isoformat()


def _absolute(match: re.Match[str], _base: date) -> str:
    named = match.groupdict()
    month, year = MONTHS[match["month"].lower()], int(match["year"])
    return date(year, month, int(named["day"])).isoformat() if named.get("day") else f"{_year(year)}-{month:02}"


def _away(days: int) -> _Resolve:
    return lambda _match, base: (base + timedelta(days=days)).isoformat()


# --- the grammar: longer sayings first, since they take their words from the shorter ones ------------------------

_Y = r"(?P<year>(?:1[5-9]|20)\d\d)(?![\d%€$£]|[.,:]\d)"
_D = r"(?P<day>[12]\d|3[01]|0?[1-9])"
_M_EN, _M_FR = month_pattern(_EN), month_pattern(_FR)
_N_EN, _N_FR = number_pattern(_EN), number_pattern(_FR)
_WD_EN, _WD_FR = one_of(_EN), one_of(_FR)
_UNIT_EN, _UNIT_FR = "days?|weeks?|months?|years?", "jours?|semaines?|mois|ans?|années?"
_PAST_FR = r"derni(?:er|ère)|passée?"
_SIDE_FR = rf"{_PAST_FR}|prochaine?"
_NOT_A_SPAN_FR = r"(?!\s+(?:de(?! cela)|d['’]|par|ouvr|fériés?|entre|pour|où|chaque|consécuti|entiers?|pleine?s?)\b)"
_COMING = re.compile(
    r"\b(?:will|won't|shall|going to|gonna|i'm|you're|we're|they're|he's|she's|it's|is|are|am|starts?|begins?|leaves?"
    r"|arrives?|due|scheduled|planned|booked|meet|see you|(?:has|have)\s+(?:an?|the|my|his|her|our|their|to))\b|'ll\b",
    re.IGNORECASE,
)
_THINGS = (
    r"(?!\s+(?:words?|steps?|people|times|euros?|dollars?|pages?|lines?|copies|items|pieces?|parts|volumes|km|m|mots|pas|personnes"
    r"|fois|lignes|exemplaires|pièces|morceaux)\b)"
)

_IN_MONTH_EN = r"January|February|(?-i:March)|April|(?-i:May)|June|July|August|September|October|November|December"
_PART_EN, _PART_FR = "morning|afternoon|evening|night", "matin|midi|après-midi|soir"
_NOT_THE = r"(?<!\bthe )(?<!\bevery )"


def _weekday(match: re.Match[str], base: date) -> str:
    side = "last" if "past" in match["side"].lower() else _side(match["side"])
    return _on_weekday(base, match["weekday"], side)


def _month_named(match: re.Match[str], base: date) -> str:
    return _in_month(base, match["month"], _side(match["side"]))


def _in_time(match: re.Match[str], base: date) -> str | None:
    """ "In two weeks" is a date only where its sentence looks ahead; "I wrote it in two weeks" is a span."""
    before = re.split(r"[.!?\n]", match.string[max(0, match.start() - _SENTENCE) : match.start()])[-1]
    after = re.split(r"[.!?\n]", match.string[match.end() : match.end() + _SENTENCE], maxsplit=1)[0]
    said = f"{before} {after if after.startswith((',', ' I', ' we', ' he', ' she', ' they', ' you')) else ''}"
    return _ahead(match, base) if _COMING.search(said.replace("’", "'")) else None


def _year_alone(match: re.Match[str], _base: date) -> str:
    return match.group(0)


_YEARS = "|".join(map(str, range(1500, 2100)))

# Language, words without one of which the rule says nothing, pattern, meaning.
_GRAMMAR: tuple[tuple[str, str, str, _Resolve], ...] = (
    # absolute, at the precision that was given
    (
        "",
        _YEARS,
        r"(?<![\w-])(?:1[5-9]|20)\d\d-(?:0[1-9]|1[0-2])-\d\d(?![\d-])",
        lambda m, _: str(date.fromisoformat(m[0])),
    ),
    (_EN, _YEARS, rf"\b{_D}(?:st|nd|rd|th)?(?:\s+of)?\s+{_M_EN}\.?,?\s+{_Y}", _absolute),
    (_EN, _YEARS, rf"\b{_M_EN}\.?\s+{_D}(?:st|nd|rd|th)?,?\s+{_Y}", _absolute),
    (_FR, _YEARS, rf"\b{_D}(?:er)?\s+{_M_FR}\s+{_Y}", _absolute),
    (_EN, _YEARS, rf"\b{_M_EN}\.?,?\s+(?:of\s+)?{_Y}", _absolute),
    (_FR, _YEARS, rf"\b{_M_FR}\s+{_Y}", _absolute),
    (_EN, _YEARS, rf"(?:(?<=\bin )|(?<=\bsince )|(?<=\buntil )){_Y}{_THINGS}", _year_alone),
    (_FR, _YEARS, rf"(?:(?<=\ben )|(?<=\bdepuis )|(?<=\bjusqu['’]en )){_Y}{_THINGS}", _year_alone),
    # English
    (_EN, "yesterday", r"\bthe day before yesterday\b", _away(-2)),
    (_EN, "tomorrow", r"\bthe day after tomorrow\b", _away(2)),
    (_EN, "yesterday|last", rf"\b(?:yesterday(?: (?:{_PART_EN}))?|last night)\b", _away(-1)),
    (_EN, "tomorrow", rf"\btomorrow(?: (?:{_PART_EN}))?\b", _away(1)),
    (_EN, "today|tonight|this", r"\b(?:(?<!USA )today|tonight|this (?:morning|afternoon|evening))\b", _away(0)),
    (_EN, "ago", rf"\b(?P<n>{_N_EN}) (?P<unit>{_UNIT_EN}) ago\b", _ago),
    (_EN, "from", rf"\b(?:in )?(?P<n>{_N_EN}) (?P<unit>{_UNIT_EN}) from (?:now|today)\b", _ahead),
    (_EN, "in", rf"\bin (?P<n>{_N_EN}) (?P<unit>{_UNIT_EN})(?:['’]s? time)?\b", _in_time),
    (_EN, "last", r"\bthe (?P<unit>week|month|year) before last\b", lambda m, base: _moved(base, -2, m["unit"])),
    (_EN, "next", r"\bthe (?P<unit>week|month|year) after next\b", lambda m, base: _moved(base, 2, m["unit"])),
    (_EN, "week", rf"\b(?P<weekday>{_WD_EN}) (?:of )?(?P<side>last|next|this) week\b", _day_of_week_period),
    (
        _EN,
        "last|next|this",
        rf"{_NOT_THE}\b(?P<side>last|next|this(?: past| coming)?) (?P<weekday>{_WD_EN})\b(?! of\b)",
        _weekday,
    ),
    (
        _EN,
        "last|next|this",
        rf"{_NOT_THE}\b(?P<side>last|next|this) (?P<unit>week-?end|week|month|year)\b(?!-)",
        _period,
    ),
    (_EN, "last|next", rf"{_NOT_THE}\b(?P<side>last|next) (?P<month>{_IN_MONTH_EN})\b(?! of\b)", _month_named),
    # French; « cette nuit » is left as said, being the night before or the night to come
    (_FR, "hier", r"\bavant[- ]hier(?: (?:matin|soir))?\b", _away(-2)),
    (_FR, "demain", rf"\baprès[- ]demain(?: (?:{_PART_FR}))?\b", _away(2)),
    (_FR, "hier", rf"\bhier(?: (?:{_PART_FR}))?\b", _away(-1)),
    (_FR, "demain", rf"\bdemain(?: (?:{_PART_FR}))?\b", _away(1)),
    (_FR, "hui|ce|cet|cette", r"\b(?:aujourd['’]hui|ce (?:matin|midi|soir)|cet(?:te)? après-midi)\b", _away(0)),
    (_FR, "il", rf"\bil y a (?P<n>{_N_FR}) (?P<unit>{_UNIT_FR})\b{_NOT_A_SPAN_FR}", _ago),
    (_FR, "dans|ici", rf"\b(?:dans|d['’]ici) (?P<n>{_N_FR}) (?P<unit>{_UNIT_FR})\b{_NOT_A_SPAN_FR}", _ahead),
    (_FR, "semaine", rf"\b(?P<weekday>{_WD_FR}) de (?:la |cette )semaine (?P<side>{_SIDE_FR})\b", _day_of_week_period),
    (_FR, "dernier|passé|prochain", rf"(?<!\ble )\b(?P<weekday>{_WD_FR}) (?P<side>{_PAST_FR}|prochain)\b", _weekday),
    (_FR, "ce", rf"\b(?P<side>ce) (?P<weekday>{_WD_FR})\b", _weekday),
    (
        _FR,
        "semaine|mois|année|an|end|weekend",
        rf"\b(?:la |l['’]|le )(?P<unit>week-?end|semaine|mois|année|an) (?P<side>{_SIDE_FR})\b(?! à\b)",
        _period,
    ),
    (_FR, "cette|ce", r"\b(?P<side>cette|ce) (?P<unit>week-?end|semaine|mois|année)(?:-ci)?\b", _period),
    (_FR, "dernier|passé|prochain", rf"\b{_M_FR} (?P<side>{_PAST_FR}|prochain)\b", _month_named),
)


@cache
def _rules() -> tuple[tuple[str, frozenset[str], re.Pattern[str], _Resolve], ...]:
    return tuple(
        (spoken, frozenset(needed.split("|")), re.compile(pattern, re.IGNORECASE), resolve)
        for spoken, needed, pattern, resolve in _GRAMMAR
    )


@cache
def _any_day() -> re.Pattern[str]:
    month, year2 = month_pattern(None), _Y.replace("year", "year2")
    return re.compile(
        rf"\b(?P<y>(?:1[5-9]|20)\d\d)[-/.](?P<m>\d\d?)[-/.](?P<d>\d\d?)\b"
        rf"|\b{_D}(?:st|nd|rd|th|er)?(?:\s+of)?\s+{month}\.?,?\s+{_Y}"
        rf"|\b{month.replace('month', 'month2')}\.?\s+{_D.replace('day', 'day2')}(?:st|nd|rd|th)?,?\s+{year2}",
        re.IGNORECASE,
    )
