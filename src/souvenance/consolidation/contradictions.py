"""Where two facts about one thing disagree: the slots that hold two values, without any language model.

A slot is what one fact can only say one way: a number, a date, a time, an amount, a day, a colour, a name; or what is
allowed against what is forbidden. Two facts of one frame that differ in one slot contradict; that differ in several,
they are about two things. `judge` (pairs.py) weighs them; this module only finds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from souvenance.consolidation.reading import Reading, Term
from souvenance.consolidation.values import Value


@dataclass(slots=True)
class Slots:
    """The slots of two readings: those that agree, those that hold two values, by kind, and the stems they use up."""

    same_values: int = 0
    differing_values: list[str] = field(default_factory=list)
    scopes: int = 0  # years, versions, ordinals: differing ones speak of two occurrences rather than of a change
    rivals: list[str] = field(default_factory=list)
    same_rivals: int = 0
    opposed: list[str] = field(default_factory=list)
    agreed: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)  # opposites of which one fact says both
    unmatched_values: int = 0
    used: set[str] = field(default_factory=set)

    @property
    def differing(self) -> int:
        """How many slots hold two values."""
        return len(self.differing_values) + len(self.rivals) + len(self.opposed)


def find_slots(a: Reading, b: Reading) -> Slots:
    """Compare the values, rival words and opposites of two readings."""
    slots = Slots()
    _compare_values(a.values, b.values, slots)
    _compare_rivals(a.terms, b.terms, slots)
    _compare_axes(a.terms, b.terms, slots)
    if "limit" not in slots.opposed and any(_unbounded(x) and y.values and not x.values for x, y in ((a, b), (b, a))):
        slots.opposed.append("limit")
    return slots


def _unbounded(reading: Reading) -> bool:
    return any(("limit", -sign if term.negated else sign) == ("limit", -1) for term in reading.terms for _, sign in term.meaning.axes if _ == "limit")


def _compare_values(left: tuple[Value, ...], right: tuple[Value, ...], slots: Slots) -> None:
    rest_a, rest_b = list(left), list(right)
    for value in left:
        for other in rest_b:
            if value.relation(other) == "same":
                slots.same_values += 1
                rest_a.remove(value)
                rest_b.remove(other)
                break
    for value in list(rest_a):
        for other in rest_b:
            if value.relation(other) == "differs":
                rest_a.remove(value)
                rest_b.remove(other)
                # An extra value beside an agreed one of its scale is a detail, not a disagreement.
                if any(v.kind == value.kind and any(v.relation(w) == "same" for w in right) for v in left):
                    slots.unmatched_values += 1
                elif value.kind in ("year", "version", "ordinal") or other.kind == "year" or _other_year(value, other):
                    slots.scopes += 1
                else:
                    slots.differing_values.append(value.kind)
                break
    slots.unmatched_values += len(rest_a) + len(rest_b)


def _other_year(value: Value, other: Value) -> bool:
    years = value.amount[0] and other.amount[0] and value.amount[0] != other.amount[0]
    return value.kind == "date" and other.kind == "date" and bool(years)


def _compare_rivals(left: tuple[Term, ...], right: tuple[Term, ...], slots: Slots) -> None:
    members: dict[str, tuple[set[int], set[int]]] = {}
    for side, terms in enumerate((left, right)):
        for term in terms:
            for category, member in term.meaning.rivals:
                members.setdefault(category, (set(), set()))[side].add(member)
    for category, (ours, theirs) in members.items():
        if ours and theirs:
            if ours & theirs:
                slots.same_rivals += 1
            else:
                slots.rivals.append(category)
                slots.used.update(
                    term.stem for term in left + right if any(name == category for name, _ in term.meaning.rivals)
                )


def _compare_axes(left: tuple[Term, ...], right: tuple[Term, ...], slots: Slots) -> None:
    signs: dict[str, tuple[set[int], set[int]]] = {}
    for side, terms in enumerate((left, right)):
        for term in terms:
            for axis, sign in term.meaning.axes:
                signs.setdefault(axis, (set(), set()))[side].add(-sign if term.negated else sign)
    for axis, (ours, theirs) in signs.items():
        if ours and theirs:
            if ours == theirs:
                slots.agreed.append(axis)
            elif ours & theirs:
                slots.mixed.append(axis)
            else:
                slots.opposed.append(axis)
                slots.used.update(term.stem for term in left + right if any(name == axis for name, _ in term.meaning.axes))
