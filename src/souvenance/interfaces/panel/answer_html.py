"""What a model said as HTML that is safe to show: its Markdown, and `[#12]` as a link to that fact (C5).

A model may be made to say anything by what it was given to read. So nothing of an answer loads by itself, acts or
passes for a part of the panel: raw HTML is shown as the text it is, pictures become links, links lead to the web in a
new window or to a fact or a note, and a number is a link only where that fact is known to the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

LONGEST = 60_000
"""Characters above which an answer is shown as plain text: what is that long is a listing or an attack."""
MOST_BRACKETS = 2_000
"""As many opening brackets, and it is plain text too: each may begin a link, which is looked for to the end."""

_REFERENCE = re.compile(r"\[#([1-9][0-9]{0,11})\]")
_WEB = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)
_OWN = re.compile(r"/(?:fact/[1-9][0-9]{0,11}|[nm]/[0-9a-z]{1,40})\Z")
_POSING = re.compile(r"\W*#\s*[0-9]+\W*\Z")
_HIDDEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
"""Control characters, those that turn the direction of text, and tags that no reader sees."""

_TAGS = {
    "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title", "target"}, "ol": {"start"}}


def visible(text: str) -> str:
    """A text without the characters that no reader sees and that change how others are read."""
    return _HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def rendered_answer(text: str, *, known: Collection[int]) -> Markup:
    """An answer as HTML. `known`: numbers of the facts that were shown or written in this conversation."""
    said = visible(text)
    if len(said) > LONGEST or said.count("[") > MOST_BRACKETS:
        return Markup('<pre class="plain">{}</pre>').format(said)
    engine = _engine()
    env: dict[str, Any] = {"known": known}
    try:
        html = engine.render(said, env)
    except RecursionError:
        return Markup('<pre class="plain">{}</pre>').format(said)
    safe = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes={"a": {"fact"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(safe)  # noqa: S704 - what the allowlist lets through


@cache
def _engine() -> MarkdownIt:
    engine = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    engine.disable(["reference", "html_block", "html_inline"])  # `[#12]: https://…` would turn a number into a link
    engine.core.ruler.push("own_links", _own_links)
    rules = (("image", _image), ("text", _text), ("heading_open", _heading), ("heading_close", _heading))
    for name, rule in rules:
        engine.add_render_rule(name, rule)
    return engine


def _own_links(state: Any) -> None:
    """Take away links that lead where they may not or pose as a fact; say of the others where they lead."""
    for block in state.tokens:
        children = block.children or []
        opened: list[tuple[Token, int]] = []
        for place, token in enumerate(children):
            if token.type == "link_open":
                opened.append((token, place))
            elif token.type == "link_close" and opened:
                link, start = opened.pop()
                address = str(link.attrs.get("href", ""))
                words = "".join(one.content for one in children[start + 1 : place])
                poses = _POSING.match(words) is not None and not _OWN.match(address)
                if poses or not (_WEB.match(address) or _OWN.match(address)):
                    link.type, link.tag, link.nesting, link.hidden = "text", "", 0, False
                    token.type, token.tag, token.nesting = "text", "", 0
                    link.content = token.content = ""
                elif _WEB.match(address):
                    link.attrs = {"href": address, "title": address, "target": "_blank"}


def _image(_: RendererHTML, tokens: Sequence[Token], place: int, __: OptionsDict, ___: EnvType) -> str:
    """A picture is not fetched, since its address could carry out what the model was told; it is named."""
    token = tokens[place]
    address = str(token.attrs.get("src", ""))
    is_named = token.content.strip() and not _POSING.match(token.content)
    name = escape(token.content if is_named else address[:80])
    if not _WEB.match(address):
        return name
    return f'<a href="{escape(address)}" title="{escape(address)}" target="_blank">{name}</a>'


def _text(_: RendererHTML, tokens: Sequence[Token], place: int, __: OptionsDict, env: EnvType) -> str:
    """A text, in which numbers of known facts are links."""
    said, at, content = [], 0, tokens[place].content
    for found in _REFERENCE.finditer(content):
        number = int(found[1])
        if number in env["known"]:
            said += [escape(content[at : found.start()]), f'<a class="fact" href="/fact/{number}">#{number}</a>']
            at = found.end()
    return "".join([*said, escape(content[at:])])


def _heading(_: RendererHTML, tokens: Sequence[Token], place: int, __: OptionsDict, ___: EnvType) -> str:
    """A heading stands below those of the page."""
    token = tokens[place]
    level = min(int(token.tag[1:]) + 2, 6)
    return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"
