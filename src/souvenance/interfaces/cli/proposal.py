"""`souvenance consolidate`, `vault passes`, `proposal`: what a vault says twice or contradicts, for a person (T5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from souvenance.consolidation.decide import ProposalView, described
from souvenance.consolidation.passes import decision_dict, pass_dict
from souvenance.domain.clock import isoformat
from souvenance.domain.proposal import Answer, Standing, label
from souvenance.interfaces.cli.output import plain
from souvenance.interfaces.cli.scope import Language, Said
from souvenance.interfaces.cli.session import Session, verb
from souvenance.interfaces.cli.shapes import fact_shape
from souvenance.interfaces.cli.vault import Name
from souvenance.memory.ladder import fact_line

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
    outcome = session.memory.passes.run(actor=session.actor, vault=vault, anyway=anyway)
    decision = decision_dict(outcome.decision, language)
    made = None if outcome.made is None else pass_dict(outcome.made, language)
    line = f"No pass: {decision['why']}." if made is None else _pass_line(made)
    session.out.say({"now": decision, "made": made}, line)
    if outcome.made is not None and outcome.made.proposed:
        session.out.note(f"souvenance proposal list --vault {vault} shows them.")


@verb(vaults, "passes")
def passes(session: Session, vault: Name, *, language: Said = Language.ENGLISH) -> None:
    """Show whether a vault would get a pass now and why, and the last passes."""
    status = session.memory.passes.status(actor=session.actor, vault=vault)
    shape = status.as_dict(language)
    runs = "A pass would run now" if status.decision.runs else "No pass now"
    until = "" if status.decision.until is None else f" (until {isoformat(status.decision.until)})"
    lines = [f"{runs}: {shape['now']['why']}{until}."]
    lines += [f"{isoformat(made['started_at'])}  {_pass_line(made)}" for made in shape["passes"]]
    session.out.say(shape, *lines)


def _pass_line(made: Mapping[str, Any]) -> str:
    more = f", {made['left_over']} left for the next pass" if made["left_over"] else ""
    asked = f" ({made['demoted']} called so by {made['model']})" if made["demoted"] else ""
    return (
        f"{made['facts']} facts: {made['duplicates']} said twice, {made['contradictions']} contradictions{asked}, "
        f"{made['summaries']} new summary, {made['answered_before']} answered before{more}; {made['why']}."
    )


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
        empty="Nothing waits for an answer." if standing is Standing.WAITING else "There is none.",
    )


@verb(group, "show")
def show(session: Session, proposal: Id, *, language: Said = Language.ENGLISH) -> None:
    """Show a proposal: both facts, why, and what may be answered."""
    view = session.memory.proposals.get(actor=session.actor, proposal=proposal)
    session.out.say(_shape(session, view, language), *_lines(view, language))


@verb(group, "answer", writes=True)
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
        lines.append(f"#{done.retired.number} is retired and replaced by #{done.kept.number}.")
    elif done.kept is not None:
        lines.append(f"#{done.kept.number} is the summary now.")
    view = proposals.get(actor=session.actor, proposal=proposal)
    facts = {
        name: None if item is None else fact_shape(session, item)
        for name, item in (("retired", done.retired), ("kept", done.kept))
    }
    session.out.say({"proposal": _shape(session, view, language), **facts}, *lines)


def _shape(session: Session, view: ProposalView, language: str) -> dict[str, Any]:
    facts = {
        side: None if item is None else fact_shape(session, item)
        for side, item in (("this", view.this), ("that", view.that))
    }
    shape: dict[str, Any] = plain(described(view, language) | facts)
    return shape | {"vault": session.slugs.get(view.proposal.vault_id, "")}


def _lines(view: ProposalView, language: str) -> list[str]:
    item, shape = view.proposal, described(view, language)
    lines = [f"{shape['label']} ({item.score:.0%})"]
    lines += [f"  {name}: {fact_line(fact)}" for name, fact in (("this", view.this), ("that", view.that)) if fact]
    lines += [f"  {shape['outdated']}"] if shape["outdated"] else []
    lines += [f"  draft: {item.draft}"] if item.draft else []
    for why in view.why:
        both = " | ".join(part for part in (why.a, why.b) if part)
        lines.append(f"  {why.code.replace('_', ' ')}{f': {both}' if both else ''}")
    lines += [f"  {one['answer']}: {one['label']}" for one in shape["answers"]]
    if shape["overtaken"] is not None:
        number = "one of its facts" if view.gone is None or view.gone.number is None else f"#{view.gone.number}"
        lines.append(f"  {number} {label(shape['overtaken'], language)}; it can be answered no more")
    if item.answer is not None and item.answered_at is not None:
        lines.append(f"  answered by {item.answered_by}, {isoformat(item.answered_at)}: {label(item.answer, language)}")
    return lines
