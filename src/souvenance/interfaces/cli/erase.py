"""`souvenance erase` and `souvenance receipts`: erase what a vault holds, or what is known of one member (F7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from souvenance.domain.wording import counted
from souvenance.interfaces.cli.output import plain
from souvenance.interfaces.cli.session import Session, verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from souvenance.domain.erasure import Erased, Mention, Preview, Receipt

group = typer.Typer(
    name="erase", help="Erase for good what a vault holds, or what is known of a member.", no_args_is_help=True
)
alone = typer.Typer()

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for the name to be typed again.")]
Vault = Annotated[str, typer.Argument(metavar="VAULT", help="Name or slug of a vault.")]
Member = Annotated[str, typer.Argument(metavar="ID", help="The id that facts about the member carry.")]
In = Annotated[str | None, typer.Option("--vault", help="Only in this vault; else in every vault you configure.")]
Names = Annotated[list[str] | None, typer.Option("--name", help="A name others may call them by; may be given again.")]


@verb(group, "vault")
def erase_vault(session: Session, vault: Vault, *, dry_run: DryRun = False, yes: Yes = False) -> None:
    """Erase everything a vault holds, at once and for good. The vault stays and learns again; its watched folders are
    suspended."""
    found = session.memory.erasures.preview(actor=session.actor, vault=vault)
    if dry_run:
        say_preview(session, found)
        return
    say_counts(session, found)
    confirm = session.typed_again(found.vaults[0].vault, yes=yes)
    _say_erased(session, session.memory.erasures.erase(actor=session.actor, vault=vault, confirm=confirm))


@verb(
    group,
    "member",
    example="erase member 112233 --name Zoe --dry-run",
)
def erase_member(
    session: Session, member: Member, *, vault: In = None, name: Names = None, dry_run: DryRun = False, yes: Yes = False
) -> None:
    """Erase everything about one member, by id, at once and for good, and list who else mentions them."""
    found = session.memory.erasures.preview(actor=session.actor, vault=vault, member=member, names=name or ())
    if dry_run:
        say_preview(session, found)
        return
    say_counts(session, found)
    confirm = session.typed_again(member, yes=yes)
    _say_erased(
        session,
        session.memory.erasures.erase(
            actor=session.actor, vault=vault, member=member, names=name or (), confirm=confirm
        ),
    )


@verb(alone, "receipts")
def receipts(
    session: Session,
    *,
    vault: Annotated[str | None, typer.Option(help="Only of this vault.")] = None,
    member: Annotated[str | None, typer.Option(help="Only of the member with this id.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many.")] = 0,
) -> None:
    """List the receipts of what was erased, the newest first; a purge that is pending is tried again first."""
    session.memory.erasures.finish()
    found = session.memory.erasures.receipts(
        actor=session.actor, vault=vault, member=member, limit=limit, offset=offset
    )
    session.out.table(
        {"receipts": [item.as_dict() for item in found]},
        columns=("receipt", "at", "who", "vault", "what", "rows", "state", "why"),
        rows=[
            (r.id, r.at, r.who, r.vault, r.kind, sum(r.counts.values()), r.state, r.why or ", ".join(r.beyond))
            for r in found
        ],
        empty="Nothing was erased yet." if vault is None and member is None else "No receipt is of that.",
    )


def _said(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {kind.replace('_', ' ')}" for kind, number in counts.items() if number) or "nothing"


def say_counts(session: Session, found: Preview, *, folders: str = "suspended") -> None:
    """What would go, and what would become of the watched folders, before it is confirmed."""
    for item in found.vaults:
        watched = f"; {counted(item.folders, 'watched folder')} would be {folders}" if item.folders else ""
        session.out.note(f"{item.vault}: {_said(item.counts)}{watched}.")


def say_preview(session: Session, found: Preview, *, nothing: str = "There is nothing to erase.") -> None:
    """A dry run; `nothing` is said where nothing is held."""
    lines = []
    for item in found.vaults:
        lines += [f"{item.vault}\t{kind}\t{number}" for kind, number in item.counts.items() if number]
        lines += [f"{item.vault}\tfolders suspended\t{item.folders}"] if item.folders else []
    data = {
        "kind": found.kind,
        "vaults": [plain(item) for item in found.vaults],
        "total": found.total,
        "names": list(found.names),
        "mentions": [plain(item) for item in found.mentions],
        "beyond_reach": list(found.beyond),
        "left_out": found.left_out,
        "mentions_cut": found.mentions_cut,
    }
    beyond = [f"out of reach\t{name}" for name in found.beyond]
    session.out.say(data, *(lines or [nothing]), *_mention_lines(found.mentions), *beyond)
    _say_cut(session, found)
    _say_left_out(session, found.left_out)


def _mention_lines(mentions: Sequence[Mention]) -> list[str]:
    return [
        f"mention\t{item.vault}\t{f'#{item.fact}' if item.fact is not None else item.note}\t{item.says}"
        for item in mentions
    ]


def _say_erased(session: Session, done: Erased) -> None:
    data = {
        "receipts": [item.as_dict() for item in done.receipts],
        "mentions": [plain(item) for item in done.mentions],
        "left_out": done.left_out,
        "mentions_cut": done.mentions_cut,
    }
    lines = [line for receipt in done.receipts for line in _receipt_lines(receipt)]
    session.out.say(data, *lines, *_mention_lines(done.mentions))
    if done.mentions:
        session.out.note("Others' facts and notes still mention them: decide about each (fact delete, fact purge).")
    _say_cut(session, done)
    _say_left_out(session, done.left_out)


def _receipt_lines(receipt: Receipt) -> list[str]:
    lines = [f"Erased from {receipt.vault}: {_said(receipt.counts)} (receipt {receipt.id})."]
    if receipt.folders_suspended:
        are = "is" if receipt.folders_suspended == 1 else "are"
        lines.append(
            f"{counted(receipt.folders_suspended, 'watched folder')} {are} suspended: souvenance folder resume."
        )
    return [*lines, *state_lines(receipt)]


def state_lines(receipt: Receipt) -> list[str]:
    """How far the purge is, and what may still hold what went."""
    lines = [f"State: {receipt.state.value}{f': {receipt.why}' if receipt.why else ''}."]
    if receipt.beyond:
        lines.append(f"Out of reach, and may still hold it: {', '.join(receipt.beyond)}.")
    return lines


def _say_cut(session: Session, found: Preview | Erased) -> None:
    if found.mentions_cut:
        session.out.note(f"Others mention them more often: these are the first {len(found.mentions):,}.")


def _say_left_out(session: Session, left_out: int) -> None:
    if left_out:
        are = "holds something of them and is" if left_out == 1 else "hold something of them and are"
        session.out.note(f"{counted(left_out, 'vault')} that {are} not yours to erase from here.")
