"""Agents in the panel: tokens, what a session loads, what was asked (A3, N10, N11)."""

from dataclasses import replace

from playwright.sync_api import expect

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.memory.remember import Observation
from windows import Open


def test_a3_a_token_is_shown_once_and_ended_at_once(open_as_owner: Open, memory: Application) -> None:
    page = open_as_owner("/agents", language="fr")
    page.get_by_role("button", name="Créer un jeton").click()
    page.get_by_role("dialog").get_by_label("Nom").fill("portable 🦉")
    page.get_by_role("dialog").get_by_role("button", name="Créer un jeton").click()
    secret = page.locator("#new-token").inner_text()
    assert memory.tokens.authenticate(secret, source=Source.REST).name == "portable 🦉"
    page.reload()
    expect(page.get_by_text(secret)).to_have_count(0)
    page.get_by_role("button", name="Révoquer").click()
    expect(page.get_by_text("Le jeton n’ouvre plus rien.")).to_be_visible()


def test_n10_the_preview_is_what_an_agent_is_given(open_as_owner: Open, memory: Application, owner: Actor) -> None:
    memory.vaults.create(actor=owner, name="Voyages")
    memory.notes.create(actor=owner, vault="voyages", title="Lisbonne", content="Le tram 28 part de Moniz.")
    page = open_as_owner("/agents/context")
    page.get_by_label("Search for a note").fill("tram")
    page.get_by_role("listitem").filter(has_text="Lisbonne").get_by_role("button", name="Add").click()
    expect(page.locator("pre.loads")).to_contain_text("Le tram 28 part de Moniz.")
    given = memory.context.start(actor=replace(owner, source=Source.AGENT, is_model=True)).text
    assert "Le tram 28 part de Moniz." in given
    page.get_by_role("listitem").filter(has_text="Lisbonne").get_by_role("button", name="Take out").first.click()
    expect(page.locator("pre.loads")).not_to_contain_text("Moniz")


def test_n11_a_blind_spot_is_seen(open_as_owner: Open, memory: Application, owner: Actor) -> None:
    memory.vaults.create(actor=owner, name="Voyages")
    memory.facts.remember(actor=owner, vault="voyages", observations=[Observation(content="The tram leaves at nine.")])
    memory.retrieval.search(actor=owner, query="tram")
    memory.retrieval.search(actor=owner, query="zorblax")
    memory.retrievals.flush()
    page = open_as_owner("/agents/activity")
    expect(page.locator(".card", has_text="Blind spots")).to_contain_text("zorblax")
    page.get_by_role("link", name="Only what found nothing").click()
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("row").last).to_contain_text("zorblax")
