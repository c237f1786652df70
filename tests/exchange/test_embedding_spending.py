"""C6: what embedding at an endpoint takes is counted for the vault it was done for, and nobody waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripted import Server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.endpoint import Use
from souvenance.domain.vault import MemoryType
from souvenance.exchange.events import Ended
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.store.spending import Spending
from souvenance.wiring import open_application

USAGE = {"prompt_tokens": 5, "total_tokens": 5}


@pytest.fixture
def embedding(store_url: str, tmp_path: Path, server: Server) -> Iterator[Application]:
    """A memory whose vectors come from the scripted server."""
    settings = Settings(data=tmp_path / "data", database_url=store_url, embedder="none", model_seconds=5)  # type: ignore[arg-type]
    first = open_application(settings)
    try:
        own = first.owner_through(Source.PANEL, route=Route.LOCAL)
        first.endpoints.add(actor=own, name="vectors", base_url=server.url, model="e", uses=[Use.ANSWERS])
        first.endpoints.change(actor=own, name="vectors", dimension=8)
        first.endpoints.use(actor=own, use=Use.EMBEDDINGS, name="vectors")
    finally:
        first.close()
    opened = open_application(settings.model_copy(update={"embedder": "local"}))
    yield opened
    opened.close()


def spent_on_vectors(app: Application, owner: Actor) -> dict[str, Spending]:
    found = app.spending.list(actor=owner)
    return {vault.slug if vault else "": spent for vault, spent in found if spent.use is Use.EMBEDDINGS}


@pytest.mark.parametrize("usage", [USAGE, {"total_tokens": 5}, None, {"prompt_tokens": "many"}])
def test_c6_embedding_is_counted_for_its_vault_as_the_endpoint_counts_or_by_estimate(
    embedding: Application, server: Server, usage: Any
) -> None:
    app, owner = embedding, embedding.owner_through(Source.PANEL, route=Route.LOCAL)
    server.usage = usage
    for name in ("Harpe", "Lyre"):
        app.vaults.create(actor=owner, name=name)
        app.vaults.change_type(actor=owner, vault=name.lower(), memory_type=MemoryType.SEMANTIC)
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"daily_tokens": 20_000})
    said = [Observation(content=f"It has {number} strings.") for number in range(3)]
    app.facts.remember(actor=owner, vault="harpe", observations=said)
    app.embedding.catch_up()
    found = spent_on_vectors(app, owner)
    assert set(found) == {"", "harpe"}  # sentences that similarities are judged against are nobody's
    harpe = found["harpe"]
    assert harpe.calls == 1
    assert harpe.received == 0
    told = isinstance(usage, dict) and type(next(iter(usage.values()))) is int
    assert harpe.estimated == (0 if told else harpe.sent)
    assert harpe.sent == 5 if told else 10 < harpe.sent < 100
    before = found[""]
    app.retrieval.search(actor=owner, query="How many strings?")
    after = spent_on_vectors(app, owner)[""]
    assert after.calls == before.calls + 1
    assert spent_on_vectors(app, owner)["harpe"] == harpe


def test_c6_what_embedding_takes_stops_no_question(embedding: Application, server: Server) -> None:
    import asyncio

    app, owner = embedding, embedding.owner_through(Source.PANEL, route=Route.LOCAL)
    server.usage = {"prompt_tokens": 50_000, "total_tokens": 50_000}
    app.vaults.create(actor=owner, name="Harpe")
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.SEMANTIC)
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"daily_tokens": 20_000})
    app.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="It has 47 strings.")])
    app.embedding.catch_up()
    assert spent_on_vectors(app, owner)["harpe"].sent >= 50_000

    async def ask() -> Any:
        return [event async for event in app.exchange.answer(actor=owner, question="How many?", vaults="harpe")][-1]

    assert isinstance(asyncio.run(ask()), Ended)


def test_c6_what_was_embedded_last_is_counted_when_the_memory_is_closed(
    embedding: Application, server: Server, tmp_path: Path, store_url: str
) -> None:
    owner = embedding.owner_through(Source.PANEL, route=Route.LOCAL)
    embedding.vaults.create(actor=owner, name="Harpe")
    embedding.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.SEMANTIC)
    embedding.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="It has 47 strings.")])
    embedding.embedding.catch_up()
    embedding.close()
    settings = Settings(data=tmp_path / "data", database_url=store_url, embedder="none")  # type: ignore[arg-type]
    again = open_application(settings)
    try:
        assert spent_on_vectors(again, owner)["harpe"].calls == 1
    finally:
        again.close()
