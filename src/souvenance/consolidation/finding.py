"""What a vault says twice and where it disagrees: one way of looking, for the pass and for its simulation (T5, T8)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from souvenance.consolidation.candidates import candidate_pairs
from souvenance.consolidation.nearest import Vectors, nearest
from souvenance.consolidation.pairs import Verdict, judge
from souvenance.domain.proposal import Pair, pair_of
from souvenance.store.said import Said


@dataclass(frozen=True, slots=True)
class Found:
    """Two facts that say the same or contradict one another. `this` is the one to keep where they say the same."""

    this: Said
    that: Said
    verdict: Verdict
    similarity: float | None
    is_demoted: bool = False
    """Whether a model called a contradiction what seemed said twice."""


@dataclass(slots=True)
class Findings:
    """What was found. `compared` counts the pairs judged, `answered_before` those left out because someone said that
    both stay; `is_cut` says that not all could be looked at."""

    pairs: list[Found] = field(default_factory=list)
    compared: int = 0
    answered_before: int = 0
    is_cut: bool = False


def find_pairs(
    facts: Sequence[Said],
    *,
    vectors: Vectors | None = None,
    kept_apart: Collection[Pair] = (),
    go_on: Callable[[], bool] = lambda: True,
) -> Findings:
    """Judge every pair of these facts that is worth it; summaries are left out, since they repeat by design (F6).

    `kept_apart` are the pairs of wordings that are not to be asked of again. Pure, and long for many facts: `go_on` is
    asked often, and ends it when it says no.
    """
    compared = [item for item in facts if not item.is_summary]
    places = {item.number: place for place, item in enumerate(compared)}
    cosine = _cosines(compared, vectors)
    findings = Findings()
    for candidate in candidate_pairs(compared, _neighbours(places, vectors, go_on), go_on=go_on):
        if not go_on():
            break
        one, other = compared[candidate.a], compared[candidate.b]
        similarity = cosine(one.number, other.number)
        verdict = judge_pair(one, other, similarity, None if vectors is None else vectors.unrelated)
        findings.compared += 1
        if verdict.label == "distinct":
            continue
        if pair_of(one.wording, other.wording) in kept_apart:
            findings.answered_before += 1
        else:
            findings.pairs.append(Found(*in_order(one, other, verdict), verdict, similarity))
    findings.is_cut = not go_on()
    findings.pairs.sort(key=lambda found: (-found.verdict.score, found.this.number, found.that.number))
    return findings


def judge_pair(one: Said, other: Said, similarity: float | None, unrelated: float | None) -> Verdict:
    """`pairs.judge`; the cosines of a model whose `unrelated` nobody measured propose pairs, and do not judge them."""
    if unrelated is None:
        return judge(one, other)
    return judge(one, other, similarity, unrelated=unrelated)


def in_order(one: Said, other: Said, verdict: Verdict) -> tuple[Said, Said]:
    """Of two that say the same, first the one to keep: the surer, the more important, the later, the older number.

    Of two that contradict one another nobody is preferred: they come in the order of their numbers.
    """
    if verdict.label != "duplicate":
        return (one, other) if one.number < other.number else (other, one)
    first, second = sorted((one, other), key=_worth, reverse=True)
    return first, second


def _worth(item: Said) -> tuple[float, float, float, int]:
    important = 5.5 if item.importance is None else float(item.importance)
    return item.confidence, important, item.updated_at.timestamp(), -item.number


def _neighbours(
    places: dict[int, int], vectors: Vectors | None, go_on: Callable[[], bool]
) -> dict[int, list[tuple[int, float]]]:
    if vectors is None:
        return {}
    rows = [row for row, number in enumerate(vectors.numbers) if number in places]
    matrix = vectors.matrix if len(rows) == len(vectors.matrix) else vectors.matrix[rows]
    near = nearest(matrix, go_on=go_on)
    place_of = [places[vectors.numbers[row]] for row in rows]
    return {
        place_of[row]: [(place_of[other], similarity) for other, similarity in others] for row, others in near.items()
    }


def _cosines(facts: Sequence[Said], vectors: Vectors | None) -> Callable[[int, int], float | None]:
    rows = {} if vectors is None else vectors.rows()

    def cosine(one: int, other: int) -> float | None:
        if vectors is None or one not in rows or other not in rows:
            return None
        return float(vectors.matrix[rows[one]] @ vectors.matrix[rows[other]])

    return cosine
