"""`souvenance search` and `souvenance recall`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from souvenance.domain.note import NoteClass
from souvenance.domain.protection import withheld_sentence
from souvenance.interfaces.cli.output import plain
from souvenance.interfaces.cli.session import Session, verb
from souvenance.retrieval.answer import Confidence, Matcher, Recall, Trace

group = typer.Typer()

Vaults = Annotated[list[str] | None, typer.Option("--vault", help="Only this vault, whatever its attention; repeats.")]


@verb(
    group,
    "search",
    example='search "which language does the server speak?" --vault server',
)
def search(
    session: Session,
    query: Annotated[str, typer.Argument(help="Words or a question, in any language.")],
    *,
    vault: Vaults = None,
    note_class: Annotated[NoteClass | None, typer.Option("--class", help="Only notes of this class.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="At most this many.")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many, to page on.")] = 0,
    matcher: Annotated[Matcher | None, typer.Option(help="How to match; the best there is when left out.")] = None,
) -> None:
    """Find facts and notes by words and by meaning, the best first."""
    if matcher is not Matcher.WORDS:
        session.catch_up(query)
    answer = session.memory.retrieval.search(
        actor=session.actor,
        query=query,
        vault=vault or None,
        note_class=note_class,
        limit=limit,
        offset=offset,
        matcher=matcher,
    )
    rows = [
        (
            f"#{hit.number}" if hit.number is not None else hit.note_id,
            hit.vault,
            hit.title,
            hit.excerpt,
            f"{hit.score:.2f}",
            hit.confidence,
        )
        for hit in answer.hits
    ]
    session.out.table(
        answer.as_dict(),
        columns=("", "vault", "title", "excerpt", "score", "sure"),
        rows=rows,
        empty="Nothing relevant was found.",
    )
    if rows and answer.confidence is Confidence.NONE:
        session.out.note("Nothing relevant was found; these only look alike.")
    if answer.more:
        session.out.note(f"There is more: --offset {offset + limit}")
    _tell(session, answer.trace)


@verb(
    group,
    "recall",
    example='recall "the server" --budget 600',
)
def recall(
    session: Session,
    topic: Annotated[str, typer.Argument(help="What to gather what is known about.")],
    *,
    vault: Vaults = None,
    depth: Annotated[int, typer.Option(min=0, max=3, help="How many links to follow.")] = 1,
    budget: Annotated[int, typer.Option(min=50, max=50_000, help="At most this many tokens.")] = 4000,
    max_per_source: Annotated[int | None, typer.Option(min=20, help="At most this many tokens of one source.")] = None,
) -> None:
    """Gather what is known on a topic into one block of text, with its sources."""
    session.catch_up(topic)
    found = session.memory.retrieval.recall(
        actor=session.actor,
        topic=topic,
        vault=vault or None,
        depth=depth,
        budget_tokens=budget,
        max_per_source=max_per_source,
    )
    session.out.say(_recall_shape(found), found.text or "Nothing relevant was found.")
    if found.cut:
        session.out.note("This was cut to fit the budget; a larger --budget shows more.")
    _tell(session, found.trace)


def _recall_shape(found: Recall) -> dict[str, Any]:
    shape: dict[str, Any] = plain(found)
    trace = shape.pop("trace")
    return shape | {name: value for name, value in trace.items() if name not in shape}


_MATCHED = {Matcher.WORDS: "words", Matcher.VECTORS: "meaning", Matcher.HYBRID: "words and meaning"}


def _tell(session: Session, trace: Trace) -> None:
    """What a person should know of how the answer came to be."""
    if trace.queried or not trace.passed_over:
        why = f": {trace.why}" if trace.why else ""
        session.out.note(f"Matched by {_MATCHED[trace.matcher]}{why}.".replace("..", "."))
    if kept_back := withheld_sentence(trace.withheld, named=trace.named_withheld):
        session.out.note(f"{kept_back}.")
    if trace.passed_over:
        session.out.note(f"Not queried, at attention 0: {', '.join(trace.passed_over)}.")
