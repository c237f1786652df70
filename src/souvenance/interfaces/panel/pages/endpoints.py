"""The models: where they are reached, what each is used for, and what they have spent (C2, C6)."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from starlette.responses import Response

from souvenance.domain.access import Route
from souvenance.domain.endpoint import MAY_FORWARD, Use, is_near
from souvenance.domain.errors import NotFound, SouvenanceError
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.models.trying import Tested

PAGE = "endpoints.html"
DAYS = 30
"""Days whose spending is shown."""


USES = {
    Use.ANSWERS: (_("Answers"), _("Replies in the chat, on Discord and through the proxy.")),
    Use.AUTO: (
        _("Auto"),
        _("Chooses the vaults that a question concerns; where none is set, the one that answers does."),
    ),
    Use.CONSOLIDATION: (_("Consolidation"), _("Looks at proposals a second time and drafts summaries; not needed.")),
    Use.EMBEDDINGS: (_("Embeddings"), _("Makes vectors in place of the bundled model, for vaults on step six only.")),
}


def show(visit: Visit) -> Response:
    """Every endpoint, every use."""
    return visit.page(PAGE, **_shown(visit))


def add(visit: Visit) -> Response:
    """A new endpoint; it answers at once where none does yet."""
    uses = [] if _used(visit).get(Use.ANSWERS) else [Use.ANSWERS]
    made = visit.memory.endpoints.add(
        actor=visit.actor,
        name=visit.given("name"),
        base_url=visit.given("base_url"),
        model=visit.given("model"),
        key=visit.given("key") or None,
        route=_route(visit),
        uses=uses,
    )
    return visit.html(_board(visit), visit.note(visit.say("%(name)s is added. Try it now.", name=made.name)))


def change(visit: Visit) -> Response:
    """Change an endpoint; a key left empty stays as it is, unless the address is another."""
    visit.memory.endpoints.change(
        actor=visit.actor,
        name=visit.given("name"),
        base_url=visit.given("base_url"),
        model=visit.given("model"),
        key="" if visit.given("forget_key") else visit.given("key") or None,
        route=Route(visit.chosen("route", *Route)),
    )
    return visit.html(_board(visit), visit.note(visit.say("Saved.")))


def remove(visit: Visit) -> Response:
    """Remove an endpoint and its key."""
    visit.memory.endpoints.remove(actor=visit.actor, name=visit.given("name"))
    return visit.html(_board(visit), visit.note(visit.say("The endpoint and its key are removed.")))


def use(visit: Visit) -> Response:
    """Say which endpoint a use has."""
    try:
        wanted = Use(visit.path["use"])
    except ValueError:
        raise NotFound("There is no such use of a model.", hint="Load the page again.") from None
    visit.memory.endpoints.use(actor=visit.actor, use=wanted, name=visit.given("endpoint") or None)
    return visit.html(_board(visit), visit.note(visit.say("Saved.")))


async def test(visit: Visit) -> Response:
    """Try an endpoint: a word, its list of models, a vector."""
    tested = await visit.memory.endpoints.test(
        actor=visit.actor, name=visit.given("name"), chat=visit.memory.exchange.chat
    )
    shown = await anyio.to_thread.run_sync(lambda: _shown(visit, tested))
    return visit.piece(PAGE, "board", **shown)


def _route(visit: Visit) -> Route | None:
    """The route that was declared; None to take what the address proposes."""
    given = visit.chosen("route", "", *Route)
    return Route(given) if given else None


def _board(visit: Visit) -> str:
    return visit.block(PAGE, "board", **_shown(visit))


def _used(visit: Visit) -> dict[Use, str]:
    return {use: one.name for one in visit.memory.endpoints.list(actor=visit.actor) for use in one.uses}


def _shown(visit: Visit, tested: Tested | None = None) -> dict[str, Any]:
    try:
        spending = visit.memory.spending.list(actor=visit.actor, days=DAYS)
    except SouvenanceError:
        spending = []
    endpoints = visit.memory.endpoints.list(actor=visit.actor)
    return {
        "here": "settings",
        "tab": "endpoints",
        "endpoints": endpoints,
        "near": {one.id for one in endpoints if is_near(one.base_url)},
        "may_forward": MAY_FORWARD.get(visit.language, MAY_FORWARD["en"]),
        "uses": USES,
        "used": {use: one.name for one in endpoints for use in one.uses},
        "tested": tested,
        "spending": spending,
        "days": DAYS,
    }


WAYS: tuple[Way, ...] = (
    get("/settings/endpoints", show),
    post("/settings/endpoints", add),
    post("/settings/endpoints/change", change),
    post("/settings/endpoints/remove", remove),
    post("/settings/endpoints/test", test),
    post("/settings/endpoints/uses/{use}", use),
)
