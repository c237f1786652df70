"""What can be seen, without a language model, between two facts: how much of each the other covers, and what differs."""

from __future__ import annotations

from dataclasses import dataclass

from souvenance.consolidation.contradictions import Slots, find_slots
from souvenance.consolidation.reading import Reading, Term

_LEXICAL_NEGATIVE = frozenset({("permission", -1), ("every", -1), ("always", -1), ("own", -1)})


@dataclass(frozen=True, slots=True)
class Match:
    """One term of a found in b, with how sure that is (1: the same stem)."""

    a: Term
    b: Term
    strength: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything `judge` weighs. Shares are 0 to 1 of the weight of a fact's content words, values included."""

    covered_a: float
    covered_b: float
    loose_a: float  # weight of the content words of a that b lacks, slots left out
    loose_b: float
    shared: float  # weight of the matched words
    same_names: int
    other_names: int  # names on both sides that the other lacks (the smaller number)
    extra_names: int
    denied: float  # share of matched words denied on one side only
    key: float  # likeness of the keys
    slots: Slots
    changed: bool
    no_longer: bool
    cross_language: bool
    size: float  # smaller over larger number of content words
    neg_mismatch: bool
    swapped: bool  # one word of each fact is missing from the other, and the rest is shared


def weigh(a: Reading, b: Reading, key_a: tuple[Term, ...], key_b: tuple[Term, ...]) -> Evidence:
    """Compare two readings."""
    slots = find_slots(a, b)
    matches = match_terms(a.terms, b.terms)
    hit_a = {id(match.a): match for match in matches}
    hit_b = {id(match.b): match for match in matches}
    cov_a, loose_a = _coverage(a.terms, {k: m.strength for k, m in hit_a.items()}, key_b, slots)
    cov_b, loose_b = _coverage(b.terms, {k: m.strength for k, m in hit_b.items()}, key_a, slots)
    shared = sum(m.strength * min(m.a.weight, m.b.weight) for m in matches)
    names_a = {t.surface for t in a.terms if t.name}
    names_b = {t.surface for t in b.terms if t.name}
    surfaces_a, surfaces_b = {t.surface for t in a.terms}, {t.surface for t in b.terms}
    only_a, only_b = _unmatched(names_a, surfaces_b), _unmatched(names_b, surfaces_a)
    solid = [m for m in matches if m.a.weight >= 1]
    denied = sum(m.a.negated != m.b.negated for m in solid) / len(solid) if solid else 0.0
    values_a, values_b = len(a.values), len(b.values)
    total_a, total_b = sum(t.weight for t in a.terms), sum(t.weight for t in b.terms)
    value_weight = 1.2
    share_a = (cov_a + value_weight * min(slots.same_values, values_a)) / max(0.5, total_a + value_weight * values_a)
    share_b = (cov_b + value_weight * min(slots.same_values, values_b)) / max(0.5, total_b + value_weight * values_b)
    return Evidence(
        covered_a=min(1.0, share_a),
        covered_b=min(1.0, share_b),
        loose_a=loose_a,
        loose_b=loose_b,
        shared=shared,
        same_names=len((names_a & surfaces_b) | (names_b & surfaces_a)),
        other_names=min(len(only_a), len(only_b)),
        extra_names=max(len(only_a), len(only_b)) - min(len(only_a), len(only_b)),
        denied=denied,
        key=key_likeness(key_a, key_b),
        slots=slots,
        changed=a.changed or b.changed,
        no_longer=a.no_longer != b.no_longer,
        cross_language=a.language != b.language,
        size=min(total_a, total_b) / max(total_a, total_b, 0.1),
        neg_mismatch=_denies(a) != _denies(b),
        swapped=shared >= 1.5 and all(0.9 <= loose <= 1.7 for loose in (loose_a, loose_b)),
    )


def match_terms(left: tuple[Term, ...], right: tuple[Term, ...]) -> list[Match]:
    """Pair the terms of two facts one to one, the surest first."""
    candidates = [
        Match(a, b, strength)
        for a in left
        for b in right
        if (strength := likeness(a, b)) > 0
    ]  # fmt: skip
    candidates.sort(key=lambda match: -match.strength)
    used_a: set[int] = set()
    used_b: set[int] = set()
    chosen = []
    for match in candidates:
        if id(match.a) not in used_a and id(match.b) not in used_b:
            used_a.add(id(match.a))
            used_b.add(id(match.b))
            chosen.append(match)
    return chosen


def likeness(a: Term, b: Term) -> float:
    """1 for one stem or spelling, 0.9 for synonyms and translations, 0.7 for words of one family or cognates, else 0."""
    if a.stem == b.stem or a.surface == b.surface:
        return 1.0
    if a.meaning.concepts & b.meaning.concepts:
        return 0.9
    if a.name or b.name:
        return 0.0
    size = min(len(a.stem), len(b.stem))
    if size >= 4:
        common = 0
        while common < size and a.stem[common] == b.stem[common]:
            common += 1
        if common >= 4 and common >= 0.7 * max(len(a.stem), len(b.stem)) or common >= 6:
            return 0.7
    return 0.0


def key_likeness(left: tuple[Term, ...], right: tuple[Term, ...]) -> float:
    """Share of the shorter key's words that the other has, synonyms counted; 0 when a key is empty."""
    if not left or not right:
        return 0.0
    return sum(match.strength for match in match_terms(left, right)) / min(len(left), len(right))


def _coverage(
    terms: tuple[Term, ...], hit: dict[int, float], other_key: tuple[Term, ...], slots: Slots
) -> tuple[float, float]:
    covered = loose = 0.0
    for term in terms:
        strength = hit.get(id(term), 0.0)
        if not strength and any(likeness(term, key) for key in other_key):
            strength = 0.6
        covered += term.weight * strength
        if not strength and term.stem not in slots.used:
            loose += term.weight
    return covered, loose


def _unmatched(names: set[str], surfaces: set[str]) -> set[str]:
    return {n for n in names if n not in surfaces and not any(_variant(n, s) for s in surfaces)}


def _variant(name: str, other: str) -> bool:
    return len(name) >= 4 and len(other) >= 4 and (name.startswith(other) or other.startswith(name))


def _denies(reading: Reading) -> bool:
    """Does the fact as a whole deny or forbid? A forbidding word under a negation does not."""
    lexical = any(
        (axis, -sign if term.negated else sign) in _LEXICAL_NEGATIVE for term in reading.terms for axis, sign in term.meaning.axes
    )
    generic = reading.negative and not any(
        term.negated and any((axis, sign) in _LEXICAL_NEGATIVE for axis, sign in term.meaning.axes) for term in reading.terms
    )
    return lexical or generic
