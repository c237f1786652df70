"""Where the nodes of a map stand: each vault an island, what is tied near each other, nothing on top of another (V14).

Each vault is a force layout of its own, in units of the distance that two neighbours keep at least: every node pushes
every other away (as 1 / distance, summed on a mesh by Fourier transform, as in the particle-mesh methods of Hockney and
Eastwood, "Computer Simulation Using Particles"), ties pull like springs, and the middle holds all. Then the islands are
laid side by side, the largest in the middle. No random number is drawn: the same map has the same places. Nodes that
were placed before stay about there when others come.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Known = Mapping[str, tuple[float, float]]

STEPS, STEPS_AGAIN = 80, 24
"""Rounds of a layout from nothing, and of one that follows an earlier one."""
STIFF = 0.05
"""How much of the way that the forces ask for a node goes that was placed before."""
PULL = {"page": 0.14, "link": 0.12, "alike": 0.10}
PUSH, HOLD = 0.12, 0.05
"""Together they settle how many nodes stand on a unit of area where nothing is tied: HOLD / (pi * PUSH)."""
SHORE = 4.0
"""Units between two islands."""
GOLDEN = math.pi * (3 - math.sqrt(5))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be placed: node ids, the vault of each (a number), and ties as places in `nodes`, with their kind."""

    nodes: Sequence[str]
    vaults: Sequence[int]
    ties: Sequence[tuple[str, int, int]]


def begin(plan: Plan, before: Known | None = None) -> Floats:
    """Places to begin with, at once: known ones as they were, the others in the order of the plan. Shape (nodes, 2)."""
    return _placed(plan, before or {}, settle=False)


def arrange(plan: Plan, before: Known | None = None) -> Floats:
    """Where each node stands, shape (nodes, 2). `before`: where nodes stood, which then stay about there."""
    return _placed(plan, before or {}, settle=True)


def _placed(plan: Plan, before: Known, *, settle: bool) -> Floats:
    places = np.zeros((len(plan.nodes), 2))
    groups = np.asarray(plan.vaults, dtype=np.int64)
    ends = np.array([(one, other) for _, one, other in plan.ties], dtype=np.int64).reshape(-1, 2)
    pulls = np.array([PULL.get(kind, 0.1) for kind, _, _ in plan.ties])
    within = groups[ends[:, 0]] == groups[ends[:, 1]]
    rank = np.zeros(len(groups), dtype=np.int64)
    islands: list[tuple[Whole, bool]] = []
    for vault in np.unique(groups):
        mine = np.flatnonzero(groups == vault)
        rank[mine] = np.arange(len(mine))
        here = within & (groups[ends[:, 0]] == vault)
        names = [plan.nodes[int(at)] for at in mine]
        places[mine], is_known = _island(names, rank[ends[here]], pulls[here], before, settle=settle)
        islands.append((mine, is_known))
    _lay_side_by_side(places, islands)
    return places


def _island(names: Sequence[str], ends: Whole, pulls: Floats, before: Known, *, settle: bool) -> tuple[Floats, bool]:
    """The places of one vault's nodes, and whether it stood somewhere before (else it is around the origin)."""
    known = np.array([name in before for name in names])
    places = _sunflower(len(names))
    if known.any():
        old = np.array([before.get(name, (0.0, 0.0)) for name in names])
        centre = old[known].mean(axis=0)
        reach = 1.0 + float(np.hypot(*(old[known] - centre).T).max())
        around = np.array([_offset(name) for name in names])
        places = np.where(known[:, None], old, centre + around * reach)
        _beside_their_own(places, known, ends, around)
    else:
        centre = np.zeros(2)
    if settle and len(names) > 1:
        free = np.where(known, STIFF, 1.0)[:, None]
        places = centre + _settled(places - centre, ends, pulls, free, STEPS_AGAIN if known.any() else STEPS)
    return places, bool(known.any())


def _beside_their_own(places: Floats, known: NDArray[np.bool_], ends: Whole, around: Floats) -> None:
    """Put new nodes beside the known ones that they are tied to."""
    count = len(places)
    sums, many = np.zeros((count, 2)), np.zeros(count)
    for here, there in ((0, 1), (1, 0)):
        some = ~known[ends[:, here]] & known[ends[:, there]]
        np.add.at(sums, ends[some, here], places[ends[some, there]])
        np.add.at(many, ends[some, here], 1)
    tied = many > 0
    places[tied] = sums[tied] / many[tied, None] + around[tied]


def _settled(places: Floats, ends: Whole, pulls: Floats, free: Floats, steps: int) -> Floats:
    count = len(places)
    one, other = ends[:, 0], ends[:, 1]
    degree = np.bincount(ends.ravel(), minlength=count)
    # What has many ties is pulled less by each, so that hubs are no knots.
    pull = pulls / np.sqrt(np.maximum(np.minimum(degree[one], degree[other]), 1))
    for step in range(steps):
        heat = 1.0 - step / steps
        force = PUSH * _push(places) - HOLD * places
        way = places[other] - places[one]
        length = np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-6)
        tug = way * (pull * np.maximum(length - 1.2, 0.0) / length)[:, None]
        for axis in range(2):
            force[:, axis] += np.bincount(one, tug[:, axis], count) - np.bincount(other, tug[:, axis], count)
        size = np.maximum(np.hypot(force[:, 0], force[:, 1]), 1e-9)
        places = places + force * np.minimum(1.0, (0.2 + 2.0 * heat) / size)[:, None] * free
        if step % 4 == 3 or step > steps - 6:
            places = places + _apart(places) * free
    return places


def _sunflower(count: int) -> Floats:
    """Nodes on a disc, evenly, the first in the middle."""
    turn = np.arange(count)
    far = 1.6 * np.sqrt(turn + 0.5)
    return np.stack([far * np.cos(turn * GOLDEN), far * np.sin(turn * GOLDEN)], axis=1)


# --- islands -------------------------------------------------------------------------------------------------------


def _lay_side_by_side(places: Floats, islands: Sequence[tuple[Whole, bool]]) -> None:
    """Give each island a place where it touches no other; those that stood somewhere stay where they can."""
    spots, radii = np.zeros((0, 2)), np.zeros(0)
    for mine, is_known in sorted(islands, key=lambda island: (not island[1], -len(island[0]), int(island[0][0]))):
        centre = (places[mine].min(axis=0) + places[mine].max(axis=0)) / 2
        radius = float(np.hypot(*(places[mine] - centre).T).max())
        least = 0.9 * (radii + radius) if is_known else radii + radius + SHORE  # one that grew a little stays
        spot = _free_spot(spots, least, start=centre if is_known else np.zeros(2), pace=radius / 8 + 0.5)
        places[mine] += spot - centre
        spots, radii = np.vstack([spots, spot]), np.append(radii, radius)


def _free_spot(spots: Floats, least: Floats, *, start: Floats, pace: float) -> Floats:
    """The place nearest to `start`, of many around it, that is at least so far from each of the spots."""
    first = 0
    while True:
        turn = np.arange(first, first + 2048)
        far = pace * np.sqrt(turn)
        tried = start + np.stack([far * np.cos(turn * GOLDEN), far * np.sin(turn * GOLDEN)], axis=1)
        clear = (np.hypot(*(tried[:, None, :] - spots[None, :, :]).transpose(2, 0, 1)) >= least).all(axis=1)
        if clear.any():
            found: Floats = tried[int(clear.argmax())]
            return found
        first += len(turn)


# --- forces --------------------------------------------------------------------------------------------------------


def _push(places: Floats) -> Floats:
    """The push of all nodes on each: their mass on a mesh, convolved with 1 / distance, read where each stands."""
    mesh = 128 if len(places) > 1200 else 64 if len(places) > 200 else 32
    low, high = places.min(axis=0), places.max(axis=0)
    cell = max(float((high - low).max()) / (mesh - 3), 1e-6)
    at = (places - low) / cell + 1.0
    corner = np.floor(at).astype(np.int64)
    part = at - corner
    mass, shares = np.zeros(mesh * mesh), []
    for dx in (0, 1):
        for dy in (0, 1):
            weight = np.abs(1 - dx - part[:, 0]) * np.abs(1 - dy - part[:, 1])
            spot = (corner[:, 0] + dx) * mesh + corner[:, 1] + dy
            mass += np.bincount(spot, weight, mesh * mesh)
            shares.append((weight, spot))
    wave = np.fft.rfft2(mass.reshape(mesh, mesh), s=(2 * mesh, 2 * mesh))
    pushed = np.zeros_like(places)
    for axis, kernel in enumerate(_kernels(mesh)):
        field = np.fft.irfft2(wave * kernel, s=(2 * mesh, 2 * mesh))[:mesh, :mesh].ravel() / cell
        for weight, spot in shares:
            pushed[:, axis] += weight * field[spot]
    return pushed


@cache
def _kernels(mesh: int) -> tuple[NDArray[np.complex128], ...]:
    """The transforms of x / r² and y / r² on a mesh, softened within a cell."""
    along = np.fft.fftfreq(2 * mesh, 1 / (2 * mesh))
    x, y = np.meshgrid(along, along, indexing="ij")
    return tuple(np.fft.rfft2(one / (x * x + y * y + 0.5)) for one in (x, y))


def _apart(places: Floats, *, least: float = 1.0) -> Floats:
    """What moves nodes that stand closer than `least` away from each other, half of the way each."""
    cells = np.floor((places - places.min(axis=0)) / least).astype(np.int64) + 1
    wide = int(cells[:, 1].max()) + 2
    keys = cells[:, 0] * wide + cells[:, 1]
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    moved = np.zeros_like(places)
    for shift in (0, 1, wide - 1, wide, wide + 1):  # each pair of cells once
        first, last = (np.searchsorted(ranked, keys + shift, side=side) for side in ("left", "right"))
        many = np.minimum(last - first, 32)
        one = np.repeat(np.arange(len(keys)), many)
        run = np.arange(len(one)) - np.repeat(np.cumsum(many) - many, many)
        other = order[np.repeat(first, many) + run]
        way = places[one] - places[other]
        length = np.hypot(way[:, 0], way[:, 1])
        close = (length < least) & ((one < other) if shift == 0 else True)
        one, other, way, length = one[close], other[close], way[close], length[close]
        same = length < 1e-9
        turn = (one + other)[same] * GOLDEN
        way[same] = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        step = way * (0.5 * (least - length) / np.where(same, 1.0, length))[:, None]
        for axis in range(2):
            moved[:, axis] += np.bincount(one, step[:, axis], len(keys)) - np.bincount(other, step[:, axis], len(keys))
    return moved


def _offset(node: str) -> tuple[float, float]:
    """A place within a disc of radius 1, always the same for a node."""
    mark = zlib.crc32(node.encode())
    far, turn = math.sqrt((mark & 0xFFFF) / 0xFFFF), (mark >> 16) / 0xFFFF * math.tau
    return far * math.cos(turn), far * math.sin(turn)
