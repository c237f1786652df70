"""Weighing is monotone and honest: what lowering, muting and naming a vault does to answers (V2, V12)."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event, update

from embedders import NgramEmbedder
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.memory.remember import Observation
from souvenance.retrieval.answer import Answer
from souvenance.settings import Settings
from souvenance.store.tables import vault
from souvenance.wiring import open_application

NAMES = ("alpha", "beta", "gamma")
TOPICS = ("honey", "boats", "bread", "music", "storms")
QUESTIONS = ("who keeps honey?", "boats in storms", "bread and music", "does the baker sail?", "nothing of the kind")
BETA = 7_654_321
"""The id of a vault, so that no other number in a statement can be taken for it."""
ENGINES = ("sqlite", "postgresql")


@pytest.fixture(scope="module", params=ENGINES)
def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Application, Actor]]:
    """Three vaults that speak of the same things, embedded."""
    if request.param == "sqlite":
        given_settings = Settings(data=tmp_path_factory.mktemp("weighing"))
    else:
        socket = request.getfixturevalue("postgres_socket")
        import psycopg

        with psycopg.connect(host=socket, user="postgres", autocommit=True) as connection:
            connection.execute("DROP DATABASE IF EXISTS test_weighing WITH (FORCE)")
            connection.execute("CREATE DATABASE test_weighing")
        given_settings = Settings(database_url=f"postgresql+psycopg://postgres@/test_weighing?host={socket}")
    memory = open_application(given_settings, embedder=NgramEmbedder())
    owner = memory.owner_through(Source.COMMAND_LINE)
    for place, name in enumerate(NAMES):
        memory.vaults.create(actor=owner, name=name.title())
        if name == "beta":
            with memory.database.write() as tx:
                tx.execute(update(vault).where(vault.c.slug == "beta").values(id=BETA))
        said = [
            f"{topic} {('are kept', 'sail at dawn', 'please the baker')[place]} {other}"
            for topic in TOPICS
            for other in TOPICS[: place + 2]
        ]
        memory.facts.remember(actor=owner, vault=name, observations=[Observation(content=one) for one in said])
        memory.notes.create(actor=owner, vault=name, title=f"On {TOPICS[place]}", content=f"{TOPICS[place]} for {name}")
    memory.embedding.catch_up()
    yield memory, owner
    memory.close()


def ask(house: tuple[Application, Actor], question: str, weights: dict[str, int]) -> Answer:
    memory, owner = house
    for name, weight in weights.items():
        memory.attention.set(actor=owner, vault=name, weight=weight)
    return memory.retrieval.search(actor=owner, query=question, limit=200)


def order(answer: Answer) -> list[tuple[str, int | None, str]]:
    return [(hit.vault, hit.number, hit.note_id) for hit in answer.hits]


mixes = st.fixed_dictionaries({name: st.integers(1, 100) for name in NAMES})


@settings(max_examples=25)
@given(st.sampled_from(QUESTIONS), mixes, st.sampled_from(NAMES), st.data())
def test_v2_lowering_a_vault_never_raises_one_of_its_results(
    house: tuple[Application, Actor], question: str, mix: dict[str, int], lowered: str, data: st.DataObject
) -> None:
    weight = data.draw(st.integers(0, mix[lowered]))
    before = order(ask(house, question, mix))
    after = order(ask(house, question, mix | {lowered: weight}))
    for place, hit in enumerate(after):
        if hit[0] == lowered and hit in before:
            assert place >= before.index(hit)
    if weight == 0:
        assert lowered not in {vault for vault, _, _ in after}


@settings(max_examples=15)
@given(st.sampled_from(QUESTIONS), st.integers(1, 99))
def test_v2_equal_weights_change_no_order(house: tuple[Application, Actor], question: str, weight: int) -> None:
    full = ask(house, question, dict.fromkeys(NAMES, 100))
    equal = ask(house, question, dict.fromkeys(NAMES, weight))
    assert order(equal) == order(full)
    assert equal.confidence == full.confidence


@contextmanager
def statements(memory: Application) -> Iterator[list[tuple[str, Any]]]:
    sent: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
        sent.append((statement, parameters))

    event.listen(memory.database._engine, "before_cursor_execute", note)
    yield sent
    event.remove(memory.database._engine, "before_cursor_execute", note)


KNOWLEDGE = re.compile(r"\b(passage|passage_words|passage_vector|note|fact|link)\b")


def values_of(parameters: Any) -> set[Any]:
    items = parameters.values() if isinstance(parameters, dict) else parameters
    found: set[Any] = set()
    for item in items:
        found |= values_of(item) if isinstance(item, (list, tuple, dict)) else {item}
    return found


def test_v2_a_muted_vault_is_not_even_queried(house: tuple[Application, Actor]) -> None:
    """Seen in the trace and in the statements sent: none on knowledge is given the muted vault's id."""
    memory, owner = house
    ids = {item.slug: item.id for item in memory.vaults.list(actor=owner)}
    ask(house, "honey", {"alpha": 100, "beta": 0, "gamma": 50})
    for read in (
        lambda: memory.retrieval.search(actor=owner, query="who keeps honey and storms?"),
        lambda: memory.retrieval.recall(actor=owner, topic="who keeps honey and storms?", depth=2),
    ):
        with statements(memory) as sent:
            trace = read().trace  # type: ignore[no-untyped-call]
        assert (trace.queried, trace.passed_over) == (("alpha", "gamma"), ("beta",))
        values = [values_of(parameters) for text, parameters in sent if KNOWLEDGE.search(text)]
        assert any(ids["alpha"] in one for one in values)
        assert [one for one in values if BETA in one] == []


def test_v12_a_named_vault_answers_fully_for_one_question_and_stays_at_0(house: tuple[Application, Actor]) -> None:
    muted = {"alpha": 100, "beta": 0, "gamma": 100}
    named = ask(house, "who keeps honey in BÊTA?", muted)
    assert "beta" in {hit.vault for hit in named.hits}
    assert {hit.parts["attention"] for hit in named.hits if hit.vault == "beta"} == {1.0}
    assert "beta" in named.trace.queried
    inside = ask(house, "who keeps honey, betamax?", muted)
    assert "beta" not in {hit.vault for hit in inside.hits}
    memory, owner = house
    by_argument = memory.retrieval.search(actor=owner, query="honey", vault="@Beta")
    assert {hit.vault for hit in by_argument.hits} == {"beta"}
    assert memory.attention.scope(actor=owner).label() == "2 vaults"
    assert memory.vaults.get(actor=owner, vault="beta").attention == 0
    low = ask(house, "honey of @gamma", {"alpha": 100, "beta": 0, "gamma": 10})
    assert {hit.parts["attention"] for hit in low.hits if hit.vault == "gamma"} == {1.0}
    assert {vault.slug: vault.attention for vault in memory.vaults.list(actor=owner)}["gamma"] == 10


def test_v3_a_muted_vault_goes_on_being_written_and_embedded(house: tuple[Application, Actor]) -> None:
    memory, owner = house
    ask(house, "honey", {"alpha": 100, "beta": 0, "gamma": 100})
    memory.facts.remember(actor=owner, vault="beta", observations=[Observation(content="the xylophone is new")])
    memory.embedding.catch_up()
    assert memory.embedding.status().waiting == 0
    raised = ask(house, "where is the xylophone?", {"beta": 100})
    assert raised.hits[0].vault == "beta"
