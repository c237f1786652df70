"""Long replies in parts that Discord takes, with every code block whole in its part or carried over to the next."""

from __future__ import annotations

import re
from collections.abc import Iterator

LIMIT = 2000
"""Characters of one message. UTF-16 units are counted, of which there are never fewer."""

_FENCE = "```"
_LANGUAGE = re.compile(r"[\w+#.-]*\n")
_BREAKS = ("\n\n", "\n", ". ", "! ", "? ", "; ", ", ", " ")
"""Where to cut, the best place first; each only in the second half, or parts would be tiny."""


def split_reply(text: str, *, limit: int = LIMIT) -> list[str]:
    """The parts of a reply, in order, each at most `limit` long and none blank.

    A code block goes to the next part whole where it fits there; else it is closed and opened again, with its language,
    around each cut. One that was never closed is closed.
    """
    parts: list[str] = []
    part = ""
    for opening, body, closing in _segments(text):
        around = size(opening) + size(closing)
        rest = body
        if opening and size(part) + around + size(body) > limit >= around + size(body):
            part = _ended(parts, part)
        while size(part) + around + size(rest) > limit:
            room = limit - size(part) - around
            if part and room < limit // 4:
                part = _ended(parts, part)
                continue
            piece = _piece(rest, room)
            rest = rest[len(piece) :]
            part = _ended(parts, part + opening + piece.rstrip("\n" if opening else None) + closing)
            rest = rest if opening else rest.lstrip()
        if rest.strip() or not opening:
            part += opening + rest + closing
    _ended(parts, part)
    return parts


def size(text: str) -> int:
    """How long Discord may take a text to be."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _segments(text: str) -> Iterator[tuple[str, str, str]]:
    """A text as prose and code blocks in turn: what opens each, its body, what closes it."""
    for place, segment in enumerate(text.split(_FENCE)):
        if place % 2 == 0:
            yield "", segment, ""
            continue
        named = _LANGUAGE.match(segment)
        head = named[0] if named else ""
        own_lines = "\n" in segment
        yield (
            _FENCE + (head or ("\n" if own_lines else "")),
            segment[len(head) :].rstrip("\n"),
            (f"\n{_FENCE}" if own_lines else _FENCE),
        )


def _ended(parts: list[str], part: str) -> str:
    """Add a part unless it is blank; the empty beginning of the next."""
    if part.strip():
        parts.append(part.strip())
    return ""


def _piece(text: str, room: int) -> str:
    """The beginning of a text that fits, cut where it hurts least."""
    end = min(room, len(text))
    while size(text[:end]) > room:
        end -= max(1, (size(text[:end]) - room) // 2)
    for mark in _BREAKS:
        at = text.rfind(mark, end // 2, end)
        if at > 0:
            return text[: at + len(mark)]
    return text[:end]
