"""Replies cut into what Discord takes, and the bot's own sentences."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenance.interfaces.discord.splitting import LIMIT, size, split_reply
from souvenance.interfaces.discord.words import FRENCH, LANGUAGES, SENTENCES

BITS = [
    "word ",
    "```\n",
    "```py\n",
    "\n",
    "\n\n",
    "é",
    "😀",
    "x" * 70,
    ". ",
    "`",
    "```inline``` ",
    "def f():\n    return 1\n",
]


def plain(text: str) -> str:
    return re.sub(r"```|py|\s|`", "", text)


@given(st.lists(st.sampled_from(BITS), max_size=150).map("".join), st.integers(60, 300))
def test_every_part_fits_and_nothing_is_lost(text: str, limit: int) -> None:
    parts = split_reply(text, limit=limit)
    assert all(0 < size(part) <= limit for part in parts)
    assert all(part.strip() for part in parts)
    assert all(part.count("```") % 2 == 0 for part in parts)
    assert plain("".join(parts)) == plain(text)


def test_a_short_reply_is_sent_as_it_is() -> None:
    text = "Here:\n```py\nprint(1)\n```\nand `that`."
    assert split_reply(text) == [text]
    assert split_reply(" \n ") == []


def test_a_long_code_block_is_carried_over_with_its_language() -> None:
    code = "\n".join(f"    line_{number} = {number}" for number in range(300))
    parts = split_reply(f"Look:\n```python\n{code}\n```\nDone.")
    assert len(parts) == 3
    assert all(part.startswith("```python\n") for part in parts[1:])
    assert all(part.endswith("\n```") for part in parts[:-1])
    assert parts[-1].endswith("```\nDone.")
    lines = [line for part in parts for line in part.splitlines() if line.startswith("    line_")]
    assert lines == code.splitlines()


def test_a_code_block_that_fits_in_one_part_is_not_cut() -> None:
    parts = split_reply(f"{'word ' * 300}\n```js\n{'x;' * 400}\n```\nend")
    assert len(parts) == 2
    assert parts[1].startswith("```js\nx;")


def test_prose_is_cut_between_paragraphs_before_anything_else() -> None:
    first, second = "a" * 1200, "b" * 1200
    assert split_reply(f"{first}\n\n{second}") == [first, second]
    sentences = "This is a sentence. " * 150
    assert all(part.endswith(".") for part in split_reply(sentences))


def test_characters_that_count_twice_do() -> None:
    parts = split_reply("😀" * 1500)
    assert [len(part) for part in parts] == [998, 502] or all(size(part) <= LIMIT for part in parts)
    assert "".join(parts) == "😀" * 1500


def test_r5_every_sentence_is_there_in_both_languages_with_the_same_blanks() -> None:
    assert set(SENTENCES) == set(LANGUAGES)
    for key, english in SENTENCES["en"].items():
        french = SENTENCES["fr"][key]
        blanks = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in (english, french)]
        assert blanks[0] == blanks[1], key
    assert set(SENTENCES["en"]) == set(SENTENCES["fr"])


@pytest.mark.parametrize("text", FRENCH.values())
def test_r5_french_names_and_descriptions_fit_discord(text: str) -> None:
    assert 1 <= len(text) <= 100
