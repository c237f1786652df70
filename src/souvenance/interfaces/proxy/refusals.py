"""Refusals in the shape that OpenAI's clients read."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse

from souvenance.domain import errors
from souvenance.domain.errors import SouvenanceError

STATUSES: tuple[tuple[type[SouvenanceError], int, str], ...] = (
    (errors.TooLarge, 413, "invalid_request_error"),
    (errors.InvalidInput, 400, "invalid_request_error"),
    (errors.NotAuthenticated, 401, "authentication_error"),
    (errors.NotAllowed, 403, "permission_error"),
    (errors.Withheld, 403, "permission_error"),
    (errors.NotFound, 404, "invalid_request_error"),
    (errors.CapReached, 429, "rate_limit_error"),
    (errors.TooManyAtOnce, 429, "rate_limit_error"),
    (errors.NoModel, 503, "server_error"),
    (errors.StoreUnavailable, 503, "server_error"),
    (errors.ModelUnavailable, 502, "server_error"),
)
PASSED_ON = {400, 404, 422, 429}
"""Statuses of the model's endpoint that say something about the request itself."""


def error_shape(error: SouvenanceError) -> dict[str, Any]:
    """The error as a body, or as an event in the middle of a stream."""
    _, kind = status_of(error)
    return {"error": {"message": str(error), "type": kind, "param": None, "code": error.code}}


def status_of(error: SouvenanceError) -> tuple[int, str]:
    """Status and kind of a refusal."""
    said = error.details.get("status")
    if isinstance(error, errors.ModelUnavailable) and said in PASSED_ON:
        return int(said), "rate_limit_error" if said == 429 else "invalid_request_error"
    return next(((status, kind) for one, status, kind in STATUSES if isinstance(error, one)), (500, "server_error"))


def refused(error: SouvenanceError) -> JSONResponse:
    """A refusal as a response. What may be asked again says when: clients of OpenAI retry by themselves otherwise."""
    status, _ = status_of(error)
    headers = {401: {"WWW-Authenticate": 'Bearer realm="souvenance"'}, 502: {"x-should-retry": "false"}}.get(status)
    if isinstance(error, errors.TooManyAtOnce):
        headers = {"Retry-After": str(error.details["retry_after"])}
    return JSONResponse(error_shape(error), status_code=status, headers=headers)
