r"""A category of facts as a Markdown page, and a page read back into items (N2).

One list item per fact, ended by its anchor; a key stands in front in bold; line breaks are kept, indented:

    - **city**: Lyon, since 2019 ^12
    - likes tea,
      green above all ^15

Whatever a fact says comes back as it was. Two things in a fact's own words could be taken for the page's marks and
carry a backslash on the page: the end of a line that looks like an anchor (`\^7`), and a beginning that looks like a
key (`\**so**: ...`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from souvenance.domain.errors import AmbiguousEdit, InvalidInput
from souvenance.domain.fact import Fact, SubjectKind, checked_content, checked_line
from souvenance.domain.markdown import headings
from souvenance.domain.note import title_key

ABOUT = re.compile(rf"(.*) \(({'|'.join(SubjectKind)})(?: (.*))?\)")
"""The heading of facts about someone, in a page of several categories: category, kind of subject, and which."""
_BULLET = re.compile(r"[-*+](?:[ \t]+|$)")
_ANCHOR = re.compile(r"(^|[ \t])\^([0-9]{1,18})[ \t]*$")
_LIKE_ANCHOR = re.compile(r"((?:^|[ \t])\\*)(\^[0-9]{1,18}[ \t]*)$")
_ESCAPED_ANCHOR = re.compile(r"((?:^|[ \t])\\*)\\(\^[0-9]{1,18}[ \t]*)$")
_KEY = re.compile(r"\*\*((?:\\.|[^*\\])+)\*\*:[ \t]*")
_LIKE_KEY = re.compile(r"\\*" + _KEY.pattern)
_ESCAPED_KEY = re.compile(r"\\+" + _KEY.pattern)


@dataclass(frozen=True, slots=True)
class Item:
    """One list item of a page: its anchor where it has one, its key, its words, and the line it starts on (from 1)."""

    anchor: int | None
    key: str
    content: str
    line: int


def render_item(*, number: int, key: str, content: str) -> str:
    """A fact as its item, without a final line break."""
    first, *rest = [_LIKE_ANCHOR.sub(r"\1\\\2", line) for line in content.split("\n")]
    if key:
        escaped = re.sub(r"([\\*])", r"\\\1", key)
        first = f"**{escaped}**: {first}"
    elif _LIKE_KEY.match(first):
        first = "\\" + first
    return "\n".join([f"- {first}", *(f"  {line}" if line else "" for line in rest)]) + f" ^{number}"


def heading_of(item: Fact) -> str:
    """The heading a fact stands below in a page of several categories: its category, and whom it is about."""
    category = " ".join(item.category.split())
    if item.subject_kind is SubjectKind.VAULT and not item.subject_id:
        # What looks as if it named someone says that it names nobody.
        return f"{category} ({SubjectKind.VAULT.value})" if ABOUT.fullmatch(category) else category
    return f"{category} ({item.subject_kind.value} {item.subject_id})".replace(" )", ")")


def render(facts: Iterable[Fact]) -> str:
    """The page of these facts, in their order."""
    return "".join(render_item(number=item.number, key=item.key, content=item.content) + "\n" for item in facts)


def parse(text: str, *, title: str = "") -> list[Item]:
    """The items of a page; a first heading that is the page's title is left out. Refuses what could mean two things."""
    rows = text.split("\n")
    start = _after_title(text, title)
    items: list[Item] = []
    held: list[str] = []
    opened = 0
    for number, row in enumerate(rows[start:], start + 1):
        if _BULLET.match(row):
            if held:
                items.append(_item(held, opened))
            held, opened = [_BULLET.sub("", row, count=1)], number
        elif not row.strip(" \t"):
            if held:
                held.append(row[2:])
        elif held and row.startswith(("  ", "\t")):
            held.append(row[1:] if row.startswith("\t") else row[2:])
        else:
            raise AmbiguousEdit(
                f"Line {number} is no list item, and this page holds nothing but facts; nothing was written.",
                hint="Begin each fact with `- ` and indent its further lines by two spaces.",
                line=number,
            )
    if held:
        items.append(_item(held, opened))
    return items


def _after_title(text: str, title: str) -> int:
    found = headings(text[:2000])
    if not title or not found or text[: found[0].start].strip() or title_key(found[0].text) != title_key(title):
        return 0
    return text[: found[0].body].count("\n") + (0 if text[: found[0].body].endswith("\n") else 1)


def _item(rows: list[str], line: int) -> Item:
    while len(rows) > 1 and not rows[-1].strip(" \t"):
        rows.pop()
    *above, last = rows
    anchor: int | None = None
    found = _ANCHOR.search(last)
    if found:
        anchor = int(found[2])
        above, last = [*above], last[: found.start()]
    for offset, row in enumerate([*above, last]):
        if _ANCHOR.search(row):
            raise AmbiguousEdit(
                f"Line {line + offset} holds an anchor that does not end its item; nothing was written.",
                hint="Keep one anchor per item, at its very end; write `\\^7` for text that only looks like one.",
                line=line + offset,
            )
    unescaped = [_ESCAPED_ANCHOR.sub(r"\1\2", row) for row in [*above, last]]
    first = unescaped[0]
    key = ""
    keyed = _KEY.match(first)
    if keyed:
        key = re.sub(r"\\([\\*])", r"\1", keyed[1])
        first = first[keyed.end() :]
    elif _ESCAPED_KEY.match(first):
        first = first[1:]
    content = "\n".join([first, *unescaped[1:]]).strip()
    if not content:
        shown = f"^{anchor}" if anchor is not None else "of this line"
        raise AmbiguousEdit(
            f"Line {line}: the fact {shown} would be empty; nothing was written.",
            hint="Take the whole line away to remove a fact.",
            line=line,
        )
    try:
        return Item(anchor, checked_line(key, what="key"), checked_content(content), line)
    except InvalidInput as error:
        raise type(error)(f"Line {line}: {error.message}", hint=error.hint, line=line) from None
