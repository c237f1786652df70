"""`souvenance import` and `souvenance export`: bring in what stands elsewhere, and take facts along."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from souvenance.domain.errors import InvalidInput, NotFound
from souvenance.domain.form import FactForm, Form
from souvenance.domain.wording import counted
from souvenance.interfaces.cli.exits import ExitCode
from souvenance.interfaces.cli.session import Session, verb

if TYPE_CHECKING:
    from souvenance.imports.uploads import Upload

SHOWN = 10
"""What was passed over is named up to this many; all of it stands in the JSON."""

_Report = TypeVar("_Report")

group = typer.Typer(name="import", help="Bring in what stands elsewhere.", no_args_is_help=True)
single = typer.Typer()

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done, and how much it is.")]
Target = Annotated[str, typer.Option("--vault", help="The vault they go to; made when it is not there yet.")]
Folder = Annotated[str, typer.Option(help="Put them below this folder of the vault.")]


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
    vault: Target,
    folder: Folder = "",
    dry_run: DryRun = False,
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


@verb(group, "facts", writes=True)
def facts(
    session: Session,
    file: Annotated[Path, typer.Argument(help="JSON lines as they are exported, CSV, JSON of mem0, or Markdown.")],
    *,
    vault: Target,
    form: Annotated[FactForm, typer.Option("--format", help="How the file is written.")] = FactForm.AUTO,
    dry_run: DryRun = False,
) -> None:
    """Read a file of facts with their states, dates and links, under new numbers. Read again, it adds nothing twice."""
    with _opened(file) as upload:
        read = partial(session.memory.fact_imports.facts, actor=session.actor, upload=upload, vault=vault, form=form)
        report = _read(session, vault, read, dry_run=dry_run)
    session.out.say(
        report.as_dict(),
        f"{counted(report.facts, 'fact')} ({report.form}): {'would make' if dry_run else 'made'} {report.created:,}, "
        f"of which {report.retired:,} retired and {report.trashed:,} in the trash; {report.known:,} there already.",
        *([f"The vault {vault} would be made."] if report.makes_vault else []),
        *([_way_back(report)] if report.deed else []),
        *(["Stopped before all was in; the same file again goes on from there."] if report.stopped else []),
        *(f"left out  {_at(item.line)}{item.reason}" for item in report.problems),
        *(f"note      {_at(item.line)}{item.reason}" for item in report.warnings),
    )
    _end(report)


@verb(group, "chats", writes=True)
def chats(
    session: Session,
    file: Annotated[Path, typer.Argument(help="What ChatGPT or Claude sent: the archive, or its conversations.json.")],
    *,
    vault: Target,
    folder: Folder = "",
    dry_run: DryRun = False,
) -> None:
    """Read conversations held with ChatGPT or Claude, each as a note. Read again, those that went on are changed."""
    with _opened(file) as upload:
        read = partial(
            session.memory.chat_imports.chats, actor=session.actor, upload=upload, vault=vault, folder=folder
        )
        report = _read(session, vault, read, dry_run=dry_run)
    session.out.say(
        report.as_dict(),
        f"{counted(report.files, 'conversation')}: {'would make' if dry_run else 'made'} "
        f"{counted(report.created, 'note')}, {'change' if dry_run else 'changed'} {report.updated:,}; "
        f"{report.unchanged:,} unchanged, {report.kept:,} edited here and kept, {report.passed_over.total:,} empty.",
        *([f"The vault {vault} would be made."] if report.makes_vault else []),
        *([_way_back(report)] if report.deed else []),
        *(["Stopped before all was in; the same file again goes on from there."] if report.stopped else []),
        *(f"conflict  {item.path}: {item.reason}" for item in report.conflicts),
        *(f"left out  {item.path}: {item.reason}" for item in report.problems),
        *(f"note      {item.path}: {item.reason}" for item in report.warnings),
    )
    _end(report)


@verb(single, "export")
def export(
    session: Session,
    vault: Annotated[str, typer.Argument(help="The vault whose facts are taken.")],
    *,
    form: Annotated[Form, typer.Option("--format", help="All of each fact, or a page to read.")] = Form.JSON_LINES,
    output: Annotated[Path | None, typer.Option(help="The file to write; else standard output.")] = None,
) -> None:
    """Write the facts of a vault, in force and retired; JSON lines hold all of each and are read back by import."""
    pieces = session.memory.exports.facts(actor=session.actor, vault=vault, form=form)
    if output is None:
        session.out.pieces(pieces)
        return
    size = _written(output, pieces)
    session.out.say({"file": str(output), "bytes": size}, f"Wrote {output}, {size / 1024:,.0f} KiB.")


def _read(session: Session, vault: str, read: Callable[..., _Report], *, dry_run: bool) -> _Report:
    """Read a file in, into a vault that is made where it is missing: but not for a file that is refused."""
    if not dry_run and not _is_there(session, vault):
        read(dry_run=True, may_miss=True)
        _make_where_missing(session, vault)
    with session.out.progress("Importing") as advance:
        if dry_run:
            return read(dry_run=True, may_miss=True, progress=advance)
        with _stopped_by_hand(session) as stop:
            return read(progress=advance, stop=stop)


@contextlib.contextmanager
def _stopped_by_hand(session: Session) -> Iterator[Callable[[], bool]]:
    """Ctrl-C ends an import between two batches, so that its report is given; a second one ends it there and then."""
    asked = False

    def ask(_number: int, _frame: Any) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        session.out.note("Stopping after this batch; Ctrl-C again stops at once.")

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)


def _end(report: Any) -> None:
    if report.stopped:
        raise typer.Exit(ExitCode.INTERRUPTED)


def _written(output: Path, pieces: Iterator[str]) -> int:
    """Write all of it or nothing; only its owner reads it. The number of bytes."""
    size = 0
    try:
        number, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
        try:
            with os.fdopen(number, "wb") as file:
                for piece in pieces:
                    size += file.write(piece.encode())
            Path(name).replace(output)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InvalidInput(
            f"{output} cannot be written: {error.strerror}.", hint="Name a file in a folder you may write to."
        ) from None
    return size


@contextlib.contextmanager
def _opened(file: Path) -> Iterator[Upload]:
    from souvenance.imports.uploads import Upload

    try:
        if not file.is_file():
            raise InvalidInput(f"There is no file {file}.", hint="Give the path of a file.")
        data = file.open("rb")
    except OSError as error:
        raise InvalidInput(
            f"The file {file} cannot be read: {error.strerror}.", hint="Give the path of a file you may read."
        ) from None
    with data:
        yield Upload(file.name, data)


def _way_back(report: Any) -> str:
    since = report.begun.astimezone().isoformat(timespec="seconds")
    return f"To take it back: souvenance history revert --agent {shlex.quote(report.deed)} --since '{since}'"


def _at(line: int) -> str:
    return f"line {line}: " if line else ""


def _passed_over(paths: Sequence[str]) -> str:
    """What was left out without being looked at: a folder named by itself is read all the same."""
    named = ", ".join(paths[:SHOWN]) + (f" and {len(paths) - SHOWN:,} more" if len(paths) > SHOWN else "")
    return f"Passed over, hidden or made by programs: {named}."


def _is_there(session: Session, vault: str) -> bool:
    try:
        session.memory.vaults.get(actor=session.actor, vault=vault)
    except NotFound:
        return False
    return True


def _make_where_missing(session: Session, vault: str) -> None:
    if not _is_there(session, vault):
        made = session.memory.vaults.create(actor=session.actor, name=vault)
        session.out.note(f"Made the vault {made.slug}.")
