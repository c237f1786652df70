"""The Markdown export read back: headings are categories, items facts (R4).

A page says less than JSON lines do: words, key, category, subject, and of what ended when, why and what replaced it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO

from souvenance.domain.errors import AmbiguousEdit, InvalidInput
from souvenance.domain.fact import State
from souvenance.imports.facts.lines import MOST_LINE, as_text, encoding_of, require_room
from souvenance.imports.facts.records import FactFile, Remark
from souvenance.notes.page import ABOUT, parse

_HEADING = re.compile(r"## +(.+?)\s*")
_BULLET = re.compile(r"[-*+](?:[ \t]|$)")
_ENDED = re.compile(r"  \((retired|trashed)(?: (\d{4}-\d\d-\d\d))?(?:: (.*?))??(?:, see \^(\d{1,15}))?\)")


def read_pages(data: BinaryIO, found: FactFile, *, now: datetime) -> None:
    """The facts of a page into `found`, each by the line it begins on."""
    place: dict[str, Any] = {}
    with as_text(data, encoding_of(data), newline=None) as text:
        for line, rows in _chunks(text):
            if heading := _HEADING.fullmatch(rows[0]):
                place = _place(heading[1])
            elif _BULLET.match(rows[0]):
                if sum(map(len, rows)) + len(rows) > MOST_LINE:
                    found.reject(Remark(line, "the item is longer than any fact may be"))
                    continue
                require_room(found)
                try:
                    values = _item(rows)
                except AmbiguousEdit:
                    found.reject(Remark(line, "the item is empty, or its anchor is not at its end"))
                except InvalidInput as error:
                    found.reject(Remark(line, str(error)))
                else:
                    found.take(place | values, line=line, now=now)
            elif not rows[0].startswith("# "):
                found.reject(Remark(line, "it is neither a heading nor the item of a list"))


def _chunks(text: Any) -> Iterator[tuple[int, list[str]]]:
    """What stands there, each with the line it begins on; an item with the indented lines below it, as far as the
    longest there may be goes and a line more."""
    held: list[str] = []
    opened = size = 0
    for number, raw in enumerate(text, 1):
        row = raw.rstrip("\n")
        if held and (not row.strip() or row.startswith(("  ", "\t"))):
            if size <= MOST_LINE:
                held.append(row)
            size += len(raw)
            continue
        if held:
            yield opened, held
        held = []
        if _BULLET.match(row):
            held, opened, size = [row], number, len(raw)
        elif row.strip():
            yield number, [row]
    if held:
        yield opened, held


def _place(heading: str) -> dict[str, Any]:
    about = ABOUT.fullmatch(heading)
    if about is None:
        return {"category": heading}
    return {"category": about[1], "subject_kind": about[2], "subject_id": about[3] or ""}


def _item(rows: list[str]) -> dict[str, Any]:
    while len(rows) > 1 and not rows[-1].strip():
        rows = rows[:-1]
    ended = _ENDED.fullmatch(rows[-1]) if len(rows) > 1 and re.search(r"\^\d+$", rows[-2]) else None
    (item,) = parse("\n".join(rows[:-1] if ended else rows))
    values: dict[str, Any] = {"content": item.content, "key": item.key, "number": item.anchor}
    if ended is not None:
        state, day, reason, other = ended.groups()
        values |= {"state": state, "reason": reason or "", "replaced_by": int(other) if other else None}
        values["deleted_at" if state == State.TRASHED else "valid_to"] = day
    return values
