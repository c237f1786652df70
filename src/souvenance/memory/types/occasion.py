"""What a step is given to decide with, and what it decides: plain values, no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from souvenance.memory.usefulness import Floats, Weights, Whole, Why


class Ask(StrEnum):
    """What a model may ask of a memory."""

    RETIRE = "retire"
    REPLACE = "replace"
    LOOK_UP = "look_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """The facts that may get a place, as columns of one length, and what they are measured by.

    updated: microseconds since 1970. age_days: since then, until now. importance: 1 to 10, NaN where nobody scored it.
    relevance: 0 to 1 to what is being said. confidence: 0 to 1.
    """

    numbers: Whole
    updated: Whole
    age_days: Floats
    importance: Floats
    relevance: Floats
    confidence: Floats
    weights: Weights


@dataclass(frozen=True, slots=True)
class Places:
    """Numbers of the facts that get a place, in order, and for a step that ranks why each stands where it does."""

    numbers: Sequence[int]
    why: Sequence[Why] = field(default=())
