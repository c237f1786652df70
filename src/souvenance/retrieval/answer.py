"""What a search or a recall gives back: the hits, and why these and not others (N6, V2, V8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Matcher(StrEnum):
    """Which matcher really ran."""

    WORDS = "words"
    HYBRID = "hybrid"
    VECTORS = "vectors"


class Confidence(StrEnum):
    """How sure it is that something relevant was found."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result: a fact by its number or a note by its id. `score` is on one scale for all vaults, attention included.

    `parts` explains the score: what words, meaning, speaker, neighbours and attention each gave.
    """

    kind: str
    vault: str
    title: str
    excerpt: str
    score: float
    confidence: Confidence
    path: str
    note_id: str
    number: int | None = None
    version: int = 1
    category: str = ""
    note_class: str = ""
    updated_at: str = ""
    parts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What ran to make an answer and what was left out of it, in numbers and names the caller may know.

    `why` says why this matcher ran ("312 of 500 embedded"...); `passed_over` lists vaults at attention 0;
    `withheld` counts results kept back because their vault is protected and the route is cloud, `named_withheld` the
    vaults that the question named and that are kept back whole.
    """

    matcher: Matcher
    why: str = ""
    queried: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    withheld: int = 0
    named_withheld: int = 0
    waiting: int = 0
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Ranked excerpts, and whether anything relevant was found at all.

    `confidence_value` is the number, 0 to 1, that `confidence` was cut from (`ranking.STRONG_FROM`, `NONE_BELOW`): it
    grows with how sure the answer is, and is no probability.
    """

    query: str
    confidence: Confidence
    confidence_value: float
    hits: tuple[Hit, ...]
    trace: Trace
    more: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The answer as every interface sends it."""
        return {
            "query": self.query,
            "matcher": self.trace.matcher,
            "why": self.trace.why,
            "confidence": self.confidence,
            "confidence_value": round(self.confidence_value, 4),
            "hits": [hit_dict(hit) for hit in self.hits],
            "more": self.more,
            "queried": list(self.trace.queried),
            "passed_over": list(self.trace.passed_over),
            "withheld": self.trace.withheld,
            "named_withheld": self.trace.named_withheld,
            "waiting": self.trace.waiting,
            "milliseconds": round(self.trace.milliseconds, 2),
        }


def hit_dict(hit: Hit) -> dict[str, Any]:
    """One hit as every interface sends it: a fact by `number`, a note by `note`."""
    shown: dict[str, Any] = {"kind": hit.kind}
    if hit.number is not None:
        shown["number"] = hit.number
        shown["version"] = hit.version
    shown |= {
        "note": hit.note_id,
        "vault": hit.vault,
        "title": hit.title,
        "path": hit.path,
        "excerpt": hit.excerpt,
        "score": round(hit.score, 4),
        "confidence": hit.confidence,
        "class": hit.note_class,
        "category": hit.category,
        "updated_at": hit.updated_at,
        "parts": {name: round(value, 4) for name, value in hit.parts.items()},
    }
    return shown


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceUsed:
    """One source of a recall: what was taken of it and how it was reached (0 links: found; 1: a neighbour ...)."""

    kind: str
    vault: str
    title: str
    note_id: str
    number: int | None = None
    depth: int = 0
    tokens: int = 0
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """One coherent block within a token budget, its sources, and whether it was cut (N6)."""

    topic: str
    confidence: Confidence
    text: str
    tokens: int
    sources: tuple[SourceUsed, ...]
    cut: bool
    trace: Trace
