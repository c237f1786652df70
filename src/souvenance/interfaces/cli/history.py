"""`souvenance history`: review what an agent or token wrote, and undo it together; `audit`: who did what."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from souvenance.domain.clock import utc_now
from souvenance.domain.wording import counted
from souvenance.interfaces.cli.session import Session, verb

if TYPE_CHECKING:
    from souvenance.notes.revert import Thing

group = typer.Typer(name="history", help="What an agent or token wrote: review it, undo it.", no_args_is_help=True)

Agent = Annotated[str | None, typer.Option(help="Name of the token, or as the agent calls itself.")]
TokenNumber = Annotated[int | None, typer.Option("--token", help="Number of the token.")]
Since = Annotated[str, typer.Option(help="A date, an instant, or how long ago: 2026-05-04, 90m, 3h, 2d, 1w.")]

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def instant(text: str) -> datetime:
    """The instant a person means; a date or a time without a zone is this machine's."""
    ago = re.fullmatch(r"(\d{1,6})\s*([mhdw])", text.strip())
    try:
        if ago:
            return utc_now() - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return datetime.fromisoformat(text.strip()).astimezone()
    except (ValueError, OverflowError):
        said = f"{text!r} is no date and no span of time; write it as 2026-05-04, 2026-05-04T10:00, 90m, 3h, 2d or 1w."
        raise typer.BadParameter(said, param_hint="'--since'") from None


@verb(
    group,
    "review",
    example="history review --agent laptop --since 3h",
)
def review(
    session: Session,
    *,
    agent: Agent = None,
    token: TokenNumber = None,
    since: Since,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many changes.")] = 100,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many.")] = 0,
) -> None:
    """Show all that an agent or token wrote since a date, the newest first."""
    found = session.memory.history.review(
        actor=session.actor, agent=agent, token=token, since=instant(since), limit=limit, offset=offset
    )
    session.out.table(
        {"changes": found.changes, "withheld": found.withheld},
        columns=("change", "when", "who", "through", "did", "vault", "what"),
        rows=[
            (change.change_id, change.at, change.who, change.source, thing.did, thing.vault, _named(thing))
            for change in found.changes
            for thing in change.things
        ],
        empty="Nothing was written.",
    )


@verb(
    group,
    "revert",
    writes=True,
    example="history revert --agent laptop --since 2026-05-04T10:00 --dry-run",
)
def revert(
    session: Session,
    *,
    agent: Agent = None,
    token: TokenNumber = None,
    since: Since,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be undone.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Undo together all that an agent or token wrote since a date; what others changed since is left and listed."""
    begun = instant(since)
    take_back = partial(session.memory.history.revert, actor=session.actor, agent=agent, token=token, since=begun)
    if not dry_run and not yes:
        things = counted(len(take_back(dry_run=True).reverted), "thing")
        session.confirm(f"Undo {things}?", yes=False, why=f"This undoes {things} at once; --dry-run lists what.")
    undone = take_back(dry_run=dry_run)
    session.out.say(
        {
            "dry_run": dry_run,
            "reverted": undone.reverted,
            "conflicts": undone.conflicts,
            "withheld": undone.withheld,
        },
        *(f"{thing.did}: {_named(thing)}" for thing in undone.reverted),
        *(f"left alone: {_named(thing)}: {thing.conflict}" for thing in undone.conflicts),
        f"{'Would undo' if dry_run else 'Undid'} {len(undone.reverted)}; {len(undone.conflicts)} left alone.",
    )


def _named(thing: Thing) -> str:
    return f"{'#' if thing.kind == 'fact' else ''}{thing.reference} {thing.title}"
