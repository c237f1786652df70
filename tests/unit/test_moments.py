"""What a listener on PostgreSQL has heard, told to who comes later: nothing is missed, or it is said that it may be."""

import pytest

from souvenance.store.change_feed import Written
from souvenance.store.moments import MOST_REMEMBERED, Heard, Snapshot, read_snapshot


def _snapshot(said: str) -> Snapshot:
    found = read_snapshot(said)
    assert found is not None
    return found


def _heard(since: str, *numbers: int) -> Heard:
    heard = Heard()
    heard.begin(_snapshot(since))
    for number in numbers:
        heard.add(Written(frozenset({f"vault:{number}"}), number))
    return heard


@pytest.mark.parametrize("said", ["", "1:2", "1:2:3:4", "a:b:", "1:2:x", "1:-2:", "1:2:3,", "1:٢:", "9" * 30 + ":1:"])
def test_what_is_no_snapshot_is_none(said: str) -> None:
    assert read_snapshot(said) is None


def test_a_write_that_began_before_a_moment_and_was_durable_after_it_is_told() -> None:
    heard = _heard("10:10:", 12, 10)  # 10 began first and became durable last
    assert heard.after(_snapshot("10:13:10")) == [frozenset({"vault:10"})]
    assert heard.after(_snapshot("10:13:10,12")) == [frozenset({"vault:12"}), frozenset({"vault:10"})]
    assert heard.after(_snapshot("13:13:")) == []


def test_a_moment_before_what_was_heard_is_not_known() -> None:
    heard = _heard("10:12:", 12)
    assert heard.after(_snapshot("11:11:")) is None
    assert heard.after(_snapshot("10:12:10")) is None, "10 became durable before anybody listened"
    assert heard.after(_snapshot("12:12:")) == [frozenset({"vault:12"})]
    assert Heard().after(_snapshot("12:12:")) is None


def test_what_is_too_old_to_be_remembered_is_known_to_be_forgotten() -> None:
    heard = _heard("10:10:", *range(10, 10 + MOST_REMEMBERED))
    told = heard.after(_snapshot("10:10:"))
    assert told is not None
    assert len(told) == MOST_REMEMBERED
    heard.add(Written(frozenset(), 10 + MOST_REMEMBERED))
    assert heard.after(_snapshot("10:10:")) is None
    told = heard.after(_snapshot("11:11:"))  # who has seen the oldest misses nothing
    assert told is not None
    assert len(told) == MOST_REMEMBERED
