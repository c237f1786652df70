"""Keeping what people wrote from turning the words around it: scripts from right to left, and marks that reorder."""

from __future__ import annotations

import unicodedata
from typing import Any

from markupsafe import Markup

_OPENS, _CLOSES = "\u2066\u2067\u2068", "\u2069"
_BEGIN, _END = "\u2068", "\u2069"
_TURNS = {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"}


def isolated(text: str) -> str:
    """A text to be put into a sentence, as one piece whose direction is its own; one that turns nothing stays as it is.

    What it opens and does not close is closed at its end, and what would close the piece early is taken out.
    """
    if text.isascii() or not any(unicodedata.bidirectional(one) in _TURNS for one in text):
        return text
    depth, kept = 0, []
    for one in text:
        if one == _CLOSES and not depth:
            continue
        depth += (one in _OPENS) - (one == _CLOSES)
        kept.append(one)
    return f"{_BEGIN}{''.join(kept)}{_CLOSES * depth}{_END}"


def filling(values: dict[str, Any]) -> dict[str, Any]:
    """What fills a sentence, each text kept to itself; markup of ours has its own elements for that."""
    return {
        name: isolated(value) if isinstance(value, str) and not isinstance(value, Markup) else value
        for name, value in values.items()
    }
