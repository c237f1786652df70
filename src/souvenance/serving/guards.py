"""What is refused before anything else looks at a request: other hosts, other origins, bodies over the limit."""

from __future__ import annotations

import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from souvenance.domain.address import is_loopback
from souvenance.interfaces.rest.problems import Problem, answer

MAX_BODY = 16 * 1024 * 1024
"""Bytes of the body of one REST request."""

_DRAINED = 64 * 1024 * 1024
_DRAIN_SECONDS = 10.0
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def _name(netloc: str) -> str:
    """The host of `host:port`, without the port."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").lower()
    except ValueError:
        return ""


_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


def is_from_this_machine(scope: Scope) -> bool:
    """Whether a request was sent by this machine itself: over loopback, to one of its own names, through no proxy."""
    headers, client = Headers(scope=scope), scope.get("client")
    if client is None or not is_loopback(client[0]) or _name(headers.get("host", "")) not in LOOPBACK_NAMES:
        return False
    return not any(name in headers for name in _FORWARDED)


class Addressed:
    """Refuses requests that were addressed to another name, or sent by a page of another origin.

    Bound to loopback, a server answers to this machine's own names and those in `names`: a web page whose name was made
    to point here (DNS rebinding) gets nothing. Bound elsewhere, it answers to `names`, or to any where there are none.
    """

    def __init__(self, app: ASGIApp, *, bound_to: str, names: Iterable[str] = ()) -> None:
        self._app = app
        given = frozenset(name.strip().lower() for name in names if name.strip())
        local = is_loopback(bound_to)
        self._names = given | LOOPBACK_NAMES if local or given else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is addressed to this server."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        name = _name(host)
        if (host and not name) or (self._names is not None and name not in self._names):
            problem = Problem(
                code="wrong_host",
                message="This server does not answer to that name.",
                hint="Ask by the address it printed, or name it in SOUVENANCE_ALLOWED_HOSTS.",
            )
            await answer(421, problem)(scope, receive, send)
        elif origin is not None and not self._is_own(origin, host):
            problem = Problem(
                code="wrong_origin",
                message="Pages of other origins may not use this server.",
                hint="Name their host in SOUVENANCE_ALLOWED_HOSTS if they may.",
            )
            await answer(403, problem)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_own(self, origin: str, host: str) -> bool:
        try:
            netloc = urlsplit(origin).netloc.lower()
        except ValueError:
            return False
        if netloc == host.lower() and netloc:
            return True
        return self._names is not None and _name(netloc) in self._names - LOOPBACK_NAMES


class BodyLimit:
    """Reads a body before it is passed on, and refuses it once it is over the limit, whatever its headers say."""

    def __init__(self, app: ASGIApp, *, limit: int = MAX_BODY) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request whose body is within the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        chunks: list[bytes] = []
        size = 0
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return  # the client has gone
            chunk = message.get("body", b"")
            size += len(chunk)
            more = message.get("more_body", False)
            if size > self._limit:
                await _drain(receive, size if more else _DRAINED)
                await self._refuse(scope, receive, send)
                return
            chunks.append(chunk)
        body: Message | None = {"type": "http.request", "body": b"".join(chunks), "more_body": False}
        chunks.clear()

        async def replay() -> Message:
            nonlocal body
            if body is None:
                return await receive()
            first, body = body, None
            return first

        await self._app(scope, replay, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = Problem(
            code="too_large",
            message=f"The body is over {self._limit // 2**20} MiB; nothing was written.",
            hint="Send it in several requests.",
            details={"limit": self._limit},
        )
        await answer(413, problem, {"Connection": "close"})(scope, receive, send)


async def _drain(receive: Receive, read: int) -> None:
    """Read on for a while without keeping it: a client that is still sending would miss the answer."""
    until = time.monotonic() + _DRAIN_SECONDS
    while read < _DRAINED and time.monotonic() < until:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return
        read += len(message.get("body", b""))
