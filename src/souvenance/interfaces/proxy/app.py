"""`/v1`: chat completions and models, as OpenAI's clients ask for them (C4)."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route as Path
from starlette.types import Scope

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import NoModel, NotFound, SouvenanceError, TooLarge
from souvenance.exchange.stopping import Interrupted, unless
from souvenance.interfaces.proxy.completion import Passing
from souvenance.interfaces.proxy.refusals import refused
from souvenance.interfaces.proxy.request import read_completion

MAX_BODY = 32 * 2**20
"""Bytes of one request; pictures are sent inside it."""

Identify = Callable[[Scope], Actor]
log = logging.getLogger(__name__)


def build_proxy(memory: Application, identify: Identify) -> Starlette:
    """The application to mount at `/v1`. The bearer token says who asks: what they may read is added, and what they may
    write is written."""

    async def caller(request: Request) -> Actor:
        actor = await anyio.to_thread.run_sync(identify, request.scope)
        request.scope.setdefault("state", {})["actor"] = actor
        return replace(actor, source=Source.AGENT)

    async def completions(request: Request) -> Response:
        actor = await caller(request)
        asked = read_completion(await _body(request), request.headers)
        passing = Passing(memory, actor, asked)
        await passing.begin()
        lines, is_streaming = passing.lines(), False
        try:
            if not asked.is_stream:
                return JSONResponse(await unless(_gone(request), passing.whole()), headers=passing.headers)
            first = await unless(_gone(request), anext(lines))  # what fails before the first word has its own status
            is_streaming = True
        finally:
            if not is_streaming:
                passing.leave()
        headers = passing.headers | {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(_after(first, lines, passing), media_type="text/event-stream", headers=headers)

    async def models(request: Request) -> Response:
        actor = await caller(request)
        endpoint = await anyio.to_thread.run_sync(
            lambda: memory.endpoints.reached(user_id=actor.user_id, use=Use.ANSWERS)
        )
        if endpoint is None:
            raise NoModel("No model is set to answer.", hint="souvenance endpoint add NAME URL MODEL")
        return JSONResponse(await memory.exchange.chat.models(endpoint))

    return Starlette(
        routes=[
            Path("/chat/completions", completions, methods=["POST"]),
            Path("/models", models, methods=["GET"]),
        ],
        exception_handlers={
            SouvenanceError: _on_refusal,
            HTTPException: _on_http,
            ClientDisconnect: _on_gone,
            Interrupted: _on_gone,
        },
    )


async def _gone(request: Request) -> None:
    """Ends when the client went away; its body is read already."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _after(first: str, lines: AsyncGenerator[str], passing: Passing) -> AsyncIterator[str]:
    try:
        async with contextlib.aclosing(lines):
            yield first
            async for line in lines:
                yield line
    finally:
        passing.leave()


async def _body(request: Request) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            raise TooLarge(f"The body is over {MAX_BODY // 2**20} MiB; nothing was sent.", hint="Send less at once.")
        parts.append(part)
    return b"".join(parts)


def _on_refusal(_request: Request, error: Exception) -> Response:
    assert isinstance(error, SouvenanceError)
    return refused(error)


def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        said = "This path does not take that method."
    else:
        said = "There is no such path: /v1/chat/completions and /v1/models."
    return JSONResponse(
        {"error": {"message": said, "type": "invalid_request_error", "param": None, "code": NotFound.code}},
        status_code=error.status_code,
    )


def _on_gone(_request: Request, _error: Exception) -> Response:
    return Response(status_code=499)
