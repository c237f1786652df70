"""What is done to single facts and to many at once: edit, retire, restore, delete, move, history (F3, F9, T2, N9)."""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import Response

from souvenance.domain.errors import InvalidInput, StaleVersion
from souvenance.domain.fact import Action, Fact
from souvenance.interfaces.panel.changes import did, diff_rows, through
from souvenance.interfaces.panel.pages.memory_list import PAGE, SUBJECTS, listing, number_of, row, subject_kind, wish
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.memory.bulk import Done

DIALOGS = "memory_dialogs.html"
ROW = "memory_row.html"
DIFFS: dict[str, Any] = {"did": did, "through": through, "rows": diff_rows}


# --- one row -------------------------------------------------------------------------------------------------------


def show_row(visit: Visit) -> Response:
    """A fact's row; `whole` with every word of it."""
    return visit.piece(ROW, "row", **row(visit, _fact(visit), whole=bool(visit.asked("whole"))))


def show_menu(visit: Visit) -> Response:
    """What can be done with a fact."""
    return visit.piece(ROW, "menu", **row(visit, _fact(visit)))


def edit_form(visit: Visit) -> Response:
    """The row as a form."""
    return _form(visit, _fact(visit))


def save(visit: Visit) -> Response:
    """Change a fact. Who edited what somebody else changed meanwhile is shown both, and nothing is written."""
    number, version = number_of(visit), visit.given_whole("version")
    before = _fact(visit)
    try:
        after = visit.memory.facts.edit(
            actor=visit.actor,
            number=number,
            version=version or 0,
            content=visit.given("content"),
            key=visit.given("key"),
            confidence=(visit.given_number("confidence", before.confidence * 100) or 0) / 100,
            importance=visit.given_whole("importance"),
            no_importance=not visit.given("importance").strip(),
            category=visit.given("category") or None,
            subject_kind=subject_kind(visit.given("subject_kind", before.subject_kind)),
            subject_id=visit.given("subject_id"),
        )
    except StaleVersion:
        return _form(visit, _fact(visit), is_stale=True)
    note = visit.note(visit.say("Fact #%(number)s was saved.", number=number), undo=_undo_of_edit(visit, number))
    return visit.html(visit.block(ROW, "row", **row(visit, after)), note)


def _form(visit: Visit, fact: Fact, *, is_stale: bool = False) -> Response:
    mine = {name: visit.given(name) for name in ("content", "key", "confidence", "importance", "category",
                                                 "subject_kind", "subject_id")} if is_stale else None  # fmt: skip
    return visit.piece(ROW, "form", fact=fact, mine=mine, subjects=SUBJECTS, wish=wish(visit))


def _undo_of_edit(visit: Visit, number: int) -> str:
    kept = visit.memory.history.of_fact(actor=visit.actor, number=number, limit=2)
    return f"/fact/{number}/back?change={kept[1].change_id}" if len(kept) > 1 else ""


# --- deeds ---------------------------------------------------------------------------------------------------------


def retire_form(visit: Visit) -> Response:
    """Why it no longer holds, and what does."""
    return visit.piece(DIALOGS, "retire", fact=_fact(visit))


def retire(visit: Visit) -> Response:
    """End a fact's validity; its wording is kept, with the reason and what replaces it (T2)."""
    number = number_of(visit)
    replacement, other = visit.given("replacement").strip(), visit.given("replaced_by").strip().removeprefix("#")
    if other and not (other.isascii() and other.isdigit() and len(other) < 19):
        raise InvalidInput("That is no number of a fact.", hint="Write it as 12 or #12.")
    _, successor = visit.memory.facts.retire(
        actor=visit.actor,
        number=number,
        version=visit.given_whole("version"),
        reason=visit.given("reason"),
        replacement=replacement or None,
        replaced_by=int(other) if other else None,
    )
    also = f"?also={successor.number}" if successor is not None and replacement else ""
    text = visit.say("Fact #%(number)s was retired. It can be restored at any time.", number=number)
    return _after(visit, text, undo=f"/fact/{number}/restore{also}")


def restore(visit: Visit) -> Response:
    """Bring a fact back from the journal or the trash; with `also`, undo a replacement that was just made."""
    number = number_of(visit)
    visit.memory.facts.restore(actor=visit.actor, number=number)
    also = visit.asked_number("also", 0)
    if also:
        visit.memory.facts.delete(actor=visit.actor, number=also)
    return _after(visit, visit.say("Fact #%(number)s is in force again.", number=number))


def delete(visit: Visit) -> Response:
    """Put a fact in the trash (F9)."""
    number = number_of(visit)
    visit.memory.facts.delete(actor=visit.actor, number=number)
    text = visit.say("Fact #%(number)s is in the trash.", number=number)
    return _after(visit, text, undo=f"/fact/{number}/restore")


def purge_form(visit: Visit) -> Response:
    """That it cannot be undone."""
    return visit.piece(DIALOGS, "purge", fact=_fact(visit))


def purge(visit: Visit) -> Response:
    """Remove a fact that is in the trash for good."""
    number = number_of(visit)
    visit.memory.facts.purge(actor=visit.actor, number=number)
    return _after(visit, visit.say("Fact #%(number)s is gone for good.", number=number))


def move_form(visit: Visit) -> Response:
    """Where to."""
    return visit.piece(DIALOGS, "move", fact=_fact(visit), targets=_targets(visit))


def move(visit: Visit) -> Response:
    """Put a fact in another vault; it keeps its number and its history."""
    number = number_of(visit)
    before = {item.id: item.slug for item in visit.memory.vaults.list(actor=visit.actor)}[_fact(visit).vault_id]
    target = visit.given("to") or visit.asked("to")
    visit.memory.facts.move(actor=visit.actor, number=number, vault=target)
    found = visit.memory.vaults.get(actor=visit.actor, vault=target)
    text = visit.say("Fact #%(number)s is in %(vault)s now.", number=number, vault=visit.called(found))
    return _after(visit, text, undo=f"/fact/{number}/move?to={before}")


def history(visit: Visit) -> Response:
    """What became of a fact, and the way back to each wording (N9)."""
    fact = _fact(visit)
    kept = visit.memory.history.of_fact(actor=visit.actor, number=fact.number, limit=100)
    vaults = {item.id: item for item in visit.memory.vaults.list(actor=visit.actor)}
    mine = fact.vault_id in vaults and vaults[fact.vault_id].can_configure
    return visit.piece(DIALOGS, "history", fact=fact, revisions=kept, can_configure=mine, **DIFFS)


def go_back(visit: Visit) -> Response:
    """Bring a former revision back, as a new one."""
    number = number_of(visit)
    change = visit.asked_number("change", 0, most=10**18)
    now = _undo_of_now(visit, number)
    visit.memory.history.restore(actor=visit.actor, ref=number, change_id=change)
    return _after(visit, visit.say("Fact #%(number)s is as it was then.", number=number), undo=now)


def _undo_of_now(visit: Visit, number: int) -> str:
    kept = visit.memory.history.of_fact(actor=visit.actor, number=number, limit=1)
    return f"/fact/{number}/back?change={kept[0].change_id}" if kept and not _fact(visit).deleted_at else ""


# --- many at once --------------------------------------------------------------------------------------------------


def bulk_form(visit: Visit) -> Response:
    """What a deed on many facts needs to be told."""
    action = _action(visit)
    numbers = _ticked(visit)
    return visit.piece(DIALOGS, "bulk", action=action.value, numbers=numbers, targets=_targets(visit))


def bulk(visit: Visit) -> Response:
    """One thing done to all that are ticked; those it could not be done to are told."""
    action, numbers = _action(visit), _ticked(visit)
    confidence, importance = visit.given_number("confidence"), visit.given_whole("importance")
    done = visit.memory.bulk.apply(
        actor=visit.actor,
        numbers=numbers,
        action=action,
        reason=visit.given("reason"),
        vault=visit.given("to") if action is Action.MOVE else None,
        confidence=None if confidence is None or action is not Action.EDIT else confidence / 100,
        importance=importance if action is Action.EDIT else None,
    )
    undo = {Action.DELETE: Action.RESTORE, Action.RETIRE: Action.RESTORE, Action.RESTORE: None}.get(action)
    address = f"/facts/bulk/{undo}?numbers={','.join(map(str, done.done))}" if undo and done.done else ""
    return _after(visit, _told(visit, done), undo=address, kind="warn" if done.refused else "good")


def _told(visit: Visit, done: Done) -> str:
    text = visit.tongue.count("%(n)s fact was changed.", "%(n)s facts were changed.", len(done.done))
    if done.refused:
        first = done.refused[0]
        left = visit.tongue.count("%(n)s was left as it was:", "%(n)s were left as they were:", len(done.refused))
        text += f" {left} #{first.number}, {visit.reason(first.message)}"
    return text


def _action(visit: Visit) -> Action:
    try:
        return Action(visit.path["action"])
    except ValueError:
        raise InvalidInput("There is no such deed.", hint="Load the page again.") from None


def _ticked(visit: Visit) -> list[int]:
    given = [*visit.given_all("number"), *(visit.given("numbers") or visit.asked("numbers")).split(",")]
    given += visit.request.query_params.getlist("number")
    return [int(text) for text in dict.fromkeys(given) if re.fullmatch(r"[0-9]{1,18}", text)]


# --- shared --------------------------------------------------------------------------------------------------------


def _fact(visit: Visit) -> Fact:
    return visit.memory.facts.get(actor=visit.actor, number=number_of(visit))


def _targets(visit: Visit) -> list[Any]:
    return [item for item in visit.memory.vaults.list(actor=visit.actor) if item.can_configure]


def _after(visit: Visit, text: str, *, undo: str = "", kind: str = "good") -> Response:
    """The list as it is after a deed, and what was done; only that where no list waits for it, as after an undo."""
    if visit.request.headers.get("hx-target") != "facts":
        return visit.html(visit.note(text, kind=kind, undo=undo))
    return visit.html(visit.block(PAGE, "facts", **listing(visit, wish(visit))), visit.note(text, kind=kind, undo=undo))


WAYS: tuple[Way, ...] = (
    get("/fact/{number}/row", show_row),
    get("/fact/{number}/menu", show_menu),
    get("/fact/{number}/edit", edit_form),
    post("/fact/{number}", save),
    get("/fact/{number}/retire", retire_form),
    post("/fact/{number}/retire", retire),
    post("/fact/{number}/restore", restore),
    post("/fact/{number}/delete", delete),
    get("/fact/{number}/purge", purge_form),
    post("/fact/{number}/purge", purge),
    get("/fact/{number}/move", move_form),
    post("/fact/{number}/move", move),
    get("/fact/{number}/history", history),
    post("/fact/{number}/back", go_back),
    get("/facts/bulk/{action}", bulk_form),
    post("/facts/bulk/{action}", bulk),
)
