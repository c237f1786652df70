"""One scale for words and meaning, and how sure the answer is.

Everything here is a pure function of arrays: no database, no model. A store proposes candidates from every vault in
scope, all together; they are scored against the *field* (the statistics of all those vaults as one), never against
the best hit of their own vault, so that a vault with nothing relevant cannot take a place by having a best hit.

The score of a passage, before attention:

    words     c², where c is the share of the query's weight that the passage covers: each word weighs its inverse
              document frequency (a quarter of it for function words), and counts to the degree of a BM25 saturation
              (Robertson and Zaragoza 2009, k1 = 0.8, b = 0.5). A word found nowhere counts in the whole, so that one
              chance word out of a sentence covers little, and the square keeps such chance words from mattering.
    meaning   0.1 z, where z is how many standard deviations the passage's similarity lies above the field's mean;
              a passage that also has a vector together with the one before it counts half of each.
    speaker   0.15 where the query names who said it.
    neighbours  a passage also covers 0.3 of what the better of its two neighbours in the same source covers, and
              receives a tenth of the scores of both.

Then it is multiplied by the vault's attention, so lowering a vault's attention never raises one of its results.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from souvenance.models.calibration import Calibration

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

SATURATION: Final = 0.8
LENGTH_INFLUENCE: Final = 0.5
COMMON_WORD_WEIGHT: Final = 0.25
COVERAGE_POWER: Final = 2.0
MEANING_WEIGHT: Final = 0.1
WITH_PREVIOUS_SHARE: Final = 0.5
SPEAKER_LIFT: Final = 0.15
NEIGHBOUR_COVERAGE: Final = 0.3
NEIGHBOUR_SCORE: Final = 0.1
MOST_COVERAGE: Final = 1.3

QUESTION_SHARE: Final = 0.25
"""Share of the average question taken out of a query's vector (see `steer`)."""

CHANCE_DEVIATIONS: Final = 1.5
"""What the runners-up of any field reach by chance; a small vault's margin is measured against no less."""


@dataclass(frozen=True, slots=True)
class Field:
    """What all the passages of the vaults in scope look like to one query.

    `document_frequencies` and `common` have one entry per word of the query, in the order of `Candidates.counts`: in
    how many of the `passages` it stands, and whether it is a function word. `similarity_mean` and
    `similarity_deviation` describe the similarities of the query to all passages (or a sample of them) and to the
    background sentences, which keep both meaningful in a vault of three facts; `similarity_deviation` is 0 where
    there are no vectors.
    """

    passages: int
    average_length: float
    document_frequencies: Floats
    common: Flags
    similarity_mean: float = 0.0
    similarity_deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class Candidates:
    """The passages to rank, as columns; every array but `counts` has one entry per passage.

    counts: words × passages, how often each word of the query stands in each passage (the best of its forms).
    lengths: number of terms. attention: weight of the passage's vault, 0 to 1. similarities: to the query (see
    `steer`), NaN where the passage has no vector yet; all NaN when only words are searched.
    similarities_with_previous: the same for the passage joined to the one before it, NaN where there is none.
    spoken_by_named: the query names who said it. previous: position among the candidates of the passage just before
    in the same source, -1 where it is not there.
    """

    counts: Floats
    lengths: Floats
    attention: Floats
    similarities: Floats
    similarities_with_previous: Floats
    spoken_by_named: Flags
    previous: Whole


@dataclass(frozen=True, slots=True)
class Parts:
    """Why one passage stands where it does; the first four add up to `score` / `attention` (0 when below 0)."""

    words: float
    meaning: float
    speaker: float
    neighbours: float
    attention: float
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates scored. `order` holds positions, best first, without those at attention 0."""

    order: Whole
    scores: Floats
    unweighted: Floats
    coverage: Floats
    words: Floats
    meaning: Floats
    speaker: Floats
    neighbours: Floats
    attention: Floats

    def parts(self, position: int) -> Parts:
        """Return what the score of the candidate at `position` is made of."""
        return Parts(
            words=float(self.words[position]),
            meaning=float(self.meaning[position]),
            speaker=float(self.speaker[position]),
            neighbours=float(self.neighbours[position]),
            attention=float(self.attention[position]),
            score=float(self.scores[position]),
        )


class Sureness(StrEnum):
    """How an answer is to be taken: as one, with care, or as nothing relevant."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Confidence:
    """`sureness`, the probability-like number it was cut from (0 to 1), and the signals: the share of the query that
    the best hit covers, its margin over the next two relative to its own score, its similarity (None without
    vectors)."""

    sureness: Sureness
    value: float
    coverage: float
    margin: float
    similarity: float | None


STRONG_FROM: Final = 0.5
NONE_BELOW: Final = 0.27


def steer(query: NDArray[np.float32], average_question: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the query's vector without a share of what all questions have in common.

    Questions lie near other questions, whatever they ask about, so in a conversation they would find questions rather
    than answers. `average_question` is the mean vector of the background questions. Similarities are dot products
    with the result; it is not normalised again.
    """
    return (query - np.float32(QUESTION_SHARE) * average_question).astype(np.float32)


def word_weights(field: Field) -> Floats:
    """Return the weight of each word of the query: BM25's inverse document frequency, less for function words."""
    frequency = np.minimum(field.document_frequencies, field.passages)
    rarity = np.log1p((field.passages - frequency + 0.5) / (frequency + 0.5))
    return np.asarray(rarity * np.where(field.common, COMMON_WORD_WEIGHT, 1.0), dtype=np.float64)


def coverage(field: Field, candidates: Candidates) -> Floats:
    """Return the share of the query, 0 to 1, that each passage covers."""
    weights = word_weights(field)
    total = float(weights.sum())
    if total <= 0.0:
        return np.zeros(len(candidates.lengths))
    relative = candidates.lengths / max(field.average_length, 1.0)
    damping = SATURATION * (1.0 - LENGTH_INFLUENCE + LENGTH_INFLUENCE * relative)
    saturated = candidates.counts * (SATURATION + 1.0) / (candidates.counts + damping)
    return np.minimum(weights @ saturated / total, 1.0)


def rank(field: Field, candidates: Candidates) -> Ranking:
    """Score and order the candidates; equal scores keep the order in which the candidates came."""
    covered = coverage(field, candidates)
    before, after = _around(candidates.previous, covered)
    lifted = np.minimum(covered + NEIGHBOUR_COVERAGE * np.maximum(before, after), MOST_COVERAGE)
    words = covered**COVERAGE_POWER
    meaning = MEANING_WEIGHT * _deviations(field, candidates)
    speaker = SPEAKER_LIFT * candidates.spoken_by_named
    own = np.asarray(lifted**COVERAGE_POWER + meaning + speaker, dtype=np.float64)
    before, after = _around(candidates.previous, np.maximum(own, 0.0))
    unweighted = np.maximum(own + NEIGHBOUR_SCORE * (before + after), 0.0)
    scores = unweighted * candidates.attention
    order = np.argsort(-scores, kind="stable")
    return Ranking(
        order=order[candidates.attention[order] > 0.0],
        scores=scores,
        unweighted=unweighted,
        coverage=covered,
        words=words,
        meaning=meaning,
        speaker=np.asarray(speaker, dtype=np.float64),
        neighbours=lifted**COVERAGE_POWER - words + NEIGHBOUR_SCORE * (before + after),
        attention=candidates.attention,
    )


def confidence(ranking: Ranking, candidates: Candidates, calibration: Calibration | None) -> Confidence:
    """Say whether the best hit answers the query. Attention plays no part: it weighs vaults, not truth.

    With vectors, three signals are added up as logits:
        3 margin            how far the second and third hits, on average, stay behind (two facts may both answer)
        - 2.5 near miss     4 c (0.8 - c) where the coverage c is partial: the hit speaks of the same thing, and some of
                            what was asked is not in it; none of the words (a paraphrase) or nearly all is no such sign
        slope (s - level)   its similarity, where the model's own level is known
    By words alone: 5 (c + 0.3 margin - 0.6).
    """
    if not len(ranking.order) or ranking.unweighted[ranking.order[0]] <= 0.0:
        return Confidence(Sureness.NONE, 0.0, 0.0, 0.0, None)
    best = int(ranking.order[0])
    similarity = float(candidates.similarities[best])
    by_meaning = calibration is not None and not np.isnan(similarity)
    covered = float(ranking.coverage[best])
    margin = _margin(ranking, best, MEANING_WEIGHT * CHANCE_DEVIATIONS if by_meaning else 0.0)
    if calibration is not None and by_meaning:
        near_miss = 4.0 * covered * max(0.0, 0.8 - covered)
        logit = 3.0 * margin - 2.5 * near_miss + calibration.slope * (similarity - calibration.level)
    else:
        logit = 5.0 * (covered + 0.3 * margin - 0.6)
    value = float(1.0 / (1.0 + np.exp(-logit)))
    sureness = Sureness.STRONG if value >= STRONG_FROM else Sureness.WEAK if value >= NONE_BELOW else Sureness.NONE
    return Confidence(sureness, value, covered, margin, similarity if by_meaning else None)


def _margin(ranking: Ranking, best: int, floor: float) -> float:
    top = float(ranking.unweighted[best])
    others = np.sort(ranking.unweighted[ranking.order[1:]])[::-1][:2]
    behind = np.maximum(np.pad(others, (0, 2 - len(others))), floor)
    return float(min(max(1.0 - behind.mean() / top, 0.0), 1.0))


def _deviations(field: Field, candidates: Candidates) -> Floats:
    """Return how far above the field's mean each similarity lies, 0 where a passage has no vector."""
    if field.similarity_deviation <= 0.0:
        return np.zeros(len(candidates.lengths))
    joined = candidates.similarities_with_previous
    mixed = (1.0 - WITH_PREVIOUS_SHARE) * candidates.similarities + WITH_PREVIOUS_SHARE * joined
    similarity = np.where(np.isnan(joined), candidates.similarities, mixed)
    return np.nan_to_num((similarity - field.similarity_mean) / field.similarity_deviation, nan=0.0)


def _around(previous: Whole, values: Floats) -> tuple[Floats, Floats]:
    """Return, for each passage, the values of the one before and the one after in its source, 0 where there is none."""
    has = previous >= 0
    before = np.where(has, values[previous], 0.0)
    after = np.zeros_like(values)
    after[previous[has]] = values[has]
    return before, after
