"""What an edited page means for its facts: which are new, reworded, moved or gone (N2). Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from souvenance.domain.errors import AmbiguousEdit
from souvenance.domain.fact import Fact
from souvenance.memory.remember import POSITION_STEP
from souvenance.notes.page import Item

END_STEP = 1 << 10
"""Room after an item moved to the end of a page: well below POSITION_STEP, so that what is remembered next, which
stands at its number times POSITION_STEP, still comes after it."""

Place = Fact | Item
"""What stands at one place of an edited page: a fact that was there already, or an item that becomes one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An edited page as changes to facts: `order` is the page as it will be; `skipped` facts said it already."""

    order: list[Place]
    reworded: dict[int, tuple[str, str]] = field(default_factory=dict)
    removed: list[Fact] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)


def planned(facts: Sequence[Fact], items: Sequence[Item]) -> Plan:
    """Read an edited page against the facts it showed.

    A known anchor is that fact. An item without one is the fact whose words it repeats, where exactly one such fact
    lost its line; it is skipped where a fact that stays says the same; else it is new. A fact whose line is gone is
    removed. An unknown anchor, an anchor used twice, and a choice between equal facts are refused.
    """
    known = {fact.number: fact for fact in facts}
    anchored = _anchored(items, known)
    lost: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        if fact.number not in anchored:
            lost.setdefault((fact.key, fact.content), []).append(fact)
    kept = _kept(items, lost)
    said: dict[tuple[str, str], int] = {}
    for number, item in anchored.items():
        said.setdefault(_same(item.key, item.content), number)
    for fact in kept.values():
        said.setdefault(_same(fact.key, fact.content), fact.number)
    order: list[Place] = []
    skipped: list[int] = []
    fresh: set[tuple[str, str]] = set()
    for item in items:
        words = _same(item.key, item.content)
        if item.anchor is not None:
            order.append(known[item.anchor])
        elif item.line in kept:
            order.append(kept[item.line])
        elif words in said:
            skipped.append(said[words])
        elif words not in fresh:
            fresh.add(words)
            order.append(item)
    stay = anchored.keys() | {fact.number for fact in kept.values()}
    return Plan(
        order=order,
        reworded={
            number: (item.key, item.content)
            for number, item in anchored.items()
            if (item.key, item.content) != (known[number].key, known[number].content)
        },
        removed=[fact for fact in facts if fact.number not in stay],
        skipped=skipped,
    )


def _kept(items: Sequence[Item], lost: dict[tuple[str, str], list[Fact]]) -> dict[int, Fact]:
    """The facts whose line lost only its anchor, by that line."""
    kept: dict[int, Fact] = {}
    for item in items:
        candidates = lost.get((item.key, item.content), []) if item.anchor is None else []
        if len(candidates) > 1:
            raise AmbiguousEdit(
                f"Line {item.line} could be any of the facts "
                f"{', '.join(f'^{fact.number}' for fact in candidates)}, which say the same; nothing was written.",
                hint="Give the line the anchor of the fact it is.",
                line=item.line,
            )
        if candidates:
            kept[item.line] = candidates.pop()
    return kept


def _same(key: str, content: str) -> tuple[str, str]:
    return key, " ".join(content.split())


def _anchored(items: Sequence[Item], known: dict[int, Fact]) -> dict[int, Item]:
    anchored: dict[int, Item] = {}
    for item in items:
        if item.anchor is None:
            continue
        if item.anchor not in known:
            raise AmbiguousEdit(
                f"Line {item.line}: ^{item.anchor} is no fact of this page; nothing was written.",
                hint="Leave the anchor out to add a new fact; a fact cannot be moved here from elsewhere.",
                line=item.line,
            )
        if item.anchor in anchored:
            raise AmbiguousEdit(
                f"Line {item.line}: ^{item.anchor} stands on the page twice; nothing was written.",
                hint="Keep it on the line that is that fact and leave it out on the other.",
                line=item.line,
            )
        anchored[item.anchor] = item
    return anchored


@dataclass(frozen=True, slots=True)
class Layout:
    """A position for each place of a page, rising; `stays` are the places whose facts keep their order."""

    positions: list[int]
    stays: dict[int, int]


def placed(order: Sequence[Place], *, last_number: int, number_of: Callable[[Place], int]) -> Layout:
    """Where each place of the page stands: as many facts as can keep theirs, the others between their neighbours.

    Where there is no room left, all are numbered anew, in the same order. `last_number` is the highest fact number of
    the page, new ones included: every position stays below that of the next fact to be remembered.
    """
    stays = _staying(order)
    positions: list[int] = []
    end = (last_number + 1) * POSITION_STEP
    index = 0
    while index < len(order):
        if index in stays:
            positions.append(stays[index])
            index += 1
            continue
        run = index
        while run < len(order) and run not in stays:
            run += 1
        before = positions[-1] if positions else None
        numbers = [number_of(place) for place in order[index:run]]
        between = _between(before, stays.get(run), numbers, end=end)
        if between is None:
            return Layout([(place + 1) * POSITION_STEP for place in range(len(order))], stays)
        positions += between
        index = run
    return Layout(positions, stays)


def _between(before: int | None, after: int | None, numbers: Sequence[int], *, end: int) -> list[int] | None:
    """Positions for a run of items after `before` and before `after`; None where there is no room."""
    count = len(numbers)
    if after is not None:
        low = after - (count + 1) * POSITION_STEP if before is None else before
        step = (after - low) // (count + 1)
        return [low + step * (place + 1) for place in range(count)] if step else None
    positions: list[int] = []
    at = before
    for number in numbers:
        at = number * POSITION_STEP if at is None else max(at + END_STEP, number * POSITION_STEP)
        positions.append(at)
    return positions if not positions or positions[-1] < end else None


def _staying(order: Sequence[Place]) -> dict[int, int]:
    """The longest run of facts that already stand in this order: place on the page to position."""
    tails: list[tuple[int, int]] = []
    ends: list[int] = []
    previous: dict[int, int | None] = {}
    for place, item in enumerate(order):
        if not isinstance(item, Fact):
            continue
        value = (item.position, item.number)
        at = bisect_left(tails, value)
        if at == len(tails):
            tails.append(value)
            ends.append(place)
        else:
            tails[at], ends[at] = value, place
        previous[place] = ends[at - 1] if at else None
    chosen: dict[int, int] = {}
    place_or_none = ends[-1] if ends else None
    while place_or_none is not None:
        item = order[place_or_none]
        assert isinstance(item, Fact)
        chosen[place_or_none] = item.position
        place_or_none = previous[place_or_none]
    return chosen
