"""What can be seen between two facts without a language model: how much each covers the other, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from souvenance.consolidation.contradictions import Slots, find_slots
from souvenance.consolidation.frames import Filling, filling
from souvenance.consolidation.reading import NAME_WEIGHT, Reading, Term

_DENYING = frozenset(
    {("permission", -1), ("every", -1), ("always", -1), ("own", -1), ("distinguish", -1), ("stomach", -1)}
)
"""Sides of opposites that deny by themselves: "forbidden" is "not allowed"."""
_VALUE_WEIGHT = 1.2  # of a number or a date, where an ordinary word weighs 1 and a name 1.6


@dataclass(frozen=True, slots=True)
class Match:
    """One term of `a` found in `b`, with how sure that is (1: the same stem)."""

    a: Term
    b: Term
    strength: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything `judge` weighs. Weights are those of content words: 1 each, a name 1.6, a common word 0.25."""

    covered: float  # harmonic mean of the shares of each fact that the other holds too, values included; 0 to 1
    missing_least: float  # weight of the words that the other lacks, slots left out: of the fact with the fewest
    missing_most: float
    shared: float  # weight of the words that both hold
    matches: tuple[Match, ...]
    other_names: tuple[tuple[str, ...], tuple[str, ...]]  # names that only one has
    key: float  # likeness of the keys, 0 to 1
    slots: Slots
    renamed: bool  # one frame filled with two things of which only one can be: another name in the same words
    apart: bool  # a name, a number or a date of each is not the other's
    denial: bool  # one fact as a whole denies or forbids, the other does not
    changed: bool  # one fact, and one only, says that something changed
    no_longer: bool
    cross_language: bool

    @property
    def conflict(self) -> bool:
        """Does anything differ that two wordings of one fact would not? Such a pair is never called a duplicate."""
        slots = self.slots
        return bool(slots.differing or slots.mixed or self.renamed or self.denial or self.no_longer or self.changed)

    @property
    def may_be_one(self) -> bool:
        """Whether the two may be one fact in two wordings: nothing conflicts, and no name, number or date differs."""
        return not (self.conflict or self.apart)


def weigh(a: Reading, b: Reading, key_a: tuple[Term, ...], key_b: tuple[Term, ...]) -> Evidence:
    """Compare two readings and their keys."""
    slots = find_slots(a, b)
    matches = match_terms(a.terms, b.terms)
    share_a, missing_a = _coverage(a, {id(m.a): m.strength for m in matches}, key_b, slots)
    share_b, missing_b = _coverage(b, {id(m.b): m.strength for m in matches}, key_a, slots)
    lone = (_lone_names(a, b, slots), _lone_names(b, a, slots))
    key = key_likeness(key_a, key_b)
    besides = [missing - NAME_WEIGHT * len(names) for missing, names in zip((missing_a, missing_b), lone, strict=True)]
    filled = filling(a.words, b.words, lone)
    if filled is not None and not all(lone) and filled.bare and filled.binds and not _alike(a, b, filled):
        lone = ((filled.a,), (filled.b,))
    return Evidence(
        covered=2 * share_a * share_b / max(0.01, share_a + share_b),
        missing_least=min(missing_a, missing_b),
        missing_most=max(missing_a, missing_b),
        shared=sum(m.strength * min(m.a.weight, m.b.weight) for m in matches),
        matches=tuple(matches),
        other_names=lone,
        key=key,
        slots=slots,
        renamed=_renamed(filled, lone, besides, key, slots),
        apart=all(lone) or bool(slots.scopes) or slots.apart or (filled is not None and not _alike(a, b, filled)),
        denial=_denies(a) != _denies(b),
        changed=a.changed != b.changed,
        no_longer=a.no_longer != b.no_longer,
        cross_language=a.language != b.language,
    )


def match_terms(left: tuple[Term, ...], right: tuple[Term, ...]) -> list[Match]:
    """Pair the terms of two facts one to one, the surest first."""
    pairs = [Match(a, b, strength) for a in left for b in right if (strength := likeness(a, b)) > 0]
    used: set[int] = set()
    chosen = []
    for match in sorted(pairs, key=lambda match: -match.strength):
        if id(match.a) not in used and id(match.b) not in used:
            used.update((id(match.a), id(match.b)))
            chosen.append(match)
    return chosen


def likeness(a: Term, b: Term) -> float:
    """1 for one stem or spelling, 0.9 for synonyms and translations, 0.7 for one family or cognates, else 0."""
    if a.stem == b.stem or a.surface == b.surface:
        return 1.0
    if a.meaning.concepts & b.meaning.concepts:
        return 0.9
    if a.name or b.name:
        return 0.0
    common = 0
    for x, y in zip(a.stem, b.stem, strict=False):
        if x != y:
            break
        common += 1
    close = common >= 4 and common >= 0.7 * max(len(a.stem), len(b.stem))
    return 0.7 if close or common >= 6 else 0.0


def key_likeness(left: tuple[Term, ...], right: tuple[Term, ...]) -> float:
    """Share of the shorter key's words that the other has, synonyms counted; 0 when a key is empty."""
    if not left or not right:
        return 0.0
    return sum(match.strength for match in match_terms(left, right)) / min(len(left), len(right))


def _coverage(
    reading: Reading, hit: dict[int, float], other_key: tuple[Term, ...], slots: Slots
) -> tuple[float, float]:
    covered = missing = 0.0
    for term in reading.terms:
        strength = hit.get(id(term), 0.0)
        if not strength and any(likeness(term, key) for key in other_key):
            strength = 0.6  # said by the other's key
        covered += term.weight * strength
        if not strength and term.stem not in slots.used:
            missing += term.weight
    total = sum(term.weight for term in reading.terms) + _VALUE_WEIGHT * len(reading.values)
    covered += _VALUE_WEIGHT * min(len(slots.same_values), len(reading.values))
    return min(1.0, covered / max(0.5, total)), missing


def _lone_names(reading: Reading, other: Reading, slots: Slots) -> tuple[str, ...]:
    spellings = {term.surface for term in other.terms}
    valued = {term.surface for term in reading.terms if term.stem in slots.used}  # told as values already
    lone = (name for name in reading.names - valued if name not in spellings)
    translated = reading.language != other.language
    return tuple(sorted(name for name in lone if not any(_variant(name, one, translated) for one in spellings)))


def _renamed(
    filled: Filling | None,
    lone: tuple[tuple[str, ...], tuple[str, ...]],
    besides: Sequence[float],
    key: float,
    slots: Slots,
) -> bool:
    """Whether two facts say one thing of two names, of which only one can be so."""
    if not all(lone) or slots.values or slots.opposed or slots.scopes:
        return False
    if filled is not None and filled.binds and (filled.bare or max(besides) < 0.5):
        return True
    # Under one key a name is its value, but where each stands as the subject of the same.
    stands_first = filled is not None and filled.starts
    return key >= 0.9 and max(besides) < 0.5 and not slots.differing and not stands_first


def _alike(a: Reading, b: Reading, filled: Filling) -> bool:
    """Whether two fillings may mean the same."""
    ours = [term for term in a.terms if term.surface in filled.a.split()]
    theirs = [term for term in b.terms if term.surface in filled.b.split()]
    if not ours or not theirs:  # nothing but words that every fact has
        return True
    return any(likeness(one, other) for one in ours for other in theirs)


def _variant(name: str, other: str, translated: bool) -> bool:
    """Whether two spellings may be one name; in two languages those of most of their letters are (London, Londres)."""
    if min(len(name), len(other)) < 4:
        return False
    if name.startswith(other) or other.startswith(name):
        return True
    return translated and (name[:4] == other[:4] or fuzz.ratio(name, other) >= 75)


def _denies(reading: Reading) -> bool:
    """Does the fact as a whole deny or forbid? A forbidding word under a negation does not."""
    lexical = turned = False
    for term in reading.terms:
        for axis, sign in term.meaning.axes:
            lexical |= (axis, -sign if term.negated else sign) in _DENYING
            turned |= term.negated and (axis, sign) in _DENYING
    return lexical or (reading.negative and not turned)
