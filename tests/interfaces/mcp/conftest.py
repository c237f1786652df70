"""Real clients against real servers: subprocesses for stdio, uvicorn on loopback for HTTP."""

import os
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Route as HttpRoute

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.interfaces.mcp.http import McpEndpoint
from souvenance.settings import Settings
from souvenance.wiring import open_application

SOURCES = Path(__file__).parents[3] / "src"
Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["legacy", "auto"])
def era(request: pytest.FixtureRequest) -> str:
    """The protocol with the handshake that most agents speak, and the one without that the newest do."""
    return str(request.param)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def settings(data: Path) -> Settings:
    return Settings(data=data, embedder="none")


@pytest.fixture
def memory(settings: Settings) -> Iterator[Application]:
    opened = open_application(settings)
    yield opened
    opened.close()


@pytest.fixture
def owner(memory: Application) -> Actor:
    return memory.owner_through(Source.COMMAND_LINE)


def environment(data: Path, **given: str) -> dict[str, str]:
    named = {f"SOUVENANCE_{name.upper()}": value for name, value in given.items()}
    return {"PYTHONPATH": str(SOURCES), "SOUVENANCE_DATA": str(data), "SOUVENANCE_EMBEDDER": "none"} | named


@pytest.fixture
def stdio_environment(data: Path) -> Callable[..., dict[str, str]]:
    return lambda **given: os.environ | environment(data, **given)


@pytest.fixture
def stdio(data: Path) -> Connect:
    """A client of a `souvenance mcp` of its own: `async with stdio(mode="legacy", mcp_route="local") as client`."""

    @asynccontextmanager
    async def connect(*, mode: str = "auto", **given: str) -> AsyncIterator[Client]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "souvenance", "mcp"], env=environment(data, **given)
        )
        async with Client(server, mode=mode) as client:
            yield client

    return connect


class HttpServer:
    """uvicorn on a port of its own, which it keeps when it is stopped and started again."""

    def __init__(self, settings: Settings, local_token: str | None = None) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._settings = settings
        self._local_token = local_token
        self._running: tuple[uvicorn.Server, threading.Thread, Application] | None = None

    def start(self) -> None:
        memory = open_application(self._settings)
        endpoint = McpEndpoint(memory, self._settings, local_token=self._local_token)

        @asynccontextmanager
        async def lifespan(_app: Starlette) -> AsyncIterator[None]:
            async with endpoint.lifespan():
                yield

        app = Starlette(routes=[HttpRoute("/mcp", endpoint=endpoint)], lifespan=lifespan)
        config = uvicorn.Config(app, port=self.port, log_level="error", timeout_graceful_shutdown=5)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        self._running = server, thread, memory

    def stop(self) -> None:
        if self._running is not None:
            server, thread, memory = self._running
            server.should_exit = True
            thread.join()
            memory.close()
            self._running = None


@pytest.fixture
def start_http(settings: Settings) -> Iterator[Callable[..., HttpServer]]:
    started: list[HttpServer] = []

    def start(*, local_token: str | None = None, **changed: Any) -> HttpServer:
        server = HttpServer(settings.model_copy(update=changed), local_token)
        server.start()
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def http() -> Connect:
    """A client over HTTP: `async with http(server, token, mode="legacy") as client`."""

    @asynccontextmanager
    async def connect(server: HttpServer, token: str, *, mode: str = "auto") -> AsyncIterator[Client]:
        timeout = httpx2.Timeout(30, read=60)
        sent = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=sent, timeout=timeout) as transport,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=transport), mode=mode) as client,
        ):
            yield client

    return connect


@pytest.fixture
def make_token(memory: Application, owner: Actor) -> Callable[..., str]:
    """A new token's secret: `make_token(can_write=False, vaults=["lyre"], route=Route.LOCAL)`."""

    def make(name: str = "laptop", **given: Any) -> str:
        given.setdefault("route", Route.CLOUD)
        return memory.tokens.create(actor=owner, name=name, **given)[1]

    return make


async def called(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """A tool's structured answer; fails the test when the tool refuses."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return dict(result.structured_content)


async def refused(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """A tool's refusal; fails the test when the tool accepts."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    assert result.structured_content is not None
    (said,) = result.content
    assert result.structured_content["message"] in said.text  # type: ignore[union-attr]
    return dict(result.structured_content)


@pytest.fixture
def call() -> Callable[..., Any]:
    return called


@pytest.fixture
def refusal() -> Callable[..., Any]:
    return refused
