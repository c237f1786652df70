"""`souvenance context`: what loads when an agent starts a session, and within how many tokens."""

from __future__ import annotations

from typing import Annotated

import typer

from souvenance.domain.wording import counted
from souvenance.interfaces.cli.output import plain
from souvenance.interfaces.cli.session import Session, verb
from souvenance.interfaces.cli.shapes import note_shape

group = typer.Typer(name="context", help="What loads when an agent starts a session.", no_args_is_help=True)

Ref = Annotated[str, typer.Argument(metavar="NOTE", help="Id, title, folder/title or vault:folder/title.")]


@verb(
    group,
    "show",
    example="context show --project server --budget 800",
)
def show(
    session: Session,
    *,
    project: Annotated[str | None, typer.Option(help="The project the session is about.")] = None,
    budget: Annotated[int | None, typer.Option(help="At most this many tokens, this once.")] = None,
) -> None:
    """Show what a session would start with, as an agent gets it."""
    started = session.memory.context.start(actor=session.actor, project=project, budget_tokens=budget)
    session.out.say(plain(started), started.text)
    session.out.note(f"{counted(started.tokens, 'token')}{', cut to fit the budget' if started.cut else ''}.")


@verb(group, "settings")
def settings(session: Session) -> None:
    """Show the budget, the order, and which notes are pinned, stand in a context set or are muted."""
    chosen = session.memory.context.settings(actor=session.actor)
    places = {"pins": chosen.pins} | {f"set:{name}": notes for name, notes in chosen.sets.items()}
    session.out.say(
        {
            "budget_tokens": chosen.budget_tokens,
            "order": chosen.order,
            "muted": [note_shape(session, note) for note in chosen.muted],
            "places": {place: [note_shape(session, note) for note in notes] for place, notes in places.items()},
        },
        f"budget: {chosen.budget_tokens:,} tokens",
        f"order: {', '.join(chosen.order)}",
        *(f"{place}: {note.path} ({note.id})" for place, notes in places.items() for note in notes),
        *(f"muted: {note.path} ({note.id})" for note in chosen.muted),
    )


@verb(group, "pin")
def pin(session: Session, note: Ref) -> None:
    """Load a note whole at every start."""
    session.memory.context.pin(actor=session.actor, ref=note)
    session.out.say({"note": note, "pinned": True}, f"{note} loads at every start.")


@verb(group, "unpin")
def unpin(session: Session, note: Ref) -> None:
    """No longer load a note at every start."""
    session.memory.context.unpin(actor=session.actor, ref=note)
    session.out.say({"note": note, "pinned": False}, f"{note} no longer loads at every start.")


@verb(
    group,
    "arrange",
    example="context arrange pins 'Harbour plan' 'House rules'",
)
def arrange(
    session: Session,
    place: Annotated[str, typer.Argument(help="pins, or the name of a context set.")],
    notes: Annotated[
        list[str] | None, typer.Argument(help="The notes it holds, in this order; none removes it.")
    ] = None,
) -> None:
    """Say which notes the pins or a context set hold, in which order."""
    session.memory.context.arrange(actor=session.actor, place=place, refs=notes or [])
    chosen = session.memory.context.settings(actor=session.actor)
    held = chosen.pins if place == "pins" else chosen.sets.get(place.removeprefix("set:"), ())
    session.out.say({"place": place, "notes": notes or []}, f"{place} holds {counted(len(held), 'note')}.")


@verb(
    group,
    "order",
    example="context order pins memory set:work",
)
def order(
    session: Session,
    places: Annotated[list[str], typer.Argument(help="pins, memory and set:NAME, in the order they load.")],
) -> None:
    """Say what loads, in which order; what is not named does not load."""
    session.memory.context.set_order(actor=session.actor, order=places)
    loads = session.memory.context.settings(actor=session.actor).order
    session.out.say({"order": loads}, f"Loads {', '.join(loads)}.")


@verb(group, "budget")
def budget(session: Session, tokens: Annotated[int, typer.Argument(help="Tokens a start may cost.")]) -> None:
    """Say how many tokens a start may cost."""
    session.memory.context.set_budget(actor=session.actor, tokens=tokens)
    session.out.say({"budget_tokens": tokens}, f"A start costs at most {counted(tokens, 'token')}.")


@verb(group, "mute")
def mute(
    session: Session, note: Ref, *, off: Annotated[bool, typer.Option("--off", help="Let it in again.")] = False
) -> None:
    """Keep a note or category out of start-up and recall; search still finds it."""
    muted = session.memory.notes.mute(actor=session.actor, ref=note, muted=not off)
    said = "is out of start-up and recall" if muted.muted else "is in start-up and recall again"
    session.out.say(note_shape(session, muted), f"{muted.path} ({muted.id}) {said}.")
