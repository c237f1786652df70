"""Front matter is kept as it was written, and what cannot be read stays text (R4)."""

import pytest

from souvenance.ingest.front_matter import divided


def test_plain_data_is_kept_as_written() -> None:
    block = "tags: [a, b]\ndate: 2023-05-08\ntime: 12:30\nland: no\nid: 007\nn: 3\nx: 1.5\non: true\ngone:\n"
    text = f"---\n{block}---\nBody.\n"
    values, body, warning = divided(text)
    assert values == {
        "tags": ["a", "b"], "date": "2023-05-08", "time": "12:30", "land": "no", "id": "007", "n": 3, "x": 1.5,
        "on": True, "gone": None,
    }  # fmt: skip
    assert (body, warning) == ("Body.\n", "")


@pytest.mark.parametrize(
    "text", ["", "Body only", "---\n", "--- \nno end", "---\nA rule, no data\n---\nBody", "text\n---\na: 1\n---\n"]
)
def test_text_without_front_matter_is_left_whole(text: str) -> None:
    assert divided(text) == ({}, text, "")


def test_an_empty_block_is_no_data() -> None:
    assert divided("---\n---\nBody") == ({}, "Body", "")


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{after}: &{after} [{','.join([f'*{before}'] * 10)}]\n" for before, after in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    "block",
    ["a: [1, 2\n", "a: b: c\n", "\ta: 1\n", "a: !!python/object/apply:os.system [ls]\n", 'a: "\\0"\n', BOMB,
     "a: &a [*a]\n", "a: " + "[" * 3000 + "\n", "a: !!binary aGk=\n", "x: " + "y" * 70_000 + "\n"],
    ids=["open", "colons", "tab", "object", "nul", "bomb", "loop", "deep", "binary", "large"],
)  # fmt: skip
def test_what_cannot_be_read_stays_text_and_is_told(block: str) -> None:
    text = f"---\n{block}---\nBody"
    values, body, warning = divided(text)
    assert values == {}
    assert body == text
    assert "kept as text" in warning


@pytest.mark.parametrize("value", ["!!bool maybe", '!!int ""', '!!float ""', "!!timestamp x", "!!int 0x"])
def test_r4_a_tag_its_value_does_not_fit_keeps_the_file_as_text(value: str) -> None:
    text = f"---\ndraft: {value}\n---\nBody.\n"
    values, body, warning = divided(text)
    assert (values, body) == ({}, text)
    assert "kept as text" in warning
