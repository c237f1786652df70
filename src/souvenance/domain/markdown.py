"""What the program needs to know of Markdown: its headings, and the notes it links to; code is neither.

Scanned line by line rather than parsed into a tree, so that a note of several megabytes costs milliseconds.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$", re.DOTALL)
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r"(?: {0,3}(?:>|[-*+][ \t]|[0-9]{1,9}[.)][ \t])| {4}|\t)")
_BACKTICKS = re.compile(r"`+")
_WIKI = re.compile(r"\[\[([^\[\]|#\n]*)(?:#([^\[\]|\n]*))?(?:\|([^\[\]\n]*))?\]\]")
_INLINE = re.compile(
    r"(!?)\[[^\[\]\n]*+\]\(\s*+"
    r"(?:<([^<>\n]*+)>|((?:[^\s()<>]++|\([^\s()]*+\))*+))(?:\s++\"[^\"\n]*+\")?\s*+\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SELF = re.compile(r"(?:souvenance://note/|/[nm]/)([0-9a-z]+)$")
_SUFFIX = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text: where it starts and ends (its line break included), and whether it is code or a fence."""

    start: int
    end: int
    text: str
    is_code: bool


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level (1 to 6), its words, where it starts, and where what stands under it starts."""

    level: int
    text: str
    start: int
    body: int


def lines(text: str) -> Iterator[Line]:
    """The lines of a text, split at line feeds only; fenced code, its fences included, is told apart."""
    fence = ""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        body = text[start:end].rstrip("\n")
        found = _FENCE.match(body)
        is_code = bool(fence)
        if fence:
            if found and found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip():
                fence = ""
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
            is_code = True
        yield Line(start, end, body, is_code)
        start = end


def headings(text: str) -> list[Heading]:
    """The headings of a text in order: `# like this`, or underlined with `===` or `---`; none inside code."""
    found: list[Heading] = []
    before: Line | None = None
    for line in lines(text):
        if line.is_code:
            before = None
            continue
        atx = _ATX.match(line.text)
        under = _SETEXT.match(line.text)
        if atx:
            found.append(Heading(len(atx[1]), _unclosed(line.text[atx.end() :]), line.start, line.end))
            before = None
        elif under and before is not None:
            found.append(Heading(1 if under[1][0] == "=" else 2, before.text.strip(), before.start, line.end))
            before = None
        else:
            is_paragraph = bool(line.text.strip()) and not _NO_PARAGRAPH.match(line.text)
            before = line if is_paragraph else None
    return found


def targets(text: str, *, folder: str = "") -> list[str]:
    """What the links of a text point at inside its vault, each once, in order: `title`, `folder/title` or an id.

    `[[title]]`, `[[title|label]]`, `[[title#heading]]`, embeds, and Markdown links to a path; a relative path is
    resolved against `folder`. Addresses elsewhere, images, code and links within the text itself are left out.
    """
    if "[[" not in text and "](" not in text:
        return []
    found: dict[str, None] = {}
    for line in lines(text):
        if line.is_code or "[" not in line.text:
            continue
        shown = _without_code(line.text) if "`" in line.text else line.text
        for wiki in _WIKI.finditer(shown):
            target = wiki_target(wiki[1])
            if target:
                found.setdefault(target)
        for inline in _INLINE.finditer(shown):
            address = inline[2] if inline[2] is not None else inline[3]
            target = path_target(address, folder=folder, is_image=bool(inline[1]))
            if target:
                found.setdefault(target)
    return list(found)


def _unclosed(text: str) -> str:
    """The words of a heading, without the number signs that may close it."""
    words = text.strip(" \t")
    opened = words.rstrip("#")
    return (opened if not opened or opened[-1] in " \t" else words).strip()


def _without_code(line: str) -> str:
    """A line with its code spans blanked: each runs from some backticks to the next run of as many."""
    runs = [found.span() for found in _BACKTICKS.finditer(line)]
    following: dict[int, int] = {}
    closing = [0] * len(runs)
    for place in range(len(runs) - 1, -1, -1):
        start, end = runs[place]
        closing[place] = following.get(end - start, 0)
        following[end - start] = place
    kept, done, place = [], 0, 0
    while place < len(runs):
        close = closing[place]
        if close:
            kept += [line[done : runs[place][0]], " " * (runs[close][1] - runs[place][0])]
            done = runs[close][1]
            place = close
        place += 1
    return "".join(kept) + line[done:]


def wiki_target(target: str) -> str:
    """What `[[target]]` points at: a title, a path or an id."""
    own = _SELF.search(target.strip())
    return own[1] if own else _SUFFIX.sub("", target.strip().strip("/"))


def path_target(address: str, *, folder: str, is_image: bool = False) -> str:
    """What a Markdown link's address points at inside the vault, seen from `folder`; empty where it leads elsewhere."""
    own = _SELF.match(address)
    if own:
        return own[1]
    path = unquote(address.split("#", 1)[0].split("?", 1)[0]).strip()
    named = bool(_SUFFIX.search(path))
    if not path or _SCHEME.match(path) or path.startswith("//") or (is_image and not named):
        return ""
    if not named and "." in path.rsplit("/", 1)[-1].strip("."):
        return ""
    absolute = path.startswith("/")
    joined = posixpath.normpath(path.lstrip("/") if absolute or not folder else f"{folder}/{path}")
    return "" if joined.startswith("..") or joined == "." else _SUFFIX.sub("", joined)
