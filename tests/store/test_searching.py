"""What decides the order of what is found, on both engines (N6, V8)."""

from dataclasses import replace

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.vault import Protection
from souvenance.memory.remember import Observation


@pytest.fixture(autouse=True)
def zoo(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Zoo")


def test_n6_a_word_glued_to_a_number_finds_its_own_number_first(app: Application, owner: Actor) -> None:
    said = [Observation(content=f"quokka{number} sleeps in hut {100 - number}") for number in range(20)]
    app.facts.remember(actor=owner, vault="zoo", observations=said)
    hits = app.retrieval.search(actor=owner, query="quokka7").hits
    assert hits[0].excerpt.startswith("quokka7 ")
    assert hits[0].score > hits[1].score
    assert "quokka" in app.retrieval.search(actor=owner, query="quokka99").hits[0].excerpt


def test_n6_a_word_glued_to_a_number_still_finds_it_written_apart(app: Application, owner: Actor) -> None:
    said = [Observation(content="The COVID 19 certificate is in the drawer"), Observation(content="Room 12 is damp")]
    app.facts.remember(actor=owner, vault="zoo", observations=said)
    assert "COVID 19" in app.retrieval.search(actor=owner, query="covid19 certificate").hits[0].excerpt
    assert "Room 12" in app.retrieval.search(actor=owner, query="room12").hits[0].excerpt


def test_v8_what_is_withheld_changes_nothing_of_a_cloud_answer(app: Application, owner: Actor) -> None:
    said = [Observation(content=f"The {animal} eats at noon") for animal in ("otter", "badger", "heron", "newt")]
    app.facts.remember(actor=owner, vault="zoo", observations=said)
    cloud = replace(owner, route=Route.CLOUD)

    def answer() -> list[tuple[str, float]]:
        return [(hit.excerpt, hit.score) for hit in app.retrieval.search(actor=cloud, query="otter at noon").hits]

    before = answer()
    app.vaults.create(actor=owner, name="Secret", protection=Protection.MAXIMUM)
    secrets = [Observation(content=f"otter number {number} of noon") for number in range(700)]
    app.facts.remember(actor=owner, vault="secret", observations=secrets)
    assert answer() == before
    assert app.retrieval.search(actor=cloud, query="otter at noon").trace.withheld > 0
