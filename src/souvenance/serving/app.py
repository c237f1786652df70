"""Everything that speaks HTTP as one ASGI application."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator, Callable

import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Mount, Route

from souvenance.application import Application
from souvenance.interfaces.mcp.http import McpEndpoint
from souvenance.interfaces.panel.app import build_panel
from souvenance.interfaces.panel.streams import Streams
from souvenance.interfaces.proxy.app import build_proxy
from souvenance.interfaces.rest.api import build_api
from souvenance.interfaces.rest.problems import Faults, on_http
from souvenance.serving.doorkeeper import Doorkeeper
from souvenance.serving.guards import Addressed, BodyLimit
from souvenance.serving.metrics import Metrics, Observed
from souvenance.serving.probes import probe_routes
from souvenance.settings import Settings

THREADS = 12
"""REST requests that use the database at once; more wait their turn. MCP has threads of its own."""


def build_app(
    memory: Application,
    settings: Settings,
    *,
    local_token: str,
    on_start: Callable[[], None] = lambda: None,
    on_stop: Callable[[], None] = lambda: None,
) -> Starlette:
    """REST at `/api/v1`, MCP at `/mcp`, the proxy at `/v1`, the probes, and the panel at `/`.

    What is written is embedded and consolidated meanwhile.
    """
    metrics, streams = Metrics(memory), Streams()
    doorkeeper = Doorkeeper(memory, local_token=local_token)
    mcp = McpEndpoint(memory, settings, local_token=local_token)
    api = build_api(memory, doorkeeper.identify, inside=[Middleware(BodyLimit)])

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        memory.embedding.start_background()
        memory.watcher.start()
        memory.passes.start_background()
        memory.purging.start()
        async with mcp.lifespan():
            on_start()
            try:
                yield
            finally:
                on_stop()
        await anyio.to_thread.run_sync(memory.passes.stop)
        await anyio.to_thread.run_sync(memory.purging.stop)
        await anyio.to_thread.run_sync(memory.watcher.stop)
        await anyio.to_thread.run_sync(memory.embedding.stop)

    app = Starlette(
        routes=[
            *probe_routes(memory, metrics, identify=doorkeeper.identify, bound_to=settings.host),
            Route("/mcp", endpoint=mcp, include_in_schema=False),
            Mount("/api/v1", app=api),
            Mount("/v1", app=build_proxy(memory, doorkeeper.identify)),
            Mount("/", app=build_panel(memory, streams)),
        ],
        middleware=[
            Middleware(Observed, metrics=metrics),
            Middleware(Faults),
            Middleware(Addressed, bound_to=settings.host, names=settings.allowed_hosts.split(",")),
        ],
        exception_handlers={HTTPException: on_http},
        lifespan=lifespan,
    )
    app.state.streams = streams
    return app


class Server(uvicorn.Server):
    """A server that ends the streams of open windows first when it is told to stop; they come back by themselves."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then wait for what is under way."""
        self.config.app.state.streams.end()  # type: ignore[union-attr]
        await super().shutdown(sockets)
