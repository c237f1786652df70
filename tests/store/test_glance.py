"""F3, R4: facts at a glance while someone types, and taken away whole, on both engines."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import InvalidInput, NotAllowed, SouvenanceError
from souvenance.domain.fact import Sort, State, SubjectKind
from souvenance.domain.form import Form
from souvenance.domain.vault import Protection
from souvenance.memory import facts as use_case
from souvenance.memory.exports import BATCH
from souvenance.memory.remember import Observation


@pytest.fixture
def numbers(app: Application, owner: Actor) -> list[int]:
    for name in ("Atelier", "Voyages"):
        app.vaults.create(actor=owner, name=name)
    said = [Observation(content=f"Élan numéro {n}", key=f"k{n % 3}", importance=n % 10 + 1) for n in range(30)]
    kept = app.facts.remember(actor=owner, vault="atelier", observations=said)
    app.facts.remember(actor=owner, vault="voyages", observations=[Observation(content="Un elan à Oslo")])
    numbers = [item.fact.number for item in kept]
    app.facts.retire(actor=owner, number=numbers[4], version=None, reason="parti")
    app.facts.delete(actor=owner, number=numbers[5])
    return numbers


@pytest.mark.parametrize("sort", list(Sort))
@pytest.mark.parametrize("query", ["", "elan", "numero 2", "k1", "#7", "nothing"])
def test_f3_a_glance_is_the_page_that_browsing_gives(
    app: Application, owner: Actor, numbers: list[int], sort: Sort, query: str
) -> None:
    for vault in ("atelier", None):
        for offset in (0, 10):
            asked = {"actor": owner, "vault": vault, "query": query, "sort": sort, "limit": 10, "offset": offset}
            whole, glance = app.facts.browse(**asked), app.facts.glance(**asked)  # type: ignore[arg-type]
            assert glance.facts == whole.facts
            assert (glance.found, glance.is_more_than_found) == (whole.total, False)
            assert glance.has_next == (whole.total > offset + 10)


def test_f3_states_are_counted_whatever_is_looked_for(app: Application, owner: Actor, numbers: list[int]) -> None:
    found = app.facts.glance(actor=owner, vault="atelier", query="nothing", states=(State.RETIRED,))
    assert dict(found.by_state) == {State.IN_FORCE: 28, State.RETIRED: 1, State.TRASHED: 1}
    assert found.found == 0


def test_f3_a_number_finds_its_fact(app: Application, owner: Actor, numbers: list[int]) -> None:
    found = app.facts.glance(actor=owner, vault="atelier", query=f" #{numbers[7]} ")
    assert [item.number for item in found.facts] == [numbers[7]]
    assert app.facts.glance(actor=owner, vault="atelier", query="#999999999").facts == ()


def test_f3_what_is_frequent_is_counted_so_far_only(
    app: Application, owner: Actor, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(use_case, "MOST_COUNTED", 12)
    for vault in ("atelier", None):
        found = app.facts.glance(actor=owner, vault=vault, query="elan", limit=5)
        assert (found.found, found.is_more_than_found, found.has_next) == (12, True, True)
    exact = app.facts.glance(actor=owner, vault="atelier", query="numero 2", limit=5)
    assert (exact.found, exact.is_more_than_found) == (11, False)


def test_f6_the_summary_is_read_by_itself(app: Application, owner: Actor, numbers: list[int]) -> None:
    assert app.facts.summary(actor=owner, vault="atelier") is None
    said = Observation(content="Le club des élans", key="summary")
    app.facts.remember(actor=owner, vault="atelier", observations=[said])
    found = app.facts.summary(actor=owner, vault="atelier")
    assert found is not None
    assert found.content == "Le club des élans"


def test_r4_json_lines_hold_every_fact_that_is_not_in_the_trash(
    app: Application, owner: Actor, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.memory.exports.BATCH", 7)
    text = "".join(app.exports.facts(actor=owner, vault="atelier"))
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["number"] for line in lines] == [one for one in numbers if one != numbers[5]]
    assert lines[4]["state"] == "retired"
    assert (lines[4]["reason"], lines[0]["content"], lines[0]["key"]) == ("parti", "Élan numéro 0", "k0")
    assert BATCH > 7


def test_r4_markdown_has_a_heading_for_each_page_and_an_anchor_for_each_fact(
    app: Application, owner: Actor, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    about = Observation(content="Aime\nle thé", category="goûts", subject_kind=SubjectKind.MEMBER, subject_id="77")
    app.facts.remember(actor=owner, vault="atelier", observations=[about])
    monkeypatch.setattr("souvenance.memory.exports.BATCH", 4)
    text = "".join(app.exports.facts(actor=owner, vault="atelier", form=Form.MARKDOWN))
    assert text.startswith("# Atelier\n")
    assert text.count("\n## ") == 2
    assert "## goûts (member 77)\n\n- Aime\n  le thé ^" in text
    assert f"- **k0**: Élan numéro 0 ^{numbers[0]}\n" in text
    assert text.count(" ^") == 30
    assert "(retired 2023-05-08: parti)" in text


def test_r4_nothing_is_taken_away_that_may_not_be_read(app: Application, owner: Actor, numbers: list[int]) -> None:
    app.vaults.change(actor=owner, vault="atelier", protection=Protection.MAXIMUM)
    away = app.owner_through(Source.REST, route=Route.CLOUD)
    with pytest.raises(SouvenanceError):
        app.exports.facts(actor=away, vault="atelier")
    with pytest.raises(NotAllowed):
        app.exports.facts(actor=replace(owner, is_model=True), vault="atelier")
    with pytest.raises(NotAllowed, match="only read"):
        app.exports.facts(actor=replace(owner, can_write=False), vault="atelier")
    with pytest.raises(ValueError, match="form"):
        app.exports.facts(actor=owner, vault="atelier", form="form")  # type: ignore[arg-type]


def test_f3_a_glance_refuses_what_is_no_page(app: Application, owner: Actor, numbers: list[int]) -> None:
    for limit, offset in ((0, 0), (10, -1)):
        with pytest.raises(InvalidInput):
            app.facts.glance(actor=owner, vault="atelier", limit=limit, offset=offset)
