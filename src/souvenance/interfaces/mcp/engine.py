"""The MCP server inside this process, on a thread of its own; its memory is opened by the first call that needs it."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from souvenance.domain.access import Actor, Source
from souvenance.interfaces.mcp.lines import INTERNAL_ERROR, INVALID_REQUEST, Line, failure
from souvenance.interfaces.mcp.server import Caller, Context, build_server, client_name

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from anyio.streams.memory import MemoryObjectSendStream

    from souvenance.application import Application
    from souvenance.settings import Settings

Say = Callable[[Any, "str | dict[str, Any]"], None]
"""Sends the client a message, as a dictionary or as JSON, with the id of the request that it answers (or None)."""


class Memory:
    """The memory of these settings, opened when first asked for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened: Application | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Application:
        """The open memory; raises what opening it raises, and tries again at the next call."""
        with self._lock:
            if self._opened is None:
                from souvenance.wiring import open_application

                self._opened = open_application(self._settings)
                # No `serve` runs, or it would have been asked: what is written here is embedded here.
                self._opened.embedding.start_background()
                self._opened.purging.start()
            return self._opened

    def close(self) -> None:
        """Close what was opened."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None


class Engine:
    """Answers a client's lines in this process."""

    def __init__(self, settings: Settings, say: Say) -> None:
        self._settings = settings
        self._say = say
        self._memory = Memory(settings)
        self._ready: Future[tuple[AbstractEventLoop, MemoryObjectSendStream[SessionMessage | Exception]]] = Future()
        self._thread = threading.Thread(target=self._run, name="mcp-engine", daemon=True)
        self._thread.start()

    def take(self, line: Line) -> None:
        """Hand a line over; what answers it is said when it is known."""
        number = line.message.get("id")
        try:
            message = jsonrpc_message_adapter.validate_json(line.raw, by_name=False)
        except ValidationError:
            self._say(number, failure(number, INVALID_REQUEST, "This is no MCP message."))
            return
        loop, stream = self._ready.result()
        try:
            loop.call_soon_threadsafe(stream.send_nowait, SessionMessage(message))
        except RuntimeError:  # the loop has ended, with an error that stands in the log
            self._say(number, failure(number, INTERNAL_ERROR, "Souvenance has failed; start it again."))

    def close(self) -> None:
        """End once what was taken has been carried out."""
        loop, stream = self._ready.result()
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(stream.close)
        self._thread.join()
        self._memory.close()

    def _run(self) -> None:
        try:
            anyio.run(self._serve)
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
            raise

    async def _serve(self) -> None:
        import asyncio

        server = build_server(self._memory, self._identify, answer_tokens=self._settings.mcp_answer_tokens)
        inward, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        to_client, outward = anyio.create_memory_object_stream[SessionMessage](0)
        self._ready.set_result((asyncio.get_running_loop(), inward))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.run, from_client, to_client, server.create_initialization_options())
            async with outward:
                async for sent in outward:
                    number = getattr(sent.message, "id", None)
                    self._say(number, sent.message.model_dump_json(by_alias=True, exclude_unset=True))

    def _identify(self, context: Context) -> Caller:
        name = client_name(context)

        def actor_in(memory: Application) -> Actor:
            return memory.owner_through(Source.AGENT, route=self._settings.mcp_route, is_model=True, name=name)

        return Caller(can_write=True, every_tool=self._settings.mcp_all_tools, actor_in=actor_in)
