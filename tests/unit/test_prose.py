"""What a note says is shown as it was meant and can do nothing (N1, V8): Markdown to safe HTML."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenance.domain.note import LinkView, NoteClass
from souvenance.interfaces.panel.prose import PART, links_to, parts, rendered

HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    '"><img src=x onerror=alert(1)>',
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<math><mtext></table><mglyph><style><img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href=" data:text/html,x">x</a>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="vbscript:x">x</a>',
    "<javascript:alert(1)>",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
    "<iframe src=//evil.example></iframe>",
    '<form action="/notes/new"><input name=title><button>go</button></form>',
    '<div hx-get="/x" hx-trigger="load">x</div>',
    '<a data-hx-post="/n/x/delete" href="#">x</a>',
    '<a data-opens="dialog" href="#">x</a>',
    "<p style='position:fixed;inset:0'>x</p>",
    '<base href="//evil.example">',
    '<meta http-equiv="refresh" content="0;url=//evil.example">',
    "<link rel=stylesheet href=//evil.example/x.css>",
    "[[<img src=x onerror=alert(1)>]]",
    '[[x" onmouseover="alert(1)|y"><script>alert(1)</script>]]',
    "# <script>alert(1)</script>",
    "```html\n<script>alert(1)</script>\n```",
    "<template><script>alert(1)</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<input autofocus onfocus=alert(1)>",
    '<h2 id="toasts">x</h2>',
    '<a id="main" name="main">x</a>',
]
TAGS = {
    "a", "b", "blockquote", "br", "code", "del", "em", "h2", "h3", "hr", "i", "img", "li", "ol", "p", "pre", "s",
    "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"href", "title", "src", "alt", "start", "align", "scope", "id", "class", "rel"}


def offered(target: str) -> str:
    return "/notes/new?title=" + target


class Reader(HTMLParser):
    """What a browser would make of it that is not plain text."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.wrong.append(tag)
        for name, value in attrs:
            runs = name in {"href", "src"} and not re.match(r"(?:https?|mailto):|/n|#|data:image/png", value or "")
            if name not in ATTRIBUTES or runs or (name == "id" and not (value or "").startswith("s-")):
                self.wrong.append(f"{tag} {name}={value}")

    def handle_comment(self, data: str) -> None:
        self.wrong.append(data)


def wrong_in(html: str) -> list[str]:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader.wrong


@pytest.mark.parametrize("text", HOSTILE)
def test_n1_hostile_markdown_becomes_harmless(text: str) -> None:
    prose = rendered(f"before\n\n{text}\n\nafter", links=links_to([], create=offered))
    assert wrong_in(prose.html) == []
    assert "before" in prose.html


@given(st.lists(st.sampled_from([*HOSTILE, "\n", "\n\n", "`", "```\n", "- ", "|", "[", "](", "<", ">", '"', "  "])))
def test_n1_no_mixture_of_them_gets_through(pieces: list[str]) -> None:
    assert wrong_in(rendered("".join(pieces), links=links_to([], create=offered)).html) == []


def test_n1_links_lead_to_notes_and_missing_ones_offer_to_write_them() -> None:
    views = [
        LinkView(target="Café", note_id="abc", title="Café", note_class=NoteClass.USER_DOC),
        LinkView(target="general", note_id="mem", title="general", note_class=NoteClass.AGENT_MEMORY),
        LinkView(target="a/b", note_id="deep", title="b", note_class=NoteClass.SOURCE),
    ]
    text = "[[cafe#part|the café]] [[general]] [b](../a/b.md) [[nowhere]] [out](https://example.org/) `[[code]]`"
    html = rendered(text, links=links_to(views, folder="x", create=offered)).html
    assert '<a class="wiki" href="/n/abc" rel="noopener noreferrer nofollow">the café</a>' in html
    assert 'href="/m/mem"' in html
    assert 'href="/n/deep"' in html
    assert (
        '<a class="wiki missing" href="/notes/new?title=nowhere" rel="noopener noreferrer nofollow">nowhere</a>' in html
    )
    assert 'href="https://example.org/"' in html
    assert "<code>[[code]]</code>" in html


def test_n1_headings_stand_below_the_pages_own_and_the_title_is_not_said_twice() -> None:
    prose = rendered("# My Note\n\n## One *two*\n\ntext\n\n### Three\n", title="my note")
    assert [(one.level, one.text, one.anchor) for one in prose.headings] == [(2, "One two", "s-1"), (3, "Three", "s-2")]
    assert '<h3 id="s-1">' in prose.html
    assert "<h1" not in prose.html
    assert "My Note" not in prose.html


def test_n1_pictures_of_the_text_are_shown_and_none_is_fetched_from_elsewhere() -> None:
    html = rendered("![dot](data:image/png;base64,iVBORw0KGgo=) ![far](https://example.org/x.png) ![own](/logout)").html
    assert '<img src="data:image/png;base64,iVBORw0KGgo=" alt="dot">' in html
    assert html.count("<img") == 1
    assert 'href="https://example.org/x.png"' in html
    assert "/logout" not in html


def test_n1_a_long_text_is_read_in_parts_that_lose_nothing() -> None:
    text = "line\n" * (PART // 5 + 1) + "```\n" + "code\n" * (PART // 10) + "```\nend\n" + "x" * 5 * PART
    cut = parts(text)
    assert "".join(cut) == text
    assert max(map(len, cut)) <= 3 * PART
    assert len(cut[0]) < PART + 100
    assert cut[1].startswith(("line\n```\n", "```\n"))
    assert "```\nend" in cut[1], "code is not cut"


def test_n1_code_without_end_is_cut_all_the_same() -> None:
    text = "```\n" + "code\n" * PART
    assert "".join(parts(text)) == text
    assert max(map(len, parts(text))) <= 3 * PART
