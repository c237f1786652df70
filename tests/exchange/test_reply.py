"""C1: what streams to the reader and what is taken out of it, whatever way the chunks are cut."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenance.exchange.events import Verb
from souvenance.exchange.reply import MOST_KEPT, Reply
from souvenance.exchange.requests import Remember, Request, Unreadable
from souvenance.memory.shown import LookUp, Replace, Retire


def read(text: str, size: int = 10**9) -> tuple[str, list[Request]]:
    reply = Reply()
    said = "".join(reply.feed(text[at : at + size]) for at in range(0, len(text), size)) + reply.end()
    return said, [one.request for one in reply.asked]


RANGE = Unreadable(verb=Verb.RETIRE, why="facts are named one by one, not from one to another")
CAT = Remember(key="pet", content="has a cat", importance=8, about="user")
FENCED = "```text\n<<remember tea | Ana likes tea>>\n<<retire #3 | gone>>\n```\nOk"
NAMED = '<<remember key="tea" content="Ana likes tea" importance=7>>'
TEA = Remember(key="tea", content="Ana likes tea")
CASES: list[tuple[str, str, list[Request]]] = [
    ("Hello.", "Hello.", []),
    ("Hello <<remember tea | Ana likes tea>> there", "Hello there", [TEA]),
    ("Noted.\n<<remember tea | Ana likes tea>>", "Noted.", [TEA]),
    ("<<remember tea | Ana likes tea>>\nNoted.", "Noted.", [TEA]),
    ("<<REMEMBER tea | Ana likes tea>>", "", [TEA]),
    ("<<Retenir tea | Ana likes tea>> Noté.", "Noté.", [TEA]),
    ("<<mémoriser tea | Ana likes tea>>", "", [TEA]),
    ("« retenir tea | Ana likes tea » Noté.", "Noté.", [TEA]),
    ("[[remember tea | Ana likes tea]] Ok", "Ok", [TEA]),
    ("[remember tea | Ana likes tea] Ok", "Ok", [TEA]),
    ("<remember tea | Ana likes tea> Ok", "Ok", [TEA]),
    ("**<<remember tea | Ana likes tea>>** Ok", "Ok", [TEA]),
    ("`<<remember tea | Ana likes tea>>` Ok", "Ok", [TEA]),
    ("<<**remember** tea | Ana likes tea>> Ok", "Ok", [TEA]),
    ("```\n<<remember tea | Ana likes tea>>\n```\nOk", "Ok", [TEA]),
    (FENCED, "Ok", [TEA, Retire(number=3, reason="gone")]),
    ("Done:\n- <<remember tea | Ana likes tea>>\n- <<retire #3>>\nBye", "Done:\nBye", [TEA, Retire(number=3)]),
    ("<<retire #1>><<retire #2 | r>> x", "x", [Retire(number=1), Retire(number=2, reason="r")]),
    ("<<retire 12: it moved>>", "", [Retire(number=12, reason="it moved")]),
    ("<<Retirer [#12] | parti>>", "", [Retire(number=12, reason="parti")]),
    ("<<forget #4, #5 and #6>>", "", [Retire(number=4), Retire(number=5), Retire(number=6)]),
    ("<<replace #12 | Lives in Lyon | moved>>", "", [Replace(number=12, content="Lives in Lyon", reason="moved")]),
    ("<<remplacer #12 par Vit à Lyon>>", "", [Replace(number=12, content="Vit à Lyon")]),
    ("<<lookup Martin>>", "", [LookUp(query="Martin")]),
    ("<<look-up: Martin >>", "", [LookUp(query="Martin")]),
    ("<<Look Up | Martin>>", "", [LookUp(query="Martin")]),
    ("« chercher : Martin »", "", [LookUp(query="Martin")]),
    ("<<remember pet | has a cat | 8 | user>>", "", [CAT]),
    ("<<remember pet | has a cat | user | 8/10>>", "", [CAT]),
    ("<<remember pet | has a cat | about: Ana>>", "", [Remember(key="pet", content="has a cat", about="Ana")]),
    ("<<remember Ana likes tea>>", "", [Remember(content="Ana likes tea")]),
    (NAMED, "", [Remember(key="tea", content="Ana likes tea", importance=7)]),
    ('<<remember {"key": "tea", "content": "Ana likes tea"}>>', "", [TEA]),
    ("<<remember\nkey: tea\ncontent: Ana likes tea\n>>\nOk", "Ok", [TEA]),
    ("<<remember tea | Ana likes tea\n\nOk, noted.", "\n\nOk, noted.".strip(), [TEA]),
    ("<<remember tea | Ana likes tea", "", [TEA]),
    ("<<remember tea | Ana likes tea>\n\nOk", "Ok", [TEA]),
    ("<<retire #1 to #500>>", "", [RANGE]),
    ("<<retire #1-#500>> ok", "ok", [RANGE]),
    ("<<oublie #1 à #500>> ok", "ok", [RANGE]),
    ("<<retire the blue one>>", "", [Unreadable(verb=Verb.RETIRE, why="it names no fact by its number")]),
    ("<<remember>>", "", [Unreadable(verb=Verb.REMEMBER, why="nothing is to be remembered")]),
    # what is none
    ("See [#12] and [[Strings]] and <b>bold</b>.", "See [#12] and [[Strings]] and <b>bold</b>.", []),
    ("« Retiens bien ceci. » dit-elle.", "« Retiens bien ceci. » dit-elle.", []),
    ("« Cherche encore », dit-il.", "« Cherche encore », dit-il.", []),
    ("a < b and c << 2", "a < b and c << 2", []),
    ("[[Remember the milk]] is a note", "[[Remember the milk]] is a note", []),
    ("[note](http://a.b) and [note 1]", "[note](http://a.b) and [note 1]", []),
    ("std::cout << note << std::endl;\n\nThen: cin >> x;", "std::cout << note << std::endl;\n\nThen: cin >> x;", []),
    ("```python\nprint(1)\n```\nok **bold** `code`", "```python\nprint(1)\n```\nok **bold** `code`", []),
    ("- one\n- two\n\nthree", "- one\n- two\n\nthree", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "visible", "asked"), CASES, ids=[case[0][:40] for case in CASES])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 10**6])
def test_c1_requests_never_reach_the_reader_however_they_are_cut(
    text: str, visible: str, asked: list[Request], size: int
) -> None:
    assert read(text, size) == (visible, asked)


@given(st.data())
def test_c1_chunks_do_not_matter(data: st.DataObject) -> None:
    parts = data.draw(
        st.lists(
            st.one_of(st.sampled_from([case[0] for case in CASES]), st.text("<>[]|#*`\n rem12«»", max_size=12)),
            max_size=4,
        )
    )
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    reply = Reply()
    said = ""
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        said += reply.feed(text[start:end])
    said += reply.end()
    assert (re.sub(r"\s+", " ", said), [one.request for one in reply.asked]) == (
        re.sub(r"\s+", " ", read(text)[0]),
        read(text)[1],
    )


def test_c1_text_is_let_out_as_soon_as_it_can_be_none() -> None:
    reply = Reply()
    assert reply.feed("Hel") == "Hel"
    assert reply.feed("lo <") == "lo"
    assert reply.feed("<") == ""
    assert reply.feed(" 2") == " << 2"
    assert reply.feed(" [") == ""
    assert reply.feed("r") == ""
    assert reply.feed("u") == " [ru"


def test_t3_a_look_up_opens_the_reply_or_it_does_not() -> None:
    opening, later = Reply(), Reply()
    opening.feed("\n**<<lookup Martin>>**")
    later.feed("Well. <<lookup Martin>>")
    assert [one.opens for one in opening.asked] == [True]
    assert [one.opens for one in later.asked] == [False]


def test_a_model_that_repeats_itself_a_thousand_times_is_bounded() -> None:
    reply = Reply()
    assert "".join(reply.feed("<<retire #1 | x>>\n") for _ in range(1000)) + reply.end() == ""
    assert reply.times == {Retire(number=1, reason="x"): 1000}
    for number in range(1000):
        reply.feed(f"<<retire #{number} | y>>")
    assert (len(reply.asked), reply.uncounted) == (MOST_KEPT, 1000 - MOST_KEPT + 1)


def test_a_reply_of_a_megabyte_takes_no_time_whatever_it_is_made_of() -> None:
    for text in (" " * 10**6, "<" * 10**6, "[[" * 500_000, "<<retire " * 100_000, "\n" * 10**6, "`" * 10**6):
        reply = Reply()
        for at in range(0, len(text), 4096):
            reply.feed(text[at : at + 4096])
        reply.end()
        assert len(reply.asked) <= MOST_KEPT
