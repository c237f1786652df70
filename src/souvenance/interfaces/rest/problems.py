"""Errors as HTTP says them: one table from the domain's codes to statuses, one shape of body."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from souvenance.domain import errors
from souvenance.domain.errors import SouvenanceError
from souvenance.domain.wording import plainly

log = logging.getLogger(__name__)

STATUSES: tuple[tuple[type[SouvenanceError], int], ...] = (
    (errors.TooLarge, 413),
    (errors.InvalidInput, 422),
    (errors.NotFound, 404),
    (errors.NotAllowed, 403),
    (errors.Withheld, 403),
    (errors.NotAuthenticated, 401),
    (errors.Conflict, 409),
    (errors.StoreUnavailable, 503),
    (errors.EmbedderUnavailable, 503),
    (errors.ModelUnavailable, 502),
    (errors.NoModel, 503),
    (errors.BrokenOff, 503),
    (errors.CapReached, 429),
    (errors.TooManyAtOnce, 429),
    (errors.TooManyAttempts, 429),
)
"""The first class that an error is decides; anything else is 500."""

CODES = {
    400: ("malformed", "The request could not be read.", "Send a body of valid JSON in UTF-8."),
    404: ("not_found", "There is no such route.", "The routes stand in /api/v1/openapi.json."),
    405: ("method_not_allowed", "This route does not take that method.", "See /api/v1/openapi.json."),
    415: ("unsupported_media_type", "The body is not JSON.", "Send it with Content-Type: application/json."),
}
"""What the framework itself refuses, in this interface's words."""


class Problem(BaseModel):
    """Why a request was refused: a stable code, a message for people, the way out, and details for programs."""

    code: str = Field(description="Stable, for programs: `stale_version`, `not_found`, `withheld` ...")
    message: str = Field(description="What is wrong, for people.")
    hint: str = Field(default="", description="The way out.")
    details: dict[str, Any] = Field(default_factory=dict, description="More of it, for programs.")


MEANINGS = {
    400: "The request could not be read.",
    401: "No token, or one that is unknown or revoked.",
    403: "This caller may not do that, or the content is withheld from its route.",
    404: "There is no such thing that this caller may see.",
    409: "The thing is not in the state the request supposes.",
    413: "More was sent than is accepted.",
    415: "The body is not JSON.",
    422: "What was sent cannot be stored or asked.",
    429: "A cap on tokens, a rate of questions or of attempts to log in, or the most answers at once is reached.",
    502: "The model's endpoint fails.",
    503: "The store cannot be used now.",
}
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": meaning} for status, meaning in MEANINGS.items()
}
"""Every route may answer these; they stand in the OpenAPI document."""


def status_of(error: SouvenanceError) -> int:
    """The status a refusal is answered with."""
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 500)


def answer(status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A refusal as a response."""
    return JSONResponse(problem.model_dump(mode="json"), status_code=status, headers=headers)


def refused(error: SouvenanceError) -> JSONResponse:
    """A domain error as a response."""
    status = status_of(error)
    headers = {401: {"WWW-Authenticate": 'Bearer realm="souvenance"'}, 503: {"Retry-After": "5"}}.get(status)
    if isinstance(error, errors.TooManyAttempts | errors.TooManyAtOnce):
        headers = {"Retry-After": str(error.details["retry_after"])}
    return answer(status, Problem(**error.as_dict()), headers)


def fault() -> JSONResponse:
    """The answer when the program itself failed."""
    problem = Problem(
        code="fault", message="Souvenance failed on its side.", hint="Look what is there before you try again."
    )
    return answer(500, problem)


async def on_refusal(_request: Request, error: Exception) -> JSONResponse:
    """Handler of domain errors."""
    assert isinstance(error, SouvenanceError)
    return refused(error)


async def on_invalid(request: Request, error: Exception) -> JSONResponse:
    """Handler of requests that do not have the documented form. What was sent is not echoed."""
    assert isinstance(error, RequestValidationError)
    found: Iterable[Mapping[str, Any]] = error.errors()
    if any(item["type"] == "json_invalid" for item in found):
        return _framework(400)
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    whole_body = any(tuple(item["loc"]) == ("body",) for item in found)
    if whole_body and sent != "application/json" and request.headers.get("content-length", "0") != "0":
        return _framework(415)
    fields = [{"where": ".".join(str(part) for part in item["loc"]), "problem": plainly(item["msg"])} for item in found]
    problem = Problem(
        code="invalid_input",
        message="The request does not have the documented form.",
        hint="; ".join(f"{field['where']}: {field['problem']}" for field in fields[:5]),
        details={"fields": fields[:50]},
    )
    return answer(422, problem)


async def on_http(_request: Request, error: Exception) -> JSONResponse:
    """Handler of what the framework refuses."""
    assert isinstance(error, HTTPException)
    return _framework(error.status_code, error.headers)


def _framework(status: int, headers: Mapping[str, str] | None = None) -> JSONResponse:
    code, message, hint = CODES.get(status, ("refused", "The request was refused.", ""))
    return answer(status, Problem(code=code, message=message, hint=hint), headers)


def log_fault(where: str, error: BaseException) -> None:
    """Where it failed, without the message and without values: those may hold what a memory says."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    log.error("%s failed with %s\n%s", where, type(error).__name__, frames)


class Faults:
    """Turns an unforeseen exception into an answer, and a log entry that holds no content."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; whatever is raised ends here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            log_fault("A request", error)
            if not started:
                await fault()(scope, receive, send)
