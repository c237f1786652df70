"""F1: the memory page as it was on a past day: the words of then, a way back, and nothing to change."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.wiring import open_application


class Day:
    """A clock that stands where a test puts it."""

    def __init__(self) -> None:
        self.now = datetime(2024, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


@pytest.fixture
def day() -> Day:
    return Day()


@pytest.fixture
def memory(settings: Settings, day: Day) -> Iterator[Application]:
    opened = open_application(settings, clock=day)
    yield opened
    opened.close()


@pytest.fixture
def actor(memory: Application, day: Day) -> Actor:
    """The owner, after a key has moved twice and a fact has ended."""
    actor = memory.owner_through(Source.PANEL, name="Ana")
    memory.vaults.create(actor=actor, name="Atelier")
    said = [Observation(content="La clé est chez Marc.", key="clé"), Observation(content="Le local ferme à 22 h.")]
    key, hours = memory.facts.remember(actor=actor, vault="atelier", observations=said)
    day.now = datetime(2024, 3, 10, 9, tzinfo=UTC)
    memory.facts.edit(actor=actor, number=key.fact.number, version=1, content="La clé est chez Zoé.")
    memory.facts.retire(actor=actor, number=hours.fact.number, version=1, reason="travaux")
    day.now = datetime(2024, 3, 20, 9, tzinfo=UTC)
    memory.facts.edit(actor=actor, number=key.fact.number, version=2, content="La clé est au mur.")
    day.now = datetime.now(UTC)
    return actor


def test_f1_a_past_day_shows_the_facts_in_force_then_in_the_words_of_then(actor: Actor, owner: TestClient) -> None:
    then = owner.get("/memory/atelier?day=2024-03-05").text
    assert "chez Marc" in then
    assert "ferme à 22 h" in then
    assert "As it was on 5 March 2024" in then or "As it was on March 5, 2024" in then
    later = owner.get("/memory/atelier?day=2024-03-10").text  # the end of that day
    assert "chez Zoé" in later
    assert "ferme à 22 h" not in later
    now = owner.get("/memory/atelier").text
    assert "au mur" in now
    assert "Back to today" not in now
    assert "Nothing was in force here on that day." in owner.get("/memory/atelier?day=2024-02-01").text
    assert "chez Marc" in owner.get("/memory?day=2024-03-05&q=cle").text
    assert "22 h" not in owner.get("/memory?day=2024-03-05&q=cle").text


def test_f1_nothing_is_offered_to_change_in_the_past_and_the_way_back_is_there(actor: Actor, owner: TestClient) -> None:
    then = owner.get("/memory/atelier?day=2024-03-05&tab=trash&q=cl%C3%A9").text
    assert 'href="/memory/atelier?q=cl%C3%A9"' in then  # back to today, with what is searched for
    for deed in ("/edit", "/menu", "/bulk/", "/summary", "/delete", "/restore", 'id="add-fact"', "/steps"):
        assert deed not in then, deed
    again = owner.get("/facts?vault=atelier&day=2024-03-05&q=&tab=in_force&typed=1", headers={"hx-request": "true"})
    assert "chez Marc" in again.text
    assert "/edit" not in again.text
    assert again.headers["hx-replace-url"] == "/memory/atelier?day=2024-03-05"


@pytest.mark.parametrize("day_asked", ["", "yesterday", "2024-02-31", "0001-01-01", "9999-12-31", "<b>"])
def test_f1_what_is_no_past_day_is_today(actor: Actor, owner: TestClient, day_asked: str) -> None:
    shown = owner.get("/memory/atelier", params={"day": day_asked}).text
    assert "au mur" in shown
    assert "/edit" in shown


def test_a_past_day_is_asked_for_less_often_and_not_by_itself(actor: Actor, owner: TestClient) -> None:
    then, now = (owner.get(f"/memory/atelier{day}").text for day in ("?day=2024-03-05", ""))
    assert "news:" not in then
    assert "news:knowledge" in now
    assert "delay:400ms" in then
    assert "delay:50ms" in now
    assert "news:" not in owner.get("/facts?vault=atelier&day=2024-03-05", headers={"hx-request": "true"}).text
