"""Which pairs of a whole vault are worth judging, in far less than quadratic time.

Each fact is a handful of features (stems or concepts, names, values, key). Pairs come from the features that few facts
share: a feature found everywhere says nothing and is left out, which bounds the work. Vectors, where they exist, add
their nearest neighbours.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from souvenance.consolidation.reading import read, read_key

if TYPE_CHECKING:
    from souvenance.consolidation.pairs import FactText

PER_FACT = 8
"""Candidates kept for each fact from words, the likeliest first."""
COMMON_FROM = 120
"""A feature that more facts of one subject share is too common to bring two together."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two facts by their places in the list given (`a < b`), and the similarity of their vectors where known."""

    a: int
    b: int
    similarity: float | None = None


def candidate_pairs(
    facts: Sequence[FactText],
    neighbours: Mapping[int, Sequence[tuple[int, float]]] | None = None,
    *,
    per_fact: int = PER_FACT,
    go_on: Callable[[], bool] = lambda: True,
) -> list[Candidate]:
    """The pairs of `facts` worth judging, each once, in order of place.

    `neighbours` gives, for the place of a fact, places of its nearest facts with their cosines. Facts with two
    different subjects never pair. Time grows with the number of facts, not its square: 20,000 facts take seconds.
    `go_on` is asked at each fact, and ends it when it says no.
    """
    found: dict[tuple[int, int], float | None] = {}
    for place, near in (neighbours or {}).items():
        for other, similarity in near:
            if other != place and _same_subject(facts[place], facts[other]):
                found[min(place, other), max(place, other)] = similarity
    for group in _by_subject(facts):
        for a, b in _by_words(facts, group, per_fact, go_on):
            found.setdefault((a, b), None)
    return [Candidate(a, b, similarity) for (a, b), similarity in sorted(found.items())]


def _same_subject(a: FactText, b: FactText) -> bool:
    return a.subject is None or b.subject is None or a.subject == b.subject


def _by_subject(facts: Sequence[FactText]) -> Iterator[list[int]]:
    """Places by subject; facts without one go with every subject's (and among themselves)."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for place, fact in enumerate(facts):
        groups[str(fact.subject) if fact.subject is not None else None].append(place)
    anyone = groups.pop(None, [])
    if anyone:
        yield anyone
    for group in groups.values():
        # A few subjects may each meet the facts of nobody in particular; a crowd of them meets by its own words only.
        yield sorted(group + anyone) if len(groups) * len(anyone) <= 4 * len(facts) else group


def _by_words(
    facts: Sequence[FactText], group: list[int], per_fact: int, go_on: Callable[[], bool]
) -> Iterator[tuple[int, int]]:
    if len(group) < 2:
        return
    features = [_features(facts[place]) for place in group if go_on()]
    holders: dict[Hashable, list[int]] = defaultdict(list)
    for local, own in enumerate(features):
        for feature in own:
            holders[feature].append(local)
    postings = {
        feature: (np.asarray(places, dtype=np.int64), math.log(1 + len(group) / len(places)))
        for feature, places in holders.items()
        if 2 <= len(places) <= COMMON_FROM
    }
    for local, own in enumerate(features):
        if not go_on():
            return
        lists = [(postings[feature], weight) for feature, weight in own.items() if feature in postings]
        if not lists:
            continue
        places = np.concatenate([entry[0] for entry, _ in lists])
        weights = np.concatenate([np.full(len(entry[0]), entry[1] * weight) for entry, weight in lists])
        others, inverse = np.unique(places, return_inverse=True)
        totals = np.bincount(inverse, weights=weights)
        totals[others == local] = 0.0
        for index in np.argsort(-totals)[:per_fact]:
            other = int(others[index])
            if totals[index] > 0:
                yield min(group[local], group[other]), max(group[local], group[other])


def _features(fact: FactText) -> dict[Hashable, float]:
    reading = read(fact.content, fact.language)
    found: dict[Hashable, float] = {}
    for term in reading.terms:
        if term.weight < 1:
            continue
        found[term.surface if term.name else term.stem] = term.weight
        for concept in term.meaning.concepts:
            found[concept] = 0.7
    for value in reading.values:
        found[value.kind, value.amount] = 0.8
    key = read_key(fact.key, fact.language)
    for term in key:
        found.setdefault(("key", term.stem), 0.5)
        for concept in term.meaning.concepts:
            found.setdefault(("key", concept), 0.5)
            found.setdefault(concept, 0.4)
    if key:
        found["whole key", " ".join(sorted(term.stem for term in key))] = 1.5
    return found
