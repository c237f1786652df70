"""Where the nodes of a map stand (V14): readable, the same each time, and steady when others come."""

import json
import math
import random
import time
from pathlib import Path

import numpy as np
import pytest

from souvenance.map.layout import Plan, arrange, begin
from souvenance.map.places import Places


def plan(count: int, *, vaults: int = 3, seed: int = 1) -> Plan:
    """Nodes in topics of ten, each tied to the first of its topic and to another of it, in vaults of falling size."""
    chance = random.Random(seed)
    groups = [min(vaults - 1, int(vaults * (chance.random() ** 2))) for _ in range(count)]
    topics: dict[tuple[int, int], list[int]] = {}
    for at, group in enumerate(groups):
        topics.setdefault((group, at % max(1, count // 30)), []).append(at)
    ties = []
    for topic in topics.values():
        ties += [("page", at, topic[0]) for at in topic[1:]]
        ties += [("alike", at, chance.choice(topic)) for at in topic]
    return Plan(
        nodes=[f"fact:{number}" for number in range(count)],
        vaults=groups,
        ties=[tie for tie in ties if tie[1] != tie[2]],
    )


def distances(places: np.ndarray) -> np.ndarray:
    return np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))


def test_v14_the_same_map_has_the_same_places() -> None:
    assert np.array_equal(arrange(plan(200)), arrange(plan(200)))


def test_v14_no_node_lies_on_another_and_what_is_tied_is_near() -> None:
    drawn = plan(400)
    places = arrange(drawn)
    far = distances(places)
    np.fill_diagonal(far, np.inf)
    assert far.min() > 0.7
    tied = np.mean([far[one, other] for _, one, other in drawn.ties])
    same = [far[one, other] for one in range(0, 400, 3) for other in range(0, 400, 7) if one != other]
    assert tied < 0.4 * np.mean(same)


def test_v14_each_vault_is_an_island_of_its_own() -> None:
    drawn = plan(500, vaults=5)
    places = arrange(drawn)
    discs = []
    for vault in range(5):
        mine = places[np.array(drawn.vaults) == vault]
        centre = (mine.min(axis=0) + mine.max(axis=0)) / 2
        discs.append((centre, np.hypot(*(mine - centre).T).max()))
    for at, (centre, radius) in enumerate(discs):
        for other, reach in discs[at + 1 :]:
            assert math.dist(centre, other) > radius + reach


def test_v14_nodes_stay_about_where_they_were_when_others_come_and_go() -> None:
    before = plan(300)
    places = arrange(before)
    known = {node: (float(x), float(y)) for node, (x, y) in zip(before.nodes, places, strict=True)}
    more = Plan(
        nodes=[*before.nodes[20:], "fact:900", "note:new"],
        vaults=[*before.vaults[20:], before.vaults[25], 7],
        ties=[(kind, one - 20, other - 20) for kind, one, other in before.ties if min(one, other) >= 20]
        + [("link", 280, 5)],
    )
    after = arrange(more, known)
    moved = np.hypot(*(after[:280] - places[20:]).T)
    across = np.hypot(*(places.max(axis=0) - places.min(axis=0)))
    assert moved.mean() < 0.02 * across
    assert math.dist(after[280], after[5]) < 0.25 * across
    assert np.isfinite(after).all()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_v14_the_smallest_maps_have_places_too(count: int) -> None:
    small = Plan(nodes=[f"note:{n}" for n in range(count)], vaults=[1] * count, ties=[("link", 0, 1)][: count // 2])
    assert arrange(small).shape == begin(small).shape == (count, 2)
    assert np.isfinite(arrange(small)).all()


def test_v14_five_thousand_nodes_never_make_the_page_wait(tmp_path: Path) -> None:
    kept, drawn = Places(tmp_path), plan(5000, vaults=8)
    places, is_settled = kept.of(drawn, key="map")
    assert places.shape == (5000, 2)
    until = time.monotonic() + 60
    while not is_settled:
        places, is_settled = kept.of(drawn, key="map")
        assert time.monotonic() < until
    again, is_settled = kept.of(drawn, key="map")
    assert is_settled
    assert np.array_equal(again, places)
    kept.close()
    restarted = Places(tmp_path)
    began = time.monotonic()
    same, is_settled = restarted.of(drawn, key="map")  # at once, and nobody moved
    took = time.monotonic() - began
    assert is_settled
    assert np.array_equal(same, places)
    assert took < 2
    restarted.forget()
    restarted.close()
    assert not list(tmp_path.iterdir())  # F7: nothing is left of what was erased


@pytest.mark.parametrize("said", ["", "{}", '{"seal": 1, "places": [1]}', '{"seal": "", "places": {"note:0": "far"}}'])
def test_v14_a_file_of_places_that_cannot_be_read_is_as_none(tmp_path: Path, said: str) -> None:
    first, drawn = Places(tmp_path), plan(30, vaults=2)
    while not first.of(drawn, key="map")[1]:
        time.sleep(0.01)
    first.close()
    (file,) = tmp_path.iterdir()
    file.write_text(said)
    second = Places(tmp_path)
    while not (laid := second.of(drawn, key="map"))[1]:
        time.sleep(0.01)
    assert np.isfinite(laid[0]).all()
    second.close()


def test_v14_a_file_that_holds_less_than_its_seal_says_is_laid_out_anew(tmp_path: Path) -> None:
    first, drawn = Places(tmp_path), plan(30, vaults=2)
    while not first.of(drawn, key="map")[1]:
        time.sleep(0.01)
    first.close()
    (file,) = tmp_path.iterdir()
    kept = json.loads(file.read_text())
    kept["places"].popitem()
    file.write_text(json.dumps(kept))
    second = Places(tmp_path)
    while not (laid := second.of(drawn, key="map"))[1]:
        time.sleep(0.01)
    assert laid[0].shape == (30, 2)
    second.close()
