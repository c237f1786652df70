"""What a model says as HTML: read as Markdown, and nothing else (C5, CASES on injection)."""

import re
import time

import pytest

from souvenance.interfaces.panel.answer_html import LONGEST, rendered_answer

PLAIN = "blockquote|br|code|em|h[3-6]|hr|li|ol|p|pre|s|strong|table|tbody|td|th|thead|tr|ul"
REL = 'rel="noopener noreferrer nofollow"'
ALLOWED = re.compile(
    rf'</?(?:{PLAIN})>|<ol start="\d+">|</a>|<pre class="plain">|<a class="fact" href="/fact/\d+" {REL}>|'
    rf'<a href="(?:https?://|mailto:|/[nm]/)[^"]*"(?: title="[^"]*" target="_blank")? {REL}>'
)


def html(text: str, *known: int) -> str:
    said = str(rendered_answer(text, known=known))
    assert not re.findall(r"<[^<>]*>?", ALLOWED.sub("", said)), said
    return said


def test_markdown_is_read() -> None:
    said = html(
        "# Trains\n\nAt **7**, *not* 8.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n- y\n\n```py\nprint(1 < 2)\n```"
    )
    for part in ("<h3>Trains</h3>", "<strong>7</strong>", "<td>2</td>", "<li>y</li>", "print(1 &lt; 2)"):
        assert part in said


def test_c5_the_number_of_a_known_fact_is_a_link_and_no_other() -> None:
    said = html("[#12] and [#13], **[#12]** but `[#12]`, [#0], [#12 ], [#-1], [#99999999999999999]", 12)
    assert said.count('href="/fact/12"') == 2
    assert "[#13]" in said
    assert "<code>[#12]</code>" in said


@pytest.mark.parametrize(
    "text",
    [
        "[#12](https://evil.example)",
        "[**#12**](https://evil.example)",
        "[ # 12 ](https://evil.example)",
        "![#12](/logout)",
        "[#12]: https://evil.example\n\n[#12]",
        "[#12]: /logout\n\n[#12][#12]",
        "[x](/logout) [x](logout) [x](?a) [x](#a) [x](//evil.example) [x](/\\evil.example)",
        "[x](javascript:alert(1)) [x](JaVaScRiPt:alert(1)) [x](data:text/html,x) [x](vbscript:x) [x](file:///etc)",
        "<a href='https://evil.example'>#12</a><form action=/logout><input></form>",
        "&lt;script&gt; &#60;script&#62;alert(1)&#60;/script&#62;",
        "<!-- --><![CDATA[x]]><?php ?>",
    ],
)
def test_no_link_poses_as_a_fact_or_leads_into_the_panel(text: str) -> None:
    said = html(text, 12)
    assert set(re.findall(r'href="([^"]*)"', said)) <= {"/fact/12"}


def test_a_picture_is_named_and_not_fetched() -> None:
    said = html("![a boat](https://example.org/boat.png?x=1&y=2) ![#12](https://example.org/p)", 12)
    assert "<img" not in said
    assert ">a boat</a>" in said
    assert ">https://example.org/p</a>" in said


def test_characters_that_nobody_sees_are_left_out() -> None:
    said = html("a\u202eb\x1b[31m\x00c\U000e0041 שלום مرحبا 👩‍🚀")
    assert "ab[31mc שלום مرحبا 👩‍🚀" in said


SLOW = ("[", "![", "*a ", "> ", "- ", "[a](b", "_a*", "<a ", "`a", "&#x", "|a|b\n|-|-\n", "**a_b`c[")


@pytest.mark.parametrize("piece", SLOW)
def test_an_answer_made_to_be_slow_is_shown_soon(piece: str) -> None:
    started = time.process_time()
    rendered_answer(piece * (LONGEST // len(piece)), known=())
    assert time.process_time() - started < 4
