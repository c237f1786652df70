"""The whole application in this process, asked by a client as a program asks it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.serving.app import build_app
from souvenance.settings import Settings
from souvenance.wiring import open_application

LOCAL_TOKEN = "secret-of-serve-json"
Ask = Callable[..., httpx.Response]


@pytest.fixture
def settings(store_url: str, tmp_path: Path) -> Settings:
    url = store_url if store_url.startswith("postgresql") else None
    return Settings(data=tmp_path / "data", database_url=url, embedder="none")  # type: ignore[arg-type]


@pytest.fixture
def memory(settings: Settings) -> Iterator[Application]:
    opened = open_application(settings)
    yield opened
    opened.close()


@pytest.fixture
def owner(memory: Application) -> Actor:
    return memory.owner_through(Source.COMMAND_LINE)


@pytest.fixture
def client(memory: Application, settings: Settings) -> Iterator[TestClient]:
    app = build_app(memory, settings, local_token=LOCAL_TOKEN)
    with TestClient(
        app, base_url="http://127.0.0.1:8765", client=("127.0.0.1", 5), raise_server_exceptions=False
    ) as opened:
        yield opened


@pytest.fixture
def token(memory: Application, owner: Actor) -> Callable[..., str]:
    def make(name: str = "program", *, route: Route = Route.LOCAL, **limits: Any) -> str:
        return memory.tokens.create(actor=owner, name=name, route=route, **limits)[1]

    return make


@pytest.fixture
def ask(client: TestClient, token: Callable[..., str]) -> Ask:
    """Ask with a token that may do all a token may."""
    secret = token("all")

    def sent(method: str, path: str, body: Any = None, *, by: str | None = secret, **more: Any) -> Any:
        headers = {} if by is None else {"Authorization": f"Bearer {by}"}
        given = {} if body is None else {"json": body}
        return client.request(method, f"/api/v1{path}", headers=headers | more.pop("headers", {}), **given, **more)

    return sent
