"""Attention: who answers, and at what weight; never who records (V2 to V6).

Weights are one mapping of vault id to a number from 0 to 100. Gestures make a new mapping from one; states and labels
are read off it. The Vaults view and the chat's scope are two views of the same mapping.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from souvenance.domain.errors import InvalidInput

FULL = 100
MUTED = 0
FEW = 3
"""« Tous sauf N » is said when at most one vault is muted for every `FEW` that answer; else « N coffres »."""

Weights = Mapping[int, int]


def checked_weight(weight: int) -> int:
    """A weight from 0 to 100, or a clear refusal."""
    if isinstance(weight, bool) or not isinstance(weight, int) or not MUTED <= weight <= FULL:
        raise InvalidInput(f"Attention is a whole number from 0 to 100, not {weight!r}.")
    return weight


# --- gestures --------------------------------------------------------------------------------------------------


def solo(weights: Weights, vault: int) -> dict[int, int]:
    """That vault at 100 and all others at 0 (V4)."""
    return tick(weights, [vault])


def all_full(weights: Weights) -> dict[int, int]:
    """« Tous » in Vaults: every vault at 100 (V4)."""
    return dict.fromkeys(weights, FULL)


def tick(weights: Weights, vaults: Iterable[int]) -> dict[int, int]:
    """Ticking vaults in the chat: those at 100, the others at 0 (V6); ticking none mutes all."""
    chosen = set(vaults)
    return {vault: FULL if vault in chosen else MUTED for vault in weights}


def all_answering(weights: Weights) -> dict[int, int]:
    """« Tous » in the chat: every muted vault at 100, the mix among the others kept (V6)."""
    return {vault: weight or FULL for vault, weight in weights.items()}


def none_answering(weights: Weights) -> dict[int, int]:
    """Every vault muted."""
    return dict.fromkeys(weights, MUTED)


# --- what the weights say --------------------------------------------------------------------------------------


class Mix(StrEnum):
    """What the weights amount to."""

    ALL = "all"
    ALL_MIXED = "all_mixed"
    ONE = "one"
    SOME = "some"
    ALL_BUT = "all_but"
    NONE = "none"


def vaults_state(weights: Weights, names: Mapping[int, str], language: str = "en") -> str:
    """The state in the Vaults view (V5): a vault's name (solo), all, all muted, or mixed."""
    answering = [vault for vault, weight in weights.items() if weight]
    words = _WORDS[language if language in _WORDS else "en"]
    if not answering:
        return words["all muted"]
    if all(weight == FULL for weight in weights.values()):
        return words["all (vaults)"]
    if len(answering) == 1 and weights[answering[0]] == FULL:
        return names[answering[0]]
    return words["mixed"]


def chat_mix(weights: Weights) -> Mix:
    """What the chat's scope is, apart from its words (V6)."""
    answering = sum(1 for weight in weights.values() if weight)
    muted = len(weights) - answering
    if not answering:
        return Mix.NONE
    if not muted:
        return Mix.ALL if all(weight == FULL for weight in weights.values()) else Mix.ALL_MIXED
    if answering == 1:
        return Mix.ONE
    return Mix.ALL_BUT if muted * FEW <= answering else Mix.SOME


def chat_label(weights: Weights, names: Mapping[int, str], language: str = "en") -> str:
    """The label of the chat's scope (V6)."""
    words = _WORDS[language if language in _WORDS else "en"]
    mix = chat_mix(weights)
    answering = [vault for vault, weight in weights.items() if weight]
    if mix is Mix.ONE:
        return names[answering[0]]
    return words[mix].format(answering=len(answering), muted=len(weights) - len(answering))


_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "all muted": "all muted",
        "all (vaults)": "all",
        "mixed": "mixed",
        Mix.ALL: "All",
        Mix.ALL_MIXED: "All (mixed)",
        Mix.SOME: "{answering} vaults",
        Mix.ALL_BUT: "All but {muted}",
        Mix.NONE: "No vault",
    },
    "fr": {
        "all muted": "tous coupés",
        "all (vaults)": "tous",
        "mixed": "mixte",
        Mix.ALL: "Tous",
        Mix.ALL_MIXED: "Tous (mixte)",
        Mix.SOME: "{answering} coffres",
        Mix.ALL_BUT: "Tous sauf {muted}",
        Mix.NONE: "Aucun coffre",
    },
}
