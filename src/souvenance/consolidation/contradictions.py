"""Where two facts about one thing disagree: the slots that hold two values, found without any language model.

A slot is what one fact can only say one way: a number, a date, a time, an amount, a day, a colour; or what is allowed
against what is forbidden. Two facts of one frame that differ in one slot contradict; that differ in several, they are
about two things. `judge` (pairs.py) weighs them; this module only finds them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from souvenance.consolidation.reading import Reading, Term
from souvenance.consolidation.values import Value

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Difference:
    """One slot that holds two values: its code (to be translated) and what each fact says there."""

    code: str
    a: str
    b: str


@dataclass(slots=True)
class Slots:
    """The slots of two readings: those that agree, those that differ, and the stems they use up."""

    same_values: list[str] = field(default_factory=list)
    values: list[Difference] = field(default_factory=list)
    scopes: list[Difference] = field(default_factory=list)  # years, versions: two occurrences rather than a change
    rivals: list[Difference] = field(default_factory=list)
    same_rivals: int = 0
    opposed: list[Difference] = field(default_factory=list)
    mixed: list[Difference] = field(default_factory=list)  # opposites of which one fact says both
    unmatched_values: int = 0
    apart: bool = False  # each says a value that the other does not
    used: set[str] = field(default_factory=set)

    @property
    def differing(self) -> int:
        """How many slots hold two values."""
        return len(self.values) + len(self.rivals) + len(self.opposed)


def find_slots(a: Reading, b: Reading) -> Slots:
    """Compare the values, rival words and opposites of two readings."""
    slots = Slots()
    _compare_values(a.values, b.values, slots)
    _compare_rivals(a.terms, b.terms, slots)
    _compare_axes(a.terms, b.terms, slots)
    for one, other, turn in ((a, b, False), (b, a, True)):
        unbounded = [term.surface for term in one.terms if _sign(term, "limit") == -1]
        if unbounded and other.values and not one.values and not any(d.code == "opposite_limit" for d in slots.opposed):
            said = (unbounded[0], other.values[0].said)
            slots.opposed.append(Difference("opposite_limit", *(reversed(said) if turn else said)))
    return slots


def _compare_values(left: tuple[Value, ...], right: tuple[Value, ...], slots: Slots) -> None:
    rest_a, rest_b = list(left), list(right)
    for value in left:
        other = next((o for o in rest_b if value.relation(o) == "same"), None)
        if other is not None:
            slots.same_values.append(value.said)
            rest_a.remove(value)
            rest_b.remove(other)
    slots.apart = bool(rest_a and rest_b) and _digits(rest_a).isdisjoint(_digits(rest_b))
    agreed = {v.kind for v in left if any(v.relation(w) == "same" for w in right)}
    for value in list(rest_a):
        other = next((o for o in rest_b if value.relation(o) == "differs"), None)
        if other is None:
            continue
        rest_a.remove(value)
        rest_b.remove(other)
        difference = Difference(f"different_{value.kind}", value.said, other.said)
        # An extra value beside an agreed one of its scale is a detail, not a disagreement.
        if value.kind in agreed:
            slots.unmatched_values += 1
        elif _is_scope(value, other):
            slots.scopes.append(difference)
        else:
            slots.values.append(difference)
    slots.unmatched_values += len(rest_a) + len(rest_b)


def _digits(values: list[Value]) -> set[str]:
    """The numbers said, whatever they count: "five weeks" and "one in five" share one."""
    return {digits for value in values for digits in _NUMBER.findall(value.said)}


def _is_scope(value: Value, other: Value) -> bool:
    if value.kind in ("year", "version", "ordinal") or other.kind == "year":
        return True
    years = (value.amount[0], other.amount[0])
    return value.kind == "date" and 0 not in years and years[0] != years[1]


def _compare_rivals(left: tuple[Term, ...], right: tuple[Term, ...], slots: Slots) -> None:
    members: dict[str, tuple[dict[int, Term], dict[int, Term]]] = {}
    for side, terms in enumerate((left, right)):
        for term in terms:
            for category, member in term.meaning.rivals:
                members.setdefault(category, ({}, {}))[side].setdefault(member, term)
    for category, (ours, theirs) in members.items():
        if not ours or not theirs:
            continue
        if ours.keys() & theirs.keys():
            slots.same_rivals += 1
        else:
            _differ(slots, slots.rivals, f"other_{category}", list(ours.values()), list(theirs.values()))


def _compare_axes(left: tuple[Term, ...], right: tuple[Term, ...], slots: Slots) -> None:
    axes = sorted({axis for term in left for axis, _ in term.meaning.axes})
    for axis in axes:
        ours = [term for term in left if _sign(term, axis)]
        theirs = [term for term in right if _sign(term, axis)]
        signs, others = {_sign(term, axis) for term in ours}, {_sign(term, axis) for term in theirs}
        if not theirs or signs == others:
            continue
        if signs & others:
            slots.mixed.append(Difference(f"opposite_{axis}", _words(ours), _words(theirs)))
        else:
            _differ(slots, slots.opposed, f"opposite_{axis}", ours, theirs)


def _sign(term: Term, axis: str) -> int:
    """+1 or -1 where the term stands on that axis, a denial turned round; 0 when it is not on it."""
    sign = dict(term.meaning.axes).get(axis, 0)
    return -sign if term.negated else sign


def _differ(slots: Slots, where: list[Difference], code: str, ours: list[Term], theirs: list[Term]) -> None:
    where.append(Difference(code, _words(ours), _words(theirs)))
    slots.used.update(term.stem for term in ours + theirs)


def _words(terms: list[Term]) -> str:
    return ", ".join(term.surface for term in terms)
