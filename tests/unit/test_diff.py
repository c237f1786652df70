"""Diffs that can be read (N9)."""

import time

from hypothesis import given
from hypothesis import strategies as st

from souvenance.notes.diff import MOST_LINES, fact_diff, text_lines


def test_n9_of_two_long_lines_only_what_differs_is_shown() -> None:
    prose = "The ferry to the island leaves at nine and comes back after sunset. " * 6
    was, now = text_lines(prose, prose.replace("sunset. The ferry", "midnight. The ferry", 1))
    assert was.startswith("- …")
    assert was.endswith("…")
    assert "sunset" in was
    assert "midnight" in now
    assert len(was) < 180


@given(st.lists(st.sampled_from(["a", "b", "", "c " * 90, "d"])), st.lists(st.sampled_from(["a", "b", "", "c " * 91])))
def test_a_diff_is_empty_only_for_equal_texts(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)
    assert (text_lines(before, after) == []) == (before == after)


def test_a_huge_change_is_told_quickly_and_shortly() -> None:
    old = "\n".join(f"line {number}" for number in range(60_000))
    new = "\n".join(f"row {number}" for number in range(60_000))
    start = time.perf_counter()
    lines = text_lines(old, new)
    assert time.perf_counter() - start < 2
    assert len(lines) == MOST_LINES + 1
    assert "more lines" in lines[-1]


def test_confidence_of_zero_is_told() -> None:
    assert fact_diff({"content": "x"}, {"content": "x", "confidence": 0.0}) == "confidence: 1.0 → 0.0"
