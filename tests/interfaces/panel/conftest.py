"""A panel with a fresh memory, asked over HTTP by a stranger and by its owner."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.serving.app import build_app
from souvenance.settings import Settings
from souvenance.wiring import open_application

HOME = "http://127.0.0.1:8765"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", embedder="none")


@pytest.fixture
def memory(settings: Settings) -> Iterator[Application]:
    opened = open_application(settings)
    yield opened
    opened.close()


@pytest.fixture
def stranger(memory: Application, settings: Settings) -> Iterator[TestClient]:
    app = build_app(memory, settings, local_token="local-secret")
    with TestClient(app, base_url=HOME, client=("127.0.0.1", 5), follow_redirects=False) as opened:
        yield opened


@pytest.fixture
def owner(stranger: TestClient, memory: Application) -> TestClient:
    link = memory.entry.make_link(actor=memory.owner_through(Source.COMMAND_LINE))
    assert stranger.get(f"/enter/{link}").headers["location"] == "/"
    return stranger
