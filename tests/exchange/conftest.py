from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scripted import Server, model_server
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.endpoint import Use
from souvenance.exchange.events import Ended, Event, Failed, Text
from souvenance.settings import Settings
from souvenance.wiring import open_application


class SteppingClock:
    """A clock that tests set: each reading is a second after the one before."""

    def __init__(self) -> None:
        self.now = datetime(2023, 5, 8, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture
def app(store_url: str, clock: Any, tmp_path: Any) -> Iterator[Application]:
    """A memory of its own on each engine."""
    settings = Settings(data=tmp_path / "data", database_url=store_url, embedder="none", model_seconds=5)  # type: ignore[arg-type]
    opened = open_application(settings, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def owner(app: Application) -> Actor:
    """The owner at the panel, on this machine."""
    from souvenance.domain.access import Route

    return app.owner_through(Source.PANEL, route=Route.LOCAL, name="owner")


@pytest.fixture
def server() -> Iterator[Server]:
    with model_server() as made:
        yield made


@pytest.fixture
def model(app: Application, owner: Actor, server: Server) -> Server:
    """A scripted model that answers."""
    app.endpoints.add(
        actor=owner, name="scripted", base_url=server.url, model="tiny", key="sk-very-secret-key", uses=[Use.ANSWERS]
    )
    return server


@pytest.fixture
def ask(app: Application, owner: Actor) -> Callable[..., list[Event]]:
    """Ask a question and gather all that an exchange tells."""

    def asked(question: str, **given: Any) -> list[Event]:
        async def run() -> list[Event]:
            return [event async for event in app.exchange.answer(**({"actor": owner, "question": question} | given))]

        return asyncio.run(run())

    return asked


def last(events: Sequence[Event]) -> Ended:
    found = events[-1]
    assert isinstance(found, Ended), found
    return found


def failed(events: Sequence[Event]) -> Failed:
    found = events[-1]
    assert isinstance(found, Failed), found
    return found


def said(events: Sequence[Event]) -> str:
    return "".join(one.text for one in events if isinstance(one, Text))
