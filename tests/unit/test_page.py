"""N2: a fact as a list item, and back; whatever a fact says comes back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenance.domain.errors import AmbiguousEdit, SouvenanceError
from souvenance.domain.fact import checked_content, checked_line
from souvenance.notes.page import parse, render_item

BITS = (
    "a", "é", "日本", " ", "  ", "\t", "\n", "\n\n", "- ", "* ", "  - ", "^12", " ^7", "\\", "\\^3", "**", "**k**: ",
    "**k**:", ":", "```", "# h", "---", "===", "[[x]]", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u00a0", "1. ", "> ",
    "^", "*", "_", "<b>", "\r",
)  # fmt: skip
texts = st.one_of(
    st.lists(st.sampled_from(BITS), min_size=1, max_size=12).map("".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1),
)


def accepted(text: str, *, as_key: bool) -> str | None:
    try:
        return checked_line(text, what="key") if as_key else checked_content(text)
    except SouvenanceError:
        return None


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_n2_every_fact_comes_back_from_its_page_as_it_was(said: list[tuple[str, str]]) -> None:
    facts = []
    for number, (key, content) in enumerate(said, 1):
        kept = accepted(content, as_key=False)
        if kept is not None:
            facts.append((number, accepted(key, as_key=True) or "", kept))
    items = [render_item(number=number, key=key, content=content) for number, key, content in facts]
    assert [(item.anchor, item.key, item.content) for item in parse("\n".join(items))] == facts
    without = [item.rsplit(" ^", 1)[0] for item in items]
    assert [(item.key, item.content) for item in parse("\n".join(without))] == [fact[1:] for fact in facts]


@pytest.mark.parametrize(
    ("key", "content", "shown"),
    [
        ("", "likes tea", "- likes tea ^7"),
        ("city", "Lyon,\nsince 2019", "- **city**: Lyon,\n  since 2019 ^7"),
        ("", "one\n\n- two", "- one\n\n  - two ^7"),
        ("", "see ^3", "- see \\^3 ^7"),
        ("", "**so**: it is", "- \\**so**: it is ^7"),
    ],
)
def test_n2_a_fact_is_a_list_item_ended_by_its_anchor(key: str, content: str, shown: str) -> None:
    assert render_item(number=7, key=key, content=content) == shown


@pytest.mark.parametrize(
    "written",
    [
        "* likes tea ^7\n+ new",
        "# General\n\n- likes tea ^7\n\n\n- new\n\n",
        "- likes tea   ^7  \r\n- new".replace("\r\n", "\n"),
        "-  likes tea\n  ^7\n- new\n",
    ],
)
def test_n2_a_page_is_read_as_people_write_it(written: str) -> None:
    assert [(item.anchor, item.content) for item in parse(written, title="general")] == [
        (7, "likes tea"),
        (None, "new"),
    ]


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("- likes tea ^7\nprose", 2),
        ("prose", 1),
        ("# Another title\n- likes tea ^7", 1),
        ("1. likes tea", 1),
        (" - one space", 1),
        ("- likes tea ^7\n  and more", 1),
        ("- likes tea ^7 ^8", 1),
        ("- x ^7\n- y\n  y ^9\n  z", 3),
        ("- ok\n- ^7", 2),
        ("- ok\n-", 2),
    ],
)
def test_n2_what_could_mean_two_things_is_refused_with_its_line(written: str, line: int) -> None:
    with pytest.raises(AmbiguousEdit) as refused:
        parse(written, title="general")
    assert refused.value.details["line"] == line
    assert refused.value.hint
