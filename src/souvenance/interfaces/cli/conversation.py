"""`souvenance conversation`: stored conversations."""

from __future__ import annotations

from typing import Annotated

import typer

from souvenance.interfaces.cli.chat import wrote_line
from souvenance.interfaces.cli.session import Session, verb

group = typer.Typer(name="conversation", help="Stored conversations.", no_args_is_help=True)

Number = Annotated[int, typer.Argument(metavar="CONVERSATION", min=1, help="Its number, as `list` shows it.")]


@verb(group, "list")
def list_conversations(
    session: Session,
    query: Annotated[str, typer.Argument(help="Only those whose title or turns say this.")] = "",
    *,
    limit: Annotated[int, typer.Option(min=1, max=200, help="At most this many.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many, to page on.")] = 0,
) -> None:
    """List or search the conversations, the last used first."""
    from souvenance.exchange.shapes import conversation_shape

    found = session.memory.conversations.list(actor=session.actor, query=query, limit=limit, offset=offset)
    shapes = [conversation_shape(one) for one in found]
    session.out.table(
        {"conversations": shapes},
        columns=("conversation", "title", "memory", "turns", "last used"),
        rows=[
            (s["conversation"], s["title"], "none" if s["without_memory"] else "", s["turns"], s["updated_at"])
            for s in shapes
        ],
        empty=f"No conversation says “{query}”." if query else "There is none yet: souvenance chat begins one.",
    )


@verb(group, "show")
def show(session: Session, conversation: Number) -> None:
    """Show a conversation with its turns, and what each answer wrote."""
    from souvenance.exchange.conversations import wrote_of
    from souvenance.exchange.shapes import conversation_shape, turn_shape

    opened = session.memory.conversations.get(actor=session.actor, conversation=conversation)
    shape = conversation_shape(opened.conversation) | {"said": [turn_shape(one) for one in opened.turns]}
    lines = [f"{opened.conversation.title}{' (no memory)' if opened.conversation.without_memory else ''}"]
    for turn in opened.turns:
        lines += ["", f"{turn.ordinal}> {turn.question}", turn.answer]
        if turn.failure:
            lines.append(f"[{turn.state}: {turn.failure.get('message', '')}]")
        lines += [f"  {place}. {wrote_line(wrote_of(one))}" for place, one in enumerate(turn.wrote)]
    session.out.say(shape, *lines)


@verb(group, "rename", example="conversation rename 3 'The harbour'")
def rename(
    session: Session, conversation: Number, title: Annotated[str, typer.Argument(help="Its new title.")]
) -> None:
    """Give a conversation another title."""
    changed = session.memory.conversations.change(actor=session.actor, conversation=conversation, title=title)
    session.out.say({"conversation": changed.id, "title": changed.title}, changed.title)


@verb(group, "memory")
def memory(
    session: Session, conversation: Number, *, off: Annotated[bool, typer.Option("--off", help="Take it out.")] = False
) -> None:
    """Let memory into a conversation again, or take it out."""
    changed = session.memory.conversations.change(actor=session.actor, conversation=conversation, without_memory=off)
    said = "No memory is read in it." if off else "Memory is read in it."
    session.out.say({"conversation": changed.id, "without_memory": changed.without_memory}, said)


@verb(group, "delete")
def delete(
    session: Session,
    conversation: Number,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a conversation for good; what was learnt in it stays."""
    session.confirm(f"Delete conversation {conversation}?", yes=yes)
    session.memory.conversations.delete(actor=session.actor, conversation=conversation)
    session.out.say({"deleted": conversation}, f"Conversation {conversation} is gone.")


@verb(
    group,
    "undo",
    example="conversation undo 3 2 0",
)
def undo(
    session: Session,
    conversation: Number,
    turn: Annotated[int, typer.Argument(min=1, help="The turn, as `show` numbers it.")],
    place: Annotated[
        int | None,
        typer.Argument(min=0, help="Which of the things it wrote, as `show` numbers them; all when left out."),
    ] = None,
) -> None:
    """Take back what an answer wrote to memory: one thing, or all that can still be taken back."""
    from souvenance.exchange.conversations import wrote_of

    kept = session.memory.conversations
    places = [0 if place is None else place]
    if place is None:
        turns = kept.get(actor=session.actor, conversation=conversation).turns
        wrote = next((one.wrote for one in turns if one.ordinal == turn), ())
        places = [at for at, one in enumerate(wrote) if wrote_of(one).can_undo][::-1] or places
    undone = [kept.undo(actor=session.actor, conversation=conversation, turn=turn, place=at) for at in places]
    session.out.say({"undone": [one.as_dict() for one in undone]}, *(f"Undone: {wrote_line(one)}" for one in undone))
