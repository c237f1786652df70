"""Addresses of the panel, and what happens around every handler: who asks, the proof, refusals in plain words."""

from __future__ import annotations

import inspect
import logging
import secrets
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlsplit

import anyio.to_thread
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive

from souvenance.application import Application
from souvenance.domain.errors import InvalidInput, NotAuthenticated, NotFound, SouvenanceError, TooLarge
from souvenance.interfaces.panel.problems import refusal
from souvenance.interfaces.panel.render import Pages, preferred, tongue
from souvenance.interfaces.panel.safety import dress, secret_of
from souvenance.interfaces.panel.streams import Streams
from souvenance.interfaces.panel.visit import Known, Visit

log = logging.getLogger(__name__)

Handler = Callable[[Visit], Response] | Callable[[Visit], Awaitable[Response]]
"""A plain function runs in a worker thread and may use the store; a coroutine may wait for a model or a stream."""

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of a form with files, for imports."""
MOST_TEXT = 8 * 1024 * 1024
"""Bytes of one field of a form; a form without files has twice as many at most."""
MOST_OF_STRANGERS = 64 * 1024
"""Bytes of a form of somebody who has not signed in: a handle and a password."""
DRAINED = 4 * MOST_BYTES
"""Bytes that are read and thrown away of a form that is too large, so that its sender hears why it is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One method of one address. `stranger`: open to those who have not signed in."""

    method: str
    address: str
    handler: Handler
    stranger: bool = False


def get(address: str, handler: Handler, *, stranger: bool = False) -> Way:
    """A page or a piece of one: it changes nothing."""
    return Way(method="GET", address=address, handler=handler, stranger=stranger)


def post(address: str, handler: Handler, *, stranger: bool = False) -> Way:
    """A deed."""
    return Way(method="POST", address=address, handler=handler, stranger=stranger)


def routed(way: Way, memory: Application, pages: Pages, streams: Streams) -> Route:
    """A way as the server knows it."""

    async def endpoint(request: Request) -> Response:
        visit, trouble = await _received(request, memory, pages, streams)
        try:
            if trouble is not None:
                raise trouble
            if visit.known is None and not way.stranger:
                return dress(_to_the_door(visit), visit)
            if way.method == "POST":
                visit.form = await _form(request, is_known=visit.known is not None)
                visit.require_proof()
            response = await _answered(way.handler, visit)
        except SouvenanceError as error:
            response = refusal(visit, error)
        except Exception as error:
            frames = "".join(traceback.format_tb(error.__traceback__))  # no message: it may hold what a memory says
            log.error("The page %s failed with %s\n%s", way.address, type(error).__name__, frames)
            response = refusal(visit, None)
        finally:
            await visit.form.close()  # uploaded files
        return dress(response, visit)

    return Route(way.address, endpoint, methods=[way.method], include_in_schema=False)


def refused_by_framework(memory: Application, pages: Pages, streams: Streams) -> Callable[..., Awaitable[Response]]:
    """Handler of addresses that are none, and of methods they do not take: a page in the reader's language."""

    async def handler(request: Request, _error: Exception) -> Response:
        visit, trouble = await _received(request, memory, pages, streams)
        return dress(refusal(visit, trouble or NotFound("There is nothing at this address.")), visit)

    return handler


async def _answered(handler: Handler, visit: Visit) -> Response:
    if inspect.iscoroutinefunction(handler):
        return cast(Response, await handler(visit))
    return await anyio.to_thread.run_sync(cast(Callable[[Visit], Response], handler), visit)


async def _received(
    request: Request, memory: Application, pages: Pages, streams: Streams
) -> tuple[Visit, SouvenanceError | None]:
    """The request as a visit; where it could not be told whose it is (the store is away), nobody's, and why."""
    secret, known, moment, trouble = secret_of(request), None, "", None
    if secret:
        try:
            known, moment = await anyio.to_thread.run_sync(_met, memory, secret, request)
        except SouvenanceError as error:
            trouble = error
    wished = request.cookies.get("language", "") if known is None else known.user.language
    language = wished or preferred(request.headers.get("accept-language", ""))
    visit = Visit(
        memory=memory,
        request=request,
        pages=pages,
        tongue=tongue(language, known.user.time_zone if known else "UTC", memory.clock),
        known=known,
        nonce=secrets.token_urlsafe(16),
        streams=streams,
        moment=moment,
    )
    return visit, trouble


def _met(memory: Application, secret: str, request: Request) -> tuple[Known | None, str]:
    """Who asks, and for a whole page the moment it is made at."""
    known = known_by(memory, secret)
    is_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    return known, memory.changes.moment() if known is not None and is_page else ""


def known_by(memory: Application, secret: str) -> Known | None:
    """Whom a cookie speaks for; None for one that is unknown, ended or revoked."""
    try:
        session, actor = memory.sessions.authenticate(secret)
        user = memory.users.me(actor=actor)
    except NotAuthenticated:
        return None
    return Known(actor=actor, user=user, session=session.id, csrf=memory.sessions.csrf(secret))


async def _form(request: Request, *, is_known: bool) -> FormData:
    """The form that was sent. Refused where it is over what its sender may send, before it is kept anywhere."""
    kind = request.headers.get("content-type", "")
    if not kind.startswith(("application/x-www-form-urlencoded", "multipart/form-data")):
        return FormData()
    most = MOST_OF_STRANGERS
    if is_known:
        most = MOST_BYTES if kind.startswith("multipart/") else 2 * MOST_TEXT
    more: dict[str, Any] = {"max_files": 200, "max_fields": 5000, "max_part_size": MOST_TEXT}
    try:
        return await Request(request.scope, _limited(request.receive, most, patient=is_known)).form(**more)
    except HTTPException as error:  # what the parser refuses
        raise InvalidInput(f"The form cannot be read: {error.detail}", hint="Send less at once.") from None


def _limited(receive: Receive, most: int, *, patient: bool) -> Receive:
    """The same messages, until they are over so many bytes. `patient`: what is over is read first, for a while."""
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        while size > most:
            if not patient or size > DRAINED or not message.get("more_body", False):
                raise TooLarge(
                    f"That is over {most // 1024} KiB; nothing was written.",
                    hint="Send less at once, in several parts.",
                )
            message = await receive()
            size += len(message.get("body", b""))
        return message

    return limited


def _to_the_door(visit: Visit) -> Response:
    """Ask to sign in. A script is told, so that the page stays and what was typed in it is kept."""
    if visit.is_partial or visit.request.method != "GET" or "text/html" not in visit.request.headers.get("accept", ""):
        return refusal(visit, NotAuthenticated("You are no longer signed in."))
    address = visit.request.url.path + (f"?{visit.request.url.query}" if visit.request.url.query else "")
    return RedirectResponse(f"/login?next={quote(address)}" if address != "/" else "/login", status_code=303)


def own_address(text: str, default: str = "/") -> str:
    """An address to go on to, if it is one of the panel's own; never another site's."""
    parts = urlsplit(text)
    is_own = text.startswith("/") and not text.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return text if is_own and text.isprintable() and "\\" not in text else default
