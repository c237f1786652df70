"""What was written after a moment, as PostgreSQL numbers what is written."""

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


def test_what_was_still_going_on_is_told_though_its_number_is_lower() -> None:
    heard = _heard("5:5:", 7, 6, 9)  # 6 became durable after 7
    assert heard.after(_snapshot("5:5:")) == [{"vault:7"}, {"vault:6"}, {"vault:9"}]
    assert heard.after(_snapshot("6:8:6")) == [{"vault:6"}, {"vault:9"}]
    assert heard.after(_snapshot("10:10:")) == []


def test_a_moment_before_anybody_listened_is_not_known() -> None:
    heard = _heard("8:8:", 9)
    assert heard.after(_snapshot("7:7:")) is None
    assert heard.after(_snapshot("6:8:6")) is None  # 6 came between that moment and the first that was heard
    assert heard.after(_snapshot("8:8:")) == [{"vault:9"}]
    assert Heard().after(_snapshot("8:8:")) is None


def test_of_many_writes_the_last_are_remembered() -> None:
    heard = _heard("1:1:", *range(1, MOST_REMEMBERED + 3))
    assert heard.after(_snapshot("1:1:")) is None
    assert heard.after(_snapshot("2:2:")) is None
    last = heard.after(_snapshot(f"{MOST_REMEMBERED}:{MOST_REMEMBERED}:"))
    assert last == [{f"vault:{MOST_REMEMBERED + more}"} for more in range(3)]


@pytest.mark.parametrize("said", ["", "7", "a:b:c", "1:2", "1:2:x", "1:2:3:4", f"1:{'9' * 40}:"])
def test_what_is_no_moment_is_none(said: str) -> None:
    assert read_snapshot(said) is None
