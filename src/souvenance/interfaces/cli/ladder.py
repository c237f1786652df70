"""`souvenance vault type`, `simulate`, `settings`, `restore-all`; `souvenance memory given`: the six memory types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from souvenance.domain.fact import SubjectKind
from souvenance.domain.vault import MemoryType
from souvenance.domain.vault_settings import setting_from_text, settings_of
from souvenance.domain.wording import counted
from souvenance.interfaces.cli.output import plain
from souvenance.interfaces.cli.session import Session, verb
from souvenance.interfaces.cli.shapes import given_shape, vault_shape
from souvenance.interfaces.cli.vault import Name

group = typer.Typer()  # its verbs join those of `souvenance vault`
memory = typer.Typer(name="memory", help="What a conversation is given of a vault.", no_args_is_help=True)

Step = Annotated[MemoryType, typer.Argument(metavar="TYPE", help="A step of the ladder.")]
AskedStep = Annotated[MemoryType | None, typer.Option("--type", help="As on this step; the vault's own when left out.")]


@verb(
    group,
    "type",
    example="vault type server journal",
)
def change_type(
    session: Session, vault: Name, memory_type: Annotated[MemoryType | None, typer.Argument(metavar="[TYPE]")] = None
) -> None:
    """Show or choose a vault's memory type; nothing is moved, rewritten or deleted, and going back is instant."""
    vaults = session.memory.vaults
    if memory_type is None:
        found = vaults.get(actor=session.actor, vault=vault)
    else:
        found = vaults.change_type(actor=session.actor, vault=vault, memory_type=memory_type)
    facts = vaults.count_facts(actor=session.actor).get(found.id, 0)
    ladder = (f"{'>' if step is found.memory_type else ' '} {step.step} {step}" for step in MemoryType)
    session.out.say(vault_shape(found, facts=facts), *ladder)


@verb(
    group,
    "simulate",
    example="vault simulate server ranked --message 'when is the tournament?'",
)
def simulate(
    session: Session,
    vault: Name,
    memory_type: Step,
    *,
    message: Annotated[str, typer.Option(help="What is being said, to see which facts win and lose a place.")] = "",
) -> None:
    """Show what another memory type would shift, in this vault's own figures; nothing changes."""
    found = session.memory.simulations.simulate(actor=session.actor, vault=vault, to=memory_type, message=message)
    lines = [f"{found.before} -> {found.after}: {counted(found.moves, 'fact')} moved, rewritten or deleted."]
    for step, figures in found.figures.items():
        how = " (added)" if step in found.gained else " (given up)" if step in found.lost else ""
        lines.append(f"{step}{how}:")
        lines += _figures(figures)
    session.out.say(plain(found), *lines)


def _figures(figures: Mapping[str, Any]) -> list[str]:
    lines = []
    for name, value in figures.items():
        said = name.removeprefix("is_").replace("_", " ")
        if not isinstance(value, list):
            shown = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
            lines += [f"  {said}: {shown}"] if shown not in ("", None) else []
            continue
        for item in value:
            texts = [item["line"]] if "line" in item else [item["a"]["line"], item["b"]["line"]]
            lines.append(f"  {said}: {item.get('label', '')} " + " | ".join(texts))
    return lines


@verb(
    group,
    "settings",
    example="vault settings server max_injected=40 recency=0.5 time_zone=",
)
def settings(
    session: Session,
    vault: Name,
    changes: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE...]", help="What to set; NAME= brings a default back.")
    ] = None,
) -> None:
    """Show or change a vault's settings: how many facts a prompt is given, the three weights, the time zone."""
    given: dict[str, Any] = {}
    for change in changes or []:
        name, equals, value = change.partition("=")
        if not equals:
            raise typer.BadParameter(f"{change!r} is not NAME=VALUE.", param_hint="'NAME=VALUE'")
        given[name.strip()] = setting_from_text(name.strip(), value.strip())
    vaults = session.memory.vaults
    if given:
        found = vaults.change_settings(actor=session.actor, vault=vault, changes=given)
    else:
        found = vaults.get(actor=session.actor, vault=vault)
    shape = plain(settings_of(found.settings))
    session.out.say(shape, *(f"{name}: {value}" for name, value in shape.items()))


@verb(group, "restore-all")
def restore_all(
    session: Session, vault: Name, *, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
) -> None:
    """Put every retired fact of a vault back in force; former summaries stay retired where another stands."""
    session.confirm(
        f"Restore every retired fact of {vault}?",
        yes=yes,
        why="Every retired fact of the vault would be in force again.",
    )
    done = session.memory.bulk.restore_all(actor=session.actor, vault=vault)
    session.out.say(plain(done), f"{counted(done.restored, 'fact')} back in force.")
    if done.summaries_left:
        numbers = ", ".join(f"#{number}" for number in done.summaries_left)
        stay = "stays" if len(done.summaries_left) == 1 else "stay"
        former = counted(len(done.summaries_left), "former summary", "former summaries")
        session.out.note(
            f"{former} {stay} retired, since a vault has one: {numbers}. "
            "souvenance fact restore NUMBER puts one back in its place."
        )


@verb(
    memory,
    "given",
    example="memory given 'when is the tournament?' --vault server --type ranked",
)
def given(
    session: Session,
    message: Annotated[str, typer.Argument(help="What is being said.")],
    *,
    vault: Annotated[str, typer.Option(help="The vault asked.")],
    member: Annotated[
        list[str] | None, typer.Option(help="Only facts about the vault and this member; repeats.")
    ] = None,
    budget: Annotated[int, typer.Option(min=1, help="At most this many tokens.")] = 4000,
    memory_type: AskedStep = None,
) -> None:
    """Show what a prompt would be given of a vault for a message, and why each fact stands where it does."""
    about = None if member is None else [(SubjectKind.MEMBER, name) for name in member]
    session.catch_up(message)
    found = session.memory.ladder.given_to_prompt(
        actor=session.actor,
        vault=vault,
        message=message,
        about=about,
        budget_tokens=budget,
        memory_type=memory_type,
    )
    lines = []
    for item in found.facts:
        lines.append(item.line)
        if item.why is not None:
            parts = f"recency {item.why.recency:.3f} + importance {item.why.importance:.3f}"
            sure = f"+ relevance {item.why.relevance:.3f}) x confidence {item.why.confidence:.2f}"
            lines.append(f"    {item.why.total:.3f} = ({parts} {sure}")
    session.out.say(given_shape(found), *lines)
    facts, tokens = counted(found.considered, "fact"), counted(found.tokens, "token")
    session.out.note(f"{found.memory_type}: {len(found.facts)} of {facts}, {tokens}.")
    if found.left_out:
        session.out.note(f"{found.left_out} more found no room.")
    if found.why:
        session.out.note(f"{found.why[:1].upper()}{found.why[1:]}.")
