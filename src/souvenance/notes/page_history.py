"""The history of a memory page, told by the revisions of the facts that stood on it (N2, N9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from souvenance.notes.diff import MOST_LINES, note_diff
from souvenance.notes.page import render_item
from souvenance.store.revisions import FACT, NOTE, Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChange:
    """One change of a page: the revision that names it, what was done, and the lines that went and came."""

    first: Revision
    operation: str
    version: int | None
    diff: str


def newest_by_fact(kept: Iterable[Revision], change_id: int) -> dict[str, Revision]:
    """Each fact's newest revision up to a change, by reference. `kept` has the oldest first."""
    return {item.reference: item for item in kept if item.kind == FACT and item.change_id <= change_id}


def without_trashed(kept: Sequence[Revision]) -> list[Revision]:
    """The same without the facts that lie in the trash by now. `kept` has the oldest first."""
    last = {item.reference: item for item in kept if item.kind == FACT}
    return [item for item in kept if item.kind != FACT or not last[item.reference].after.get("deleted_at")]


def stands(item: Revision | None, note_id: str) -> bool:
    """Whether that revision left its fact in force on that page."""
    return (
        item is not None
        and item.note_id == note_id
        and not item.after.get("valid_to")
        and not item.after.get("deleted_at")
    )


def page_text(note_id: str, newest: Mapping[str, Revision]) -> str:
    """The page as these revisions of its facts make it."""
    there = [item for item in newest.values() if stands(item, note_id)]
    there.sort(key=lambda item: (item.after["position"], int(item.reference)))
    return "".join(f"{_line(item)}\n" for item in there)


def page_changes(note_id: str, kept: Sequence[Revision]) -> list[PageChange]:
    """The changes of a page, the oldest first."""
    now: dict[str, Revision] = {}
    own: Revision | None = None
    found: list[PageChange] = []
    for _, group in groupby(kept, key=lambda item: item.change_id):
        revisions = list(group)
        lines: list[str] = []
        done: set[str] = set()
        version: int | None = None
        for item in sorted(revisions, key=lambda one: (one.kind == FACT, len(one.reference), one.reference)):
            if item.kind == NOTE:
                told = note_diff(own.after if own else None, item.after)
                lines += told.split("\n") if told else []
                done.add(item.operation)
                own, version = item, item.version
                continue
            was = now.get(item.reference)
            now[item.reference] = item
            if not stands(was, note_id) and not stands(item, note_id):
                continue
            done.add(item.operation)
            lines += _fact_lines(was if stands(was, note_id) else None, item if stands(item, note_id) else None)
        if done:
            if len(lines) > MOST_LINES:
                lines = [*lines[:MOST_LINES], f"… {len(lines) - MOST_LINES:,} more lines of this change"]
            found.append(PageChange(first=revisions[0], operation=", ".join(sorted(done)), version=version,
                                    diff="\n".join(lines)))  # fmt: skip
    return found


def _fact_lines(was: Revision | None, now: Revision | None) -> list[str]:
    before, after = (item and _line(item) for item in (was, now))
    if before == after:
        return []
    gone = [f"- {line}".rstrip() for line in before.split("\n")] if before else []
    return gone + ([f"+ {line}".rstrip() for line in after.split("\n")] if after else [])


def _line(item: Revision) -> str:
    return render_item(number=int(item.reference), key=item.after.get("key", ""), content=item.after["content"])
