"""What people write turns none of our words around: scripts from right to left, and marks that reorder (U+202E)."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import panel_house
from panel_ways import CASES
from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.interfaces.panel.directions import isolated
from souvenance.memory.remember import Observation

TURNING = "zq\u202eqz"
VOID = {"input", "br", "img", "meta", "link", "hr", "use", "path", "circle", "source", "wbr"}
THERE = {
    "GET /vaults", "GET /vaults/{vault}", "GET /scope/pill", "GET /memory", "GET /memory/{vault}", "GET /facts",
    "GET /memory/{vault}/erase", "GET /map/list", "GET /notes", "GET /n/{note}", "GET /agents",
    "GET /agents/activity", "GET /agents/context", "GET /settings", "GET /team", "GET /audit",
}  # fmt: skip
"""Ways that show what is written here: names of a vault, a team, a person and a token, a fact, a note, a search."""
OF_ITS_OWN = {"option", "title", "textarea", "pre"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("é 漢", "é 漢"),
        ("שלום", "\u2068שלום\u2069"),
        ("a\u202eb", "\u2068a\u202eb\u2069"),
        ("a\u2069\u202eb", "\u2068a\u202eb\u2069"),
        ("a\u2067b", "\u2068a\u2067b\u2069\u2069"),
        ("\u2066a\u2069b", "\u2068\u2066a\u2069b\u2069"),
    ],
)
def test_a_text_is_one_piece_that_cannot_be_left_early(text: str, shown: str) -> None:
    assert isolated(text) == shown


class Lines(HTMLParser):
    """Elements whose own text holds a turning mark beside other words, that is not kept to itself."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[list[str]] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            if self.open:
                self.open[-1].append("\N{OBJECT REPLACEMENT CHARACTER}" if tag != "svg" else "")
            self.open.append([tag])

    def handle_endtag(self, tag: str) -> None:
        while self.open:
            name, *texts = self.open.pop()
            self._look(name, texts)
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if self.open:
            self.open[-1].append(data)

    def _look(self, name: str, texts: list[str]) -> None:
        said = "".join(texts)
        free = said.replace(f"\u2068{TURNING}\u2069", "")
        if TURNING in free and name not in OF_ITS_OWN and free.partition(TURNING)[2].strip(" \n\t.,:·"):
            self.wrong.append(f"<{name}> {' '.join(said.split())}")


def turned(page: str) -> list[str]:
    """Where a page lets a text turn the words that follow it."""
    lines = Lines()
    lines.feed(page)
    return lines.wrong


def test_no_page_lets_a_name_turn_the_words_beside_it(
    stranger: TestClient, memory: Application, tmp_path: Path
) -> None:
    house = panel_house.furnish(memory, tmp_path)
    owner = memory.owner_through(Source.PANEL)
    stranger.get(f"/enter/{memory.entry.make_link(actor=owner)}")
    memory.users.set_profile(actor=owner, display_name=TURNING, language="", theme="", time_zone="UTC")
    memory.vaults.change(actor=owner, vault="harpe", name=TURNING, description=TURNING)
    memory.teams.rename(actor=owner, team=house.team, name=TURNING)
    said = Observation(content=TURNING, key=TURNING, category=TURNING)
    memory.facts.remember(actor=owner, vault="harpe", observations=[said])
    memory.notes.create(actor=owner, vault="harpe", title=TURNING, content=TURNING, folder=TURNING)
    memory.tokens.create(actor=owner, name=TURNING)
    memory.retrieval.search(actor=owner, query=TURNING)
    memory.retrievals.flush()
    pages = [way for way in CASES if way.startswith("GET ") and not way.endswith(("/export", "/live/missed"))]
    shown = {way: stranger.get(house.fill(way, CASES[way])[1]) for way in pages}
    assert not {way: page.status_code for way, page in shown.items() if page.status_code not in CASES[way].answers}
    assert not {way: found for way, page in shown.items() if (found := turned(page.text))}
    assert {way for way, page in shown.items() if TURNING in page.text} >= THERE
