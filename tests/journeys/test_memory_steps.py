"""The ladder, proposals, erasing, importing and exporting, as a person does them (T5, T7, T8, F7, R4)."""

import json
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.fact import State, SubjectKind
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from windows import Open

SAID = (
    ("tournoi", "Le tournoi aura lieu mardi à 20 h dans le salon rouge."),
    ("tournoi", "Le tournoi aura lieu mercredi à 20 h dans le salon rouge."),
    ("", "Karim préfère les parties courtes, le soir."),
    ("", "Karim préfère les parties courtes le soir."),
)


@pytest.fixture
def numbers(memory: Application, owner: Actor) -> list[int]:
    memory.vaults.create(actor=owner, name="Atelier")
    observations = [Observation(content=content, key=key) for key, content in SAID]
    observations.append(Observation(content="Zoé vend ses jeux", subject_kind=SubjectKind.MEMBER, subject_id="77"))
    kept = memory.facts.remember(actor=owner, vault="atelier", observations=observations)
    memory.vaults.change_type(actor=owner, vault="atelier", memory_type=MemoryType.CONSOLIDATED)
    return [item.fact.number for item in kept]


def test_t7_six_cards_tell_what_each_step_shifts_here_and_a_click_saves_it(
    open_as_owner: Open, memory: Application, owner: Actor, numbers: list[int]
) -> None:
    memory.facts.retire(actor=owner, number=numbers[4], version=None, reason="vendus")
    page = open_as_owner("/memory/atelier")
    expect(page.locator(".rung[aria-current=step]")).to_have_text("5Consolidated")
    page.locator("#ladder").get_by_role("button", name="Change").click()
    cards = page.locator(".step-card")
    expect(cards).to_have_count(6)
    expect(cards.nth(0)).to_contain_text("1 retired fact stays hidden.")
    expect(cards.nth(2)).to_contain_text("4 facts to search.")
    expect(cards.nth(2)).to_contain_text("One extra call")
    expect(cards.nth(3)).to_contain_text("0 of 4 facts have an importance.")
    expect(cards.nth(4)).to_contain_text("contradiction")
    expect(cards.nth(5)).to_contain_text("No embedding model is set yet")
    expect(page.get_by_role("link", name="Proposals and passes")).to_be_visible()
    page.get_by_role("button", name="Choose Journal").click()
    expect(page.locator(".rung[aria-current=step]")).to_have_text("2Journal")
    expect(page.get_by_role("link", name="Proposals and passes")).to_have_count(0, timeout=2000)
    assert memory.vaults.get(actor=owner, vault="atelier").memory_type is MemoryType.JOURNAL
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.locator(".rung[aria-current=step]")).to_have_text("5Consolidated", timeout=2000)


def test_t5_proposals_are_answered_one_by_one_with_both_facts_side_by_side(
    open_as_owner: Open, memory: Application, owner: Actor, numbers: list[int]
) -> None:
    page = open_as_owner("/memory/atelier/proposals")
    expect(page.locator("#board")).to_contain_text("the vault is too small: 5 facts")
    page.get_by_role("button", name="Have a pass now, all the same").click()
    expect(page.locator("#board .chip").first).to_have_text("contradiction", timeout=15_000)
    expect(page.locator(".side").nth(0)).to_contain_text("mardi")
    expect(page.locator(".side").nth(1)).to_contain_text("mercredi")
    page.get_by_role("button", name=f"#{numbers[1]} holds").click()
    expect(page.locator("#toasts")).to_contain_text(f"#{numbers[1]} holds, #{numbers[0]} is retired.")
    assert memory.facts.get(actor=owner, number=numbers[0]).state is State.RETIRED
    expect(page.locator("#board .chip").first).to_have_text("said twice")
    memory.facts.edit(actor=owner, number=numbers[2], content="Karim préfère les longues parties.")
    expect(page.locator("#board")).to_contain_text(
        "Nothing waits for you", timeout=3000
    )  # overtaken: told, not applied
    page.get_by_text("Answered and overtaken").click()
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.locator("#toasts")).to_contain_text(f"#{numbers[0]} is in force again")


def test_t5_a_contradiction_is_marked_in_the_list(
    open_as_owner: Open, memory: Application, owner: Actor, numbers: list[int]
) -> None:
    memory.passes.run(actor=owner, vault="atelier", anyway=True)
    page = open_as_owner("/memory/atelier", language="fr")
    expect(page.locator(".fact", has_text="Contredit")).to_have_count(2)
    page.locator(".waiting").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Propositions")


def test_f7_what_would_go_is_told_and_typing_the_name_erases_it_with_a_receipt(
    open_as_owner: Open, memory: Application, owner: Actor, numbers: list[int]
) -> None:
    page = open_as_owner("/memory")
    expect(page.get_by_role("link", name="Erase the memory")).to_have_count(0)
    page.get_by_label("Vault", exact=True).select_option(label="Atelier")
    page.get_by_role("link", name="Erase the memory").click()
    page.get_by_label("Everything about one member").check()
    page.get_by_label("The member’s id").fill("77")
    page.get_by_role("button", name="See what would go").click()
    expect(page.locator("#preview .counts")).to_contain_text("facts in force")
    page.locator("#confirm").fill("somebody else")
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_role("alert")).to_contain_text("what was typed to confirm it is another name")
    assert memory.facts.get(actor=owner, number=numbers[4]).content == "Zoé vend ses jeux"
    page.locator("#confirm").fill("77")
    page.get_by_role("button", name="Erase for good").click()
    expect(page.locator("#preview")).to_contain_text("It is done", timeout=20_000)
    expect(page.locator("#receipts .receipt").first).to_contain_text("Everything about one member", timeout=8000)
    assert memory.facts.browse(actor=owner, vault="atelier", states=list(State)).total == 4


def test_r4_markdown_comes_in_after_a_look_and_facts_go_out(
    open_as_owner: Open, memory: Application, owner: Actor, numbers: list[int], tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "carnet.zip", "w") as archive:
        archive.writestr("carnet/Lisbonne.md", "# Lisbonne\n\nLe tram 28.")
        archive.writestr("../dehors.md", "ailleurs")
        archive.writestr("carnet/image.png", b"\x89PNG")
    page = open_as_owner("/memory/atelier/import")
    page.get_by_label("Markdown files, or a zip of a folder of them").set_input_files(tmp_path / "carnet.zip")
    page.get_by_role("button", name="Look first").click()
    expect(page.locator("#report")).to_contain_text("This is what importing would do")
    assert memory.notes.list(actor=owner, vault="atelier") == []
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#report")).to_contain_text("It is imported")
    assert {note.title for note in memory.notes.list(actor=owner, vault="atelier")} == {"Lisbonne", "dehors"}
    page.goto(page.url.removesuffix("/import"))
    page.get_by_role("button", name="More on this vault").click()
    with page.expect_download() as told:
        page.get_by_text("Export as JSON lines").click()
    lines = [json.loads(line) for line in told.value.path().read_text().splitlines()]
    assert [line["number"] for line in lines] == numbers
    assert told.value.suggested_filename == "souvenance-atelier.jsonl"
