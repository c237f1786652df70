"""R5: nothing of ours is left in English on a French page, whatever has happened in the memory."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import french_memory
import panel_house
from panel_ways import CASES
from scripted import model_server
from souvenance.application import Application
from souvenance.domain.access import Actor, Source

TELLTALE = re.compile(
    r"\b(?:the|of|for|was|were|is|are|and|with|this|that|it|by|from|has|have|been|not|nothing|which|you|your|its|someone"
    r"|since|chat model|Owner|error|failed|folder|fact|facts|note is|vault|vaults|asked|found|words|unknown"
    r"|withheld|answered|refused|kept|gone|changed|deleted|erased|removed|retired|waits|seconds|empty|missing)\b"
)
"""Words that no French text holds."""
SILENT = {"script", "style", "code", "pre", "template"}
SPOKEN = {"aria-label", "title", "placeholder", "alt", "data-label", "data-unit", "data-copied"}
VOID = {"input", "br", "img", "meta", "link", "hr", "use", "path", "circle", "source", "wbr"}
CSRF = re.compile(r'"x-csrf": "([0-9a-f]{64})"')
OURS_IN_ENGLISH = ("zorglub", "pytest-of")
"""In what people wrote here."""


class Said(HTMLParser):
    """What a page says: its text and what stands in for text, without commands and what is marked as English."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._within: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.texts += [said for name, said in attrs if name in SPOKEN and said]
        if tag not in VOID:
            silent = tag in SILENT or given.get("lang") == "en" or bool(self._within and self._within[-1][1])
            self._within.append((tag, silent))

    def handle_endtag(self, tag: str) -> None:
        while self._within and self._within.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not (self._within and self._within[-1][1]) and data.strip():
            self.texts.append(" ".join(data.split()))


def english_in(page: str) -> list[str]:
    """The texts of a page that hold an English word of ours."""
    said = Said()
    said.feed(page)
    return [text for text in said.texts if TELLTALE.search(text) and not any(own in text for own in OURS_IN_ENGLISH)]


@pytest.fixture
def french(stranger: TestClient, memory: Application) -> TestClient:
    stranger.headers |= {"accept-language": "fr"}
    stranger.get(f"/enter/{memory.entry.make_link(actor=memory.owner_through(Source.COMMAND_LINE))}")
    return stranger


def _told(client: TestClient, addresses: list[str]) -> dict[str, Any]:
    wrong: dict[str, Any] = {}
    for address in addresses:
        answer = client.get(address)
        if answer.status_code >= 400:
            wrong[address] = answer.status_code
        elif "html" not in answer.headers.get("content-type", "html"):
            continue
        elif found := english_in(answer.text):
            wrong[address] = found[:8]
    return wrong


def test_the_words_tell() -> None:
    assert english_in("<p>La clé <b>was lost</b> <code>for you</code></p>") == ["was lost"]
    assert english_in('<p lang="en">of the <i>year</i></p><input aria-label="by you"><p>fin</p>') == ["by you"]


def test_r5_no_page_says_anything_in_english_to_a_french_reader(
    french: TestClient, memory: Application, tmp_path: Path
) -> None:
    owner: Actor = memory.owner_through(Source.PANEL)
    with model_server() as model:
        addresses = french_memory.furnish(memory, owner, model, tmp_path)
        french.post("/settings/endpoints/test")
        assert _told(french, addresses) == {}


def test_r5_no_way_answers_a_french_reader_in_english(french: TestClient, memory: Application, tmp_path: Path) -> None:
    house = panel_house.furnish(memory, tmp_path)
    proof = {"x-csrf": CSRF.findall(french.get("/vaults").text)[0], "hx-request": "true"}
    wrong = {}
    for way, case in sorted(CASES.items(), key=lambda item: item[1].last):
        if way in {"POST /logout", "GET /live/missed"} or way.endswith("/export"):
            continue
        method, address, form, file = house.fill(way, case)
        form |= {"question": "Qui joue de la harpe ?"} if "question" in form else {}
        files = {file: ("imported.md", b"# Souvenirs")} if file else None
        answer = french.get(address) if method == "GET" else french.post(address, data=form, files=files, headers=proof)
        if answer.status_code not in case.answers:
            wrong[way] = answer.status_code
        elif found := english_in(answer.text):
            wrong[way] = found[:8]
    assert wrong | _told(french, ["/audit", "/audit/more?from=45", "/agents/activity", "/notes/trash", "/team"]) == {}


def test_an_owner_without_a_name_is_called_so_in_french_and_keeps_it_when_the_account_is_saved(
    french: TestClient, memory: Application
) -> None:
    page = french.get("/settings").text
    assert 'value="Propriétaire"' in page
    form = {"display_name": "Propriétaire", "language": "", "theme": "", "time_zone": "UTC"}
    proof = {"x-csrf": CSRF.findall(page)[0]}
    assert french.post("/settings/profile", data=form, headers=proof).status_code == 303
    assert 'value="Owner"' in french.get("/settings", headers={"accept-language": "en"}).text
    french.post("/settings/profile", data=form | {"display_name": "Ada"}, headers=proof)
    assert 'value="Ada"' in french.get("/settings").text
