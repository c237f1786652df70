"""What a conversation is called, and what is kept of each question in it (V7, C1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

LONGEST_TITLE = 80
UNTITLED = "…"
"""The title of a conversation in which nothing was asked yet."""
GONE_NAME = {"en": "a vault that is gone", "fr": "un coffre qui n’est plus là"}
"""What a vault that was read for an answer is called once it was deleted, or is another's affair."""


def title_from(question: str) -> str:
    """A title made of a question's first words."""
    line = " ".join(question.split())
    cleaned = "".join(c for c in line if c.isprintable())
    return cleaned if len(cleaned) <= LONGEST_TITLE else cleaned[: LONGEST_TITLE - 1].rstrip() + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question and what came of it. `state`: `asked`, `done`, `stopped` or `failed`. `until`: of one that is asked,
    when it is given up unless a sign of life comes. `is_protected`: it was made from a vault that is at maximum
    protection now, or is gone."""

    ordinal: int
    state: str
    question: str
    answer: str = ""
    failure: Mapping[str, Any] | None = None
    model: str = ""
    trace: Mapping[str, Any] | None = None
    wrote: Sequence[Mapping[str, Any]] = ()
    asked_at: datetime
    answered_at: datetime | None = None
    until: datetime | None = None
    read: frozenset[int] = field(default=frozenset())
    is_protected: bool = False
