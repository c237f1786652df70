"""What a conversation is called (V7)."""

from __future__ import annotations

LONGEST_TITLE = 80
UNTITLED = "…"
"""The title of a conversation in which nothing was asked yet."""


def title_from(question: str) -> str:
    """A title made of a question's first words."""
    line = " ".join(question.split())
    cleaned = "".join(c for c in line if c.isprintable())
    return cleaned if len(cleaned) <= LONGEST_TITLE else cleaned[: LONGEST_TITLE - 1].rstrip() + "…"
