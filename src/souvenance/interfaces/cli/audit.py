"""`souvenance audit` and `souvenance retrievals`: who did what, and what was asked of the memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from souvenance.interfaces.cli.session import Session, verb

group = typer.Typer()
retrievals = typer.Typer(
    name="retrievals", help="What was asked of this memory, and what it did not know.", no_args_is_help=True
)

Limit = Annotated[int, typer.Option(min=1, max=500, help="At most this many.")]
Offset = Annotated[int, typer.Option(min=0, help="Skip this many.")]


@verb(group, "audit")
def audit(session: Session, *, limit: Limit = 50, offset: Offset = 0) -> None:
    """List deletions, settings, tokens and other acts that someone may have to answer for, the latest first."""
    entries = session.memory.history.audit(actor=session.actor, limit=limit, offset=offset)
    session.out.table(
        {"entries": entries},
        columns=("when", "who", "through", "did", "vault", "details"),
        rows=[(e.at, e.who, e.source, e.verb, e.vault, _details(e.details)) for e in entries],
        empty="Nothing to show.",
    )


def _details(details: Mapping[str, Any]) -> str:
    """Names with their values; of counts, only what is more than nothing."""
    said = {name: _detail(value) for name, value in details.items()}
    return " ".join(f"{name}={value}" for name, value in said.items() if value)


def _detail(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{what} {much}" for what, much in value.items() if much not in (0, None, "", False))
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


@verb(retrievals, "list")
def list_retrievals(
    session: Session,
    *,
    misses: Annotated[bool, typer.Option("--misses", help="Only those that found nothing.")] = False,
    limit: Limit = 50,
    offset: Offset = 0,
) -> None:
    """List searches, recalls and look-ups, the latest first."""
    entries = session.memory.retrievals.list(actor=session.actor, limit=limit, offset=offset, misses_only=misses)
    session.out.table(
        {"retrievals": entries},
        columns=("when", "who", "through", "did", "query", "found", "sure", "matcher", "ms"),
        rows=[
            (e.at, e.actor, e.source, e.verb, e.query, e.found, e.confidence, e.matcher, f"{e.milliseconds:.1f}")
            for e in entries
        ],
        empty="Nothing was asked yet.",
    )


@verb(retrievals, "frequent")
def frequent(session: Session, *, limit: Limit = 20) -> None:
    """List the queries asked most often."""
    queries = session.memory.retrievals.frequent(actor=session.actor, limit=limit)
    session.out.table(
        {"queries": queries},
        columns=("times", "query", "last"),
        rows=[(q.times, q.query, q.last) for q in queries],
        empty="Nothing was asked yet.",
    )


@verb(retrievals, "blind-spots")
def blind_spots(session: Session, *, limit: Limit = 20) -> None:
    """List the queries that found nothing: what this memory should perhaps be told."""
    queries = session.memory.retrievals.blind_spots(actor=session.actor, limit=limit)
    session.out.table(
        {"queries": queries},
        columns=("times", "query", "last"),
        rows=[(q.times, q.query, q.last) for q in queries],
        empty="Every query found something.",
    )
