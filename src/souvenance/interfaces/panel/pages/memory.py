"""The memory of a vault: its facts, found as one types, with the ladder and the summary above (F3, F6, T2, T7)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from souvenance.domain.errors import NotFound, StaleVersion
from souvenance.domain.fact import SUMMARY_KEY, State
from souvenance.domain.vault import Vault
from souvenance.interfaces.panel.pages.memory_ladder import rungs
from souvenance.interfaces.panel.pages.memory_list import PAGE, Wish, listing, number_of, subject_kind, wish
from souvenance.interfaces.panel.pages.memory_proposals import answerers
from souvenance.interfaces.panel.visit import Visit, header_address
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.memory.remember import Observation, Outcome


def show_all(visit: Visit) -> Response:
    """The facts of every vault together."""
    return visit.page(PAGE, **_whole(visit, wish(visit, vault="")))


def show(visit: Visit) -> Response:
    """The memory of one vault."""
    found = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    return visit.page(PAGE, **_whole(visit, wish(visit, vault=found.slug)))


def go_to_fact(visit: Visit) -> Response:
    """A fact's row, in the memory of its vault, whatever its state."""
    fact = visit.memory.facts.get(actor=visit.actor, number=number_of(visit))
    vaults = {item.id: item.slug for item in visit.memory.vaults.list(actor=visit.actor)}
    tab = {State.IN_FORCE: "in_force", State.RETIRED: "retired", State.TRASHED: "trash"}[fact.state]
    there = Wish(vault=vaults[fact.vault_id], q=f"#{fact.number}", tab=tab)
    return visit.go(there.address())


def find(visit: Visit) -> Response:
    """The list as it is asked for; the address of the page follows, so that loading it again shows the same."""
    asked = wish(visit)
    try:
        answer = visit.piece(PAGE, "facts", **listing(visit, asked))
    except NotFound:
        if not asked.day:  # told in the place of the ladder
            raise
        return visit.piece("pieces/memory_gone.html", "gone", place="facts")
    if visit.asked("typed"):
        answer.headers["HX-Replace-Url"] = header_address(asked.address(page=asked.page))
    return answer


def add(visit: Visit) -> Response:
    """Remember something; what it seems to hold of secrets is said, and nothing is refused to a person (F8)."""
    asked = wish(visit)
    vault = visit.given("to") or asked.vault
    observation = Observation(
        content=visit.given("content"),
        key=visit.given("key"),
        category=visit.given("category") or "general",
        confidence=(visit.given_number("confidence", 100) or 0) / 100,
        importance=visit.given_whole("importance"),
        subject_kind=subject_kind(visit.given("subject_kind", "vault")),
        subject_id=visit.given("subject_id"),
    )
    (kept,) = visit.memory.facts.remember(actor=visit.actor, vault=vault, observations=[observation])
    number = kept.fact.number
    if kept.outcome is Outcome.SKIPPED:
        note = visit.note(visit.say("That was remembered already: #%(number)s.", number=number), kind="warn")
    elif kept.secrets:
        text = visit.say("#%(number)s was kept, but it looks like it holds a secret.", number=number)
        note = visit.note(text, kind="warn", undo=f"/fact/{number}/delete")
    else:
        note = visit.note(visit.say("Fact #%(number)s was added.", number=number), undo=f"/fact/{number}/delete")
    return visit.html(visit.block(PAGE, "facts", **listing(visit, asked)), note)


def show_waiting(visit: Visit) -> Response:
    """How many proposals wait and who answers them, asked for again when the vault or its step changed."""
    try:
        found = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    except NotFound:  # told in the place of the ladder
        return visit.html('<div id="waiting" hidden></div>')
    return visit.piece(PAGE, "waiting", vault=found, **_waiting(visit, found))


def show_summary(visit: Visit) -> Response:
    """The one line above the list."""
    found = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    return visit.piece(PAGE, "summary", vault=found, **_summary(visit, found.slug))


def edit_summary(visit: Visit) -> Response:
    """The form of the summary."""
    found = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    return visit.piece("memory_dialogs.html", "summary", vault=found, theirs=None, **_summary(visit, found.slug))


def save_summary(visit: Visit) -> Response:
    """Write the summary anew; who read an older one is told, and sees both texts."""
    vault = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    said, version = visit.given("content"), visit.given_whole("version")
    present = visit.memory.facts.summary(actor=visit.actor, vault=vault.slug)
    try:
        if present is None:
            observation = Observation(content=said, key=SUMMARY_KEY)
            visit.memory.facts.remember(actor=visit.actor, vault=vault.slug, observations=[observation])
        else:
            visit.memory.facts.edit(actor=visit.actor, number=present.number, version=version or 0, content=said)
    except StaleVersion:
        mine = _summary(visit, vault.slug) | {"theirs": present, "mine": said}
        answer = visit.piece("memory_dialogs.html", "summary", vault=vault, **mine)
        answer.headers.update({"HX-Retarget": "#dialogs", "HX-Reswap": "innerHTML"})
        return answer
    block = visit.block(PAGE, "summary", vault=vault, **_summary(visit, vault.slug))
    return visit.html(block, visit.note(visit.say("The summary was saved.")))


def restore_all(visit: Visit) -> Response:
    """Put every retired fact of the vault back in force (T2)."""
    restored = visit.memory.bulk.restore_all(actor=visit.actor, vault=visit.path["vault"])
    count = restored.restored
    said = visit.tongue.count("%(n)s fact is in force again.", "%(n)s facts are in force again.", count)
    if restored.summaries_left:
        said += " " + visit.say("Former summaries stay retired: a vault has one.")
    note = visit.note(said)
    asked = Wish(vault=visit.path["vault"])
    return visit.html(visit.block(PAGE, "facts", **listing(visit, asked)), note)


def empty_trash(visit: Visit) -> Response:
    """Remove what is in the trash for good (F9)."""
    gone = visit.memory.bulk.empty_trash(actor=visit.actor, vault=visit.path["vault"])
    note = visit.note(visit.tongue.count("%(n)s fact is gone for good.", "%(n)s facts are gone for good.", gone))
    asked = Wish(vault=visit.path["vault"])
    return visit.html(visit.block(PAGE, "facts", **listing(visit, asked)), note)


def _whole(visit: Visit, asked: Wish) -> dict[str, Any]:
    values = listing(visit, asked)
    vault = values["vault"]
    if vault is None:
        return values | {"rungs": None, "summary": None, "waiting": 0}
    return values | rungs(visit, vault) | _summary(visit, vault.slug) | _waiting(visit, vault)


def _waiting(visit: Visit, vault: Vault) -> dict[str, Any]:
    status = visit.memory.passes.status(actor=visit.actor, vault=vault.slug, history=0)
    return {"waiting": status.waiting, "answerers": answerers(visit, vault)}


def _summary(visit: Visit, vault: str) -> dict[str, Any]:
    return {"summary": visit.memory.facts.summary(actor=visit.actor, vault=vault), "mine": None}


WAYS: tuple[Way, ...] = (
    get("/memory", show_all),
    get("/memory/{vault}", show),
    get("/fact/{number}", go_to_fact),
    get("/facts", find),
    post("/facts", add),
    get("/memory/{vault}/waiting", show_waiting),
    get("/memory/{vault}/summary", show_summary),
    get("/memory/{vault}/summary/edit", edit_summary),
    post("/memory/{vault}/summary", save_summary),
    post("/memory/{vault}/restore-all", restore_all),
    post("/memory/{vault}/empty-trash", empty_trash),
)
