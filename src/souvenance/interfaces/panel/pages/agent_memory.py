"""The Memory view: what agents keep, headed by the index their sessions start from (N2, N8)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from souvenance.domain.note import NoteClass
from souvenance.interfaces.panel.changes import why
from souvenance.interfaces.panel.prose import note_address
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get

PAGE = "notes_memory.html"
A_PAGE = 200
HITS = 30


def show(visit: Visit) -> Response:
    """One line for each category and axis, vault by vault; or what was searched for among them."""
    return visit.page(PAGE, **_shown(visit))


def show_index(visit: Visit) -> Response:
    """The index again, when what agents know changed anywhere."""
    return visit.piece(PAGE, "index", **_shown(visit))


def _shown(visit: Visit) -> dict[str, Any]:
    query, chosen, start = visit.asked("q").strip(), visit.asked("vault"), visit.asked_number("from", 0)
    values: dict[str, Any] = {
        "here": "notes",
        "tab": "memory",
        "query": query,
        "chosen": chosen,
        "vaults": visit.memory.vaults.list(actor=visit.actor),
        "answer": None,
        "index": [],
        "start": start,
        "next": start + A_PAGE,
        "why": why,
        "address": lambda hit: note_address(hit.note_id, NoteClass.AGENT_MEMORY),
    }
    if query:
        answer = visit.memory.retrieval.search(
            actor=visit.actor, query=query, vault=chosen or None, note_class=NoteClass.AGENT_MEMORY, limit=HITS
        )
        return values | {"answer": answer, "by_slug": {vault.slug: vault for vault in values["vaults"]}}
    index = visit.memory.explorer.memory(actor=visit.actor, vault=chosen or None, limit=A_PAGE, offset=start)
    return values | {"index": index}


WAYS: tuple[Way, ...] = (get("/notes/memory", show), get("/notes/memory/index", show_index))
