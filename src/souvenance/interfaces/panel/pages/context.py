"""What a session of an agent loads: pins, context sets, memory; in which order, within how many tokens (N8, N10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import InvalidInput, NotFound
from souvenance.domain.note import Note
from souvenance.domain.person import Token
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "context.html"
PINS, SET, TOKEN = "pins", "set:", "token:"
OFFERED = 8
"""Notes offered for what was typed."""
MOST_CATEGORIES = 50
"""Categories of one vault that are listed, the last changed first."""


def show(visit: Visit) -> Response:
    """The order, the places and a preview of what loads."""
    return visit.page(PAGE, **_shown(visit))


def show_board(visit: Visit) -> Response:
    """The same for another route or project, or because notes have changed."""
    return visit.piece(PAGE, "board", **_shown(visit))


def offer(visit: Visit) -> Response:
    """Notes for what was typed, to be put into a place."""
    typed, place = visit.asked("q").strip(), _named(visit, visit.asked("place", PINS))
    found: Sequence[Any] = ()
    if typed:
        answer = visit.memory.retrieval.search(actor=visit.actor, query=typed[:200], limit=30)
        seen: dict[str, Any] = {}
        for hit in answer.hits:
            seen.setdefault(hit.note_id, hit)
        found = list(seen.values())[:OFFERED]
    return visit.piece(PAGE, "offers", found=found, place=place, typed=typed)


def put(visit: Visit) -> Response:
    """Put a note into a place, behind the others."""
    place, note = visit.given("place", PINS), visit.given("note")
    if place == PINS:
        visit.memory.context.pin(actor=visit.actor, ref=note)
    else:
        held = [f"/n/{one.id}" for one in _place(visit, place)]
        visit.memory.context.arrange(actor=visit.actor, place=place, refs=[*held, note])
    return _again(visit)


def take(visit: Visit) -> Response:
    """Take a note out of a place; a set that holds none is gone."""
    place, note = visit.given("place", PINS), visit.given("note")
    held = [one.id for one in _place(visit, place)]
    if note not in held:
        raise NotFound("That note does not stand there any more.", hint="Look at the list again.")
    rest = [f"/n/{one}" for one in held if one != note]
    visit.memory.context.arrange(actor=visit.actor, place=place, refs=rest)
    return _again(visit)


def move(visit: Visit) -> Response:
    """Move a note up within its place."""
    place, note = visit.given("place", PINS), visit.given("note")
    held = [one.id for one in _place(visit, place)]
    if note in held[1:]:
        at = held.index(note)
        held[at - 1], held[at] = held[at], held[at - 1]
    visit.memory.context.arrange(actor=visit.actor, place=place, refs=[f"/n/{one}" for one in held])
    return _again(visit)


def order(visit: Visit) -> Response:
    """Move a place up in the order, leave it out, or let it load again."""
    settings = visit.memory.context.settings(actor=visit.actor)
    name, wanted = visit.given("entry"), list(settings.order)
    match visit.chosen("deed", "up", "out", "in"):
        case "up" if name in wanted[1:]:
            at = wanted.index(name)
            wanted[at - 1], wanted[at] = wanted[at], wanted[at - 1]
        case "out" if name in wanted:
            wanted.remove(name)
        case "in" if name not in wanted:
            wanted.append(name)
    visit.memory.context.set_order(actor=visit.actor, order=wanted)
    return _again(visit)


def set_budget(visit: Visit) -> Response:
    """Say how many tokens a start may cost."""
    tokens = visit.given_whole("tokens")
    if tokens is None:
        raise InvalidInput("No number of tokens is given.", hint="Write one.")
    visit.memory.context.set_budget(actor=visit.actor, tokens=tokens)
    return _again(visit)


def mute(visit: Visit) -> Response:
    """Keep a category out of start-up and recall; search finds it."""
    visit.memory.notes.mute(actor=visit.actor, ref=f"/n/{visit.given('note')}", muted=True)
    return _again(visit)


def unmute(visit: Visit) -> Response:
    """Let a muted note load and be recalled again."""
    visit.memory.notes.mute(actor=visit.actor, ref=f"/n/{visit.given('note')}", muted=False)
    return _again(visit)


def _again(visit: Visit) -> Response:
    return visit.piece(PAGE, "board", **_shown(visit))


def _named(visit: Visit, typed: str) -> str:
    """The place that was typed: the pins by their name in the reader's language too."""
    return PINS if typed.strip().casefold() == visit.say(PINS) else typed


def _place(visit: Visit, place: str) -> tuple[Note, ...]:
    settings = visit.memory.context.settings(actor=visit.actor)
    return settings.pins if place == PINS else settings.sets.get(place.removeprefix(SET), ())


def _previewed(visit: Visit, tokens: Sequence[Token]) -> tuple[str, Actor]:
    """Whose start is previewed: an agent with one of the reader's tokens, the one used last where none was chosen, or
    one that this machine starts, by where its model runs."""
    asked = visit.given("who") or visit.asked("who")
    used = sorted(tokens, key=lambda one: (one.last_used_at is not None, one.last_used_at or one.created_at))
    by_key = {f"{TOKEN}{one.id}": one for one in used}
    if asked not in {*by_key, Route.LOCAL, Route.CLOUD}:
        asked = list(by_key)[-1] if by_key else Route.CLOUD
    if asked in by_key:
        return asked, visit.memory.tokens.speaker(actor=visit.actor, token=by_key[asked].id)
    return asked, replace(visit.actor, source=Source.AGENT, route=Route(asked), is_model=True, session_id=None)


def _shown(visit: Visit) -> dict[str, Any]:
    settings = visit.memory.context.settings(actor=visit.actor)
    vaults = visit.memory.vaults.list(actor=visit.actor)
    tokens = [one for one in visit.memory.tokens.list(actor=visit.actor) if one.revoked_at is None]
    who, agent = _previewed(visit, tokens)
    project = visit.given("project") or visit.asked("project")
    known = {vault.slug for vault in vaults}
    loads = visit.memory.context.start(actor=agent, project=project if project in known else None)
    places = {PINS: settings.pins, **{SET + name: notes for name, notes in settings.sets.items()}}
    return {
        "here": "agents",
        "tab": "context",
        "settings": settings,
        "places": places,
        "left_out": [name for name in ("memory", *places) if name not in settings.order],
        "loads": loads,
        "index": visit.memory.explorer.memory(actor=visit.actor, limit=MOST_CATEGORIES),
        "tokens": tokens,
        "who": who,
        "vaults": vaults,
        "names": {vault.id: visit.called(vault) for vault in vaults},
        "configured": {vault.id for vault in vaults if vault.can_configure},
        "project": project,
        "found": (),
        "place": PINS,
        "typed": "",
    }


WAYS: tuple[Way, ...] = (
    get("/agents/context", show),
    get("/agents/context/board", show_board),
    get("/agents/context/notes", offer),
    post("/agents/context/put", put),
    post("/agents/context/take", take),
    post("/agents/context/move", move),
    post("/agents/context/order", order),
    post("/agents/context/budget", set_budget),
    post("/agents/context/mute", mute),
    post("/agents/context/unmute", unmute),
)
