"""The zoomed-out view of the vaults: who answers, at what weight, and what each vault is (V1 to V5)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.vaults.attention import ScopeView

PAGE = "vaults.html"


def show(visit: Visit) -> Response:
    """Every vault as a card."""
    return visit.page(PAGE, **_shown(visit))


def show_board(visit: Visit) -> Response:
    """The cards and the state above them, asked for again when attention changed anywhere."""
    return visit.piece(PAGE, "board", **_shown(visit))


def weigh(visit: Visit) -> Response:
    """Give one vault its weight."""
    scope = visit.memory.attention.set(
        actor=visit.actor, vault=visit.path["vault"], weight=visit.given_whole("weight", 100) or 0
    )
    return visit.piece(PAGE, "board", **_shown(visit, scope))


def solo(visit: Visit) -> Response:
    """That vault alone answers."""
    return visit.piece(
        PAGE, "board", **_shown(visit, visit.memory.attention.solo(actor=visit.actor, vault=visit.path["vault"]))
    )


def all_full(visit: Visit) -> Response:
    """Every vault answers fully."""
    return visit.piece(PAGE, "board", **_shown(visit, visit.memory.attention.all(actor=visit.actor)))


def undo(visit: Visit) -> Response:
    """Bring the mix before the last gesture back."""
    return visit.piece(PAGE, "board", **_shown(visit, visit.memory.attention.undo(actor=visit.actor)))


def _shown(visit: Visit, scope: ScopeView | None = None) -> dict[str, Any]:
    scope = scope or visit.memory.attention.scope(actor=visit.actor)
    return {
        "here": "vaults",
        "scope": scope,
        "state": scope.state(visit.language),
        "vaults": visit.memory.vaults.list(actor=visit.actor),
        "facts": visit.memory.vaults.count_facts(actor=visit.actor),
    }


WAYS: tuple[Way, ...] = (
    get("/vaults", show),
    get("/vaults/board", show_board),
    post("/vaults/all", all_full),
    post("/vaults/undo", undo),
    post("/vaults/{vault}/attention", weigh),
    post("/vaults/{vault}/solo", solo),
)
