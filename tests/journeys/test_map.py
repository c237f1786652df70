"""The neural map: searched, opened, disabled, dimmed by every gesture, read as a list; and the scope pill on it."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.memory.remember import Observation
from windows import NARROW, Open


def teach(memory: Application, owner: Actor) -> int:
    memory.vaults.create(actor=owner, name="Ruche", colour="#b08a00")
    memory.vaults.create(actor=owner, name="Jardin")
    memory.notes.create(actor=owner, vault="jardin", title="Plan du verger", content="Voir [[Haies]].")
    memory.notes.create(actor=owner, vault="jardin", title="Haies", content="charmes et noisetiers")
    observations = [Observation(content=f"la ruche {n} donne du miel", key=f"ruche {n}") for n in range(8)]
    kept = memory.facts.remember(actor=owner, vault="ruche", observations=observations)
    return kept[3].fact.number


def drawn(page: Page) -> Page:
    expect(page.locator("#map-wait")).to_be_hidden(timeout=20_000)
    return page


def lit(page: Page) -> int:
    """How many points of the nodes' layer are painted strongly."""
    return int(
        page.evaluate(
            """() => new Promise((resolve) => requestAnimationFrame(() => {
              const copy = document.createElement("canvas");
              const ground = document.getElementById("map-ground");
              [copy.width, copy.height] = [ground.width, ground.height];
              document.getElementById("map-canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "0" }));
              requestAnimationFrame(() => requestAnimationFrame(() => {
                const pen = copy.getContext("2d");
                pen.drawImage(ground, 0, 0);
                const points = pen.getImageData(0, 0, copy.width, copy.height).data;
                let strong = 0;
                for (let at = 3; at < points.length; at += 4) if (points[at] > 200) strong++;
                resolve(strong);
              }));
            }))"""
        )
    )


def test_v14_a_node_is_found_opened_disabled_and_taken_back(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    number = teach(memory, owner)
    page = drawn(open_as_owner("/map"))
    page.get_by_label("Find on the map").fill("RUCHE 3")
    page.locator("#map-hits button").first.click()
    sheet = page.locator("#map-sheet")
    expect(sheet).to_contain_text("la ruche 3 donne du miel")
    expect(sheet.get_by_role("link", name="Open")).to_have_attribute("href", f"/fact/{number}")
    sheet.get_by_role("button", name="Disable").click()
    expect(sheet).to_contain_text("Disabled: no search")
    assert memory.facts.get(actor=owner, number=number).disabled
    assert all(hit.number != number for hit in memory.retrieval.search(actor=owner, query="ruche 3").hits)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".toast", has_text="is found again")).to_be_visible()
    assert not memory.facts.get(actor=owner, number=number).disabled
    expect(sheet.get_by_role("button", name="Disable")).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()


def test_v14_a_gesture_elsewhere_dims_the_map_and_one_here_is_seen_elsewhere(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    teach(memory, owner)
    there = drawn(open_as_owner("/map"))
    here = open_as_owner("/vaults")
    full = lit(there)
    assert full > 0
    with there.expect_response("**/map/weights", timeout=2000):
        here.get_by_role("button", name="Solo: only Jardin answers").click()
    expect(there.locator("#scope-label")).to_have_text("Jardin", timeout=1000)
    there.wait_for_timeout(200)
    assert lit(there) < full
    there.locator("#scope-button").click()
    there.locator("#scope-all").click()
    expect(here.locator("#vaults-state")).to_have_text("all", timeout=1000)
    expect(there.locator("#scope-choice")).to_be_visible()


def test_v14_the_map_is_worked_by_keys_and_read_as_a_list(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    number = teach(memory, owner)
    page = drawn(open_as_owner("/map", language="fr", viewport=NARROW, color_scheme="dark"))
    page.locator("#map-canvas").focus()
    for key in ("ArrowLeft", "+", "-", "0", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#map-sheet h2")).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="En liste").click()
    page.get_by_label("Chercher sur la carte").fill("ruche 3")
    expect(page.locator("#map-list tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Désactiver ruche 3").click()
    expect(page.locator("#map-list")).to_contain_text("désactivé")
    assert memory.facts.get(actor=owner, number=number).disabled
    serious = [one["id"] for one in Axe().run(page).response["violations"] if one["impact"] in {"serious", "critical"}]
    assert not serious


def test_v14_what_is_written_comes_onto_the_open_map(open_as_owner: Open, memory: Application, owner: Actor) -> None:
    page = drawn(open_as_owner("/map"))
    expect(page.locator("#map-empty")).to_be_visible()
    teach(memory, owner)
    expect(page.locator("#map-empty")).to_be_hidden(timeout=5000)
    page.get_by_label("Find on the map").fill("haies")
    expect(page.locator("#map-hits button").first).to_contain_text("Haies")
    faults = Axe().run(page).response["violations"]
    assert not [(one["id"], one["nodes"][0]["html"]) for one in faults if one["impact"] in {"serious", "critical"}]


def test_v6_the_pill_says_the_scope_and_ticks_weigh_and_undo(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    teach(memory, owner)
    memory.vaults.create(actor=owner, name="Maison")
    page = drawn(open_as_owner("/map", language="fr"))
    label = page.locator("#scope-label")
    expect(label).to_have_text("Tous")
    page.locator("#scope-button").click()
    page.locator("#scope-choice").get_by_label("Attention de Maison").press("ArrowLeft")
    expect(label).to_have_text("Tous (mixte)")
    page.get_by_role("checkbox", name="Maison").uncheck()
    expect(label).to_have_text("2 coffres")
    page.get_by_role("button", name="Annuler").click()
    expect(label).to_have_text("Tous (mixte)")
    assert memory.vaults.get(actor=owner, vault="maison").attention == 95
    page.locator("#scope-auto").click()
    expect(label).to_contain_text("Auto")
    memory.attention.none(actor=owner)
    expect(label).to_have_text("Aucun coffre", timeout=1500)
    expect(page.locator("#scope-says")).to_contain_text("les réponses n’ont pas de mémoire")
