from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
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
def app(store_url: str, clock: Callable[[], datetime]) -> Iterator[Application]:
    """A memory of its own on each engine."""
    opened = open_application(Settings(database_url=store_url, embedder="none"), clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def owner(app: Application) -> Actor:
    """The owner at the panel."""
    return app.owner_through(Source.PANEL, name="owner")
