"""`/search` and `/recall` (N6). Queries are bodies, so that they stand in no server's address log."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from souvenance.domain.note import NoteClass
from souvenance.interfaces.rest.caller import Caller, Memory
from souvenance.interfaces.rest.fields import MOST, Given, Shown, Text, Vault
from souvenance.retrieval.answer import Confidence, Matcher, Recall, hit_dict

router = APIRouter(tags=["retrieval"])

Query = Annotated[Text, Field(min_length=1, max_length=10_000, description="Words or a question, in any language.")]
Vaults = Annotated[
    list[Vault] | None,
    Field(max_length=200, description="Only these vaults, at full weight whatever their attention."),
]


class SearchGiven(Given):
    """What to look for, and where."""

    query: Query
    vaults: Vaults = None
    note_class: Annotated[NoteClass, Field(strict=False)] | None = Field(default=None, alias="class")
    limit: Annotated[int, Field(ge=1, le=MOST)] = 20
    offset: Annotated[int, Field(ge=0, le=10_000)] = 0
    matcher: Annotated[Matcher, Field(strict=False)] | None = Field(
        default=None, description="How to match; the best there is when left out."
    )


class RecallGiven(Given):
    """What to gather, and how much of it."""

    topic: Query
    vaults: Vaults = None
    depth: Annotated[int, Field(ge=0, le=3, description="Links followed from what is found.")] = 1
    budget_tokens: Annotated[int, Field(ge=50, le=50_000)] = 4000
    max_per_source: Annotated[int, Field(ge=20, le=50_000)] | None = None


class TraceShown(Shown):
    """What ran, and what was left out and why.

    `why` says why this matcher ran; `passed_over` lists vaults at attention 0; `withheld` counts what is kept back from
    this route, `named_withheld` the vaults that the question named and that are kept back whole; `waiting` counts
    passages without a vector yet.
    """

    matcher: Matcher
    why: str
    queried: list[str]
    passed_over: list[str]
    withheld: int
    named_withheld: int
    waiting: int
    milliseconds: float


class HitShown(Shown):
    """One result: a fact by `number` with its `version`, or a note by `note`. `parts` explains the score."""

    kind: str
    number: int | None = None
    version: int | None = None
    note: str
    vault: str
    title: str
    path: str
    excerpt: str
    score: float
    confidence: Confidence
    note_class: str = Field(alias="class")
    category: str
    updated_at: str
    parts: dict[str, float]


class AnswerShown(TraceShown):
    """Ranked excerpts. `confidence` none: nothing relevant was found, and the hits only look alike."""

    query: str
    confidence: Confidence
    hits: list[HitShown]
    more: bool


class SourceShown(Shown):
    """One source of a recall: how it was reached (depth 0: found) and what was taken of it."""

    kind: str
    vault: str
    title: str
    note: str
    number: int | None
    depth: int
    tokens: int
    cut: bool


class RecallShown(TraceShown):
    """One coherent block within the budget, its sources, and whether it was cut."""

    topic: str
    confidence: Confidence
    text: str
    tokens: int
    sources: list[SourceShown]
    cut: bool


@router.post("/search", summary="Search")
def search(memory: Memory, actor: Caller, given: SearchGiven) -> AnswerShown:
    """Facts and notes by words and by meaning, the best first, weighed by the owner's attention."""
    found = memory.retrieval.search(
        actor=actor,
        query=given.query,
        vault=given.vaults,
        note_class=given.note_class,
        limit=given.limit,
        offset=given.offset,
        matcher=given.matcher,
    )
    trace = found.trace
    return AnswerShown.model_validate(
        _trace(trace)
        | {
            "query": found.query,
            "confidence": found.confidence,
            "hits": [hit_dict(hit) for hit in found.hits],
            "more": found.more,
        }
    )


@router.post("/recall", summary="Recall a topic")
def recall(memory: Memory, actor: Caller, given: RecallGiven) -> RecallShown:
    """What is known on a topic as one block of text: notes and facts with their neighbours in the graph."""
    found: Recall = memory.retrieval.recall(
        actor=actor,
        topic=given.topic,
        vault=given.vaults,
        depth=given.depth,
        budget_tokens=given.budget_tokens,
        max_per_source=given.max_per_source,
    )
    return RecallShown.model_validate(
        _trace(found.trace)
        | {
            "topic": found.topic,
            "confidence": found.confidence,
            "text": found.text,
            "tokens": found.tokens,
            "sources": [
                {
                    "kind": source.kind,
                    "vault": source.vault,
                    "title": source.title,
                    "note": source.note_id,
                    "number": source.number,
                    "depth": source.depth,
                    "tokens": source.tokens,
                    "cut": source.cut,
                }
                for source in found.sources
            ],
            "cut": found.cut,
        }
    )


def _trace(trace: Any) -> dict[str, Any]:
    return {name: getattr(trace, name) for name in TraceShown.model_fields}
