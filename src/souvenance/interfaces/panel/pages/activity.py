"""What was asked of the memory: by whom, what was found, and what never is (N11)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from souvenance.interfaces.panel.changes import through
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get

PAGE = "activity.html"
A_PAGE = 50
OFTEN = 12


VERBS = {"exchange": _("a question"), "search": _("a search"), "recall": _("a recall"), "look-up": _("a look-up")}
MATCHERS = {"words": _("words"), "hybrid": _("words and meaning"), "vectors": _("meaning")}


def show(visit: Visit) -> Response:
    """Searches, recalls and look-ups, the latest first, beside the frequent ones and the blind spots."""
    return visit.page(
        PAGE,
        **_shown(visit),
        frequent=visit.memory.retrievals.frequent(actor=visit.actor, limit=OFTEN),
        blind=visit.memory.retrievals.blind_spots(actor=visit.actor, limit=OFTEN),
    )


def show_more(visit: Visit) -> Response:
    """The next page, put behind what is shown."""
    return visit.piece(PAGE, "entries", **_shown(visit))


def _shown(visit: Visit) -> dict[str, Any]:
    start, misses = visit.asked_number("from", 0), visit.asked("misses") == "1"
    found = visit.memory.retrievals.list(actor=visit.actor, limit=A_PAGE + 1, offset=start, misses_only=misses)
    return {
        "here": "agents",
        "tab": "activity",
        "through": through,
        "verbs": VERBS,
        "matchers": MATCHERS,
        "misses": misses,
        "entries": found[:A_PAGE],
        "next": start + A_PAGE if len(found) > A_PAGE else None,
    }


WAYS: tuple[Way, ...] = (get("/agents/activity", show), get("/agents/activity/more", show_more))
