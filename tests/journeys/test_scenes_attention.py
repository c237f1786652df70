"""The scenes of attention: who answers, lived through in the browser, in French and in English (V2 to V12)."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from scripted import Handler, Raw, model_server
from scripted import Server as Model
from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.endpoint import Use
from souvenance.domain.vault import Protection
from souvenance.memory.remember import Observation
from windows import Open

pytestmark = pytest.mark.parametrize("language", ["fr", "en"])

WORDS: dict[str, dict[str, str]] = {
    "fr": {
        "all": "tous", "mixed": "mixte", "all muted": "tous coupés", "All": "Tous", "All (mixed)": "Tous (mixte)",
        "2 vaults": "2 coffres", "All but 3": "Tous sauf 3", "No vault": "Aucun coffre", "No memory": "Aucune",
        "no memory": "Aucune réponse n’a de mémoire.", "No vault read": "Aucun coffre lu",
        "read none": "Aucune mémoire", "All vaults read": "Tous les coffres lus", "Attention of": "Attention de",
        "Solo": "Solo : seul Voyages répond", "Undo": "Annuler", "at 0": "À 0, on n’a pas interrogé : Voyages.",
        "up to date": "à jour", "chosen": "Choisi par le modèle", "did not choose": "Le modèle n’a pas choisi",
        "Protect": "Protéger ce coffre", "withheld": "2 passages retenus : coffre protégé",
        "never cloud": "ne va jamais à un modèle distant", "protects nothing": "L’attention ne protège rien",
        "who records": "L’attention dit qui répond, jamais qui enregistre", "one more call": "un appel de plus",
    },
    "en": {
        "all": "all", "mixed": "mixed", "all muted": "all muted", "All": "All", "All (mixed)": "All (mixed)",
        "2 vaults": "2 vaults", "All but 3": "All but 3", "No vault": "No vault", "No memory": "No memory",
        "no memory": "No answer has memory.", "No vault read": "No vault read",
        "read none": "No memory", "All vaults read": "All vaults read", "Attention of": "Attention of",
        "Solo": "Solo: only Voyages answers", "Undo": "Undo", "at 0": "At 0, so not asked: Voyages.",
        "up to date": "up to date", "chosen": "Chosen by the model", "did not choose": "The model did not choose",
        "Protect": "Protect this vault", "withheld": "2 passages withheld: protected vault",
        "never cloud": "never goes to a cloud model", "protects nothing": "Attention protects nothing",
        "who records": "Attention says who answers, never who records", "one more call": "one more call",
    },
}  # fmt: skip
"""What the screen says, by language."""

ANSWER = ".turn:last-child .answered"
Window = Callable[..., Page]


@pytest.fixture
def says(language: str) -> Callable[[str], str]:
    return WORDS[language].__getitem__


@pytest.fixture
def window(open_as_owner: Open, language: str) -> Window:
    """A window of the owner; the second one on is opened beside the first, in the same browser."""
    opened: list[Page] = []

    def open_one(address: str) -> Page:
        if not opened:
            opened.append(open_as_owner(address, language=language))
            return opened[0]
        beside = opened[0].context.new_page()
        beside.goto("/".join(opened[0].url.split("/")[:3]) + address)
        return beside

    return open_one


@pytest.fixture
def model(memory: Application, owner: Actor) -> Iterator[Model]:
    """A model on a cloud route, that answers in the chat and keeps what it was given."""
    with model_server() as server:
        memory.endpoints.add(
            actor=owner, name="tiny", base_url=server.url, model="tiny", route=Route.CLOUD, uses=[Use.ANSWERS]
        )
        yield server


def furnish(memory: Application, owner: Actor, **told: str) -> None:
    """Vaults of these names, each with one fact."""
    for name, content in told.items():
        memory.vaults.create(actor=owner, name=name)
        memory.facts.remember(actor=owner, vault=name, observations=[Observation(content=content)])


def ask(page: Page, question: str) -> Locator:
    """Put a question and wait for the answer; its badge."""
    turns = page.locator(".turn").count()
    page.locator("#question").fill(question)
    page.locator("#question").press("Enter")
    expect(page.locator(".turn")).to_have_count(turns + 1)
    badge = page.locator(f"{ANSWER} .foot > .badge").first
    expect(badge).to_be_visible()
    return badge


def weigh(page: Page, label: str, weight: int) -> None:
    """Move a slider of the Vaults window, and wait until it is kept."""
    with page.expect_response("**/attention"):
        page.get_by_label(label).fill(str(weight))


def test_v2_v3_a_vault_at_0_is_silent_and_goes_on_recording(
    window: Window, says: Any, memory: Application, owner: Actor, model: Model, tmp_path: Path
) -> None:
    furnish(memory, owner, Cuisine="The soup takes leeks", Voyages="The suitcase is blue")
    folder = tmp_path / "trains"
    folder.mkdir()
    (folder / "night.md").write_text("The night train to Vienna leaves from platform 12.\n")
    memory.folders.watch(actor=owner, vault="voyages", path=folder)
    vault = window("/vaults/voyages")
    expect(vault.locator("#folders")).to_contain_text(says("up to date"), timeout=30_000)
    vaults, chat = window("/vaults"), window("/")
    expect(vaults.locator(".page-head")).to_contain_text(says("who records"))
    slider = says("Attention of") + " Voyages"
    weigh(vaults, slider, 0)
    # muted: not asked, and nothing of it reaches the model, neither fact nor file
    badge = ask(chat, "From which platform leaves the night train to Vienna?")
    expect(badge.locator("summary")).to_have_text("Cuisine")
    assert "leeks" in model.prompt()
    assert "platform 12" not in model.prompt()
    assert "suitcase" not in model.prompt()
    badge.locator("summary").click()
    expect(badge.locator(".read")).to_contain_text(says("at 0"))
    # it records all the same: a file that changes is ingested while the vault is silent
    (note,) = memory.notes.list(actor=owner, vault="voyages")
    reading = window(f"/n/{note.id}")
    expect(reading.locator("#article")).to_contain_text("platform 12")
    (folder / "night.md").write_text("The night train to Vienna leaves from platform 14 now.\n")
    expect(reading.locator("#article")).to_contain_text("platform 14 now", timeout=20_000)
    expect(vaults.get_by_label(slider)).to_have_value("0")
    # raised again, it answers with what came meanwhile, and weighs what the slider says
    weigh(vaults, slider, 40)
    badge = ask(chat, "And from which platform leaves the night train to Vienna today?")
    expect(badge.locator("summary")).to_have_text(f"{says('All vaults read')} (Cuisine, Voyages)")
    assert "platform 14 now" in model.prompt()
    badge.locator("summary").click()
    expect(badge.locator(".read-vault").filter(has_text="Voyages").locator("h4 .chip")).to_contain_text("40")
    expect(badge.locator(".read")).to_contain_text("night")
    expect(badge.locator(".read")).to_contain_text("The suitcase is blue")


def test_v4_v5_v6_one_set_of_weights_is_seen_from_vaults_chat_and_map(
    window: Window, says: Any, memory: Application, owner: Actor
) -> None:
    furnish(memory, owner, Atelier="The lathe is oiled", Cuisine="The soup takes leeks", Voyages="The suitcase is blue")
    vaults, chat, neural = window("/vaults"), window("/"), window("/map")
    expect(neural.locator("#map-wait")).to_be_hidden(timeout=20_000)
    state, pill, on_map = vaults.locator("#vaults-state"), chat.locator("#scope-label"), neural.locator("#scope-label")
    sliders = {
        name: vaults.get_by_label(f"{says('Attention of')} {name}") for name in ("Atelier", "Cuisine", "Voyages")
    }

    def stand(**weights: int) -> None:
        for name, weight in weights.items():
            expect(sliders[name]).to_have_value(str(weight))

    # a mix that no gesture describes is named as one, everywhere
    weigh(vaults, f"{says('Attention of')} Atelier", 70)
    weigh(vaults, f"{says('Attention of')} Cuisine", 30)
    expect(state).to_have_text(says("mixed"))
    expect(pill).to_have_text(says("All (mixed)"))
    # solo in Vaults: the chat shows its name at once, the map dims, and the mix is overwritten
    with neural.expect_response("**/map/weights", timeout=8000):
        vaults.get_by_role("button", name=says("Solo")).click()
    expect(state).to_have_text("Voyages")
    expect(pill).to_have_text("Voyages")
    expect(on_map).to_have_text("Voyages")
    stand(Atelier=0, Cuisine=0, Voyages=100)
    # « Tous » raises everyone, and does not bring the mix back; only going back does
    vaults.locator("#all-vaults").click()
    expect(state).to_have_text(says("all"))
    expect(pill).to_have_text(says("All"))
    stand(Atelier=100, Cuisine=100, Voyages=100)
    weigh(vaults, f"{says('Attention of')} Cuisine", 30)
    vaults.get_by_role("button", name=says("Solo")).click()
    expect(state).to_have_text("Voyages")
    vaults.get_by_role("button", name=says("Undo")).click()
    expect(state).to_have_text(says("mixed"))
    stand(Atelier=100, Cuisine=30, Voyages=100)
    # the other way round: unticked in the chat, the others are at 100, Vaults and the map move along
    chat.locator("#scope-button").click()
    with neural.expect_response("**/map/weights", timeout=8000):
        chat.get_by_role("checkbox", name="Voyages").uncheck()
    expect(pill).to_have_text(says("2 vaults"))
    expect(on_map).to_have_text(says("2 vaults"))
    stand(Atelier=100, Cuisine=100, Voyages=0)
    # « Tous » in the chat lights what is mute and keeps the mix among those that were kept
    weigh(vaults, f"{says('Attention of')} Cuisine", 30)
    chat.locator("#scope-all").click()
    expect(pill).to_have_text(says("All (mixed)"))
    stand(Atelier=100, Cuisine=30, Voyages=100)
    expect(state).to_have_text(says("mixed"))


def test_v5_v6_all_but_3_and_no_vault_are_named_and_said(
    window: Window, says: Any, memory: Application, owner: Actor, model: Model
) -> None:
    furnish(memory, owner, **{f"Carnet {letter}": f"Page {letter} speaks of otters" for letter in "ABCDEFGHIJKL"})
    chat, vaults = window("/"), window("/vaults")
    pill = chat.locator("#scope-label")
    chat.locator("#scope-button").click()
    for letter in "BFK":
        with chat.expect_response("**/scope/tick?*"):
            chat.get_by_role("checkbox", name=f"Carnet {letter}").uncheck()
    expect(pill).to_have_text(says("All but 3"))
    expect(vaults.locator("#vaults-state")).to_have_text(says("mixed"))
    chat.keyboard.press("Escape")
    ask(chat, "What is said of otters?")
    assert "Page A" in model.prompt()
    assert "Page F" not in model.prompt()
    memory.attention.none(actor=owner)
    expect(vaults.locator("#vaults-state")).to_have_text(says("all muted"))
    expect(pill).to_have_text(says("No vault"))
    expect(chat.locator("#scope-note")).to_have_text(says("no memory"))
    expect(chat.locator("#scope-note")).to_be_visible()
    badge = ask(chat, "And now, what is said of otters?")
    expect(badge.locator("summary")).to_have_text(says("No vault read"))
    assert "speaks of otters" not in model.prompt()
    vaults.locator("#all-vaults").click()
    expect(pill).to_have_text(says("All"))
    expect(chat.locator("#scope-note")).to_have_count(0)


def test_v7_an_old_conversation_brings_back_aucune_and_nothing_else(
    window: Window, says: Any, memory: Application, owner: Actor, model: Model
) -> None:
    furnish(memory, owner, Cuisine="The soup takes leeks", Voyages="The suitcase is blue")
    memory.attention.solo(actor=owner, vault="voyages")
    page = window("/")
    pill = page.locator("#scope-label")
    expect(pill).to_have_text("Voyages")
    ask(page, "Which colour is the suitcase?")
    with_voyages = page.url
    page.goto("/".join(page.url.split("/")[:3]))
    page.locator("#scope-button").click()
    page.locator("#scope-none").click()
    expect(pill).to_have_text(says("No memory"))
    page.keyboard.press("Escape")
    badge = ask(page, "Which colour is the suitcase, @voyages?")
    expect(badge.locator("summary")).to_have_text(says("read none"))
    assert "blue" not in model.prompt()
    without = page.url
    memory.attention.all(actor=owner)
    page.goto(with_voyages)
    expect(pill).to_have_text(says("All"))  # reading a conversation is no choice
    page.goto(without)
    expect(pill).to_have_text(says("No memory"))  # nothing else could bring this back
    ask(page, "What does the soup take?")
    assert "leeks" not in model.prompt()
    page.locator("#scope-button").click()
    page.locator("#scope-all").click()
    expect(pill).to_have_text(says("All"))
    page.keyboard.press("Escape")
    ask(page, "What does the soup take?")
    assert "leeks" in model.prompt()


def test_v10_v11_auto_chooses_among_what_it_may_and_one_always_knows_who_chose(
    window: Window, says: Any, memory: Application, owner: Actor, model: Model, server: Any
) -> None:
    furnish(memory, owner, Cuisine="The soup takes leeks", Sourdine="The mute pedal", Voyages="The suitcase is blue")
    memory.vaults.create(actor=owner, name="Journal", protection=Protection.MAXIMUM)
    memory.endpoints.change(actor=owner, name="tiny", route=Route.LOCAL)  # not even here is the journal offered
    _, secret = memory.tokens.create(actor=owner, name="editor", app="Editor")
    asked = urllib.request.Request(f"{server.url}/v1/models", headers={"Authorization": f"Bearer {secret}"})
    urllib.request.urlopen(asked).close()  # an application connects, and has a vault of its own
    memory.attention.set(actor=owner, vault="editor", weight=100)
    offered: list[set[str]] = []

    def choose(handler: Handler, body: dict[str, Any]) -> None:
        listed = json.loads(body["messages"][-1]["content"])["vaults"]
        offered.append({one["name"] for one in listed})
        picked = json.dumps({"vaults": [one["number"] for one in listed if one["name"] == "Cuisine"]})
        handler.send_json({"choices": [{"message": {"role": "assistant", "content": picked}}]})

    chat, vaults = window("/"), window("/vaults")
    pill = chat.locator("#scope-label")
    chat.locator("#scope-button").click()
    chat.locator("#scope-auto").click()
    expect(pill).to_contain_text("Auto")
    expect(chat.locator("#scope-says")).to_contain_text(says("one more call"))
    expect(chat.get_by_role("checkbox", name="Voyages")).to_be_in_viewport(ratio=1)  # the list grew, and is still whole
    expect(chat.locator("#scope-choice .help").last).to_be_in_viewport(ratio=1)
    chat.keyboard.press("Escape")
    # the call fails: all are read, as ever, and the badge says so
    model.says(Raw(b"{}", status=400), "I do not know.")
    badge = ask(chat, "What do we cook tonight?")
    expect(badge.locator("summary")).to_contain_text(says("All vaults read"))
    expect(badge.get_by_role("img", name=says("chosen"))).to_have_count(0)
    assert "suitcase" in model.prompt()
    badge.locator("summary").click()
    expect(badge.locator(".read")).to_contain_text(says("did not choose"))
    # a gesture in the other window ends Auto here
    weigh(vaults, f"{says('Attention of')} Sourdine", 0)
    expect(pill).not_to_contain_text("Auto")
    chat.locator("#scope-button").click()
    chat.locator("#scope-auto").click()
    expect(pill).to_contain_text("Auto")
    chat.keyboard.press("Escape")
    # it chooses: the spark and the vault's name stand under the answer
    model.says(choose, "Soup.")
    badge = ask(chat, "What do we cook tonight?")
    expect(badge.get_by_role("img", name=says("chosen"))).to_be_visible()
    expect(badge.locator("summary")).to_have_text("Cuisine")
    assert offered == [{"Cuisine", "Voyages"}], "neither the protected, nor the muted, nor the application's"
    assert "leeks" in model.prompt()
    assert "suitcase" not in model.prompt()
    for name, weight in (("Cuisine", "100"), ("Sourdine", "0"), ("Voyages", "100")):
        expect(vaults.get_by_label(f"{says('Attention of')} {name}")).to_have_value(weight)


def test_v8_v12_attention_protects_nothing_and_protection_does(
    window: Window, says: Any, memory: Application, owner: Actor, model: Model
) -> None:
    furnish(memory, owner, Cuisine="The soup takes leeks", Journal="The garden holds ferns.")
    memory.facts.remember(actor=owner, vault="journal", observations=[Observation(content="The garden holds roses.")])
    chat, vaults = window("/"), window("/vaults")
    weigh(vaults, f"{says('Attention of')} Journal", 0)
    expect(vaults.locator("#board")).to_contain_text(says("protects nothing"))
    badge = ask(chat, "What does the garden hold?")
    expect(badge.locator("summary")).to_have_text("Cuisine")
    assert "ferns" not in model.prompt()
    # named in the question it answers, and stays silent for the next one
    badge = ask(chat, "What does my JOURNAL say the garden holds?")
    expect(badge.locator("summary")).to_contain_text("Journal")
    assert "ferns" in model.prompt()
    expect(vaults.get_by_label(f"{says('Attention of')} Journal")).to_have_value("0")
    # what must not leave is protected: then nothing of it goes to a cloud model, and that is said
    vaults.get_by_role("link", name="Journal").click()
    vaults.get_by_role("button", name=says("Protect")).click()
    vaults.locator("#protect").get_by_role("button", name=says("Protect")).click()
    expect(vaults.locator("#about .chip.warn")).to_be_visible()
    chat.locator("#new-talk").click()
    chat.wait_for_url("**/")
    badge = ask(chat, "What does my journal say the garden holds?")
    expect(chat.locator(f"{ANSWER} .withheld")).to_have_text(says("withheld"))
    expect(badge.locator("summary")).to_have_text("Cuisine")
    badge.locator("summary").click()
    expect(badge.locator(".read")).to_contain_text(says("never cloud"))
    assert "ferns" not in model.prompt()
    assert "roses" not in model.prompt()
