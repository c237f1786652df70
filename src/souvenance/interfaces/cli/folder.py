"""`souvenance folder`: let vaults follow folders of this machine."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from souvenance.domain.errors import Conflict
from souvenance.domain.folder import DEFAULT_MAX_BYTES
from souvenance.domain.wording import counted
from souvenance.interfaces.cli.output import plain
from souvenance.interfaces.cli.session import Session, verb

if TYPE_CHECKING:
    from souvenance.ingest.folder_views import FolderCensus
    from souvenance.ingest.scanning import ScanReport

group = typer.Typer(name="folder", help="Folders whose files a vault follows.", no_args_is_help=True)

MIB = 1024 * 1024
Place = Annotated[Path, typer.Argument(metavar="PATH", help="A folder of this machine.")]
Ref = Annotated[str, typer.Argument(metavar="FOLDER", help="Id or path of a watched folder.")]
Vault = Annotated[str | None, typer.Option(help="The vault, where several watch the same folder.")]
Include = Annotated[list[str] | None, typer.Option(help="Take only what matches; may be given again.")]
Exclude = Annotated[list[str] | None, typer.Option(help="Leave out what matches; may be given again.")]
MaxSize = Annotated[float, typer.Option(min=0.001, max=1024, help="Refuse files over this many MiB.")]


@verb(
    group,
    "watch",
    writes=True,
    example="folder watch ~/Documents/plans --vault server --include '*.md' --exclude 'drafts/*'",
)
def watch(
    session: Session,
    path: Place,
    *,
    vault: Annotated[str, typer.Option(help="The vault that follows it.")],
    include: Include = None,
    exclude: Exclude = None,
    max_size: MaxSize = DEFAULT_MAX_BYTES / MIB,
    place: Annotated[str | None, typer.Option(help="Folder of the vault its notes stand in; else its name.")] = None,
    later: Annotated[bool, typer.Option("--later", help="Leave the reading to a running server.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a large first ingest.")] = False,
) -> None:
    """Let a vault follow a folder: its files become notes, now and whenever they change while a server runs."""
    largest = int(max_size * MIB)
    census = session.memory.folders.census(
        actor=session.actor, path=path, include=include or (), exclude=exclude or (), max_bytes=largest
    )
    session.out.note(_census_line(census))
    if census.is_large:
        session.confirm("Take them all?", yes=yes, why="That is much to take in at once.")
    folder = session.memory.folders.watch(
        actor=session.actor,
        vault=vault,
        path=path,
        include=include or (),
        exclude=exclude or (),
        max_bytes=largest,
        place=place,
    )
    if later:
        view = session.memory.folders.get(actor=session.actor, folder=folder.id)
        session.out.say(view.as_dict(), f"{folder.path} is watched ({folder.id}); a running server reads it.")
        return
    _scan(session, folder.id, None, retry=False, accept_empty=False)


def _census_line(census: FolderCensus) -> str:
    kinds = ", ".join(f"{many:,} {kind}" for kind, (many, _) in census.kinds.items())
    refused = f"; {len(census.refused):,} refused" if census.refused else ""
    return f"{census.files:,} files, {census.bytes / MIB:,.1f} MiB ({kinds or 'none'}){refused}."


def _scan(session: Session, ref: str, vault: str | None, *, retry: bool, accept_empty: bool) -> None:
    deadline = time.monotonic() + 60.0
    while True:
        try:
            with session.out.progress("Reading") as advance:
                report = session.memory.folders.scan(
                    actor=session.actor,
                    folder=ref,
                    vault=vault,
                    progress=advance,
                    retry=retry,
                    accept_empty=accept_empty,
                )
            break
        except Conflict as error:
            if "Another process" not in error.message or time.monotonic() > deadline:
                raise
            time.sleep(0.5)
    view = session.memory.folders.get(actor=session.actor, folder=ref, vault=vault)
    session.out.say(
        {**view.as_dict(), "report": plain(report)}, _report_line(report), *_warnings(report, view.folder.id)
    )


def _report_line(report: ScanReport) -> str:
    return (
        f"{report.created:,} new, {report.updated:,} changed, {report.moved:,} moved, {report.restored:,} back, "
        f"{report.deleted:,} to the trash, {report.unchanged:,} unchanged, {report.skipped:,} not text; "
        f"{report.failed:,} not readable, {report.refused:,} refused."
    )


def _warnings(report: ScanReport, folder: str) -> list[str]:
    said = []
    if report.held:
        said.append(
            f"All {report.held:,} files are gone at once. Their notes are kept: if that is meant, "
            f"souvenance folder scan {folder} --accept-empty puts them in the trash."
        )
    if report.busy:
        said.append(f"{report.busy:,} files are being written; the next scan takes them.")
    if report.unknown:
        said.append(f"{report.unknown:,} folders could not be listed; what was known of them is kept.")
    if report.stopped:
        said.append("Stopped; the next scan goes on from there.")
    if report.failed or report.refused:
        said.append(f"souvenance folder errors {folder} lists what could not be taken.")
    return said


@verb(group, "list")
def list_folders(
    session: Session, *, vault: Annotated[str | None, typer.Option(help="Those of this vault only.")] = None
) -> None:
    """List the watched folders, how they stand, and how far a scan under way is."""
    views = session.memory.folders.list(actor=session.actor, vault=vault)
    shapes = [view.as_dict() for view in views]
    session.out.table(
        {"folders": shapes},
        columns=("folder", "vault", "path", "status", "condition", "done", "notes", "failed", "refused", "reason"),
        rows=[
            (
                s["folder"], s["vault"], s["path"], s["status"], s["condition"],
                f"{s['done']}/{s['total']}" if s["condition"] == "scanning" else "",
                s["files"]["taken"], s["files"]["failed"], s["files"]["refused"], s["reason"],
            )
            for s in shapes
        ],
        empty="No folder is watched yet: souvenance folder watch PATH --vault VAULT.",
    )  # fmt: skip


@verb(group, "scan", writes=True)
def scan(
    session: Session,
    folder: Ref,
    *,
    vault: Vault = None,
    retry: Annotated[bool, typer.Option("--retry", help="Read again what could not be read.")] = False,
    accept_empty: Annotated[
        bool, typer.Option("--accept-empty", help="All its files are gone, and that is meant.")
    ] = False,
) -> None:
    """Bring in what changed in a folder, now. Ctrl-C stops it; the next scan goes on from there."""
    _scan(session, folder, vault, retry=retry, accept_empty=accept_empty)


@verb(group, "census")
def census(
    session: Session,
    path: Place,
    *,
    include: Include = None,
    exclude: Exclude = None,
    max_size: MaxSize = DEFAULT_MAX_BYTES / MIB,
) -> None:
    """Count what watching a folder would take, by kind and size; nothing is opened or kept."""
    found = session.memory.folders.census(
        actor=session.actor, path=path, include=include or (), exclude=exclude or (), max_bytes=int(max_size * MIB)
    )
    session.out.say(
        found.as_dict(),
        _census_line(found),
        *(f"{kind}\t{many}\t{size / MIB:,.1f} MiB" for kind, (many, size) in found.kinds.items()),
        *(f"refused\t{where}\t{reason}" for where, reason in found.refused),
        *(f"unlisted\t{where}\t{reason}" for where, reason in found.unlisted),
    )


@verb(group, "errors")
def errors(
    session: Session,
    folder: Ref,
    *,
    vault: Vault = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 200,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many.")] = 0,
) -> None:
    """List the files of a folder that could not be read or were refused, with the reasons."""
    from souvenance.ingest.folder_views import problems

    files = session.memory.folders.errors(actor=session.actor, folder=folder, vault=vault, limit=limit, offset=offset)
    shapes = problems(files)
    session.out.table(
        {"errors": shapes},
        columns=("path", "state", "reason"),
        rows=[(s["path"], s["state"], s["reason"]) for s in shapes],
        empty="Every file was taken.",
    )


@verb(group, "suspend")
def suspend(session: Session, folder: Ref, *, vault: Vault = None) -> None:
    """Stop following a folder for now, and any scan of it; nothing of it is lost."""
    found = session.memory.folders.suspend(actor=session.actor, folder=folder, vault=vault)
    session.out.say({"folder": found.id, "status": found.status}, f"{found.path} is suspended.")


@verb(group, "resume")
def resume(session: Session, folder: Ref, *, vault: Vault = None) -> None:
    """Follow a suspended folder again; a running server takes up what was left undone."""
    found = session.memory.folders.resume(actor=session.actor, folder=folder, vault=vault)
    session.out.say({"folder": found.id, "status": found.status}, f"{found.path} is watched again.")


@verb(group, "unwatch")
def unwatch(
    session: Session,
    folder: Ref,
    *,
    vault: Vault = None,
    keep: Annotated[bool, typer.Option("--keep", help="Leave its notes where they are.")] = False,
) -> None:
    """Follow a folder no longer; its notes go to the trash. Watched again, they come back as they were."""
    went = session.memory.folders.unwatch(actor=session.actor, folder=folder, vault=vault, keep=keep)
    session.out.say(
        {"folder": folder, "deleted": went}, f"No longer watched; {counted(went, 'note')} went to the trash."
    )
