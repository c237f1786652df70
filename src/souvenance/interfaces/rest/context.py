"""`/context`: what loads when a session starts, and choosing it (N8, N10)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.vault import VaultKind
from souvenance.interfaces.rest.caller import Caller, Memory, slugs
from souvenance.interfaces.rest.fields import Given, NoteId, Shown, Text, Vault
from souvenance.interfaces.rest.notes import NoteShown
from souvenance.interfaces.rest.notes import shown as shown_note

router = APIRouter(prefix="/context", tags=["context"])

Budget = Annotated[int, Field(ge=300, le=200_000, description="Tokens.")]
Place = Annotated[str, Path(min_length=1, max_length=60, description="`pins`, or the name of a context set.")]


class StartGiven(Given):
    """What the session is about, and how much it may cost."""

    project: Vault | None = None
    budget_tokens: Budget | None = None


class SessionVault(Shown):
    """A vault that answers in this session."""

    slug: str
    name: str
    kind: VaultKind
    attention: int


class SessionItem(Shown):
    """One thing that loaded; `place` is `pins`, `set:NAME` or `memory`."""

    place: str
    note: str
    vault: str
    title: str
    cut: bool


class SessionShown(Shown):
    """What a session starts with; `cut` says that something did not fit."""

    text: str
    tokens: int
    cut: bool
    withheld: int
    vaults: list[SessionVault]
    items: list[SessionItem]


class ContextShown(Shown):
    """What the owner wants loaded: within how many tokens, which places in which order, and their notes."""

    budget_tokens: int
    order: list[str]
    pins: list[NoteShown]
    sets: dict[str, list[NoteShown]]


class ContextChange(Given):
    """What to change of it; what is left out stays."""

    budget_tokens: Budget | None = None
    order: Annotated[list[Text], Field(max_length=200, description="`pins`, `memory` and `set:NAME`.")] | None = None


class NotesGiven(Given):
    """Notes of one place, in order; none empties it, and removes a context set."""

    notes: Annotated[list[Annotated[Text, Field(pattern=r"^[0-9a-z]{12}$")]], Field(max_length=200)]


def _shown(memory: Application, actor: Actor) -> ContextShown:
    found = memory.context.settings(actor=actor)
    names = slugs(memory, actor)
    return ContextShown(
        budget_tokens=found.budget_tokens,
        order=list(found.order),
        pins=[shown_note(note, names) for note in found.pins],
        sets={name: [shown_note(note, names) for note in notes] for name, notes in found.sets.items()},
    )


@router.post("/start", summary="Start a session")
def start_session(memory: Memory, actor: Caller, given: StartGiven) -> SessionShown:
    """What a session should know at once, within a token budget; nothing is written."""
    found = memory.context.start(actor=actor, project=given.project, budget_tokens=given.budget_tokens)
    return SessionShown.model_validate(found.as_dict())


@router.get("", summary="Show what loads")
def get_context(memory: Memory, actor: Caller) -> ContextShown:
    """What the owner wants every session to start with."""
    return _shown(memory, actor)


@router.patch("", summary="Change budget and order")
def change_context(memory: Memory, actor: Caller, given: ContextChange) -> ContextShown:
    """Say how many tokens a start may cost, and what loads in which order."""
    memory.context.change(actor=actor, order=given.order, tokens=given.budget_tokens)
    return _shown(memory, actor)


@router.put("/places/{place}", summary="Fill a place")
def arrange(memory: Memory, actor: Caller, place: Place, given: NotesGiven) -> ContextShown:
    """Make the pins, or the context set of that name, hold these notes in this order."""
    memory.context.arrange(actor=actor, place=place, refs=[f"/n/{note}" for note in given.notes])
    return _shown(memory, actor)


@router.put("/pins/{note}", summary="Pin a note")
def pin(memory: Memory, actor: Caller, note: NoteId) -> ContextShown:
    """Load a note whole at every start."""
    memory.context.pin(actor=actor, ref=f"/n/{note}")
    return _shown(memory, actor)


@router.delete("/pins/{note}", summary="Unpin a note")
def unpin(memory: Memory, actor: Caller, note: NoteId) -> ContextShown:
    """No longer load a note at every start."""
    memory.context.unpin(actor=actor, ref=f"/n/{note}")
    return _shown(memory, actor)
