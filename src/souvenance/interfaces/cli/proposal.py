"""`souvenance consolidate`, `vault passes`, `proposal`: what a vault says twice or contradicts, for a person (T5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from souvenance.consolidation.words import pass_words, say, stale_words
from souvenance.domain.clock import isoformat
from souvenance.domain.proposal import Answer, Standing, label
from souvenance.interfaces.cli.output import plain
from souvenance.interfaces.cli.scope import Language, Said
from souvenance.interfaces.cli.session import Session, verb
from souvenance.interfaces.cli.shapes import fact_shape
from souvenance.interfaces.cli.vault import Name

if TYPE_CHECKING:
    from souvenance.consolidation.decide import ProposalView

single = typer.Typer()
vaults = typer.Typer()  # its verbs join those of `souvenance vault`
group = typer.Typer(
    name="proposal", help="What passes propose: one thing said twice, two that disagree.", no_args_is_help=True
)

Id = Annotated[str, typer.Argument(metavar="PROPOSAL", help="Id of a proposal.")]


@verb(single, "consolidate")
def consolidate(
    session: Session,
    vault: Name,
    *,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Even if it is small, unchanged, busy or had its pass today.")
    ] = False,
    language: Said = Language.ENGLISH,
) -> None:
    """Look now for what a vault says twice or contradicts, and propose; nothing is applied. Says why it declines."""
    from souvenance.consolidation.passes import decision_dict, pass_dict

    outcome = session.memory.passes.run(actor=session.actor, vault=vault, anyway=anyway)
    decision = decision_dict(outcome.decision, language)
    made = None if outcome.made is None else pass_dict(outcome.made, language)
    line = say("no_pass", language, why=decision["why"]) if made is None else pass_words(made, language)
    session.out.say({"now": decision, "made": made}, line)
    if outcome.made is not None and outcome.made.proposed:
        session.out.note(say("shows_them", language, vault=vault))


@verb(vaults, "passes")
def passes(session: Session, vault: Name, *, language: Said = Language.ENGLISH) -> None:
    """Show whether a vault would get a pass now and why, and the last passes."""
    status = session.memory.passes.status(actor=session.actor, vault=vault)
    shape = status.as_dict(language)
    at = status.decision.until
    until = "" if at is None else say("until", language, at=isoformat(at))
    runs = "would_run" if status.decision.runs else "no_pass_now"
    lines = [say(runs, language, why=shape["now"]["why"], until=until)]
    lines += [f"{isoformat(made['started_at'])}  {pass_words(made, language)}" for made in shape["passes"]]
    session.out.say(shape, *lines)


@verb(group, "list")
def list_proposals(
    session: Session,
    *,
    vault: Annotated[str | None, typer.Option(help="Only this vault.")] = None,
    standing: Annotated[Standing, typer.Option(help="Those that wait; or were answered, or overtaken.")] = (
        Standing.WAITING
    ),
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most this many.")] = 50,
    language: Said = Language.ENGLISH,
) -> None:
    """List proposals that wait for an answer, contradictions first."""
    from souvenance.memory.ladder import fact_line

    names = [vault] if vault is not None else list(session.slugs.values())
    views = [
        view
        for name in names
        for view in session.memory.proposals.list(actor=session.actor, vault=name, standing=standing, limit=limit)
    ][:limit]
    session.out.table(
        {"proposals": [_shape(session, view, language) for view in views]},
        columns=("proposal", "vault", "what", "this", "that"),
        rows=[
            (
                view.proposal.id,
                session.slugs.get(view.proposal.vault_id, ""),
                label(view.proposal.kind, language),
                "" if view.this is None else fact_line(view.this),
                view.proposal.draft if view.that is None else fact_line(view.that),
            )
            for view in views
        ],
        empty=say("waits" if standing is Standing.WAITING else "none", language),
    )


@verb(group, "show")
def show(session: Session, proposal: Id, *, language: Said = Language.ENGLISH) -> None:
    """Show a proposal: both facts, why, and what may be answered."""
    view = session.memory.proposals.get(actor=session.actor, proposal=proposal)
    session.out.say(_shape(session, view, language), *_lines(view, language))


@verb(
    group,
    "answer",
    writes=True,
    example="proposal answer 4931tavn0t7x merge",
)
def answer(
    session: Session,
    proposal: Id,
    said: Annotated[Answer, typer.Argument(metavar="ANSWER", help="One of those that `proposal show` names.")],
    *,
    language: Said = Language.ENGLISH,
) -> None:
    """Say what becomes of a proposal. A merge keeps one wording and retires the other, which can be restored."""
    proposals = session.memory.proposals
    done = proposals.answer(actor=session.actor, proposal=proposal, answer=said)
    lines = [f"{label(said, language)[:1].upper()}{label(said, language)[1:]}."]
    if done.retired is not None and done.kept is not None:
        lines.append(say("replaced", language, retired=done.retired.number, kept=done.kept.number))
    elif done.kept is not None:
        lines.append(say("summary_now", language, kept=done.kept.number))
    view = proposals.get(actor=session.actor, proposal=proposal)
    facts = {
        name: None if item is None else fact_shape(session, item)
        for name, item in (("retired", done.retired), ("kept", done.kept))
    }
    session.out.say({"proposal": _shape(session, view, language), **facts}, *lines)


def _shape(session: Session, view: ProposalView, language: str) -> dict[str, Any]:
    from souvenance.consolidation.decide import described

    facts = {
        side: None if item is None else fact_shape(session, item)
        for side, item in (("this", view.this), ("that", view.that))
    }
    shape: dict[str, Any] = plain(described(view, language) | facts)
    return shape | {"vault": session.slugs.get(view.proposal.vault_id, "")}


def _lines(view: ProposalView, language: str) -> list[str]:
    from souvenance.consolidation.decide import described
    from souvenance.memory.ladder import fact_line

    item, shape = view.proposal, described(view, language)
    lines = [f"{shape['label']} ({item.score:.0%})"]
    lines += [f"  {say(name, language)}: {fact_line(fact)}"
              for name, fact in (("this", view.this), ("that", view.that)) if fact]  # fmt: skip
    lines += [f"  {shape['outdated']}"] if shape["outdated"] else []
    lines += [f"  {say('draft', language)}: {view.proposal.draft}"] if view.proposal.draft else []
    for why in shape["why"]:
        both = " | ".join(part for part in (why["this"], why["that"]) if part)
        lines.append(f"  {why['label']}{f': {both}' if both else ''}")
    lines += [f"  {one['answer']}: {one['label']}" for one in shape["answers"]]
    if shape["overtaken"] is not None:
        stale = stale_words(None if view.gone is None else view.gone.number, shape["overtaken"], language)
        lines.append(f"  {say('closed', language, stale=stale)}")
    if item.answer is not None and item.answered_at is not None:
        said = label(item.answer, language)
        at = isoformat(item.answered_at)
        lines.append(f"  {say('answered', language, who=item.answered_by, at=at, answer=said)}")
    return lines
