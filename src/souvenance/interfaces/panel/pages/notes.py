"""Notes: the explorer, what happened lately, search, the trash (N1, N6, N8, F9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from souvenance.domain.note import Note, NoteClass
from souvenance.domain.vault import Vault
from souvenance.interfaces.panel import tree
from souvenance.interfaces.panel.changes import did, through, why
from souvenance.interfaces.panel.prose import note_address
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.notes.explorer import Activity

PAGE, TRASH = "notes.html", "notes_trash.html"
A_PAGE = 30
FOLDED = 3
"""Notes of one change that are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened in one change: the notes it touched last, the first few of them named."""

    first: Activity
    named: tuple[Activity, ...]
    others: int


def show(visit: Visit) -> Response:
    """What happened lately, or what was searched for."""
    return visit.page(PAGE, **_shown(visit))


def show_feed(visit: Visit) -> Response:
    """The feed alone, asked for again when a note changed anywhere, or its next page."""
    start = visit.asked_number("from", 0)
    return visit.piece(PAGE, "entries" if start else "feed", **_feed(visit, start))


def show_tree(visit: Visit) -> Response:
    """The explorer again, with what this window has open."""
    note, vault = None, None
    if ref := visit.asked("note"):
        view = visit.memory.notes.get(actor=visit.actor, ref=f"/n/{ref}", limit=0)
        note, vault = view.note, view.vault
    return visit.piece("pieces/explorer.html", "tree", **tree_values(visit, note=note, vault=vault))


def show_branch(visit: Visit) -> Response:
    """One folder, opened."""
    shown = tree.branch(
        visit,
        vault=visit.asked("vault"),
        folder=visit.asked("folder"),
        limit=visit.asked_number("limit", tree.A_BRANCH, least=1, most=tree.MOST_NOTES),
    )
    return visit.piece("pieces/branch.html", "branch", branch=shown, current=visit.asked("note"))


def show_trash(visit: Visit) -> Response:
    """What was deleted, the last first."""
    return visit.page(TRASH, **_trash(visit))


def show_trash_list(visit: Visit) -> Response:
    """The trash again, or its next page."""
    return visit.piece(TRASH, "trash", **_trash(visit))


def restore(visit: Visit) -> Response:
    """Bring a note back from the trash."""
    back = visit.memory.notes.restore(actor=visit.actor, ref=_address(visit))
    note = visit.note(visit.say("“%(title)s” is back.", title=back.title))
    return visit.html(visit.block(TRASH, "trash", **_trash(visit)), note)


def purge(visit: Visit) -> Response:
    """Remove a note for good."""
    visit.memory.notes.purge(actor=visit.actor, ref=_address(visit))
    note = visit.note(visit.say("Gone for good."))
    return visit.html(visit.block(TRASH, "trash", **_trash(visit)), note)


def tree_values(visit: Visit, *, note: Note | None = None, vault: Vault | None = None) -> dict[str, Any]:
    """What the explorer needs, on whatever page it stands."""
    new_here = ""
    if note is not None and vault is not None and vault.can_configure:
        new_here = f"/notes/new?{urlencode({'vault': vault.slug, 'folder': note.folder})}"
    return {
        "nodes": tree.tree(visit, tree.opened_by(visit, note, vault)),
        "current": note.id if note is not None else "",
        "new_here": new_here,
    }


def writable(visit: Visit) -> list[Vault]:
    """The vaults in which this person may write notes."""
    return [vault for vault in visit.memory.vaults.list(actor=visit.actor) if vault.can_configure]


def _shown(visit: Visit) -> dict[str, Any]:
    query = visit.asked("q").strip()
    values = {
        "here": "notes",
        "tab": "notes",
        "query": query,
        "vaults": visit.memory.vaults.list(actor=visit.actor),
        "chosen": visit.asked("vault"),
        "can_write": bool(writable(visit)),
        "answer": None,
        **tree_values(visit),
    }
    if query:
        values["answer"] = visit.memory.retrieval.search(
            actor=visit.actor, query=query, vault=visit.asked("vault") or None, documents=True, limit=A_PAGE
        )
        values |= {"address": _hit_address, "why": why}
        return values | {"by_slug": {vault.slug: vault for vault in values["vaults"]}}
    return values | _feed(visit, 0)


def _hit_address(hit: Any) -> str:
    return note_address(hit.note_id, NoteClass(hit.note_class) if hit.note_class else None)


def _feed(visit: Visit, start: int) -> dict[str, Any]:
    chosen = visit.asked("vault")
    found = visit.memory.explorer.activity(actor=visit.actor, vault=chosen or None, limit=A_PAGE + 1, offset=start)
    return {
        "entries": _folded(found[:A_PAGE]),
        "next": start + A_PAGE if len(found) > A_PAGE else None,
        "chosen": chosen,
        "did": did,
        "through": through,
        "address": lambda note: note_address(note.id, note.note_class),
    }


def _folded(found: Sequence[Activity]) -> list[Entry]:
    """Notes that one change touched as one entry: a folder that was taken in is one thing that happened."""
    entries: list[list[Activity]] = []
    for item in found:
        last = entries[-1][0].last if entries else None
        if last is not None and item.last is not None and item.last.change_id == last.change_id:
            entries[-1].append(item)
        else:
            entries.append([item])
    return [Entry(group[0], tuple(group[:FOLDED]), max(0, len(group) - FOLDED)) for group in entries]


def _trash(visit: Visit) -> dict[str, Any]:
    start = visit.asked_number("from", 0)
    found = visit.memory.notes.list(actor=visit.actor, trashed=True, limit=A_PAGE + 1, offset=start)
    return {
        "here": "notes",
        "tab": "trash",
        "notes": found[:A_PAGE],
        "start": start,
        "next": start + A_PAGE if len(found) > A_PAGE else None,
        "by_id": {vault.id: vault for vault in visit.memory.vaults.list(actor=visit.actor)},
        "address": lambda note: note_address(note.id, note.note_class),
    }


def _address(visit: Visit) -> str:
    return f"/n/{visit.path['note']}"


WAYS: tuple[Way, ...] = (
    get("/notes", show),
    get("/notes/feed", show_feed),
    get("/notes/tree", show_tree),
    get("/notes/branch", show_branch),
    get("/notes/trash", show_trash),
    get("/notes/trash/list", show_trash_list),
    post("/notes/trash/{note}/restore", restore),
    post("/notes/trash/{note}/purge", purge),
)
