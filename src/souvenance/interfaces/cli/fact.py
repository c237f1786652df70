"""`souvenance fact`: read and correct facts by their number."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from souvenance.domain.clock import isoformat
from souvenance.domain.errors import NotFound
from souvenance.domain.fact import Action, Fact, Sort, State, SubjectKind
from souvenance.domain.wording import counted
from souvenance.interfaces.cli.exits import ExitCode
from souvenance.interfaces.cli.output import plain
from souvenance.interfaces.cli.session import Session, read_text, verb, warn_of_secrets
from souvenance.interfaces.cli.shapes import fact_shape, fact_shapes

group = typer.Typer(name="fact", help="Facts, each by its number.", no_args_is_help=True)

Number = Annotated[str, typer.Argument(metavar="NUMBER", help="A fact's number: 12 or #12.")]
Version = Annotated[int | None, typer.Option(help="Refuse if the fact is no longer at this version.")]


def numbered(text: str) -> int:
    """The number in `12` or `#12`."""
    digits = text.strip().removeprefix("[").removesuffix("]").removeprefix("#")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        raise typer.BadParameter(f"{text!r} is not the number of a fact.", param_hint="'NUMBER'")
    return int(digits)


def moment(text: str) -> datetime:
    """The end of a day such as 2023-05-08, or the instant that is written out; UTC where no zone is named."""
    try:
        said = datetime.fromisoformat(text.strip())
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no date; write it as 2023-05-08.", param_hint="'--as-of'") from None
    if len(text.strip()) == len("2023-05-08"):
        said += timedelta(days=1, microseconds=-1)
    return said if said.tzinfo else said.replace(tzinfo=UTC)


@verb(group, "show")
def show(session: Session, number: Number) -> None:
    """Show one fact, whatever its state."""
    fact = session.memory.facts.get(actor=session.actor, number=numbered(number))
    (shape,) = fact_shapes(session, [fact])
    lines = [f"#{fact.number} {fact.content}"]
    for name, value in shape.items():
        if name not in {"number", "content"} and value not in ("", None, (), False):
            lines.append(f"  {name}: {_shown(value)}")
    session.out.say(shape, *lines)


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"{date.said} = {date.resolved}" for date in value)
    return isoformat(value) if isinstance(value, datetime) else str(value)


@verb(
    group,
    "list",
    example="fact list --vault server --state retired --as-of 2026-05-04",
)
def list_facts(
    session: Session,
    *,
    vault: Annotated[str | None, typer.Option(help="Only this vault.")] = None,
    query: Annotated[str, typer.Option(help="Only those whose key or content holds this, accents aside.")] = "",
    state: Annotated[list[State] | None, typer.Option(help="In force when left out; repeats.")] = None,
    sort: Annotated[Sort, typer.Option(help="By what they are ordered.")] = Sort.UPDATED,
    ascending: Annotated[bool, typer.Option("--ascending", help="The smallest or oldest first.")] = False,
    as_of: Annotated[str | None, typer.Option(help="As they stood at the end of this day, or at this moment.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most this many.")] = 50,
    offset: Annotated[int, typer.Option(min=0, max=89_999, help="Skip this many.")] = 0,
) -> None:
    """List facts, the most recently updated first."""
    found = session.memory.facts.browse(
        actor=session.actor,
        vault=vault,
        query=query,
        states=tuple(state or (State.IN_FORCE,)),
        sort=sort,
        descending=not ascending,
        as_of=None if as_of is None else moment(as_of),
        limit=limit,
        offset=offset,
    )
    more = found.total > offset + limit
    shapes = fact_shapes(session, [] if as_of is not None else found.facts) or [
        fact_shape(session, fact) for fact in found.facts
    ]
    session.out.table(
        {"facts": shapes, "more": more, "total": found.total},
        columns=("", "vault", "category", "fact", "state", "updated"),
        rows=[
            (f"#{s['number']}", s["vault"], s["category"], s["content"], _stands(s), s["updated_at"]) for s in shapes
        ],
        empty="There is no fact to show.",
    )
    if more:
        session.out.note(f"There is more: --offset {offset + limit}")


def _stands(shape: Mapping[str, Any]) -> str:
    """Where a fact stands, and of a summary that it is outdated."""
    return f"{shape['state']}, outdated" if shape.get("outdated") else str(shape["state"])


@verb(
    group,
    "edit",
    writes=True,
    example="fact edit 12 'The office is in Lille.' --importance 7",
)
def edit(
    session: Session,
    number: Number,
    content: Annotated[str | None, typer.Argument(help="The new wording; - reads standard input.")] = None,
    *,
    key: Annotated[str | None, typer.Option(help="Its short name.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How sure it is, 0 to 1.")] = None,
    importance: Annotated[int | None, typer.Option(help="How much it matters, 1 to 10.")] = None,
    no_importance: Annotated[bool, typer.Option("--no-importance", help="Take its importance away.")] = False,
    category: Annotated[str | None, typer.Option(help="The label of the page it stands on.")] = None,
    subject: Annotated[SubjectKind | None, typer.Option(help="Whom it is about.")] = None,
    subject_id: Annotated[str | None, typer.Option(help="Which member or role it is about.")] = None,
    channel: Annotated[str | None, typer.Option(help="Where it was said.")] = None,
    author: Annotated[str | None, typer.Option(help="Who said it.")] = None,
    language: Annotated[str | None, typer.Option(help="Its language, as en or fr.")] = None,
    said_at: Annotated[str | None, typer.Option(help="When it was said.")] = None,
    version: Version = None,
) -> None:
    """Change what is given of a fact, and leave the rest; the old wording stays in its history."""
    given = (content, key, confidence, importance, category, subject, subject_id, channel, author, language, said_at)
    if not no_importance and all(value is None for value in given):
        raise typer.BadParameter("Nothing to change was given.", param_hint="'CONTENT'")
    fact = session.memory.facts.edit(
        actor=session.actor,
        number=numbered(number),
        version=version,
        content=None if content is None else read_text(content, what="fact"),
        key=key,
        confidence=confidence,
        importance=importance,
        no_importance=no_importance,
        category=category,
        subject_kind=subject,
        subject_id=subject_id,
        channel=channel,
        author=author,
        language=language,
        said_at=said_at,
    )
    secrets = session.memory.facts.secrets_in(fact)
    session.out.say(
        fact_shape(session, fact) | {"warnings": secrets}, f"#{fact.number} is now at version {fact.version}."
    )
    warn_of_secrets(session, secrets)


@verb(
    group,
    "move",
    writes=True,
    example="fact move 12 server",
)
def move(
    session: Session,
    number: Number,
    vault: Annotated[str, typer.Argument(metavar="VAULT", help="Where to.")],
    *,
    version: Version = None,
) -> None:
    """Put a fact in another vault, with its history; it keeps its number."""
    fact = session.memory.facts.move(actor=session.actor, number=numbered(number), vault=vault, version=version)
    session.out.say(fact_shape(session, fact), f"#{fact.number} stands in {session.slugs.get(fact.vault_id, vault)}.")


@verb(
    group,
    "bulk",
    writes=True,
    example="fact bulk retire 12 13 --reason 'they moved away'",
)
def bulk(
    session: Session,
    action: Annotated[Action, typer.Argument(help="What to do to them.")],
    numbers: Annotated[list[str], typer.Argument(metavar="NUMBER...", help="The facts.")],
    *,
    reason: Annotated[str, typer.Option(help="With retire: why they are no longer true.")] = "",
    vault: Annotated[str | None, typer.Option(help="With move: where to.")] = None,
    confidence: Annotated[float | None, typer.Option(help="With edit: how sure they are, 0 to 1.")] = None,
    importance: Annotated[int | None, typer.Option(help="With edit: how much they matter, 1 to 10.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="With purge: do not ask.")] = False,
) -> None:
    """Do one thing to many facts; those it cannot be done to are named with the reason, and left as they are."""
    if action is Action.PURGE:
        session.confirm(f"Remove {counted(len(numbers), 'fact')} for good?", yes=yes)
    done = session.memory.bulk.apply(
        actor=session.actor,
        numbers=[numbered(one) for one in numbers],
        action=action,
        reason=reason,
        vault=vault,
        confidence=confidence,
        importance=importance,
    )
    session.out.say(
        plain(done),
        f"{action}: {len(done.done)} done.",
        *(f"#{item.number} was left as it is: {item.message}" for item in done.refused),
    )
    if not done.done:
        raise typer.Exit(ExitCode.REFUSED)


@verb(
    group,
    "retire",
    writes=True,
    example=(
        "fact retire 12 --reason 'it moved' --replacement 'The office is in Lille.'\n"
        "fact retire 12 --reason 'said twice' --by 14"
    ),
)
def retire(
    session: Session,
    number: Number,
    *,
    reason: Annotated[str, typer.Option(help="Why it is no longer true.")],
    replacement: Annotated[str | None, typer.Option(help="What is true instead.")] = None,
    by: Annotated[str | None, typer.Option(help="The number of the fact that is true instead.")] = None,
    version: Version = None,
) -> None:
    """Say that a fact is no longer true. It is kept in the journal and can be restored."""
    retired, successor = session.memory.facts.retire(
        actor=session.actor,
        number=numbered(number),
        version=version,
        reason=reason,
        replacement=replacement,
        replaced_by=None if by is None else numbered(by),
    )
    session.out.say(
        {
            "retired": fact_shape(session, retired),
            "replacement": None if successor is None else fact_shape(session, successor),
        },
        f"#{retired.number} is retired{f' and replaced by #{successor.number}' if successor else ''}.",
    )


@verb(
    group,
    "restore",
    writes=True,
    example="fact restore 12 --change 40",
)
def restore(
    session: Session,
    number: Number,
    *,
    change: Annotated[int | None, typer.Option(help="Back to what it was after this change of its history.")] = None,
) -> None:
    """Bring a fact back from the trash or the journal, or back to an earlier wording."""
    wanted = numbered(number)
    was = session.memory.facts.get(actor=session.actor, number=wanted)
    if change is not None:
        session.memory.history.restore(actor=session.actor, ref=wanted, change_id=change)
        fact = session.memory.facts.get(actor=session.actor, number=wanted)
    else:
        fact = session.memory.facts.restore(actor=session.actor, number=wanted)
    beside = _still_in_its_place(session, was) if fact.state is State.IN_FORCE else None
    session.out.say(
        fact_shape(session, fact) | {"beside": None if beside is None else fact_shape(session, beside)},
        f"#{fact.number} is restored, at version {fact.version}.",
    )
    if beside is not None:
        session.out.note(
            f"It had been replaced by #{beside.number}, which stays in force beside it: {beside.content}\n"
            f"Where only one is true: souvenance fact retire {beside.number} --reason WHY --by {fact.number}"
        )


def _still_in_its_place(session: Session, fact: Fact) -> Fact | None:
    """The fact in force that a retired one had been replaced by, straight or by way of others; None where none is."""
    seen = {fact.number}
    while fact.replaced_by is not None and fact.replaced_by not in seen:
        seen.add(fact.replaced_by)
        try:
            fact = session.memory.facts.get(actor=session.actor, number=fact.replaced_by)
        except NotFound:
            return None
        if fact.state is State.IN_FORCE:
            return fact
    return None


@verb(group, "delete")
def delete(session: Session, number: Number) -> None:
    """Put a fact in the trash, out of every read at once."""
    fact = session.memory.facts.delete(actor=session.actor, number=numbered(number))
    session.out.say(
        fact_shape(session, fact),
        f"#{fact.number} is in the trash: souvenance fact restore {fact.number} brings it back.",
    )


@verb(group, "purge")
def purge(
    session: Session,
    number: Number,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove a trashed fact for good, its history too."""
    wanted = numbered(number)
    session.confirm(f"Remove #{wanted} for good?", yes=yes)
    session.memory.facts.purge(actor=session.actor, number=wanted)
    session.out.say({"number": wanted, "purged": True}, f"#{wanted} is gone.")


@verb(group, "history")
def history(
    session: Session,
    number: Number,
    *,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many changes.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many.")] = 0,
) -> None:
    """Show who changed a fact, when, through what, and how."""
    revisions = session.memory.history.of_fact(actor=session.actor, number=numbered(number), limit=limit, offset=offset)
    session.out.table(
        {"revisions": revisions},
        columns=("change", "when", "who", "through", "did", "version"),
        rows=[(r.change_id, r.at, r.who, r.source, r.operation, r.version) for r in revisions],
        empty="There is no change to show.",
    )
