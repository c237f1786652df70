"""The Vaults page and a vault's own: who answers, live in every window; making, protecting, following, deleting."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.vault import Protection
from souvenance.memory.remember import Observation
from windows import NARROW, Open

HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


def no_serious_fault(page: Page) -> bool:
    found = Axe().run(page).response["violations"]
    serious = [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in {"serious", "critical"}]
    assert not serious
    return True


def test_v4_solo_in_one_window_is_seen_in_another_within_a_second(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Voyages", colour="#c06020")
    memory.vaults.create(actor=owner, name="Cuisine")
    here, there = open_as_owner("/vaults"), open_as_owner("/vaults", language="fr")
    expect(there.locator("#vaults-state")).to_have_text("tous")
    solo = here.get_by_role("button", name="Solo: only Voyages answers")
    solo.click()
    expect(here.locator("#vaults-state")).to_have_text("Voyages")
    expect(solo).to_have_attribute("aria-pressed", "true")
    expect(there.locator("#vaults-state")).to_have_text("Voyages", timeout=1000)
    here.get_by_role("button", name="Undo").click()
    expect(there.locator("#vaults-state")).to_have_text("tous", timeout=1000)
    there.get_by_label("Attention de Cuisine").press("Home")
    expect(here.locator("#vaults-state")).to_have_text("Voyages", timeout=2000)
    expect(here.get_by_label("Attention of Cuisine")).to_have_value("0")


def test_v1_a_vault_is_made_and_what_was_typed_survives_a_refusal(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Atelier")
    page = open_as_owner("/vaults")
    page.get_by_role("button", name="New vault").click()
    page.get_by_label("Name").fill("Atelier")
    page.get_by_label("What belongs in it").fill("outils 🛠️ שלום")
    page.get_by_role("button", name="Make the vault").click()
    expect(page.locator(".toast.bad")).to_contain_text("already a vault")
    expect(page.get_by_label("What belongs in it")).to_have_value("outils 🛠️ שלום")
    page.get_by_label("Name").fill(HOSTILE[:100] + " Ünïcode")
    page.get_by_label("Protect it: nothing of it leaves over a cloud route").check()
    page.get_by_role("button", name="Make the vault").click()
    expect(page.locator("#new-vault")).to_be_hidden()
    (made,) = [vault for vault in memory.vaults.list(actor=owner) if vault.name != "Atelier"]
    assert (made.protection, made.description) == (Protection.MAXIMUM, "outils 🛠️ שלום")
    expect(page.locator(f"#vault-{made.id} h2")).to_have_text(made.name)
    assert page.locator("#board img").count() == 0
    page.locator(f"#vault-{made.id} h2 a").click()
    expect(page.locator("h1")).to_contain_text("<img src=x")


def test_two_people_who_describe_one_vault_overwrite_nothing_unseen(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Atelier", description="first")
    here, there = open_as_owner("/vaults/atelier"), open_as_owner("/vaults/atelier")
    there.get_by_label("What belongs in it").fill("theirs")
    there.get_by_role("button", name="Save").click()
    expect(there.locator(".toast")).to_contain_text("Saved.")
    here.get_by_label("What belongs in it").fill("mine")
    here.get_by_role("button", name="Save").click()
    expect(here.get_by_role("alert")).to_contain_text("theirs")
    expect(here.get_by_label("What belongs in it")).to_have_value("mine")
    assert memory.vaults.get(actor=owner, vault="atelier").description == "theirs"
    here.get_by_role("button", name="Save").click()
    expect(here.locator(".toast.good")).to_contain_text("Saved.")
    assert memory.vaults.get(actor=owner, vault="atelier").description == "mine"


def test_v8_protecting_says_what_it_does_and_that_attention_does_not(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Santé")
    page = open_as_owner("/vaults/sante", language="fr", viewport=NARROW, color_scheme="dark")
    page.get_by_role("button", name="Protéger ce coffre").click()
    dialog = page.locator("#protect")
    expect(dialog).to_contain_text("Rien n’en passe par une route cloud")
    expect(dialog).to_contain_text("L’attention ne protège rien")
    dialog.get_by_role("button", name="Protéger ce coffre").click()
    expect(page.locator("#about .chip.warn")).to_have_text("Protégé")
    assert memory.vaults.get(actor=owner, vault="sante").protection is Protection.MAXIMUM
    assert no_serious_fault(page)


def test_v13_a_folder_is_counted_then_followed_and_what_could_not_be_read_is_told(
    open_as_owner: Open, memory: Application, owner: Actor, tmp_path: Path
) -> None:
    memory.vaults.create(actor=owner, name="Papers")
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(12):
        (folder / f"p{number}.md").write_text(f"# Paper {number}\n\nabout bees")
    (folder / "broken.pdf").write_bytes(b"no pdf at all")
    (folder / "draft.md").write_text("not yet")
    page = open_as_owner("/vaults/papers")
    page.get_by_label("Folder of the machine Souvenance runs on").fill(str(tmp_path / "nowhere"))
    page.get_by_role("button", name="Count it first").click()
    expect(page.locator(".toast.bad")).to_contain_text("cannot be read")
    page.get_by_label("Folder of the machine Souvenance runs on").fill(str(folder))
    page.get_by_text("Which files").click()
    page.get_by_label("Without these patterns").fill("draft.md")
    page.get_by_role("button", name="Count it first").click()
    expect(page.locator("#watch")).to_contain_text("13 files")
    assert memory.folders.list(actor=owner) == []
    page.get_by_role("button", name="Follow this folder").click()
    expect(page.locator("#folders")).to_contain_text("up to date", timeout=30_000)
    expect(page.locator("#folders")).to_contain_text("12 files taken")
    page.get_by_text("1 file not read").click()
    expect(page.locator("#folders .problems")).to_contain_text("broken.pdf")
    assert no_serious_fault(page)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#folders")).to_contain_text("stopped")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.get_by_role("button", name="Follow it no longer").click()
    page.get_by_label("They go to the trash, where they can be restored").check()
    page.locator("dialog[open]").get_by_role("button", name="Follow it no longer").click()
    expect(page.locator("#folders")).to_contain_text("No folder is followed.")
    assert memory.vaults.count_notes(actor=owner) == {}


def test_f7_deleting_names_what_dies_and_asks_for_the_name(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Vieux projet")
    memory.vaults.create(actor=owner, name="Autre")
    facts = [Observation(content=f"fact number {n}") for n in range(3)]
    memory.facts.remember(actor=owner, vault="vieux-projet", observations=facts)
    page, other = open_as_owner("/vaults/vieux-projet"), open_as_owner("/vaults")
    same = open_as_owner("/vaults/vieux-projet")
    same.get_by_label("What belongs in it").fill("a long text in hand")
    page.get_by_role("button", name="Delete this vault").click()
    dialog = page.locator("#delete-vault")
    expect(dialog).to_contain_text("3 facts in force")
    dialog.get_by_label("Type Vieux projet to delete it").fill("projet")
    dialog.get_by_role("button", name="Delete for good").click()
    expect(page.locator(".toast.bad")).to_be_visible()
    assert len(memory.vaults.list(actor=owner)) == 2
    dialog.get_by_label("Type Vieux projet to delete it").fill("Vieux projet")
    dialog.get_by_role("button", name="Delete for good").click()
    expect(page.locator(".notice.good")).to_contain_text("is deleted with everything it held")
    expect(other.locator(".vault")).to_have_count(1, timeout=2000)
    expect(same.get_by_role("alert")).to_contain_text("What you typed below is still there")
    expect(same.get_by_label("What belongs in it")).to_have_value("a long text in hand")


@pytest.mark.parametrize("address", ["/vaults", "/vaults/atelier"])
def test_r5_the_pages_have_no_serious_fault_and_fit_a_narrow_window(
    open_as_owner: Open, memory: Application, owner: Actor, address: str
) -> None:
    memory.vaults.create(actor=owner, name="Atelier", description="x" * 300)
    page = open_as_owner(address, viewport=NARROW)
    assert no_serious_fault(page)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 1
