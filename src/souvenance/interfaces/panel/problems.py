"""Refusals as a person reads them: a message at the edge of the page, or a page of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from souvenance.domain import errors
from souvenance.domain.errors import SouvenanceError
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.refusals import Told

if TYPE_CHECKING:
    from souvenance.interfaces.panel.visit import Visit

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
"""The first class that an error is decides; anything else is a failure of ours."""

STALE = _("It has changed meanwhile")

TITLES = {
    401: _("You are no longer signed in"),
    403: _("You may not do that"),
    404: _("There is no such thing here"),
    409: _("That cannot be done as things stand"),
    413: _("That is too much at once"),
    422: _("That cannot be taken"),
    429: _("The limit is reached for now"),
    500: _("Souvenance failed on its side"),
    502: _("The model's server fails"),
    503: _("That cannot be used right now"),
}


def status_of(error: SouvenanceError | None) -> int:
    """The status a refusal is answered with."""
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 500)


def refusal(visit: Visit, error: SouvenanceError | None) -> Response:
    """A refusal as an answer. Nothing was written; a page that is open keeps what was typed in it."""
    status = status_of(error)
    said = visit.told(error) if error else Told("", visit.say("Look what is there before you try again."))
    title = STALE if isinstance(error, errors.StaleVersion) else TITLES[status]
    values = {"title": visit.say(title), "message": said.message, "hint": said.hint, "code": status}
    if visit.is_partial:
        response = visit.piece("pieces/toast.html", "problem", status=status, **values)
    else:
        response = visit.page("problem.html", status=status, **values)
    if isinstance(error, errors.TooManyAttempts | errors.TooManyAtOnce):
        response.headers["Retry-After"] = str(error.details["retry_after"])
    return response
