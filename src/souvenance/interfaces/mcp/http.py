"""MCP over streamable HTTP: one ASGI object for `/mcp`, stateless: any worker answers and a restart loses nobody.

Mount it as a route, and run its lifespan within the application's:

    endpoint = McpEndpoint(memory, settings, local_token=token)
    app.router.routes.append(Route("/mcp", endpoint=endpoint, include_in_schema=False))
    async with endpoint.lifespan(): ...
"""

from __future__ import annotations

import contextlib
import hmac
import json
import re
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import anyio.to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from souvenance.domain.access import Route, Source
from souvenance.domain.errors import NotAuthenticated, SouvenanceError
from souvenance.interfaces.mcp.handover import (
    CLIENT_HEADER,
    MEMORY_HEADER,
    OTHER_MEMORY,
    ROUTE_HEADER,
    TOOLS_HEADER,
    header_value,
    memory_fingerprint,
)
from souvenance.interfaces.mcp.lines import read_line
from souvenance.interfaces.mcp.server import Caller, Context, build_server, clean_client_name

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from souvenance.application import Application
    from souvenance.settings import Settings

MAX_BODY = 32 * 1024 * 1024
"""Bytes of one request: above what the memory takes, so that a text that is too long gets the memory's own answer."""

_HALF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")
"""Where a text may hold half of a surrogate pair: refused here, before the parser does it in its words."""
_CALLER = "souvenance.mcp_caller"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_REALM = 'Bearer realm="souvenance"'


class McpEndpoint:
    """The MCP server as an ASGI application for one route."""

    def __init__(self, memory: Application, settings: Settings, *, local_token: str | None = None) -> None:
        self._memory = memory
        self._every_tool = settings.mcp_all_tools
        self._local_token = local_token
        url = settings.database_url.get_secret_value() if settings.database_url else None
        self._fingerprint = memory_fingerprint(settings.data_folder, url)
        self._security = _security(settings)
        self._server = build_server(lambda: memory, _identify, answer_tokens=settings.mcp_answer_tokens)
        self._manager: StreamableHTTPSessionManager | None = None

    @contextlib.asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Serve while the block lasts. A manager runs once, so each block has its own."""
        manager = StreamableHTTPSessionManager(
            self._server,
            stateless=True,
            json_response=True,
            max_request_body_size=MAX_BODY,
            security_settings=self._security,
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, once it is known who sends it."""
        if scope["method"] != "POST":
            # Nothing to stream and no session to end: a GET would only hold a connection open.
            await _answer(send, 405, -32600, "Send MCP messages by POST.", headers=[(b"allow", b"POST")])
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > MAX_BODY:
            await _drain(receive)
            said = f"The request is over {MAX_BODY // 1024 // 1024} MiB. Send the text in parts, as several notes."
            await _answer(send, 413, -32600, said, headers=[(b"connection", b"close")])
            return
        try:
            scope[_CALLER] = await self._caller(headers)
        except NotAuthenticated as error:
            challenge = _REALM
            if "authorization" in headers:
                challenge += ', error="invalid_token", error_description="unknown or revoked token"'
            await _answer(send, 401, -32001, str(error), headers=[(b"www-authenticate", challenge.encode())])
            return
        except SouvenanceError as error:
            await _answer(send, 503, -32603, str(error))
            return
        if scope[_CALLER] is None:
            await _answer(send, OTHER_MEMORY, -32600, "This server runs on another memory.")
            return
        if self._manager is None:
            await _answer(send, 503, -32603, "Souvenance is starting or stopping; try again.")
            return
        body, again = await _read(receive)
        if _HALF_A_PAIR.search(body) and (wrong := read_line(body).error) is not None:
            await _answer(send, 400, wrong["error"]["code"], wrong["error"]["message"])
            return
        await self._manager.asgi_app(scope, again, send)

    async def _caller(self, headers: dict[str, str]) -> Caller | None:
        """Who sends a request; None for a stdio server of another memory."""
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        secret = secret.strip()
        if scheme.lower() != "bearer" or not secret:
            raise NotAuthenticated(
                "Send the header Authorization: Bearer TOKEN.", hint="Make a token: souvenance token create NAME."
            )
        if self._local_token and hmac.compare_digest(secret.encode(), self._local_token.encode()):
            return self._stdio_owner(headers)
        actor = await anyio.to_thread.run_sync(partial(self._memory.tokens.authenticate, secret, source=Source.AGENT))
        return Caller(can_write=actor.can_write, every_tool=self._every_tool, actor_in=lambda _memory: actor)

    def _stdio_owner(self, headers: dict[str, str]) -> Caller | None:
        """The owner at a stdio server of this machine, with the route and the tools that server declares."""
        if headers.get(MEMORY_HEADER.lower()) != self._fingerprint:
            return None
        route = Route.LOCAL if headers.get(ROUTE_HEADER.lower()) == Route.LOCAL else Route.CLOUD
        name = clean_client_name(header_value(headers.get(CLIENT_HEADER.lower(), "")))
        actor = self._memory.owner_through(Source.AGENT, route=route, is_model=True, name=name)
        every = headers.get(TOOLS_HEADER.lower()) == "all"
        return Caller(can_write=True, every_tool=every, actor_in=lambda _memory: actor)


def _identify(context: Context) -> Caller:
    """Who was found before the protocol began. A token writes under its own name, whatever client holds it, so that
    all it wrote can be reviewed and reverted together (N9)."""
    request: Any = context.request
    return cast("Caller", request.scope[_CALLER])


def _security(settings: Settings) -> TransportSecuritySettings:
    """On loopback, only requests addressed to it: a web page that was pointed here by DNS is refused.

    Bound elsewhere, the names this server is reached by are not known here, and the token is the guard.
    """
    if settings.host not in {"127.0.0.1", "localhost", "::1"}:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    given = [name.strip() for name in settings.allowed_hosts.split(",") if name.strip()]
    hosts = [name for base in (*_LOOPBACK, *given) for name in (base, f"{base}:*")]
    return TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"{scheme}://{name}" for scheme in ("http", "https") for name in hosts]
    )


async def _read(receive: Receive) -> tuple[bytes, Receive]:
    """The start of a request's body, all of it up to the limit, and the same to be received anew from its beginning."""
    messages: list[Message] = []
    body = b""
    while len(body) <= MAX_BODY:
        messages.append(await receive())
        body += messages[-1].get("body", b"")
        if messages[-1]["type"] != "http.request" or not messages[-1].get("more_body"):
            break
    waiting = iter(messages)

    async def again() -> Message:
        message = next(waiting, None)
        return await receive() if message is None else message

    return body, again


async def _drain(receive: Receive) -> None:
    """Read what a client insists on sending, within reason: it only looks at an answer afterwards."""
    left = 8 * MAX_BODY
    while left > 0:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body"):
            return
        left -= len(message.get("body", b""))


async def _answer(
    send: Send, status: int, code: int, message: str, *, headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    """A refusal before the protocol has begun, in the form in which clients show it to their user."""
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}).encode()
    sent = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *(headers or [])]
    await send({"type": "http.response.start", "status": status, "headers": sent})
    await send({"type": "http.response.body", "body": body})
