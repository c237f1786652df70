"""One note, read and arranged: `/n/<id>`, and a page of agent memory at `/m/<id>` (N1, N2, N8, N10, F9)."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from souvenance.domain.errors import InvalidInput
from souvenance.domain.note import Note, NoteClass
from souvenance.interfaces.panel import prose
from souvenance.interfaces.panel.pages.notes import tree_values
from souvenance.interfaces.panel.visit import Visit, header_address
from souvenance.interfaces.panel.ways import Handler, Way, get, post
from souvenance.notes.reading import NoteView

PAGE = "note.html"
MOST_FACTS = 2000
"""Facts of a page that can be edited as one text."""
FACTS = 100
"""Facts of a memory page that are shown at once."""
LONG_FACT = 8000
"""Characters from which on a fact is shown as plain text: Markdown of that length is no one's list item."""
HEADINGS = 3
"""From how many headings on a text has a table of contents."""
RENAME, MOVE, DIGEST = "rename", "move", "digest"


def show(visit: Visit) -> Response:
    """The note, with the explorer beside it. Agent memory has its own address, and no other note has it."""
    view = _view(visit)
    if visit.request.url.path != prose.note_address(view.note.id, view.note.note_class):
        return visit.go(prose.note_address(view.note.id, view.note.note_class))
    is_memory = view.note.note_class is NoteClass.AGENT_MEMORY
    beside = (
        {"index": visit.memory.explorer.memory(actor=visit.actor, vault=view.vault.slug)}
        if is_memory
        else tree_values(visit, note=view.note, vault=view.vault)
    )
    return visit.page(PAGE, here="notes", **beside, **shown(visit, view))


def show_article(visit: Visit) -> Response:
    """The note again, where it is not as it was seen any more; nothing where it is."""
    view = _view(visit)
    if visit.asked("seen") == _fingerprint(view):
        return Response(status_code=204)
    return visit.piece(PAGE, "article", **shown(visit, view))


def rename(visit: Visit) -> Response:
    """Give the note another title."""
    before = _view(visit, limit=0).note
    after = visit.memory.notes.rename(actor=visit.actor, ref=before.id, title=visit.given("title"))
    said = visit.say("It is called “%(title)s” now.", title=after.title)
    return _again(visit, said, undo=_undo(before, RENAME, before.title))


def move(visit: Visit) -> Response:
    """Put the note in another folder of its vault."""
    before = _view(visit, limit=0).note
    after = visit.memory.notes.move(actor=visit.actor, ref=before.id, folder=visit.given("folder"))
    said = (
        visit.say("It stands in “%(folder)s” now.", folder=after.folder)
        if after.folder
        else visit.say("It stands at the top of its vault now.")
    )
    return _again(visit, said, undo=_undo(before, MOVE, before.folder))


def set_digest(visit: Visit) -> Response:
    """Say in one line what the page holds."""
    before = _view(visit, limit=0).note
    visit.memory.notes.set_digest(actor=visit.actor, ref=before.id, digest=visit.given("digest"))
    return _again(visit, visit.say("Saved."), undo=_undo(before, DIGEST, before.digest))


def undo(visit: Visit) -> Response:
    """Take an arrangement back: the value before it stands in the address."""
    ref, value = _ref(visit), visit.asked("value")
    match visit.path["what"]:
        case "rename":
            visit.memory.notes.rename(actor=visit.actor, ref=ref, title=value)
        case "move":
            visit.memory.notes.move(actor=visit.actor, ref=ref, folder=value)
        case "digest":
            visit.memory.notes.set_digest(actor=visit.actor, ref=ref, digest=value)
        case _:
            raise InvalidInput("There is no such deed.", hint="Load the page again.")
    return Response(status_code=204)


def mute(visit: Visit) -> Response:
    """Keep the note out of start-up and recall, or let it in again."""
    muted = visit.chosen("muted", "yes", "no") == "yes"
    visit.memory.notes.mute(actor=visit.actor, ref=_ref(visit), muted=muted)
    said = visit.say("Muted: it no longer loads at a start, nor in recall.") if muted else visit.say("No longer muted.")
    return _again(visit, said)


def disable(visit: Visit) -> Response:
    """Take the note out of every answer, or let it be found again."""
    disabled = visit.chosen("disabled", "yes", "no") == "yes"
    visit.memory.notes.disable(actor=visit.actor, ref=_ref(visit), disabled=disabled)
    said = visit.say("Disabled: no answer reads it any more.") if disabled else visit.say("It is read again.")
    return _again(visit, said)


def pin(visit: Visit) -> Response:
    """Load the note whole at every start of a session, or no longer."""
    if visit.chosen("pinned", "yes", "no") == "yes":
        visit.memory.context.pin(actor=visit.actor, ref=_ref(visit))
        return _again(visit, visit.say("Every session starts with it now."))
    visit.memory.context.unpin(actor=visit.actor, ref=_ref(visit))
    return _again(visit, visit.say("Sessions no longer start with it."))


def delete(visit: Visit) -> Response:
    """Put the note in the trash; the message brings it back."""
    gone = visit.memory.notes.delete(actor=visit.actor, ref=_ref(visit))
    return _again(visit, visit.say("“%(title)s” is in the trash.", title=gone.title), undo=f"/n/{gone.id}/restore")


def restore(visit: Visit) -> Response:
    """Bring the note back from the trash."""
    back = visit.memory.notes.restore(actor=visit.actor, ref=_ref(visit))
    return _again(visit, visit.say("“%(title)s” is back.", title=back.title), ref=back.id)


def purge(visit: Visit) -> Response:
    """Remove the note for good, with its history."""
    visit.memory.notes.purge(actor=visit.actor, ref=_ref(visit))
    return leave(visit, "/notes/trash")


def leave(visit: Visit, address: str) -> Response:
    """Go to another page as a whole, with its own styles and scripts."""
    return Response(headers={"HX-Redirect": header_address(address)}) if visit.is_partial else visit.go(address)


def shown(visit: Visit, view: NoteView) -> dict[str, Any]:
    """What the article needs: the text as safe HTML in the part that is asked for, or the facts of a memory page."""
    note = view.note
    is_memory = note.note_class is NoteClass.AGENT_MEMORY
    links = prose.links_to(view.links, folder=note.folder, create=create_address(view))
    values: dict[str, Any] = {
        "tab": "memory" if is_memory else "notes",
        "view": view,
        "item": note,
        "vault": view.vault,
        "is_memory": is_memory,
        "is_source": note.note_class is NoteClass.SOURCE,
        "base": prose.note_address(note.id, note.note_class),
        "can_write": view.facts_total <= MOST_FACTS and note.note_class is not NoteClass.SOURCE,
        "can_edit": view.vault.can_configure and note.deleted_at is None,
        "seen": _fingerprint(view),
        "address": prose.note_address,
        "tags": _tags(note),
        "properties": _properties(note),
        "file": visit.memory.explorer.file_of(actor=visit.actor, ref=note.id),
        "pinned": any(one.id == note.id for one in visit.memory.context.settings(actor=visit.actor).pins),
        "warned": ", ".join(visit.memory.notes.secrets_in(note.content)) if visit.asked("warned") else "",
    }
    if is_memory:
        facts = [
            (fact, prose.rendered(fact.content, links=links, under=3).html if len(fact.content) < LONG_FACT else "")
            for fact in view.facts
        ]
        start = visit.asked_number("from", 0)
        return values | {"facts": facts, "start": start, "next": start + FACTS, "part": 1, "parts": 1, "folders": []}
    cut = prose.parts(note.content)
    part = visit.asked_number("part", 1, least=1, most=len(cut))
    text = prose.rendered(cut[part - 1], links=links, title=note.title if part == 1 else "")
    contents = text.headings if len(text.headings) >= HEADINGS else ()
    least = min((one.level for one in contents), default=1)
    folders = visit.memory.explorer.folders(actor=visit.actor, vault=view.vault.slug) if values["can_edit"] else []
    return values | {
        "text": text.html, "contents": contents, "least": least, "part": part, "parts": len(cut), "folders": folders
    }  # fmt: skip


def create_address(view: NoteView) -> Any:
    """Makes the address that offers to write a note a link waits for; None where this person may not."""
    if not view.vault.can_configure:
        return None

    def address(target: str) -> str:
        folder, _, title = target.rpartition("/")
        asked = {"vault": view.vault.slug, "folder": folder or view.note.folder, "title": title}
        return f"/notes/new?{urlencode(asked)}"

    return address


def _view(visit: Visit, *, limit: int | None = FACTS) -> NoteView:
    start = visit.asked_number("from", 0)
    return visit.memory.notes.get(actor=visit.actor, ref=_ref(visit), limit=limit, offset=start)


def _again(visit: Visit, said: str, *, undo: str = "", ref: str = "") -> Response:
    view = visit.memory.notes.get(actor=visit.actor, ref=f"/n/{ref}" if ref else _ref(visit), limit=FACTS)
    return visit.html(visit.block(PAGE, "article", **shown(visit, view)), visit.note(said, undo=undo))


def _undo(note: Note, what: str, value: str) -> str:
    return f"/n/{note.id}/undo/{what}?value={quote(value, safe='')}"


def _ref(visit: Visit) -> str:
    return f"/n/{visit.path['note']}"


def _fingerprint(view: NoteView) -> str:
    """What changes whenever the article would look another way."""
    linked = (*view.links, *view.backlinks)
    others = [(link.target, link.note_id, link.title, link.folder, link.fact) for link in linked]
    said = repr((view.note.version, view.note.deleted_at, view.facts_total, view.vault.name, view.vault.colour, others))
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _tags(note: Note) -> list[str]:
    value = note.front_matter.get("tags", note.front_matter.get("tag"))
    found = value.replace(",", " ").split() if isinstance(value, str) else value if isinstance(value, list) else []
    return [str(one).lstrip("#")[:100] for one in found if isinstance(one, str | int | float)][:50]


def _properties(note: Note) -> list[tuple[str, str]]:
    """Front matter as names and values, tags aside."""
    return [(name, _value(value)) for name, value in note.front_matter.items() if name not in {"tags", "tag"}][:100]


def _value(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return ", ".join(str(one) for one in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _both(make: Any, address: str, handler: Handler) -> tuple[Way, Way]:
    return make("/n" + address, handler), make("/m" + address, handler)


WAYS: tuple[Way, ...] = (
    *_both(get, "/{note}", show),
    *_both(get, "/{note}/article", show_article),
    post("/n/{note}/rename", rename),
    post("/n/{note}/move", move),
    post("/n/{note}/digest", set_digest),
    post("/n/{note}/undo/{what}", undo),
    post("/n/{note}/mute", mute),
    post("/n/{note}/disable", disable),
    post("/n/{note}/pin", pin),
    post("/n/{note}/delete", delete),
    post("/n/{note}/restore", restore),
    post("/n/{note}/purge", purge),
)
