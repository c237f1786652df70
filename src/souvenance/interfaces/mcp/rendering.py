"""Results as a model reads them: few tokens of text, the same things as structured content, both within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from souvenance.domain.fact import State, dates_meant
from souvenance.domain.protection import withheld_sentence
from souvenance.domain.tokens import estimate_tokens
from souvenance.domain.wording import counted
from souvenance.interfaces.mcp.quoting import NOTICE, inline, json_tokens, quoted, share, shortened
from souvenance.retrieval.answer import Confidence, hit_dict

if TYPE_CHECKING:
    from souvenance.domain.fact import Fact
    from souvenance.domain.note import Note
    from souvenance.retrieval.answer import Answer, Hit, Trace

SHORTEST_EXCERPT = 16
"""Tokens below which an excerpt says nothing: rather fewer results than shorter ones."""


ROOMY = 40
"""Tokens for what ran from which there is room for the way out as well."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answers: the text a model reads, and the same as data for clients that show only that."""

    text: str
    data: dict[str, Any] = field(default_factory=dict)


def moment(at: datetime | str | None) -> str:
    """A time to the minute, in UTC as stored."""
    if isinstance(at, datetime):
        return at.strftime("%Y-%m-%dT%H:%MZ")
    return at or ""


def lines(*parts: str | Iterable[str]) -> str:
    """Lines of an answer, empty ones left out."""
    flat: list[str] = []
    for part in parts:
        flat.extend([part] if isinstance(part, str) else part)
    return "\n".join(part for part in flat if part)


def fitting(rows: Sequence[Any], *, budget: int, least: int = 1) -> list[Any]:
    """The first rows of a listing that keep to a budget; at least `least`."""
    kept: list[Any] = []
    left = budget
    for row in rows:
        left -= json_tokens(row)
        if left < 0 and len(kept) >= least:
            break
        kept.append(row)
    return kept


def named(values: Sequence[str], *, budget: int) -> str:
    """The first names of many, within so many tokens."""
    shown = fitting(values, budget=budget, least=0)
    left = len(values) - len(shown)
    if not shown:
        return f"{left} vaults"
    return ", ".join(shown) + (f" and {left} more" if left else "")


def trace_lines(trace: Trace, *, budget: int) -> list[str]:
    """What ran, and what was left out and why (V8, V12, N6). Names and reasons keep to the budget; each is said."""
    why = shortened(trace.why, budget // 2)
    said = [f"matcher: {trace.matcher}" + (f" ({why})" if why else "")]
    if trace.passed_over:
        names = named(trace.passed_over, budget=budget // 2)
        said.append(f"passed over at attention 0: {names}" + ("; vault= asks one" if budget >= ROOMY else ""))
    if kept_back := withheld_sentence(trace.withheld, named=trace.named_withheld):
        said.append(kept_back)
    if trace.waiting:
        said.append(
            f"{counted(trace.waiting, 'passage')} still {'waits' if trace.waiting == 1 else 'wait'} for a vector"
        )
    return said


def trace_data(trace: Trace, *, budget: int) -> dict[str, Any]:
    """The trace as data; names and reasons keep to the budget."""
    return {
        "matcher": trace.matcher,
        "why": shortened(trace.why, budget // 2),
        "passed_over": fitting(trace.passed_over, budget=budget // 2, least=0),
        "passed_over_count": len(trace.passed_over),
        "withheld": trace.withheld,
        "named_withheld": trace.named_withheld,
        "waiting": trace.waiting,
    }


def _hit_data(hit: Hit, excerpt: str) -> dict[str, Any]:
    shown = hit_dict(hit) | {"excerpt": excerpt, "score": round(hit.score, 3)}
    for name in ("parts", "category", "updated_at"):
        shown.pop(name, None)
    if hit.number is not None:  # the same string form in which tools take a version
        shown["version"] = str(hit.version)
    if shown.get("path") and shown["path"].endswith(hit.title):
        shown.pop("title")  # the path ends with it
    return {name: value for name, value in shown.items() if value not in ("", None)}


def _hit_head(position: int, hit: Hit) -> str:
    what = f"[#{hit.number}] v{hit.version}, note {hit.note_id}" if hit.number is not None else f"note {hit.note_id}"
    return f"{position}. {what}, vault {hit.vault}, {hit.note_class}, {hit.score:.2f} {hit.confidence}"


def search_result(answer: Answer, *, budget: int) -> Result:
    """Ranked excerpts, each shortened as far as all need to fit; the last are left out, and said, when they cannot."""
    found = list(answer.hits)
    traced, tail = trace_data(answer.trace, budget=budget // 6), trace_lines(answer.trace, budget=budget // 6)
    frame = 60 + sum(estimate_tokens(line) for line in tail) + json_tokens(traced)
    bare = [json_tokens(_hit_data(hit, "")) + 4 for hit in found]
    sizes = [json_tokens(hit.excerpt) for hit in found]
    while found and sum(bare) + SHORTEST_EXCERPT * len(found) > budget - frame:
        found.pop(), bare.pop(), sizes.pop()
    each = share(sizes, budget - frame - sum(bare))
    excerpts = [shortened(hit.excerpt, each) for hit in found]
    left_out = len(answer.hits) - len(found)
    said: list[str] = []
    if answer.confidence is Confidence.NONE:
        said.append("Nothing relevant was found." + (" The nearest, all weak:" if found else ""))
    else:
        said.append(f"{len(found)} found, confidence {answer.confidence}. {NOTICE}")
    for position, (hit, excerpt) in enumerate(zip(found, excerpts, strict=True), start=1):
        where = hit.path or hit.title
        said += [_hit_head(position, hit), quoted(where), quoted(excerpt)]
    if left_out:
        said.append(f"{left_out} more did not fit: narrow the query, or name a vault or class.")
    elif answer.more:
        said.append("There is more: raise limit, narrow the query, or name a vault or class.")
    data = {
        "confidence": answer.confidence,
        "hits": [_hit_data(hit, excerpt) for hit, excerpt in zip(found, excerpts, strict=True)],
        "more": answer.more or left_out > 0,
        **traced,
    }
    return Result(lines(said, tail), data)


def fact_line(fact: Fact) -> str:
    """A fact's number, version and state, in the tool's own words, and what the dates it says meant."""
    state = "" if fact.state is State.IN_FORCE else f" {fact.state}"
    by = f", replaced by [#{fact.replaced_by}]" if fact.replaced_by else ""
    return f"[#{fact.number}] v{fact.version}{state}{by}{dates_meant(fact.said_dates)}"


def note_data(note: Note, *, vault: str) -> dict[str, Any]:
    """A note's place and version as data, without its text."""
    return {
        "note": note.id,
        "version": str(note.version),
        "vault": vault,
        "class": note.note_class,
        "path": note.path,
        "updated_at": moment(note.updated_at),
    }


def note_line(note: Note, *, vault: str) -> str:
    """A note's place and version in one line of the tool's own."""
    return f"note {note.id} v{note.version}, vault {vault}, {note.note_class}, {inline(note.path)}"
