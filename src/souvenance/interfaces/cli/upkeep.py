"""`souvenance doctor`, `embed`, `serve` and `mcp`: keep a memory sound, and let others in."""

from __future__ import annotations

from typing import Annotated

import typer

from souvenance.interfaces.cli.exits import ExitCode
from souvenance.interfaces.cli.output import plain
from souvenance.interfaces.cli.session import Session, given, verb

group = typer.Typer()


@verb(group, "doctor")
def doctor(
    session: Session,
    *,
    repair: Annotated[bool, typer.Option("--repair", help="Make derived data again from facts and notes.")] = False,
) -> None:
    """Examine the store, its indexes and the embedder; exit with 1 when something is wrong."""
    from souvenance.wiring import open_doctor

    report = open_doctor(session.settings()).examine(repair=repair)
    marks = {"ok": "ok", "warning": "warning", "problem": "PROBLEM"}
    lines = [report.store]
    for finding in report.findings:
        lines.append(f"{marks[finding.state]:>8}  {finding.message}")
        if finding.hint:
            lines.append(f"{'':>8}  {finding.hint}")
    lines += [f"repaired  {name}: {count:,}" for name, count in report.repaired.items()]
    if report.counts:
        lines.append(", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in report.counts.items()))
    session.out.say({"healthy": report.healthy, **plain(report)}, *lines)
    if not report.healthy:
        raise typer.Exit(ExitCode.REFUSED)


@verb(group, "embed")
def embed(
    session: Session,
    *,
    seconds: Annotated[float | None, typer.Option(min=0.1, help="Stop after this long.")] = None,
) -> None:
    """Make the vectors that are missing now, rather than in the background."""
    with session.out.progress("Embedding") as advance:
        status = session.memory.embedding.catch_up(
            limit_seconds=seconds, progress=lambda so_far: advance(so_far.embedded, so_far.passages)
        )
    session.out.say(
        plain(status),
        f"{status.embedded:,} of {status.passages:,} passages have a vector; {status.waiting:,} wait.",
    )


@verb(group, "serve")
def serve(
    session: Session,
    *,
    host: Annotated[
        str | None,
        typer.Option(metavar="HOST", parser=given, help="Address to listen on; this machine only when left out."),
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")] = None,
) -> None:
    """Serve MCP over HTTP and the REST interface until stopped."""
    session.options.servers["serve"](session.settings(host=host, port=port))


@verb(group, "mcp")
def mcp(session: Session) -> None:
    """Serve MCP over standard input and output, as an agent starts it."""
    session.options.servers["mcp"](session.settings())
