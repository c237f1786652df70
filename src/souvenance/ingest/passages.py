"""Cutting Markdown into passages: whole paragraphs, lists and code where they fit, each with its trail of headings.

Sized for a small embedder, which reads some 512 tokens: about 900 characters, never over 1,200. Own code, because the
splitters that measure every candidate cut take minutes on a note of 5 MiB; this is one walk over the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from souvenance.domain.markdown import Heading, headings, lines
from souvenance.store.passages import Piece

GOOD = 900
"""Characters after which a passage is closed at the next boundary between paragraphs."""

LONGEST = 1200
"""Characters no passage goes over."""

_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])[\s\"»”')]*\s|(?<=[。！？])")


def split(content: str) -> list[Piece]:
    """The passages of a note in order. A heading is in the trail of what stands under it, not in its text."""
    found = headings(content)
    starts = [heading.start for heading in found]
    pieces = _section(content[: starts[0]] if found else content, "")
    trail: list[Heading] = []
    for index, heading in enumerate(found):
        trail = [above for above in trail if above.level < heading.level] + [heading]
        following = found[index + 1] if index + 1 < len(found) else None
        body = content[heading.body : following.start if following else len(content)]
        shown = " > ".join(above.text for above in trail if above.text)
        is_bare = not body.strip() and not (following and following.level > heading.level)
        pieces += [Piece(heading=shown, text=heading.text)] if is_bare and heading.text else _section(body, shown)
    return pieces


def _section(text: str, trail: str) -> list[Piece]:
    return [Piece(heading=trail, text=passage) for passage in _packed(text)]


def _packed(text: str) -> Iterator[str]:
    """Blocks joined until they are long enough, so that a passage ends where a paragraph does."""
    held: list[str] = []
    size = 0
    for block in _blocks(text):
        if held and (size >= GOOD or size + len(block) > LONGEST):
            yield "\n\n".join(held)
            held, size = [], 0
        *whole, rest = _cut(block)
        yield from whole
        if rest:
            held.append(rest)
            size += len(rest) + 2
    if held:
        yield "\n\n".join(held)


def _blocks(text: str) -> Iterator[str]:
    """What stands between blank lines; a blank line inside fenced code separates nothing."""
    start: int | None = None
    for line in lines(text):
        if not line.is_code and not line.text.strip():
            if start is not None:
                yield text[start : line.start].strip("\n")
            start = None
        elif start is None:
            start = line.start
    if start is not None:
        yield text[start:].strip("\n")


def _cut(block: str) -> Iterator[str]:
    """A block in parts that fit, the last perhaps empty: at line breaks, else ends of sentences, else spaces."""
    start = 0
    while len(block) - start > LONGEST:
        window = block[start : start + LONGEST]
        end = window.rfind("\n", GOOD // 2) + 1
        if not end:
            sentences = [found.end() for found in _SENTENCE_END.finditer(window, GOOD // 2)]
            end = sentences[-1] if sentences else window.rfind(" ", GOOD // 2) + 1
        end = end or LONGEST
        part = block[start : start + end].strip("\n")
        if part.strip():
            yield part
        start += end
    yield block[start:].strip("\n")
