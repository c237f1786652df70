"""Numbers, dates and times are read on common scales, in French and in English."""

from __future__ import annotations

import time

import pytest

from souvenance.consolidation.reading import read


def relation(a: str, b: str) -> set[str]:
    return {x.relation(y) for x in read(a).values for y in read(b).values}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The course starts at 15:00.", "Le cours commence à 15 h."),
        ("Opens at 3 pm.", "Ouvre à quinze heures."),
        ("Lunch is at noon.", "Le repas est à midi."),
        ("Due on 27 May 2026.", "À rendre pour le 27 mai 2026."),
        ("Due on May 27th, 2026.", "À rendre le 2026-05-27."),
        ("It lasts two weeks.", "Cela dure quinze jours."),
        ("A fee of €1,870.", "Des frais de 1 870 euros."),
        ("Takes 90 minutes.", "Prend 1 h 30."),
        ("Twelve chairs are left.", "Il reste 12 chaises."),
        ("Twenty-four seats.", "Vingt-quatre places."),
        ("80 % agree.", "80 pour cent sont d'accord."),
        ("Paid on the first of each month.", "Payé le 1 du mois."),
        ("The 2026 fair is on 18 April.", "La foire aura lieu le 18 avril 2026."),
    ],
)
def test_one_value_said_two_ways_is_one_value(a: str, b: str) -> None:
    assert "same" in relation(a, b)
    assert "differs" not in relation(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Starts at 20:00.", "Commence à 21 h."),
        ("On 3 March.", "Le 4 mars."),
        ("Costs 12 €.", "Costs 15 €."),
        ("Lasts two days.", "Dure trois jours."),
        ("There are 30 chairs.", "Il y a 48 chaises."),
        ("In 2024.", "En 2025."),
        ("Version 1.4 is out.", "La version 1.5 est sortie."),
    ],
)
def test_two_values_of_one_scale_differ(a: str, b: str) -> None:
    assert "differs" in relation(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Born in 1990.", "Born in July."),
        ("Costs 12 €.", "Starts at 12:00."),
        ("Owns 3 bikes.", "Owns 4 lamps."),
        ("Costs 12 €.", "Costs 15 £."),
    ],
)
def test_values_of_two_scales_are_not_compared(a: str, b: str) -> None:
    assert relation(a, b) == {"other"}


def test_case_19_a_year_alone_agrees_with_any_day_of_it_and_keeps_its_precision() -> None:
    assert relation("Founded in 2011.", "Founded on 3 May 2011.") == {"same"}
    (year,) = read("Founded in 2011.").values
    assert (year.kind, year.amount) == ("year", (2011,))
    (month,) = read("Ends in June 2026.").values
    assert month.amount == (2026, 6, 0)


@pytest.mark.parametrize("piece", ["1", "1,", "1 000 ", "a", "le 3 ", "12:", "n'", "2026-", "A "])
def test_a_hostile_text_is_read_in_a_moment(piece: str) -> None:
    begin = time.process_time()
    read(piece * (100_000 // len(piece)))
    assert time.process_time() - begin < 2
