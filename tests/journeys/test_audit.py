"""The audit log as people read it: words and names, no codes (A4)."""

from playwright.sync_api import expect

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.endpoint import Use
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from windows import NARROW, Open


def test_a4_the_log_is_said_in_words_in_both_languages(open_as_owner: Open, memory: Application, owner: Actor) -> None:
    memory.vaults.create(actor=owner, name="Atelier")
    memory.vaults.change(actor=owner, vault="atelier", colour="#b8672b", description="Le club")
    memory.vaults.change_type(actor=owner, vault="atelier", memory_type=MemoryType.SEMANTIC)
    memory.vaults.change_settings(actor=owner, vault="atelier", changes={"max_injected": 12})
    memory.endpoints.add(
        actor=owner, name="maison", base_url="http://localhost:11434/v1", model="m", uses=[Use.ANSWERS]
    )
    (kept,) = memory.facts.remember(actor=owner, vault="atelier", observations=[Observation(content="Un fait")])
    memory.facts.delete(actor=owner, number=kept.fact.number)
    english, french = open_as_owner("/audit"), open_as_owner("/audit", language="fr", viewport=NARROW)
    for said in ("Project", "Colour, Description", "→ Semantic", "Most facts at once: 12", "Answers", "stays here"):
        expect(english.locator("tbody")).to_contain_text(said)
    for said in ("Projet", "Couleur, Description", "→ Sémantique", "Souvenirs au plus : 12", "Réponses", "reste ici"):
        expect(french.locator("tbody")).to_contain_text(said)
    expect(french.locator("tbody")).to_contain_text(f"#{kept.fact.number}")
    for code in ("before", "changed", "colour", "semantic", "['", "kind:", "max_injected"):
        expect(french.locator("tbody")).not_to_contain_text(code)
    assert french.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 1


def test_a_narrow_screen_keeps_the_log_a_table_for_who_hears_it(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Atelier")
    page = open_as_owner("/audit", viewport=NARROW)
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in tree if not node["ignored"]]
    assert roles.count("table") == 1
    assert roles.count("columnheader") == 5
    assert roles.count("row") == page.locator(".audit tr").count()
    assert roles.count("cell") == page.locator(".audit td").count()
