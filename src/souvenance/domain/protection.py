"""Protection: what may leave for whom, and what is said of what stayed (V8)."""

from __future__ import annotations

from souvenance.domain.access import Route
from souvenance.domain.vault import Protection


def may_leave(protection: Protection, route: Route) -> bool:
    """Whether content under this protection may go over this route: to a prompt, an embedder or a caller."""
    return protection is not Protection.MAXIMUM or route is Route.LOCAL


def may_settle(learnt_from: Protection, into: Protection) -> bool:
    """Whether what was learnt under one protection may be kept under another: never under a lesser one."""
    return learnt_from is not Protection.MAXIMUM or into is Protection.MAXIMUM


def withheld_sentence(passages: int, *, named: int = 0, language: str = "en") -> str:
    """What is said of passages kept back, and of protected vaults that the question named; empty for neither.

    The vault's name is not in it: it may be read where the content may not.
    """
    words = _WORDS.get(language, _WORDS["en"])
    if passages:
        return words["one" if passages == 1 else "many"].format(passages)
    return words["named"] if named else ""


HIDDEN_NAME = {"en": "a protected vault", "fr": "un coffre protégé"}
"""In place of the name of a vault that must not leave over the reader's route."""

_WORDS = {
    "en": {
        "one": "1 passage withheld: protected vault",
        "many": "{} passages withheld: protected vault",
        "named": "the vault you named is protected: nothing of it leaves over a cloud route",
    },
    "fr": {
        "one": "1 passage retenu : coffre protégé",
        "many": "{} passages retenus : coffre protégé",
        "named": "le coffre que vous nommez est protégé : rien n’en sort par une route distante",
    },
}
