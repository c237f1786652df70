"""`souvenance trash`: what was deleted, until a person purges it (F9)."""

from __future__ import annotations

from typing import Annotated

import typer

from souvenance.domain.fact import State
from souvenance.domain.wording import counted
from souvenance.interfaces.cli.session import Session, verb
from souvenance.interfaces.cli.shapes import fact_shape, note_shape

group = typer.Typer(name="trash", help="What was deleted, until someone purges it.", no_args_is_help=True)

In = Annotated[str | None, typer.Option("--vault", help="Only this vault.")]


@verb(group, "list")
def list_trash(
    session: Session,
    *,
    vault: In = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most this many facts, and as many notes.")] = 50,
) -> None:
    """List deleted facts and notes; `fact restore` and `note restore` bring them back."""
    facts = session.memory.facts.browse(
        actor=session.actor, vault=vault, states=[State.TRASHED], limit=limit
    ).facts  # the last deleted first
    notes = session.memory.notes.list(actor=session.actor, vault=vault, trashed=True, limit=limit)
    shapes = [fact_shape(session, fact) for fact in facts]
    pages = [note_shape(session, note) for note in notes]
    session.out.table(
        {"facts": shapes, "notes": pages},
        columns=("", "vault", "what", "deleted"),
        rows=[
            *((f"#{s['number']}", s["vault"], s["content"], s["deleted_at"]) for s in shapes),
            *((s["note"], s["vault"], s["path"], s["deleted_at"]) for s in pages),
        ],
        empty="The trash is empty.",
    )


@verb(group, "empty")
def empty(
    session: Session,
    vault: Annotated[str, typer.Argument(metavar="VAULT", help="Name or slug of a vault.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove every deleted fact of a vault for good, its history too; notes are purged one by one."""
    session.confirm(f"Remove every deleted fact of {vault} for good?", yes=yes)
    purged = session.memory.bulk.empty_trash(actor=session.actor, vault=vault)
    session.out.say({"purged": purged}, f"{counted(purged, 'fact')} purged.")
