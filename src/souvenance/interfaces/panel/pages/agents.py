"""Agents: how to connect one, and the tokens that let programs in (A3)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from souvenance.domain.access import Route
from souvenance.domain.errors import InvalidInput
from souvenance.domain.vault import VaultKind
from souvenance.interfaces.panel.connecting import TOKEN, connect_values
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "agents.html"


def show(visit: Visit) -> Response:
    """How to connect one, and the tokens there are."""
    return visit.page(PAGE, **_shown(visit))


def create_token(visit: Visit) -> Response:
    """Make a token; its secret is shown this once, and put into the configurations to copy."""
    chosen, is_bounded = visit.given_all("vault"), visit.chosen("reach", "all", "chosen") == "chosen"
    if is_bounded and not chosen:
        raise InvalidInput("No vault is ticked.", hint="Tick at least one, or let it reach all.")
    token, secret = visit.memory.tokens.create(
        actor=visit.actor,
        name=visit.given("name"),
        can_write=visit.chosen("can_write", "", "0", "1") == "1",
        route=Route(visit.chosen("route", "", *Route) or Route.CLOUD),
        vaults=chosen if is_bounded else None,
        app=visit.given("app").strip() or None,
    )
    return visit.piece(PAGE, "board", **{**_shown(visit, secret), "made": token})


def revoke_token(visit: Visit) -> Response:
    """End a token at once."""
    visit.memory.tokens.revoke(actor=visit.actor, token=visit.path["token"])
    board = visit.block(PAGE, "board", **_shown(visit))
    return visit.html(board, visit.note(visit.say("The token opens nothing any more.")))


def _shown(visit: Visit, secret: str = "") -> dict[str, Any]:
    tokens = visit.memory.tokens.list(actor=visit.actor)
    vaults = [one for one in visit.memory.vaults.list(actor=visit.actor) if one.kind is not VaultKind.APP]
    return {
        "here": "agents",
        "tab": "connect",
        "tokens": [one for one in tokens if one.revoked_at is None],
        "revoked": [one for one in tokens if one.revoked_at is not None],
        "vaults": vaults,
        "names": {one.id: visit.called(one) for one in vaults},
        "made": None,
        "secret": secret,
        **connect_values(visit, token=secret or TOKEN),
    }


WAYS: tuple[Way, ...] = (
    get("/agents", show),
    post("/agents/tokens", create_token),
    post("/agents/tokens/{token:int}/revoke", revoke_token),
)
