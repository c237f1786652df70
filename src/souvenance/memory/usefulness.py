"""How useful a fact is to what is being said: the score of step four, and each of its parts (T4).

The sum of three parts that Park et al. 2023 ("Generative Agents: Interactive Simulacra of Human Behavior", section 4.1)
retrieve memories by, each weighed by the vault:

    score = confidence' * (w_recency * recency + w_importance * importance + w_relevance * relevance) / (sum of weights)

    recency     0.5 ** (age / 30 days), age since the last change
    importance  (i - 1) / 9 for an importance i of 1 to 10; 0.5 where nobody scored it
    relevance   0 to 1: below step six from the place in the search results, on it from measured proximity
    confidence' 0.5 + 0.5 * confidence: 1 for a certain fact, 0.5 for a wholly uncertain one

What was changed, and why:
- Recency fades by half a month's age, not by 0.995 an hour: facts of a community live for months, memories of a
  simulated day for hours. It is counted from the last change, not from the last retrieval: being shown must not keep
  a fact in front, or what was once chosen would be chosen for ever.
- No part is scaled to the minimum and maximum among the candidates, as the paper does: one new fact would then move
  all others. Each part has its own fixed scale, so the score of a fact depends on that fact alone, and is continuous.
- A fact without importance stands in the middle, since the score fills in as facts are written again.
- Confidence multiplies, and only downward: a doubtful fact does not pass before a certain one of the same merit.

Why relevance weighs four times the others by default is measured by `bench/ranked.py` (docs/ladder.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

HALF_LIFE_DAYS = 30.0
MIDDLE = 0.5
LEAST_CONFIDENCE = 0.5
"""What a confidence of 0 multiplies by."""
PLACE_SCALE = 5.0
"""After how many places in the search results relevance has fallen to half."""
NO_NEARER, NEAREST = 0.0, 4.0
"""Standard deviations above the field's mean that count as relevance 0 and 1."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What recency, importance and relevance weigh in one vault, each 0 or more."""

    recency: float = 1.0
    importance: float = 1.0
    relevance: float = 4.0


@dataclass(frozen=True, slots=True)
class Why:
    """Why a fact stands where it does: what each part gives (the first three add up, the fourth multiplies)."""

    recency: float
    importance: float
    relevance: float
    confidence: float

    @property
    def total(self) -> float:
        """The score."""
        return self.confidence * (self.recency + self.importance + self.relevance)


@dataclass(frozen=True, slots=True)
class Scored:
    """The parts and totals of many facts, as columns."""

    recency: Floats
    importance: Floats
    relevance: Floats
    confidence: Floats
    total: Floats

    def why(self, place: int) -> Why:
        """The four numbers of one fact."""
        return Why(
            float(self.recency[place]),
            float(self.importance[place]),
            float(self.relevance[place]),
            float(self.confidence[place]),
        )


def score(*, age_days: Floats, importance: Floats, relevance: Floats, confidence: Floats, weights: Weights) -> Scored:
    """The usefulness of facts, 0 to 1; `importance` is NaN where there is none. Weights all 0 count as equal."""
    whole = weights.recency + weights.importance + weights.relevance
    shares = (
        (weights.recency / whole, weights.importance / whole, weights.relevance / whole) if whole > 0 else (1 / 3,) * 3
    )
    recency = shares[0] * 0.5 ** (np.maximum(age_days, 0.0) / HALF_LIFE_DAYS)
    important = shares[1] * np.where(np.isnan(importance), MIDDLE, (importance - 1.0) / 9.0)
    relevant = shares[2] * np.clip(relevance, 0.0, 1.0)
    sure = LEAST_CONFIDENCE + (1.0 - LEAST_CONFIDENCE) * np.clip(confidence, 0.0, 1.0)
    return Scored(recency, important, relevant, sure, sure * (recency + important + relevant))


def relevance_of_place(place: int) -> float:
    """The relevance of the fact at a place of the search results, 1 for the first (place 0), half after five more."""
    return 1.0 / (1.0 + place / PLACE_SCALE)


def relevance_of_nearness(similarities: Floats, *, mean: float, deviation: float) -> Floats:
    """The relevance of facts whose vectors lie so near to the message: how far above the field's mean, 0 to 1.

    Cosines of one model crowd together, so what counts is how far one stands out. Rises in a straight line up to four
    standard deviations; NaN (no vector) is 0.
    """
    if deviation <= 0.0:
        return np.zeros(len(similarities))
    above = (np.nan_to_num(similarities, nan=mean) - mean) / deviation
    return np.clip((above - NO_NEARER) / (NEAREST - NO_NEARER), 0.0, 1.0)
