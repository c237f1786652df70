"""The history of a note with readable diffs, the way back, and all that one writer wrote (N9)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from starlette.responses import Response

from souvenance.domain.errors import InvalidInput
from souvenance.domain.note import NoteClass
from souvenance.interfaces.panel import prose
from souvenance.interfaces.panel.changes import did, diff_rows, left_alone, through
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE, REVIEW = "note_history.html", "notes_review.html"
A_PAGE = 20
CHANGES = 50
DAYS = 7
"""Days that a review goes back when no date is chosen."""


def show(visit: Visit) -> Response:
    """The revisions of a note, the newest first."""
    return visit.page(PAGE, **_shown(visit))


def show_list(visit: Visit) -> Response:
    """The revisions again, or the next page of them."""
    shown = _shown(visit)
    return visit.piece(PAGE, "entries" if shown["start"] else "revisions", **shown)


def show_text(visit: Visit) -> Response:
    """The text as it stood after a change."""
    view = visit.memory.notes.get(actor=visit.actor, ref=_ref(visit), limit=0)
    text = visit.memory.history.text_at(actor=visit.actor, ref=view.note.id, change_id=_change(visit))
    return visit.piece(PAGE, "former", text=text, change=_change(visit))


def restore(visit: Visit) -> Response:
    """Bring back what stood there after a change, as a new revision."""
    visit.memory.history.restore(actor=visit.actor, ref=f"/n/{visit.path['note']}", change_id=_change(visit))
    note = visit.note(visit.say("That text is back, as a new revision."))
    return visit.html(visit.block(PAGE, "revisions", **_shown(visit)), note)


def review(visit: Visit) -> Response:
    """All that one agent or token wrote since a day."""
    return visit.page(REVIEW, **_reviewed(visit))


def show_more(visit: Visit) -> Response:
    """The next page of changes."""
    return visit.piece(REVIEW, "changes", **_reviewed(visit))


def show_plan(visit: Visit) -> Response:
    """What taking all of it back would do, before it is done."""
    since, day, who = _asked(visit)
    plan = visit.memory.history.revert(actor=visit.actor, since=since, dry_run=True, **_writer(who))
    return visit.piece(REVIEW, "plan", plan=plan, who=who, day=day, **_words(visit))


def revert(visit: Visit) -> Response:
    """Take back together what a writer wrote."""
    since, _day, who = _asked(visit, given=True)
    done = visit.memory.history.revert(actor=visit.actor, since=since, **_writer(who))
    block = visit.block(REVIEW, "done", done=done, **_words(visit))
    return visit.html(block)


def _shown(visit: Visit) -> dict[str, Any]:
    start = visit.asked_number("from", 0)
    view = visit.memory.notes.get(actor=visit.actor, ref=_ref(visit), limit=0)
    found = visit.memory.history.of_note(actor=visit.actor, ref=view.note.id, limit=A_PAGE + 1, offset=start)
    return {
        "here": "notes",
        "item": view.note,
        "vault": view.vault,
        "base": prose.note_address(view.note.id, view.note.note_class),
        "can_restore": view.vault.can_configure and view.note.note_class is not NoteClass.SOURCE,
        "revisions": found[:A_PAGE],
        "start": start,
        "next": start + A_PAGE if len(found) > A_PAGE else None,
        **_words(visit),
    }


def _reviewed(visit: Visit) -> dict[str, Any]:
    since, day, who = _asked(visit)
    start = visit.asked_number("from", 0)
    seen = visit.memory.history.writers(actor=visit.actor, since=since)
    names = {token.id: token.name for token in visit.memory.tokens.list(actor=visit.actor)}
    writers = {}
    for one in seen:
        if one.token is not None:
            writers[f"token:{one.token}"] = names.get(one.token) or one.agent
        else:
            writers[f"agent:{one.agent}"] = visit.named(one.agent)
    found = None
    if who:
        found = visit.memory.history.review(
            actor=visit.actor, since=since, limit=CHANGES + 1, offset=start, **_writer(who)
        )
    return {
        "here": "notes",
        "tab": "review",
        "writers": writers,
        "who": who,
        "day": day,
        "today": visit.tongue.today().isoformat(),
        "found": found,
        "changes": found.changes[:CHANGES] if found else (),
        "start": start,
        "next": start + CHANGES if found and len(found.changes) > CHANGES else None,
        **_words(visit),
    }


def _words(visit: Visit) -> dict[str, Any]:
    """What changes are said with."""
    names = {vault.slug: visit.called(vault) for vault in visit.memory.vaults.list(actor=visit.actor)}
    return {"did": did, "through": through, "rows": diff_rows, "left_alone": left_alone, "vault_names": names}


def _asked(visit: Visit, *, given: bool = False) -> tuple[datetime, str, str]:
    """Since when, as a moment and as a day of the reader's, and who."""
    read = visit.given if given else visit.asked
    zone = visit.tongue.zone
    day = read("since").strip() or (visit.tongue.today() - timedelta(days=DAYS)).isoformat()
    try:
        since = datetime.combine(datetime.fromisoformat(day).date(), time.min, zone).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(visit.say("That is no date."), hint=visit.say("Write it as 2024-05-31.")) from None
    return since, day, read("who").strip()


def _writer(who: str) -> dict[str, Any]:
    kind, _, name = who.partition(":")
    if kind == "token" and name.isascii() and name.isdigit() and len(name) < 18:
        return {"token": int(name)}
    return {"agent": name} if kind == "agent" and name else {}


def _change(visit: Visit) -> int:
    text = str(visit.path["change"])
    if not (text.isascii() and text.isdigit() and len(text) < 18):
        raise InvalidInput("There is no such change.")
    return int(text)


def _ref(visit: Visit) -> str:
    return f"/n/{visit.path['note']}"


WAYS: tuple[Way, ...] = (
    get("/notes/history", review),
    get("/notes/history/more", show_more),
    get("/notes/history/plan", show_plan),
    post("/notes/history/revert", revert),
    get("/n/{note}/history", show),
    get("/m/{note}/history", show),
    get("/n/{note}/history/list", show_list),
    get("/n/{note}/history/{change}", show_text),
    post("/n/{note}/history/{change}/restore", restore),
)
