"""Importing facts and conversations, as a person does it: a look first, the deed, and the way back (R4)."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.fact import State
from souvenance.memory.remember import Observation
from windows import NARROW, Open


@pytest.fixture
def exported(memory: Application, owner: Actor, tmp_path: Path) -> Path:
    """The file of a vault in which a fact was replaced, with a broken line and a secret added by hand."""
    memory.vaults.create(actor=owner, name="Atelier")
    memory.vaults.create(actor=owner, name="Copie")
    told = [
        Observation(content="Zoé vit à Lyon.", key="ville"),
        Observation(content="<b onclick=x>Le four</b> chauffe."),
    ]
    first = memory.facts.remember(actor=owner, vault="atelier", observations=told)[0]
    memory.facts.retire(
        actor=owner, number=first.fact.number, version=None, reason="déménagement", replacement="Zoé vit à Nantes."
    )
    file = tmp_path / "atelier.jsonl"
    lines = "".join(memory.exports.facts(actor=owner, vault="atelier"))
    file.write_text(lines + '{"content": \n{"content": "Le mot de passe est hunter2secret!"}\n')
    return file


def deed(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_r4_a_file_of_facts_comes_in_after_a_look_and_is_taken_back(
    open_as_owner: Open, memory: Application, owner: Actor, exported: Path
) -> None:
    page = open_as_owner("/memory/copie")
    page.get_by_role("button", name="More on this vault").click()
    page.get_by_role("link", name="Import…").click()
    page.get_by_label("A file of facts").set_input_files(exported)
    deed(page, "Look first")
    report = page.locator("#report")
    expect(report).to_contain_text("This is what importing would do")
    expect(report).to_contain_text("Line 4 · the line is not valid JSON")
    expect(report).to_contain_text("Line 5 · it looks like it holds a secret (password)")
    assert memory.facts.list(actor=owner, vault="copie") == []
    deed(page, "Import")
    expect(report).to_contain_text("It is imported")
    expect(report.locator(".counts")).to_contain_text("new4of")
    deed(page, "Import")
    expect(report.locator(".counts")).to_contain_text("new0of")
    retired = memory.facts.list(actor=owner, vault="copie", states=[State.RETIRED])
    assert [(one.content, one.reason) for one in retired] == [("Zoé vit à Lyon.", "déménagement")]
    page.goto(page.url)
    page.get_by_label("A file of facts").set_input_files(exported)
    exported_again = memory.facts.list(actor=owner, vault="copie")
    memory.facts.delete(actor=owner, number=exported_again[0].number)
    deed(page, "Import")
    expect(report.locator(".counts")).to_contain_text("new1of")
    page.get_by_role("link", name="Review it, or take it back").click()
    page.get_by_role("button", name="Take all of it back…").click()
    page.get_by_role("button", name="Take it back", exact=True).click()
    expect(page.locator("#outcome")).to_contain_text("1 thing was taken back.")
    assert len(memory.facts.list(actor=owner, vault="copie")) == 2


def test_r5_conversations_come_in_in_french_on_a_narrow_window(
    open_as_owner: Open, memory: Application, owner: Actor, tmp_path: Path, exported: Path
) -> None:
    said = [{"sender": "human", "text": "Quand semer ?"}, {"sender": "assistant", "text": "En mai."}]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{"uuid": "c1", "name": "Haricots", "chat_messages": said}, 7]))
    page = open_as_owner("/memory/copie/import?what=chats", language="fr", viewport=NARROW)
    page.get_by_label("L’archive envoyée par ChatGPT ou Claude").set_input_files(exported)
    deed(page, "Regarder d’abord")
    expect(page.get_by_role("alert")).to_contain_text("Le fichier ne contient pas de liste de conversations.")
    page.get_by_role("alert").get_by_role("button").click()
    page.get_by_label("L’archive envoyée par ChatGPT ou Claude").set_input_files(file)
    deed(page, "Importer")
    report = page.locator("#report")
    expect(report).to_contain_text("C’est importé")
    report.get_by_text("Laissés de côté").click()
    expect(report).to_contain_text("ce n’est pas une conversation")
    (note,) = memory.notes.list(actor=owner, vault="copie")
    assert note.path == "Claude/Haricots"
