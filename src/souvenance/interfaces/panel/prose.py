"""Markdown as safe HTML: what people, agents and files wrote can be read on a page and do nothing else there (N1).

Two walls: the renderer writes only known elements and refuses addresses that run something; then everything, raw HTML
of the text included, goes through an allowlist of elements and attributes. No attribute that a script of the panel
listens to (`hx-`, `data-`, `on…`), no `style`, no `id` but those of headings, no form gets through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from urllib.parse import quote

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from souvenance.domain.markdown import lines, path_target, wiki_target
from souvenance.domain.note import LinkView, NoteClass, target_key

PART = 60_000
"""Characters of a text that are shown at once; a longer one is read in parts. Whatever stands in it, such a part is
made in seconds at worst, and usually in a fraction of one."""

_WIKI = re.compile(r"(!?)\[\[([^\[\]|#\n]*)(?:#([^\[\]|\n]*))?(?:\|([^\[\]\n]*))?\]\]")
_TASK = re.compile(r"\[([ xX])\] ")
_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*\Z")
_NO_PICTURE = re.compile(r'<img(?: (?:alt|title)="[^"]*")*>')
_HEADING_ID = re.compile(r"s-[0-9]{1,6}\Z")

_TAGS = {
    "a", "abbr", "b", "blockquote", "br", "cite", "code", "dd", "del", "details", "dfn", "dl", "dt", "em", "h1", "h2",
    "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp", "small",
    "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul", "var",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "ol": {"start"},
    "td": {"align"},
    "th": {"align", "scope"},
    **{f"h{level}": {"id"} for level in range(1, 7)},
}
_CLASSES = {"a": {"wiki", "missing"}, "span": {"picture", "task"}}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as the table of contents names it; `anchor` is its id on the page."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Prose:
    """A text as HTML that is safe to show, and its headings."""

    html: Markup
    headings: tuple[Heading, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Where the links of a text lead: what its note links to, seen from its folder.

    `create` makes the address that offers to write a note which is not there yet; None: nothing is offered.
    """

    found: Mapping[str, LinkView] = field(default_factory=dict)
    folder: str = ""
    create: Callable[[str], str] | None = None

    def lead(self, target: str) -> tuple[str, bool]:
        """The address a target leads to, and whether there is a note; empty where there is none to offer."""
        link = self.found.get(target_key(target))
        if link is not None and link.note_id is not None:
            return note_address(link.note_id, link.note_class), True
        return (self.create(target) if self.create else ""), False


def links_to(views: Sequence[LinkView], *, folder: str = "", create: Callable[[str], str] | None = None) -> Links:
    """The links of a note, ready to be looked up."""
    return Links(found={target_key(view.target): view for view in views}, folder=folder, create=create)


def note_address(note_id: str, note_class: NoteClass | None) -> str:
    """Where a note is read: agent memory at `/m/`, all others at `/n/` (N8)."""
    return f"/{'m' if note_class is NoteClass.AGENT_MEMORY else 'n'}/{quote(note_id, safe='')}"


def rendered(text: str, *, links: Links | None = None, title: str = "", under: int = 1) -> Prose:
    """A text as HTML. Its headings stand `under` levels below the page's; a first one that repeats `title` is left
    out, since the page says it."""
    env: dict[str, object] = {"links": links or Links()}
    engine = _engine()
    tokens = engine.parse(text, env)
    if title:
        _drop_title(tokens, title)
    headings = _number_headings(tokens, under=under)
    _align_cells(tokens)
    html = engine.renderer.render(tokens, engine.options, env)
    return Prose(_cleaned(html), tuple(headings))


def parts(text: str) -> list[str]:
    """A text in parts of about `PART` characters, cut between lines and not inside code, unless those are very long."""
    cuts = [0]
    for line in lines(text) if len(text) > PART else ():
        long = line.start - cuts[-1]
        if long >= 2 * PART or (long >= PART and not line.is_code):
            cuts.append(line.start)
        while line.end - cuts[-1] > 3 * PART:
            cuts.append(cuts[-1] + PART)
    return [text[one:other] for one, other in zip(cuts, [*cuts[1:], len(text)], strict=True)]


# --- the renderer ------------------------------------------------------------------------------------------------


@cache
def _engine() -> MarkdownIt:
    engine = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])
    engine.inline.ruler.before("link", "wiki", _wiki)
    rules: tuple[tuple[str, Callable[..., str]], ...] = (
        ("link_open", _link_open),
        ("image", _image),
        ("wiki", _wiki_link),
        ("text", _text),
    )
    for name, rule in rules:
        engine.add_render_rule(name, rule)
    return engine


def _wiki(state: StateInline, silent: bool) -> bool:
    found = _WIKI.match(state.src, state.pos)
    if found is None:
        return False
    target = wiki_target(found[2])
    if not target:
        return False
    if not silent:
        token = state.push("wiki", "", 0)
        token.meta = {"target": target}
        token.content = (found[4] or found[2].strip()).strip() or target
    state.pos = found.end()
    return True


def _wiki_link(_: RendererHTML, tokens: Sequence[Token], place: int, __: OptionsDict, env: EnvType) -> str:
    token = tokens[place]
    address, is_there = env["links"].lead(token.meta["target"])
    shown = escape(token.content)
    if not address:
        return f'<span class="missing">{shown}</span>'
    kind = "wiki" if is_there else "wiki missing"
    return f'<a class="{kind}" href="{escape(address)}">{shown}</a>'


def _link_open(_: RendererHTML, tokens: Sequence[Token], place: int, __: OptionsDict, env: EnvType) -> str:
    token = tokens[place]
    address = str(token.attrs.get("href", ""))
    links: Links = env["links"]
    target = path_target(address, folder=links.folder)
    kind = ""
    if target:
        lead, is_there = links.lead(target)
        address, kind = lead, "wiki" if is_there else "wiki missing"
    title = str(token.attrs.get("title", ""))
    extra = (f' class="{kind}"' if kind else "") + (f' title="{escape(title)}"' if title else "")
    return f'<a href="{escape(address)}"{extra}>' if address else f"<a{extra}>"


def _image(_: RendererHTML, tokens: Sequence[Token], place: int, __: OptionsDict, ___: EnvType) -> str:
    """A picture that is in the text is shown; one that is elsewhere is not fetched, but named with its address."""
    token = tokens[place]
    address, name = str(token.attrs.get("src", "")), escape(token.content)
    if _IMAGE.match(address):
        return f'<img src="{escape(address)}" alt="{name}">'
    shown = f'<span class="picture">{name or escape(address[:80])}</span>'
    return f'<a href="{escape(address)}">{shown}</a>' if re.match(r"https?://", address) else shown


def _text(_: RendererHTML, tokens: Sequence[Token], place: int, __: OptionsDict, ___: EnvType) -> str:
    content = tokens[place].content
    task = _TASK.match(content) if place == 0 else None
    if task is None:
        return escape(content)
    return f'<span class="task">{"☐" if task[1] == " " else "☑"}</span> {escape(content[task.end() :])}'


# --- headings ----------------------------------------------------------------------------------------------------


def _drop_title(tokens: list[Token], title: str) -> None:
    if len(tokens) > 2 and tokens[0].type == "heading_open" and target_key(tokens[1].content) == target_key(title):
        del tokens[:3]


def _number_headings(tokens: list[Token], *, under: int) -> list[Heading]:
    """Give each heading an id and a level below that of the page, and list them."""
    found: list[Heading] = []
    for place, token in enumerate(tokens):
        if token.type not in {"heading_open", "heading_close"}:
            continue
        level = int(token.tag[1:])
        token.tag = f"h{min(level + under, 6)}"
        if token.type == "heading_open":
            anchor = f"s-{len(found) + 1}"
            token.attrs = {"id": anchor}
            text = "".join(child.content for child in tokens[place + 1].children or ())
            found.append(Heading(level, text or "…", anchor))
    return found


def _align_cells(tokens: Sequence[Token]) -> None:
    """Say by attribute how a cell is aligned: the panel's pages bear no styles within the text."""
    for token in tokens:
        if token.type in {"td_open", "th_open"} and token.attrs:
            token.attrs = {"align": str(token.attrs.get("style", "")).rpartition(":")[2]}


# --- the allowlist -----------------------------------------------------------------------------------------------


def _attribute(tag: str, name: str, value: str) -> str | None:
    """An attribute as it may stay, None where it may not: what the lists of names and schemes cannot say."""
    if name == "id":
        return value if _HEADING_ID.match(value) else None
    if tag == "img" and name == "src":
        return value if _IMAGE.match(value) else None
    if name == "href" and re.match(r"\s*data:", value, re.IGNORECASE):
        return None
    return value


def _cleaned(html: str) -> Markup:
    safe = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes=_CLASSES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer nofollow",
    )
    safe = _NO_PICTURE.sub("", safe)
    return Markup(safe)  # noqa: S704 - what the allowlist lets through
