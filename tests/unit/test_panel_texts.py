"""R5: every text of the panel goes through gettext and has its French; a new one without it fails here."""

import io
import re
from importlib import resources
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from jinja2.ext import babel_extract

from souvenance.interfaces.panel.render import ROOM, tongue

PANEL = Path(str(resources.files(ROOM)))
TEMPLATES = sorted(PANEL.glob("templates/**/*.html"))
CATALOGUES = sorted(PANEL.glob("locale/fr/*.po"))
KEYWORDS = {"_": None, "say": None, "markup": None, "gettext": None, "ngettext": (1, 2), "count": (1, 2)}
UNSPOKEN = re.compile(r"[A-Za-zÀ-ÿ]{2,}")
SAME = {"Souvenance", "souvenance", "JSON", "CSV", "MCP", "REST", "Markdown", "HTTP", "Discord", "ID"}
"""Words that are the same in every language."""


def _used() -> dict[object, str]:
    used: dict[object, str] = {}
    for file in TEMPLATES:
        with file.open("rb") as source:
            for line, _, message, _ in babel_extract(source, ("_", "gettext", "ngettext"), [], {"silent": "false"}):
                if not message:  # a text that is chosen as the page is made; it is marked where it is written
                    continue
                text = message if isinstance(message, str) else tuple(part for part in message if part)
                # What fills the placeholders of a single text stands where its plural could.
                used[text[0] if isinstance(text, tuple) and len(text) == 1 else text] = f"{file.name}:{line}"
    for name, line, message, _, _ in extract_from_dir(PANEL, [("**.py", "python")], keywords=KEYWORDS):
        used[message] = f"{name}:{line}"
    return used


def _french() -> dict[object, object]:
    known: dict[object, object] = {}
    for file in CATALOGUES:
        for message in read_po(io.BytesIO(file.read_bytes()), locale="fr"):
            if message.id and not message.context:  # what the engine says is in test_refusals.py
                known[tuple(message.id) if isinstance(message.id, list | tuple) else message.id] = message.string
    return known


def test_r5_every_text_has_its_french() -> None:
    known = _french()
    lacking = {
        where: text
        for text, where in _used().items()
        if not known.get(text)
        or (
            isinstance(known[text], tuple | list) and not all(known[text])  # type: ignore[arg-type, call-overload]
        )
    }
    assert not lacking


def test_r5_no_french_is_left_over() -> None:
    used = set(_used())
    assert not [text for text in _french() if text not in used]


def test_r5_one_text_has_one_french_whatever_the_page() -> None:
    said: dict[object, set[object]] = {}
    for file in CATALOGUES:
        for message in read_po(io.BytesIO(file.read_bytes()), locale="fr"):
            if message.id and not message.context:
                french = message.string if isinstance(message.string, str) else tuple(message.string)
                said.setdefault(message.id if isinstance(message.id, str) else message.id[0], set()).add(french)
    assert not {text: french for text, french in said.items() if len(french) > 1}


def test_r5_placeholders_are_the_same_in_both() -> None:
    holder = re.compile(r"%\((\w+)\)")
    for text, french in _french().items():
        ours = text if isinstance(text, str) else text[1]  # type: ignore[index]
        theirs = [french] if isinstance(french, str) else list(french)  # type: ignore[call-overload]
        for one in theirs[-1:]:
            assert set(holder.findall(one)) == set(holder.findall(ours)), text


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: str(file.relative_to(PANEL / "templates")))
def test_r5_no_text_stands_in_a_template_untranslated(file: Path) -> None:
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", file.read_text(), flags=re.S)
    text = re.sub(r"<(script|style|pre|code)\b.*?</\1>", " ", text, flags=re.S)
    spoken = re.findall(r'\b(?:aria-label|title|placeholder|alt)="([^"]*)"', text)
    bare = re.sub(r"""<[^>]*>|[\w-]+="[^"]*\"""", "\n", text)
    spoken = [piece for piece in spoken if "/" not in piece]  # addresses and names of time zones as examples
    found = [word for piece in [bare, *spoken] for word in UNSPOKEN.findall(re.sub(r"&#?\w+;", " ", piece))]
    assert not [word for word in found if word not in SAME]


def test_r5_french_counts_in_the_plural_it_is_written_in() -> None:
    french = tongue("fr")
    assert french.texts.ngettext("%(num)s fact", "%(num)s facts", 1) == "%(num)s souvenir"
    assert french.texts.ngettext("%(num)s fact", "%(num)s facts", 14) == "%(num)s souvenirs"
    assert french.count("%(n)s note went to the trash.", "%(n)s notes went to the trash.", 2).startswith("2 notes sont")
