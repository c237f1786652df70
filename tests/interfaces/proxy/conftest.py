from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
import uvicorn

from proxy_ways import Make
from scripted import Server, model_server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.endpoint import Use
from souvenance.serving.app import build_app
from souvenance.settings import Settings
from souvenance.wiring import open_application


@pytest.fixture
def memory(store_url: str, tmp_path: Path) -> Iterator[Application]:
    url = store_url if store_url.startswith("postgresql") else None
    settings = Settings(data=tmp_path, database_url=url, embedder="none", model_seconds=3)  # type: ignore[arg-type]
    opened = open_application(settings)
    yield opened
    opened.close()


@pytest.fixture
def owner(memory: Application) -> Actor:
    return memory.owner_through(Source.COMMAND_LINE)


@pytest.fixture
def server() -> Iterator[Server]:
    with model_server() as made:
        yield made


@pytest.fixture
def model(memory: Application, owner: Actor, server: Server) -> Server:
    memory.endpoints.add(
        actor=owner, name="scripted", base_url=server.url, model="tiny", key="sk-up", uses=[Use.ANSWERS]
    )
    return server


@pytest.fixture
def url(memory: Application, tmp_path: Path) -> Iterator[str]:
    """The whole application on a port of its own."""
    app = build_app(memory, Settings(data=tmp_path, embedder="none"), local_token="secret")
    running = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, ws="none"))
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/v1"
    running.should_exit = True
    thread.join()


@pytest.fixture
def client(memory: Application, owner: Actor, url: str) -> Iterator[Make]:
    made: list[openai.OpenAI] = []

    def make(**limits: Any) -> openai.OpenAI:
        name = f"client {len(memory.tokens.list(actor=owner))}"
        _, secret = memory.tokens.create(actor=owner, name=name, **{"route": Route.LOCAL} | limits)
        made.append(openai.OpenAI(base_url=url, api_key=secret, max_retries=0))
        return made[-1]

    yield make
    for one in made:
        one.close()
