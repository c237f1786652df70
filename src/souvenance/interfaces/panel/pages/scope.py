"""The scope (« portée ») as a pill: who answers, seen from where a question is asked (V6, V7, V10).

A page calls `pill_values` and includes `pieces/scope.html`; the pill then keeps itself current in every window.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from souvenance.domain.errors import InvalidInput
from souvenance.domain.vault import VaultKind
from souvenance.interfaces.panel.colours import colour_of
from souvenance.interfaces.panel.directions import isolated
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.vaults.attention import Attention, ScopeView

PIECE = "pieces/scope.html"


def pill_values(
    visit: Visit,
    *,
    conversation: int | None = None,
    without_memory: bool = False,
    form: str = "",
    scope: ScopeView | None = None,
) -> dict[str, Any]:
    """What `pieces/scope.html` needs, under the one name `pill`.

    `conversation` and `without_memory`: the conversation the pill stands in, and whether it has no memory (V7).
    Where none is begun yet the pill carries the position itself: `form` is the id of the form that begins one, which
    then sends `without_memory` as `1` or empty.
    """
    scope = scope or visit.memory.attention.scope(actor=visit.actor)
    known = visit.memory.vaults.list(actor=visit.actor)
    kept = {"conversation": conversation or "", "without_memory": "1" if without_memory else "", "form": form}
    return {
        "pill": {
            "scope": scope,
            "label": named(visit, scope).label(visit.language),
            "vaults": [item for item in known if item.kind is not VaultKind.APP],
            "sealed": [item for item in known if item.kind is VaultKind.APP],
            "colours": {item.id: colour_of(item) for item in known},
            "without_memory": without_memory,
            "form": form,
            "kept": urlencode({name: value for name, value in kept.items() if value}),
        }
    }


def named(visit: Visit, scope: ScopeView) -> ScopeView:
    """The same with its vaults' names as people see them, each kept to itself."""
    names = {**scope.names, **{vault.id: visit.called(vault) for vault in scope.vaults}}
    return replace(scope, names={vault: isolated(name) for vault, name in names.items()})


def show(visit: Visit) -> Response:
    """The pill as it stands now."""
    return _pill(visit, without_memory=visit.asked("without_memory") == "1")


def all_answering(visit: Visit) -> Response:
    """« Tous »: muted vaults to 100, the mix among the others kept."""
    return _moved(visit, lambda gestures: gestures.all_answering(actor=visit.actor))


def auto(visit: Visit) -> Response:
    """Let the model choose for each question."""
    return _moved(visit, lambda gestures: gestures.set_auto(actor=visit.actor, auto=True))


def tick(visit: Visit) -> Response:
    """The ticked vaults at 100, the others at 0."""
    return _moved(visit, lambda gestures: gestures.tick(actor=visit.actor, vaults=visit.given_all("vault")))


def only(visit: Visit) -> Response:
    """One vault ticked and no other."""
    return _moved(visit, lambda gestures: gestures.tick(actor=visit.actor, vaults=[visit.path["vault"]]))


def weigh(visit: Visit) -> Response:
    """One vault at the weight given."""
    vault = visit.path["vault"]
    weight = visit.given_whole(f"weight-{vault}")
    if weight is None:
        raise InvalidInput("No weight was given.", hint="Attention is a whole number from 0 to 100.")
    return _moved(visit, lambda gestures: gestures.set(actor=visit.actor, vault=vault, weight=weight))


def undo(visit: Visit) -> Response:
    """The weights before the last gesture."""
    return _moved(visit, lambda gestures: gestures.undo(actor=visit.actor))


def no_memory(visit: Visit) -> Response:
    """« Aucune »: nothing is read in this conversation, whatever the weights; they are left as they are (V7)."""
    _take_position(visit, without_memory=True)
    return _pill(visit, without_memory=True)


def _moved(visit: Visit, gesture: Callable[[Attention], ScopeView]) -> Response:
    """Any other position chosen in a conversation ends « Aucune » there, and in no other."""
    _take_position(visit, without_memory=False)
    return _pill(visit, without_memory=False, scope=gesture(visit.memory.attention))


def _take_position(visit: Visit, *, without_memory: bool) -> None:
    conversation = visit.asked_number("conversation", 0)
    if conversation:
        visit.memory.conversations.change(actor=visit.actor, conversation=conversation, without_memory=without_memory)


def _pill(visit: Visit, *, without_memory: bool, scope: ScopeView | None = None) -> Response:
    conversation = visit.asked_number("conversation", 0) or None
    form = visit.asked("form")[:80]
    values = pill_values(visit, conversation=conversation, without_memory=without_memory, form=form, scope=scope)
    return visit.piece(PIECE, "scope", **values)


WAYS: tuple[Way, ...] = (
    get("/scope/pill", show),
    post("/scope/all", all_answering),
    post("/scope/auto", auto),
    post("/scope/tick", tick),
    post("/scope/undo", undo),
    post("/scope/none", no_memory),
    post("/scope/only/{vault}", only),
    post("/scope/weight/{vault}", weigh),
)
