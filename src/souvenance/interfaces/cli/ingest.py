"""`souvenance import`: bring in what stands elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from souvenance.domain.errors import NotFound
from souvenance.domain.wording import counted
from souvenance.interfaces.cli.session import Session, verb

SHOWN = 10
"""What was passed over is named up to this many; all of it stands in the JSON."""

group = typer.Typer(name="import", help="Bring in what stands elsewhere.", no_args_is_help=True)


@verb(
    group,
    "markdown",
    writes=True,
    example="import markdown ~/Obsidian/Notes --vault notes --dry-run",
)
def markdown(
    session: Session,
    path: Annotated[Path, typer.Argument(help="A folder of Markdown files, as Obsidian keeps them.")],
    *,
    vault: Annotated[str, typer.Option(help="The vault they go to; made when it is not there yet.")],
    folder: Annotated[str, typer.Option(help="Put them below this folder of the vault.")] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done, and how much it is.")
    ] = False,
) -> None:
    """Read a folder of Markdown files as notes; folders, front matter and links are kept. Read again, it brings in what
    changed, and overwrites nothing that was written here.
    """
    if not dry_run:
        _make_where_missing(session, vault)
    with session.out.progress("Importing") as advance:
        report = session.memory.imports.markdown(
            actor=session.actor, path=path, vault=vault, folder=folder, dry_run=dry_run, progress=advance
        )
    session.out.say(
        report.as_dict(),
        f"{counted(report.files, 'file')}, {report.bytes / 1024:,.0f} KiB: {'would make' if dry_run else 'made'} "
        f"{counted(report.created, 'note')}, {'change' if dry_run else 'changed'} {report.updated:,}; "
        f"{report.unchanged:,} unchanged, {report.kept:,} edited here and kept.",
        *([f"The vault {vault} would be made."] if report.makes_vault else []),
        *([_passed_over(report.passed_over)] if report.passed_over else []),
        *(f"conflict  {item.path}: {item.reason}" for item in report.conflicts),
        *(f"left out  {item.path}: {item.reason}" for item in report.problems),
        *(f"note      {item.path}: {item.reason}" for item in report.warnings),
    )


def _passed_over(paths: Sequence[str]) -> str:
    """What was left out without being looked at: a folder named by itself is read all the same."""
    named = ", ".join(paths[:SHOWN]) + (f" and {len(paths) - SHOWN:,} more" if len(paths) > SHOWN else "")
    return f"Passed over, hidden or made by programs: {named}."


def _make_where_missing(session: Session, vault: str) -> None:
    try:
        session.memory.vaults.get(actor=session.actor, vault=vault)
    except NotFound:
        made = session.memory.vaults.create(actor=session.actor, name=vault)
        session.out.note(f"Made the vault {made.slug}.")
