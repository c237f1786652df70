"""Attention: who answers, and at what weight; never who records (V2, V3)."""

from __future__ import annotations

from souvenance.domain.errors import InvalidInput

FULL = 100
MUTED = 0


def checked_weight(weight: int) -> int:
    """A weight from 0 to 100, or a clear refusal."""
    if isinstance(weight, bool) or not isinstance(weight, int) or not MUTED <= weight <= FULL:
        raise InvalidInput(f"Attention is a whole number from 0 to 100, not {weight!r}.")
    return weight
