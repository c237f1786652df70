"""The zoomed-out view of the vaults: who answers, at what weight, and what each vault is (V1 to V6, V8, V9)."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from starlette.responses import Response

from souvenance.domain.errors import InvalidInput
from souvenance.domain.vault import Protection, Vault, VaultKind
from souvenance.ingest.folder_views import FolderView
from souvenance.interfaces.panel.colours import COLOURS, colour_of
from souvenance.interfaces.panel.pages.scope import named
from souvenance.interfaces.panel.vault_words import KINDS, STEPS
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.vaults.attention import ScopeView

PAGE = "vaults.html"
DELETED = "vault-deleted"
"""The cookie in which the name of a vault that was just deleted comes here."""


def show(visit: Visit) -> Response:
    """Every vault as a card; after one was deleted, that it is gone, once."""
    state, _slash, deleted = visit.request.cookies.get(DELETED, "").partition("/")
    response = visit.page(PAGE, deleted=unquote(deleted), is_pending=state == "pending", **_shown(visit))
    if deleted:
        response.delete_cookie(DELETED, path="/vaults")
    return response


def show_board(visit: Visit) -> Response:
    """The cards and the state above them, asked for again when something of them changed anywhere."""
    return visit.piece(PAGE, "board", **_shown(visit))


def create(visit: Visit) -> Response:
    """Make a vault; what was typed stays where it is refused."""
    made = visit.memory.vaults.create(
        actor=visit.actor,
        name=visit.given("name"),
        kind=VaultKind(visit.chosen("kind", "", VaultKind.PROJECT, VaultKind.LIBRARY) or VaultKind.PROJECT),
        description=visit.given("description"),
        colour=visit.given("colour"),
        protection=Protection.MAXIMUM if visit.given("protected") else Protection.NORMAL,
    )
    said = visit.note(visit.say("The vault %(name)s is there, at full attention.", name=visit.called(made)))
    return visit.html(visit.block(PAGE, "board", **_shown(visit)), said)


def weigh(visit: Visit) -> Response:
    """Give one vault its weight."""
    weight = visit.given_whole("weight")
    if weight is None:
        raise InvalidInput("No weight was given.", hint="Attention is a whole number from 0 to 100.")
    scope = visit.memory.attention.set(actor=visit.actor, vault=visit.path["vault"], weight=weight)
    return visit.piece(PAGE, "board", **_shown(visit, scope))


def solo(visit: Visit) -> Response:
    """That vault alone answers."""
    scope = visit.memory.attention.solo(actor=visit.actor, vault=visit.path["vault"])
    return visit.piece(PAGE, "board", **_shown(visit, scope))


def all_full(visit: Visit) -> Response:
    """Every vault answers fully."""
    return visit.piece(PAGE, "board", **_shown(visit, visit.memory.attention.all(actor=visit.actor)))


def undo(visit: Visit) -> Response:
    """Bring the mix before the last gesture back."""
    return visit.piece(PAGE, "board", **_shown(visit, visit.memory.attention.undo(actor=visit.actor)))


def shared_by(visit: Visit) -> dict[int, str]:
    """Names of the teams that share vaults, by id; the vaults of one's own team are shared with nobody."""
    return {team.id: team.name for team in visit.memory.teams.list(actor=visit.actor) if not team.is_own}


def _shown(visit: Visit, scope: ScopeView | None = None) -> dict[str, Any]:
    scope = scope or visit.memory.attention.scope(actor=visit.actor)
    known = visit.memory.vaults.list(actor=visit.actor)
    folders: dict[str, list[FolderView]] = {}
    for item in visit.memory.folders.list(actor=visit.actor):
        folders.setdefault(item.vault, []).append(item)
    return {
        "here": "vaults",
        "scope": scope,
        "state": named(visit, scope).state(visit.language),
        "is_solo": _solo(scope, known),
        "vaults": [item for item in known if item.kind is not VaultKind.APP],
        "sealed": [item for item in known if item.kind is VaultKind.APP],
        "withheld": visit.memory.vaults.count_withheld(actor=visit.actor),
        "facts": visit.memory.vaults.count_facts(actor=visit.actor),
        "notes": visit.memory.vaults.count_notes(actor=visit.actor),
        "waiting": visit.memory.embedding.waiting(actor=visit.actor),
        "folders": folders,
        "teams": shared_by(visit),
        "colours": {item.id: colour_of(item) for item in known},
        "palette": COLOURS,
        "next_colour": list(COLOURS)[len(known) % len(COLOURS)],
        "kinds": KINDS,
        "steps": STEPS,
    }


def _solo(scope: ScopeView, known: list[Vault]) -> int | None:
    """The vault that alone answers, fully."""
    answering = [vault_id for vault_id, weight in scope.weights.items() if weight]
    alone = len(answering) == 1 and scope.weights[answering[0]] == 100 and len(known) > 1
    return answering[0] if alone else None


WAYS: tuple[Way, ...] = (
    get("/vaults", show),
    get("/vaults/board", show_board),
    post("/vaults/new", create),
    post("/vaults/all", all_full),
    post("/vaults/undo", undo),
    post("/vaults/{vault}/attention", weigh),
    post("/vaults/{vault}/solo", solo),
)
