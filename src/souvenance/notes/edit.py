"""The five operations of `edit_note` on Markdown text (N5). Pure: text in, text out, or a refusal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from souvenance.domain.errors import AmbiguousEdit, Conflict, InvalidInput
from souvenance.domain.fact import readable_text
from souvenance.domain.markdown import Heading, headings
from souvenance.domain.note import MAX_NOTE_BYTES, title_key

_LIST_LIKE = re.compile(r"[ \t]*(?:[-*+][ \t]|[0-9]{1,9}[.)][ \t]|\||>)")
_LEVELS = re.compile(r"(#{1,6})[ \t]+(.*)$", re.DOTALL)


class Operation(StrEnum):
    """What an edit does with its content (N5)."""

    APPEND = "append"
    PREPEND = "prepend"
    REPLACE = "replace"
    REPLACE_SECTION = "replace_section"
    FIND_REPLACE = "find_replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One checked edit: `find` goes with find_replace and `section` with replace_section, and only there."""

    operation: Operation
    content: str
    find: str = ""
    section: str = ""


def checked_edit(*, operation: str, content: str, find: str | None = None, section: str | None = None) -> Edit:
    """An edit whose arguments belong together, or a refusal that says which do not."""
    try:
        chosen = Operation(operation)
    except ValueError:
        raise InvalidInput(
            "There is no such operation.", hint=f"Use one of {', '.join(Operation)}.", operations=[*Operation]
        ) from None
    text = readable_text(content, what="content", limit=MAX_NOTE_BYTES)
    for name, value, owner in (
        ("find", find, Operation.FIND_REPLACE),
        ("section", section, Operation.REPLACE_SECTION),
    ):
        if chosen is owner and not value:
            raise InvalidInput(f"{owner} needs `{name}`.", hint=f"Say in `{name}` what is to be replaced.")
        if chosen is not owner and value:
            raise InvalidInput(f"`{name}` goes with {owner} only.", hint=f"Leave `{name}` out, or use {owner}.")
    if chosen in {Operation.APPEND, Operation.PREPEND} and not text.strip():
        raise InvalidInput("There is nothing to add: the content is empty.", hint="Say what to add.")
    return Edit(
        operation=chosen,
        content=text,
        find=readable_text(find or "", what="snippet", limit=MAX_NOTE_BYTES),
        section=readable_text(section or "", what="section", limit=4096).strip(),
    )


def applied(text: str, edit: Edit) -> str:
    """The text after the edit."""
    match edit.operation:
        case Operation.APPEND:
            return joined(text, edit.content)
        case Operation.PREPEND:
            return joined(edit.content, text)
        case Operation.REPLACE:
            return edit.content
        case Operation.REPLACE_SECTION:
            return _section_replaced(text, edit)
        case Operation.FIND_REPLACE:
            return _snippet_replaced(text, edit)


def joined(above: str, below: str) -> str:
    """Two texts one under the other: apart by a blank line, unless a list, a table or a quotation goes on."""
    if not above.strip() or not below.strip():
        return below if not above.strip() else above
    last, first = above.rstrip().rsplit("\n", 1)[-1], below.lstrip("\n").split("\n", 1)[0]
    goes_on = bool(_LIST_LIKE.match(last) and _LIST_LIKE.match(first))
    gap = "\n" if goes_on else "\n\n"
    breaks = len(above) - len(above.rstrip("\n"))
    return above + gap[breaks:] + below.lstrip("\n")


def _snippet_replaced(text: str, edit: Edit) -> str:
    at = text.find(edit.find)
    if at < 0:
        raise Conflict(
            "The snippet does not occur in this note; nothing was written.",
            hint="Read the note and copy the snippet as it stands there.",
        )
    if text.find(edit.find, at + 1) >= 0:
        raise AmbiguousEdit(
            "The snippet occurs more than once in this note; nothing was written.",
            hint="Send a longer snippet that occurs once.",
        )
    return text[:at] + edit.content + text[at + len(edit.find) :]


def section_of(text: str, section: str) -> tuple[Heading, int]:
    """The one heading that `section` names (`Title`, or `## Title` for its level too), and where its section ends."""
    found = headings(text)
    levelled = _LEVELS.match(section)
    level, wanted = (len(levelled[1]), levelled[2].strip()) if levelled else (0, section)
    same = [item for item in found if item.text == wanted and level in {0, item.level}]
    if not same:
        key = title_key(wanted)
        same = [item for item in found if title_key(item.text) == key and level in {0, item.level}]
    if not same:
        raise Conflict(
            "There is no such heading in this note; nothing was written.",
            hint="Read the note and name one of its headings, without its text.",
        )
    if len(same) > 1:
        raise AmbiguousEdit(
            f"{len(same)} headings of this note are called that; nothing was written.",
            hint="Name its level too (`## Title`), or use find_replace."
            if len({item.level for item in same}) == len(same)
            else "Use find_replace, or give one of them another title first.",
        )
    (heading,) = same
    ends = (item.start for item in found if item.start > heading.start and item.level <= heading.level)
    return heading, next(ends, len(text))


def _section_replaced(text: str, edit: Edit) -> str:
    heading, end = section_of(text, edit.section)
    opens = next(iter(headings(edit.content[:2000])), None)
    repeats = (
        opens is not None
        and not edit.content[: opens.start].strip()
        and (opens.level, title_key(opens.text)) == (heading.level, title_key(heading.text))
    )
    above = text[: heading.start if repeats else heading.body]
    if above and not above.endswith("\n"):
        above += "\n"
    below = text[end:]
    body = edit.content.strip("\n")
    if not repeats and body:
        body = ("\n" if text[heading.body : heading.body + 1] == "\n" or heading.body == len(text) else "") + body
    gap = "" if not body else "\n\n" if below else "\n"
    return above + body + (gap if body else "\n" if below else "") + below
