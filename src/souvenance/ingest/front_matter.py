"""Front matter: the YAML between `---` lines at the top of a Markdown file, told from its text.

What a person wrote is kept as written: dates, times, `yes`, `no` and numbers with leading zeros stay text, as YAML 1.2
and Obsidian read them. Only plain data comes out (text, numbers, true, false, nothing, lists, maps with text as keys).
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

from souvenance.domain.fact import readable_text

MAX_BYTES = 64 * 1024
MOST_VALUES = 5_000
"""Values a front matter may hold once its aliases are written out: more is a trick, not a note."""

_DEEPEST = 20
_BLOCK = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


def divided(text: str) -> tuple[dict[str, Any], str, str]:
    """Front matter, the text below it, and why it could not be read: then all of the file is text."""
    found = _BLOCK.match(text)
    if found is None:
        return {}, text, ""
    block = found[1] or ""
    if len(block.encode()) > MAX_BYTES:
        return {}, text, f"the front matter is over {MAX_BYTES // 1024} KiB and was kept as text"
    try:
        values = _loaded(block)
        if not isinstance(values, dict):
            return ({}, text[found.end() :], "") if values is None else ({}, text, "")
        return _Plain().mapping(values, 0), text[found.end() :], ""
    except (
        Exception
    ) as error:  # a tag in a hand-made block raises whatever its reader stumbles over: one file's problem
        where = getattr(error, "problem_mark", None)
        line = f" (line {where.line + 2})" if where is not None else ""
        return {}, text, f"the front matter could not be read{line} and was kept as text"


def _loaded(block: str) -> Any:
    import yaml

    return yaml.load(block, Loader=_loader())  # noqa: S506 - a safe loader, read with fewer guesses


@cache
def _loader() -> Any:
    """The safe loader without the guesses of YAML 1.1, in C where PyYAML has it."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML fills it

    for tag, pattern, first in (
        ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
        ("int", r"^[-+]?(?:0|[1-9][0-9]{0,17})$", "-+0123456789"),
        ("float", r"^[-+]?(?:0|[1-9][0-9]*)\.[0-9]+$", "-+0123456789"),
        ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))
    return Loader


class _Plain:
    """Plain data from what YAML gave, counted so that aliases cannot blow it up."""

    def __init__(self) -> None:
        self._count = 0

    def mapping(self, values: dict[Any, Any], depth: int) -> dict[str, Any]:
        return {str(self.value(key, depth)): self.value(item, depth) for key, item in values.items()}

    def value(self, item: Any, depth: int) -> Any:
        self._count += 1
        if self._count > MOST_VALUES or depth > _DEEPEST:
            raise ValueError("too many values")
        if isinstance(item, str):
            return readable_text(item, what="front matter", limit=MAX_BYTES)
        if item is None or isinstance(item, (bool, int)):
            return item
        if isinstance(item, float):
            return item if math.isfinite(item) else str(item)
        if isinstance(item, dict):
            return self.mapping(item, depth + 1)
        if isinstance(item, (list, tuple)):
            return [self.value(one, depth + 1) for one in item]
        if hasattr(item, "isoformat"):
            return item.isoformat()
        raise TypeError(type(item).__name__)
