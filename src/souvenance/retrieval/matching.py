"""Whether meaning or words find facts on one occasion, and why: every way it can go, as a small explicit machine (T6).

A pure function of what is so. Whoever answers says which state it was in; none of them is silent.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from souvenance.store.backlog import Coverage

SHORTEST = 12
"""Characters under which a message is sent to no embedder: there is nothing in « lol » to be near to."""


class Matching(StrEnum):
    """The states. Only in READY does meaning run; in all others words do."""

    BY_STEP = "by_step"
    TOO_SHORT = "too_short"
    NO_MODEL = "no_model"
    PROTECTED = "protected"
    MODEL_CHANGED = "model_changed"
    UNFINISHED = "unfinished"
    REFUSED = "refused"
    READY = "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What decides.

    is_by_meaning: the vault stands on step six. model: the embedder's name, empty where none is set. may_read: the
    embedder may be given this vault's texts (V8). covered: how much of the vault it has embedded. has_older: vectors of
    another model are there. refusal: why the embedder gave no vector for the message, empty where it did.
    """

    is_by_meaning: bool
    message: str
    model: str
    may_read: bool
    covered: Coverage
    has_older: bool = False
    refusal: str = ""


def matching(now: Situation) -> Matching:
    """The state of an occasion: the first of these reasons that holds, else READY."""
    if not now.is_by_meaning:
        return Matching.BY_STEP
    if not now.model:
        return Matching.NO_MODEL
    if not now.may_read:
        return Matching.PROTECTED
    if len(now.message.strip()) < SHORTEST:
        return Matching.TOO_SHORT
    if not now.covered.is_enough and now.covered.passages:
        return Matching.MODEL_CHANGED if now.has_older else Matching.UNFINISHED
    return Matching.REFUSED if now.refusal else Matching.READY


def sentence(state: Matching, now: Situation, language: str = "en") -> str:
    """What is said of a state; empty for READY and for a step that never goes by meaning."""
    words = SENTENCES.get(language, SENTENCES["en"])
    return words.get(state, "").format(
        embedded=now.covered.embedded,
        passages=now.covered.passages,
        model=now.model,
        refusal=now.refusal.rstrip("."),
        shortest=SHORTEST,
    )


SENTENCES = {
    "en": {
        Matching.NO_MODEL: "no embedding model is set; searching by words",
        Matching.PROTECTED: "the vault is protected and {model} is not on this machine; searching by words",
        Matching.TOO_SHORT: "the message is under {shortest} characters: nothing was embedded; searching by words",
        Matching.UNFINISHED: "{embedded} of {passages} embedded with {model}; searching by words until done",
        Matching.MODEL_CHANGED: "the model was changed: {embedded} of {passages} embedded with {model}; searching by "
        "words until done",
        Matching.REFUSED: "{refusal}; searching by words",
    },
    "fr": {
        Matching.NO_MODEL: "aucun modèle d’embedding n’est nommé ; recherche par mots",
        Matching.PROTECTED: "le coffre est protégé et {model} n’est pas sur cette machine ; recherche par mots",
        Matching.TOO_SHORT: "le message a moins de {shortest} caractères : rien n’est envoyé ; recherche par mots",
        Matching.UNFINISHED: "{embedded} sur {passages} traités avec {model} ; recherche par mots en attendant",
        Matching.MODEL_CHANGED: "le modèle a changé : {embedded} sur {passages} traités avec {model} ; recherche par "
        "mots en attendant",
        Matching.REFUSED: "{refusal} ; recherche par mots",
    },
}
"""What is said of each state, by language; the names in braces are the same in all of them."""
