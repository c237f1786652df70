"""`/scope`: who answers, and the gestures on it (V2 to V10)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from souvenance.domain.attention import Mix
from souvenance.domain.errors import InvalidInput
from souvenance.interfaces.rest.caller import Caller, Memory
from souvenance.interfaces.rest.fields import Given, In, Language, Shown, Vault
from souvenance.vaults.attention import ScopeView

router = APIRouter(prefix="/scope", tags=["vaults"])


class WeightShown(Shown):
    """The weight of one vault, 0 (not queried) to 100."""

    slug: str
    attention: int


class ScopeShown(Shown):
    """Which vaults answer. `state` is said in the Vaults view, `label` in the chat, both of the same weights.

    `auto`: the model chooses among them for each question. `withheld` counts vaults whose names this route keeps back.
    """

    state: str
    label: str
    mix: Mix
    auto: bool
    can_undo: bool
    withheld: int
    weights: list[WeightShown]


class Gesture(StrEnum):
    """`solo`, `tick`: the named vaults at 100, the others at 0. `all`: every vault at 100; `all_answering`: muted ones
    at 100, the mix kept. `none`: every vault at 0. `undo`: the weights before the last gesture.
    """

    SOLO = "solo"
    TICK = "tick"
    ALL = "all"
    ALL_ANSWERING = "all_answering"
    NONE = "none"
    UNDO = "undo"


class GestureGiven(Given):
    """A gesture on the whole scope, with the vaults it is about: one for `solo`, any number for `tick`, else none."""

    gesture: Annotated[Gesture, Field(strict=False)]
    vaults: Annotated[list[Vault], Field(max_length=200, default_factory=list)]


class Auto(Given):
    """Whether the model chooses among the vaults that answer."""

    auto: bool


@router.get("", summary="Show the scope")
def get_scope(memory: Memory, actor: Caller, language: In = Language.ENGLISH) -> ScopeShown:
    """The weights as they stand, with their labels."""
    return _shown(memory.attention.scope(actor=actor), language)


@router.post("", summary="Make a gesture on the scope")
def make_gesture(memory: Memory, actor: Caller, given: GestureGiven, language: In = Language.ENGLISH) -> ScopeShown:
    """Change who answers, in every place at once; it ends Auto. A token that is bound to certain vaults may not."""
    attention = memory.attention
    takes = {Gesture.SOLO: len(given.vaults) == 1, Gesture.TICK: True}.get(given.gesture, not given.vaults)
    if not takes:
        raise InvalidInput(
            f"The gesture {given.gesture} does not go with {len(given.vaults)} vaults.",
            hint="solo takes one vault, tick any number, the others none.",
        )
    match given.gesture:
        case Gesture.SOLO | Gesture.TICK:
            made = attention.tick(actor=actor, vaults=given.vaults)
        case Gesture.ALL:
            made = attention.all(actor=actor)
        case Gesture.ALL_ANSWERING:
            made = attention.all_answering(actor=actor)
        case Gesture.NONE:
            made = attention.none(actor=actor)
        case Gesture.UNDO:
            made = attention.undo(actor=actor)
    return _shown(made, language)


@router.put("/auto", summary="Switch Auto")
def set_auto(memory: Memory, actor: Caller, given: Auto, language: In = Language.ENGLISH) -> ScopeShown:
    """Let the model choose among the vaults that answer, for each question; the weights are left alone."""
    return _shown(memory.attention.set_auto(actor=actor, auto=given.auto), language)


def _shown(scope: ScopeView, language: Language) -> ScopeShown:
    return ScopeShown(
        state=scope.state(language),
        label=scope.label(language),
        mix=scope.mix,
        auto=scope.auto,
        can_undo=scope.can_undo,
        withheld=scope.withheld,
        weights=[WeightShown(slug=vault.slug, attention=vault.attention) for vault in scope.vaults],
    )
