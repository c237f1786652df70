"""`souvenance vault`: make vaults, describe them, weigh them, protect them."""

from __future__ import annotations

from typing import Annotated

import typer

from souvenance.domain.vault import Protection, Vault, VaultKind
from souvenance.interfaces.cli.erase import DryRun, Yes, say_counts, say_preview, state_lines
from souvenance.interfaces.cli.output import plain
from souvenance.interfaces.cli.session import Session, verb
from souvenance.interfaces.cli.shapes import vault_shape

group = typer.Typer(name="vault", help="Vaults: where knowledge lives, and how much each counts.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="VAULT", help="Name or slug of a vault.")]


@verb(group, "list")
def list_vaults(session: Session) -> None:
    """List the vaults, their attention and how many facts each holds."""
    vaults = session.memory.vaults.list(actor=session.actor)
    counts = session.memory.vaults.count_facts(actor=session.actor)
    shapes = [vault_shape(vault, facts=counts.get(vault.id, 0)) for vault in vaults]
    session.out.table(
        {"vaults": shapes},
        columns=("vault", "name", "kind", "attention", "protection", "type", "facts"),
        rows=[
            (s["slug"], s["name"], s["kind"], s["attention"], s["protection"], s["memory_type"], s["facts"])
            for s in shapes
        ],
        empty="There is no vault yet: souvenance vault create NAME.",
    )


def _show(session: Session, vault: Vault, line: str) -> None:
    count = session.memory.vaults.count_facts(actor=session.actor).get(vault.id, 0)
    session.out.say(vault_shape(vault, facts=count), line)


@verb(
    group,
    "create",
    example="vault create 'My server' --kind server --protected",
)
def create(
    session: Session,
    name: Annotated[str, typer.Argument(help="Its name; a slug is made of it.")],
    *,
    kind: Annotated[VaultKind, typer.Option(help="What it is for.")] = VaultKind.PROJECT,
    description: Annotated[str, typer.Option(help="What belongs in it.")] = "",
    colour: Annotated[str, typer.Option(help="Its colour in the panel.")] = "",
    protected: Annotated[bool, typer.Option("--protected", help="Nothing of it leaves over a cloud route.")] = False,
) -> None:
    """Make a vault, at full attention."""
    protection = Protection.MAXIMUM if protected else Protection.NORMAL
    vault = session.memory.vaults.create(
        actor=session.actor, name=name, kind=kind, description=description, colour=colour, protection=protection
    )
    _show(session, vault, f"Made the vault {vault.slug}.")


@verb(group, "show")
def show(session: Session, vault: Name) -> None:
    """Show one vault."""
    found = session.memory.vaults.get(actor=session.actor, vault=vault)
    count = session.memory.vaults.count_facts(actor=session.actor).get(found.id, 0)
    by_meaning = session.memory.embedding.may_read(found)
    matching, why = session.memory.ladder.state(actor=session.actor, vault=found.slug)
    shape = vault_shape(found, facts=count) | {
        "search": "" if by_meaning else "words only: protected or below step six",
        "matching": matching,
        "matching_why": why,
    }
    session.out.say(shape, *(f"{name}: {value}" for name, value in plain(shape).items() if value not in ("", None)))


@verb(
    group,
    "attention",
    example="vault attention server 40",
)
def attention(
    session: Session,
    vault: Name,
    weight: Annotated[int, typer.Argument(help="0 (not queried) to 100 (counts fully).")],
) -> None:
    """Set how much a vault counts when memory is queried; it goes on being written at 0."""
    found = session.memory.vaults.set_attention(actor=session.actor, vault=vault, weight=weight)
    _show(session, found, f"{found.slug} now counts at {found.attention} %.")


@verb(group, "protect")
def protect(
    session: Session,
    vault: Name,
    *,
    off: Annotated[bool, typer.Option("--off", help="Let it leave over cloud routes again.")] = False,
) -> None:
    """Keep a vault on this machine: nothing of it goes to a cloud route."""
    protection = Protection.NORMAL if off else Protection.MAXIMUM
    found = session.memory.vaults.change(actor=session.actor, vault=vault, protection=protection)
    _show(session, found, f"The protection of {found.slug} is {found.protection.value}.")


@verb(group, "delete")
def delete(session: Session, vault: Name, *, dry_run: DryRun = False, yes: Yes = False) -> None:
    """Delete a vault with everything it holds, at once and for good. Files of its watched folders stay on the disk."""
    found = session.memory.erasures.preview(actor=session.actor, vault=vault)
    if dry_run:
        say_preview(session, found, nothing="It holds nothing; the vault itself would go.")
        return
    say_counts(session, found, folders="followed no longer")
    confirm = session.typed_again(found.vaults[0].vault, yes=yes)
    receipt = session.memory.erasures.delete_vault(actor=session.actor, vault=vault, confirm=confirm)
    slug = found.vaults[0].vault
    said = f"Deleted the vault {slug} (receipt {receipt.id})."
    session.out.say(receipt.as_dict() | {"deleted": slug}, said, *state_lines(receipt))
