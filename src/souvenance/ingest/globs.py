"""Patterns that say which files of a watched folder are taken: as in .gitignore, but without negation.

A pattern without a slash matches a name at any depth; one with a slash matches the path from the root, and what stands
below it. `*` and `?` stay within a name, `**` crosses folders.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from souvenance.domain.errors import InvalidInput
from souvenance.domain.fact import readable_text

MOST = 100


def checked_patterns(patterns: Sequence[str], *, what: str) -> tuple[str, ...]:
    """Patterns as they are kept, or a clear refusal."""
    if len(patterns) > MOST:
        raise InvalidInput(f"There are over {MOST} {what} patterns.", hint="Join some with a wider one.")
    found = []
    for pattern in patterns:
        text = readable_text(pattern, what=f"{what} pattern", limit=1000).strip()
        if not text.strip("/"):
            raise InvalidInput(f"An {what} pattern is empty.", hint="Write it as `*.pdf`, `drafts/` or `a/**/b.md`.")
        found.append(text)
    return tuple(dict.fromkeys(found))


class Globs:
    """Patterns made ready to be asked."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._found = [re.compile(_expression(pattern), re.DOTALL) for pattern in patterns]
        parts = {part for pattern in patterns for part in pattern.split("/")}
        self.names = frozenset(part for part in parts if part and not set(part) & set("*?["))
        """Names that stand in a pattern as they are: folders that are then entered, whatever they are."""

    def __bool__(self) -> bool:
        return bool(self._found)

    def match(self, path: str) -> bool:
        """Whether one of the patterns means this path, or a folder above it."""
        return any(pattern.fullmatch(path) for pattern in self._found)


def _expression(pattern: str) -> str:
    body = pattern.strip("/")
    anchored = "/" in body or pattern.startswith("/")
    out = "" if anchored else "(?:.*/)?"
    position = 0
    while position < len(body):
        if body.startswith("**/", position):
            out, position = out + "(?:.*/)?", position + 3
        elif body.startswith("**", position):
            out, position = out + ".*", position + 2
        elif body[position] == "*":
            out, position = out + "[^/]*", position + 1
        elif body[position] == "?":
            out, position = out + "[^/]", position + 1
        else:
            out, position = out + re.escape(body[position]), position + 1
    return out + "(?:/.*)?"
