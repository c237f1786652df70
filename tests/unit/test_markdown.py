"""What is read of Markdown: headings, links, passages."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenance.domain.markdown import headings, lines, targets
from souvenance.ingest.passages import LONGEST, split


def test_n1_links_of_every_form_are_found_and_nothing_else() -> None:
    text = (
        "[[Alpha]] [[beta|shown]] [[Gamma#part]] ![[Delta]] [x](epsilon.md) [x](sub/zeta%20one.md#h)\n"
        "[x](<eta two.md>) [x](/n/abcdefghjkmn) "
        "[x](souvenance://note/0123456789ab) [x](../up.md) [[#own]] [[]] [x](#own)\n"
        "[x](https://example.org/a.md) [x](mailto:a@b.c) ![p](picture.png) [x](file.pdf) `[[code]]` ``[[a`b]]``\n"
        "```\n[[fenced]]\n```\n"
    )
    assert targets(text, folder="docs/deep") == [
        "Alpha", "beta", "Gamma", "Delta", "docs/deep/epsilon", "docs/deep/sub/zeta one", "docs/deep/eta two",
        "abcdefghjkmn", "0123456789ab", "docs/up",
    ]  # fmt: skip


def test_n1_a_path_that_would_leave_the_vault_links_nowhere() -> None:
    assert targets("[x](../../secret.md) [x](../ok.md)", folder="one") == ["ok"]


def test_n5_headings_are_told_from_code_lists_and_rules() -> None:
    text = "# A #\n\n- item\n---\n\npara\n---\n\n~~~\n# no\n~~~\n\n    # no\n\n#no\n\n####### no\n\nB\n==\n"
    assert [(heading.level, heading.text) for heading in headings(text)] == [(1, "A"), (2, "para"), (1, "B")]


@given(st.text(st.sampled_from("ab#-=`~ \n[]()"), max_size=200))
def test_lines_cover_the_text_without_a_gap(text: str) -> None:
    assert "".join(text[line.start : line.end] for line in lines(text)) == text
    for heading in headings(text):
        assert 0 <= heading.start < heading.body <= len(text)


def test_n6_passages_carry_the_whole_trail_of_their_headings() -> None:
    text = "before\n\n# One\n\nfirst\n\n## Two\n\nsecond\n\n## Bare\n\n# Three\n\n```\n# code\n\nstays\n```\n"
    assert [(piece.heading, piece.text) for piece in split(text)] == [
        ("", "before"),
        ("One", "first"),
        ("One > Two", "second"),
        ("One > Bare", "Bare"),
        ("Three", "```\n# code\n\nstays\n```"),
    ]


blocks = st.sampled_from(["word ", "Sentence. ", "\n", "\n\n", "x" * 700, "日本語。" * 90, "- item\n", "```\n"])


@given(st.lists(blocks, max_size=60))
def test_n6_passages_are_small_and_lose_no_word(parts: list[str]) -> None:
    pieces = split("".join(parts))
    assert all(0 < len(piece.text) <= LONGEST for piece in pieces)
    assert "".join("".join(piece.text.split()) for piece in pieces) == "".join("".join(parts).split())


def test_n1_a_note_of_five_mebibytes_is_cut_in_moments() -> None:
    section = "## Part\n\n" + "Some words that say something. " * 20 + "\n\n- item\n- [[link]]\n\n"
    text = section * (5 * 1024 * 1024 // len(section))
    started = time.perf_counter()
    assert len(split(text)) > 5000
    assert targets(text) == ["link"]
    assert len(split("x" * 5_000_000)) > 4000
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize(
    "text",
    [
        "[](" + " " * 60_000, "[](a" + " " * 60_000, "[](a" + "()" * 30_000 + " ", "[](" * 20_000, "[[" + "[a" * 30_000,
        "# " + " " * 60_000 + "x", "# x" + " " * 60_000 + "x", "# " + "a #" * 20_000 + " x",
        "[[a]] " + " ".join("`" * (number % 300 + 1) for number in range(2000)),
    ],
    ids=range(9),
)  # fmt: skip
def test_n1_no_text_takes_long_to_find_the_links_and_headings_of(text: str) -> None:
    started = time.process_time()
    targets(text)
    headings(text)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [("#", ""), ("# #", ""), ("## a ##", "a"), ("# a#", "a#"), ("# a #b", "a #b"), ("#\ta\t#\t", "a"), ("# ##", "")],
)
def test_n1_the_words_of_a_heading(text: str, words: str) -> None:
    assert [item.text for item in headings(text)] == [words]


def test_n1_code_hides_links_only_where_as_many_backticks_close_it() -> None:
    assert targets("`[[a]]` [[b]] ``[[c]] ` [[d]]`` ```[[e]] `[[f]]") == ["b", "e", "f"]
