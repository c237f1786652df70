"""F1: the memory page as it was on a past day: the words of then, a way back, and nothing to change."""

import html
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.fact import State
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


def test_a_past_day_is_asked_for_less_often_and_not_at_every_write(actor: Actor, owner: TestClient) -> None:
    then, now = (owner.get(f"/memory/atelier{day}").text for day in ("?day=2024-03-05", ""))
    assert "news:knowledge" not in then
    assert "news:knowledge" in now
    assert "delay:400ms" in then
    assert "delay:50ms" in now
    for place in ("vault=atelier&", ""):
        again = owner.get(f"/facts?{place}day=2024-03-05", headers={"hx-request": "true"}).text
        assert "news:vaults from:body" in again
        assert "news:knowledge" not in again


def test_f7_a_past_day_is_asked_for_again_when_something_of_it_is_gone_for_good(
    actor: Actor, owner: TestClient, memory: Application
) -> None:
    all_facts = memory.facts.browse(actor=actor, vault=None, states=tuple(State)).facts
    found = {fact.content: fact.number for fact in all_facts}
    key, hours = found["La clé est au mur."], found["Le local ferme à 22 h."]
    then = owner.get("/memory/atelier?day=2024-03-05").text
    asked = re.search(r'<section id="facts"[^>]* hx-get="([^"]*)" hx-trigger="([^"]*)"', then)
    assert asked
    shows = html.unescape(asked[1])

    def told_of(deed: Callable[[], object]) -> bool:
        moment = memory.changes.moment()
        deed()
        return any(f"news:{name} from:body" in asked[2] for name in owner.get(f"/live/missed?after={moment}").json())

    assert not told_of(lambda: memory.facts.delete(actor=actor, number=hours))
    assert told_of(lambda: memory.facts.purge(actor=actor, number=hours))
    assert "22 h" not in owner.get(shows).text
    note = memory.notes.create(actor=actor, vault="atelier", title="Plan", content="x")
    memory.vaults.create(actor=actor, name="Ailleurs")
    assert told_of(lambda: memory.facts.move(actor=actor, number=key, vault="ailleurs", version=None))
    assert "chez Marc" not in owner.get(shows).text
    assert not told_of(lambda: memory.notes.delete(actor=actor, ref=note.id))
    assert told_of(lambda: memory.erasures.erase(actor=actor, vault="atelier", confirm="atelier"))
    assert "Nothing was in force here on that day." in owner.get(shows).text
    assert told_of(lambda: memory.erasures.delete_vault(actor=actor, vault="atelier", confirm="atelier"))
    gone = owner.get(shows, headers={"hx-request": "true"})
    assert gone.status_code == 200
    assert '<section id="facts"' in gone.text
    assert "This vault is gone" in gone.text
    assert owner.get("/facts?vault=atelier", headers={"hx-request": "true"}).status_code == 404
