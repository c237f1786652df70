"""The one door against secrets: every way text comes into memory asks here (F8).

A model is refused; a person is told. What is said names the kind and where it stands, never the secret.
"""

from __future__ import annotations

from souvenance.domain.access import Actor
from souvenance.domain.errors import SecretRefused
from souvenance.memory.secrets import find_secrets, may_hold_a_secret


def secret_kinds(*texts: str | None) -> tuple[str, ...]:
    """The kinds of secrets these texts seem to hold, each once, in order: what a person is warned of."""
    given = [text for text in texts if text]
    if not may_hold_a_secret("\n".join(given)):
        return ()
    return tuple(dict.fromkeys(found.kind for text in given for found in find_secrets(text)))


def refuse_secrets(actor: Actor, *texts: str | None) -> tuple[str, ...]:
    """Refuse what a model writes when it holds a secret; else the kinds found, for a warning.

    Called by whatever turns given text into a fact, a note or a label, before anything is stored.
    """
    kinds = secret_kinds(*texts)
    if kinds and actor.is_model:
        raise _refusal(kinds)
    return kinds


def refuse_added_secrets(actor: Actor, *, before: str, after: str) -> None:
    """Refuse a model's edit that brings in a secret which the text did not hold before."""
    if actor.is_model and before != after:
        had = {before[found.start : found.end] for found in find_secrets(before)}
        fresh = [found for found in find_secrets(after) if after[found.start : found.end] not in had]
        if fresh:
            raise _refusal(tuple(dict.fromkeys(found.kind for found in fresh)))


def _refusal(kinds: tuple[str, ...]) -> SecretRefused:
    return SecretRefused(
        f"This looks like it holds a secret ({', '.join(kind.replace('_', ' ') for kind in kinds)}); "
        "nothing was written.",
        hint="Leave the secret out and say where it is kept instead.",
        kinds=list(kinds),
    )
