"""What decides the order of what is found, on both engines (N6, V8)."""

from dataclasses import replace
from pathlib import Path

import pytest

from embedders import NgramEmbedder
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.vault import Protection
from souvenance.memory.remember import Observation
from souvenance.retrieval.answer import Confidence, Matcher
from souvenance.settings import Settings
from souvenance.wiring import open_application


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


def test_n6_a_vault_that_is_being_embedded_takes_no_meaning_from_the_others(store_url: str, tmp_path: Path) -> None:
    url = store_url if store_url.startswith("postgresql") else None
    app = open_application(Settings(data=tmp_path, database_url=url), embedder=NgramEmbedder())
    owner = app.owner_through(Source.PANEL)
    app.vaults.create(actor=owner, name="Library")
    app.facts.remember(actor=owner, vault="zoo", observations=[Observation(content="The otters swim at noon")])
    app.embedding.catch_up()
    pages = "\n\n".join(f"# Part {number}\n\n" + f"about storage number {number} " * 60 for number in range(60))
    app.notes.create(actor=owner, vault="library", title="Long", content=pages)
    answer = app.retrieval.search(actor=owner, query="ottter swimming")
    app.close()
    assert (answer.trace.matcher, answer.hits[0].excerpt) == (Matcher.HYBRID, "The otters swim at noon")
    assert "words only in 1 not yet embedded" in answer.trace.why


def test_n6_a_recall_that_finds_nothing_relevant_gives_no_page_of_something_else(
    app: Application, owner: Actor
) -> None:
    said = [
        Observation(content=f"The otter number {number} eats a fish of {number} grams at noon") for number in range(80)
    ]
    app.facts.remember(actor=owner, vault="zoo", observations=said)
    found = app.retrieval.recall(actor=owner, topic="zzyzx plumbing at noon in the cathedral of Reims")
    assert (found.confidence, found.tokens <= 300) == (Confidence.NONE, True)
    assert app.retrieval.recall(actor=owner, topic="the otter eats a fish").tokens > 300
