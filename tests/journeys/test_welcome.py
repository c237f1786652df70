"""The first steps: from an empty memory to a first useful answer, without a model and without a word to read up."""

from __future__ import annotations

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.memory.remember import Observation
from windows import NARROW, WIDE


def violations(page: Page) -> list[str]:
    """What axe-core holds against a page, of those that are serious."""
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]


def test_a_fact_is_taught_and_asked_back(open_as_owner, memory: Application, owner: Actor) -> None:
    page = open_as_owner("/", language="fr")
    expect(page.locator("h1")).to_have_text("Une mémoire qui est la vôtre")
    page.get_by_role("button", name="Ma harpe a besoin").click()
    page.get_by_role("button", name="Retenir").click()
    expect(page.locator("#step-teach")).to_contain_text("#1")
    page.get_by_role("button", name="Demander").click()
    expect(page.locator("#step-ask .answered")).to_contain_text("Ma harpe a besoin de cordes neuves")
    page.locator("#step-ask .badge summary").click()
    expect(page.locator("#step-ask .read")).to_contain_text("cordes neuves")
    expect(page.locator("#step-after")).to_be_visible()
    assert sum(memory.vaults.count_facts(actor=owner).values()) == 1
    page.get_by_role("link", name="Continuer dans le chat").click()
    page.wait_for_url("**/chat/*")
    page.get_by_role("link", name="Nouvelle conversation").click()
    expect(page.locator("#question")).to_be_visible()  # it does not come back by itself


def test_a_first_vault_is_made_and_bad_input_is_told_and_kept(open_as_owner, memory: Application, owner: Actor) -> None:
    page = open_as_owner("/welcome")
    said = '<script>alert(1)</script> "><img src=x onerror=alert(1)> 🎻 שלום'
    page.locator("#content").fill(said)
    page.get_by_text("Elsewhere?").click()
    page.locator("#where").select_option("new")
    page.get_by_role("button", name="Remember it").click()
    expect(page.locator("#toasts")).to_contain_text("no name yet")
    expect(page.locator("#content")).to_have_value(said)
    page.get_by_label("Name of the new vault").fill("Musique <b>")
    page.get_by_role("button", name="Remember it").click()
    expect(page.locator("#step-teach")).to_contain_text(said)
    expect(page.locator("#step-teach")).to_contain_text("Kept in Musique <b>.")
    assert [vault.name for vault in memory.vaults.list(actor=owner)] == ["Musique <b>"]


def test_a_person_is_warned_of_a_secret(open_as_owner) -> None:
    page = open_as_owner("/welcome")
    page.locator("#content").fill("My token is ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    page.get_by_role("button", name="Remember it").click()
    expect(page.locator("#toasts")).to_contain_text("looks like a secret")


def test_it_is_put_off_and_never_nags(open_as_owner, memory: Application, owner: Actor) -> None:
    page = open_as_owner("/")
    page.get_by_role("button", name="Later").click()
    expect(page.locator("#question")).to_be_visible()
    page.reload()
    expect(page.locator("#question")).to_be_visible()
    page.get_by_role("link", name="take the first steps").click()
    expect(page.locator("h1")).to_have_text("A memory that is yours")


def test_what_is_done_already_is_read_off_the_data(open_as_owner, memory: Application, owner: Actor) -> None:
    memory.facts.remember_about_user(actor=owner, observation=Observation(content="Ana likes figs"))
    page = open_as_owner("/")
    expect(page.locator("#question")).to_be_visible()  # whose memory is in use is not welcomed
    page.goto(page.url + "welcome")
    expect(page.locator("#step-teach")).to_contain_text("Ana likes figs")
    expect(page.get_by_label("Your question")).to_have_value(re.compile("figs|likes"))


def test_agents_are_given_what_to_copy(open_as_owner, memory: Application, owner: Actor, server) -> None:
    memory.facts.remember_about_user(actor=owner, observation=Observation(content="Ana likes figs"))
    page = open_as_owner("/welcome")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text("Cursor", exact=True).first.click()
    page.get_by_role("button", name="Copy for Cursor", exact=True).click()
    entry = json.loads(page.evaluate("navigator.clipboard.readText()"))["mcpServers"]["souvenance"]
    assert entry["command"].endswith("souvenance")
    assert entry["env"]["SOUVENANCE_DATA"].endswith("/data")
    page.get_by_role("button", name="Copy the address").click()
    assert page.evaluate("navigator.clipboard.readText()") == f"{server.url}/v1"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_r5_no_serious_obstacle_for_anybody(open_as_owner, memory: Application, owner: Actor, theme: str) -> None:
    page = open_as_owner("/welcome", color_scheme=theme)
    assert violations(page) == []
    page.locator("#content").fill("Ana likes figs")
    page.get_by_role("button", name="Remember it").click()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#step-after")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name="Go on in the chat").click()
    page.locator(".badge summary").first.click()
    expect(page.locator(".read-vault").first).to_be_visible()
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing stands out of the window"
        assert violations(page) == []
