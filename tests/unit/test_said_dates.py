"""Dates said relatively are resolved as their speaker meant them, and no finer (F10, CASES 19)."""

import time
from datetime import UTC, datetime

import pytest

from souvenance.memory.dates import parse_said_at, resolve_said_dates

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def resolved(text: str, language: str | None = None, said_at: datetime = MONDAY, zone: str = "UTC") -> dict[str, str]:
    return {item.said: item.resolved for item in resolve_said_dates(text, language, said_at, zone)}


@pytest.mark.parametrize(
    ("text", "said", "meant"),
    [
        ("I saw the doctor yesterday.", "yesterday", "2023-05-07"),
        ("Last night we danced.", "Last night", "2023-05-07"),
        ("He came the day before yesterday", "the day before yesterday", "2023-05-06"),
        ("See you next Friday!", "next Friday", "2023-05-12"),
        ("I met her last Monday.", "last Monday", "2023-05-01"),
        ("We move in three weeks? Yes, we are leaving in three weeks.", "in three weeks", "2023-W22"),
        ("That was 2 days ago", "2 days ago", "2023-05-06"),
        ("She left two months ago", "two months ago", "2023-03"),
        ("We started ten years ago", "ten years ago", "2013"),
        ("We hike this weekend", "this weekend", "2023-05-13/2023-05-14"),
        ("It opened last May", "last May", "2022-05"),
        ("It opened last year", "last year", "2022"),
        ("The exam is Monday of next week", "Monday of next week", "2023-05-15"),
        ("the week before last, it rained", "the week before last", "2023-W17"),
        ("Born on 8 May 1990 in Lyon", "8 May 1990", "1990-05-08"),
        ("Since May 2021 I work here", "May 2021", "2021-05"),
    ],
)
def test_f10_english(text: str, said: str, meant: str) -> None:
    assert resolved(text, "en")[said] == meant
    assert resolved(text)[said] == meant


@pytest.mark.parametrize(
    ("text", "said", "meant"),
    [
        ("Hier soir il a plu.", "Hier soir", "2023-05-07"),
        ("Elle est partie avant-hier", "avant-hier", "2023-05-06"),
        ("On se voit aujourd’hui", "aujourd’hui", "2023-05-08"),
        ("On dîne ce soir", "ce soir", "2023-05-08"),
        ("Je pars demain", "demain", "2023-05-09"),
        ("Je pars après-demain", "après-demain", "2023-05-10"),
        ("Je l'ai vue lundi dernier", "lundi dernier", "2023-05-01"),
        ("Rendez-vous lundi prochain", "lundi prochain", "2023-05-15"),
        ("Je déménage la semaine prochaine", "la semaine prochaine", "2023-W20"),
        ("Le mois dernier, j'ai couru", "Le mois dernier", "2023-04"),
        ("C'était il y a 3 jours", "il y a 3 jours", "2023-05-05"),
        ("C'était il y a trois jours de cela", "il y a trois jours", "2023-05-05"),
        ("Je reviens dans deux semaines", "dans deux semaines", "2023-W21"),
        ("Je reviens dans quinze jours", "dans quinze jours", "2023-W21"),
        ("Le weekend dernier on a marché", "Le weekend dernier", "2023-05-06/2023-05-07"),
        ("L'année prochaine, on verra", "L'année prochaine", "2024"),
        ("Depuis mai dernier", "mai dernier", "2022-05"),
        ("Né le 1er mars 1990", "1er mars 1990", "1990-03-01"),
    ],
)
def test_f10_french(text: str, said: str, meant: str) -> None:
    assert resolved(text, "fr")[said] == meant
    assert resolved(text)[said] == meant


def test_a_year_stays_a_year_and_a_month_a_month() -> None:
    """CASES 19."""
    assert resolved("She graduated in 2015 and moved in June 2017.") == {"2015": "2015", "June 2017": "2017-06"}
    assert resolved("Elle a été diplômée en 2015.") == {"2015": "2015"}


@pytest.mark.parametrize(
    "text",
    [
        "This may be the second March of the penguins.",
        "Le lundi, je dors ; chaque vendredi, je nage.",
        "On Fridays we eat fish, and every last Friday of the month we sing.",
        "I wrote the book in three weeks.",
        "Over the last week I slept badly, and the next day too.",
        "Il y a trois jours fériés en mai, et deux semaines de vacances.",
        "Imprimé en 2000 exemplaires ; done in 1990 steps.",
        'The song "Yesterday" and the newspaper USA Today.',
        "My birthday is on 8 May.",
        "Version 2023.1, room 1984, ticket 2024-99-01.",
        "I'll be there in 90000 years from now, in 31 minutes.",
    ],
)
def test_ordinary_text_raises_no_false_alarm(text: str) -> None:
    assert resolved(text) == {}


def test_f10_the_day_is_the_speakers_own() -> None:
    late = datetime(2023, 5, 8, 23, 30, tzinfo=UTC)
    assert resolved("demain", "fr", late, "Europe/Paris") == {"demain": "2023-05-10"}
    assert resolved("demain", "fr", late, "America/New_York") == {"demain": "2023-05-09"}
    assert resolved("demain", "fr", late, "Nowhere/Land") == {"demain": "2023-05-09"}


@pytest.mark.parametrize(
    "text",
    ["1:56 pm on 8 May, 2023", "2023/05/08 (Mon) 02:21", "May 8th, 2023", "8 mai 2023 à 14h", "2023-05-08T13:56:00Z",
     "2023-05-08"],
)  # fmt: skip
def test_common_ways_to_say_when_are_read(text: str) -> None:
    found = parse_said_at(text, "UTC")
    assert found is not None
    assert found.date() == MONDAY.date()


@pytest.mark.parametrize("text", ["2023", "May 2023", "2023-W19", "8 May", "some time ago", ""])
def test_a_moment_without_a_day_is_no_base(text: str) -> None:
    assert parse_said_at(text, "UTC") is None


def test_text_without_dates_costs_next_to_nothing() -> None:
    text = "The ferry to the island leaves at nine and comes back after sunset, unless the wind is too strong for it. "
    best = min(_timed(text) for _ in range(5))
    assert best < 60e-6  # some 8 µs on an idle machine


def _timed(text: str) -> float:
    start = time.perf_counter()
    for _ in range(200):
        resolve_said_dates(text, None, MONDAY, "UTC")
    return (time.perf_counter() - start) / 200


@pytest.mark.parametrize("saying", ["in 2 days ", "yesterday ", "il y a 3 jours ", "on 8 May 2023 "])
def test_f10_a_text_of_nothing_but_dates_takes_time_in_proportion_and_keeps_few(saying: str) -> None:
    text = saying * (60_000 // len(saying))
    started = time.process_time()
    dates = resolve_said_dates(text, None, MONDAY, "UTC")
    assert time.process_time() - started < 3.0
    assert len(dates) <= 1
    many = " ".join(f"It was {number} days ago." for number in range(1, 500))
    assert len(resolve_said_dates(many, "en", MONDAY, "UTC")) == 64
