"""Scenes of the steps that look for facts and tidy them, in both languages: a look-up that costs one call (T3), places
that go to the useful (T4), passes that propose (T5)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from chatting import ANSWER, ask_anew, given, told
from scripted import Handler, model_server
from scripted import Server as Model
from souvenance.application import Application
from souvenance.consolidation import passes
from souvenance.domain.access import Actor
from souvenance.domain.clock import utc_now
from souvenance.domain.endpoint import Use
from souvenance.domain.fact import State, SubjectKind
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.wiring import open_application
from windows import Open, go

BOTH = pytest.mark.parametrize("language", ["en", "fr"])


class Calendar:
    """The present, or a day before it."""

    def __init__(self) -> None:
        self.back = timedelta()

    def __call__(self) -> datetime:
        return utc_now() - self.back


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


@pytest.fixture
def memory(settings: Settings, calendar: Calendar) -> Iterator[Application]:
    opened = open_application(settings, clock=calendar)
    yield opened
    opened.close()


LOOKED_UP = {
    "en": {
        "no answer": "(The model gave no answer.)",
        "undone": "1 request not done",
        "why": "a look-up opens the reply, once per question",
        "retired": "Retired",
    },
    "fr": {
        "no answer": "(Le modèle n’a pas répondu.)",
        "undone": "1 demande non exécutée",
        "why": "une recherche ouvre la réponse, une fois par question",
        "retired": "Retirés",
    },
}


@BOTH
def test_t3_pauls_birthday_is_looked_up_at_the_price_of_one_call_and_corrected(
    open_as_owner: Open, memory: Application, owner: Actor, club: str, model: Model, language: str
) -> None:
    words = LOOKED_UP[language]
    birthday = Observation(
        content="L’anniversaire de Paul est le 12 mars.", subject_kind=SubjectKind.MEMBER, subject_id="4242"
    )
    (kept,) = memory.facts.remember(actor=owner, vault=club, observations=[birthday])
    paul = kept.fact.number
    former = told(memory, owner, club, "L’anniversaire de Paul est en août.")
    memory.facts.retire(actor=owner, number=former, version=None, reason="erreur")
    for place in range(4):
        told(memory, owner, club, f"Anecdote {place} : une partie de plus.")
    memory.vaults.change_settings(actor=owner, vault=club, changes={"max_injected": 3})

    page = open_as_owner("/", language=language)
    model.says("<<lookup anniversaire de Paul>>", "Never asked for.")
    ask_anew(page, "C’est quand, l’anniversaire de Paul ?", words["no answer"])
    assert len(model.asked) == 1, "below the archive a look-up costs nothing"

    memory.vaults.change_type(actor=owner, vault=club, memory_type=MemoryType.ARCHIVE)
    model.says(
        "<<lookup anniversaire de Paul>>",
        f"The 13th [#{paul}]. <<replace #{paul} | L’anniversaire de Paul est le 13 mars. | il l’a dit>> <<lookup Zoé>>",
        "Never asked for.",
    )
    ask_anew(page, "Paul dit que son anniversaire est le 13 mars.", f"The 13th #{paul}.")
    assert len(model.asked) == 2
    assert "12 mars" not in model.prompt(0)
    assert len(given(model, 0)) == 3
    assert "12 mars" in model.prompt(1)
    assert "août" not in model.prompt(1), "what is retired is never looked up"
    badge = page.locator(f"{ANSWER} .badge").first
    badge.locator("summary").click()
    expect(badge.locator(".read")).to_contain_text(f"#{paul}")
    expect(page.locator(f"{ANSWER} .did")).to_contain_text("L’anniversaire de Paul est le 13 mars.")
    second = page.locator(f"{ANSWER} .foot details.badge", has_text=words["undone"])
    second.locator("summary").click()
    expect(second).to_contain_text(words["why"])

    model.says("Just an answer.")
    ask_anew(page, "Et sinon, quoi de neuf ?", "Just an answer.")
    assert len(model.asked) == 1, "a question without a look-up costs one call"
    go(page, f"/memory/{club}?tab=retired")
    expect(page.locator(f"#fact-{paul}")).to_contain_text("il l’a dit")
    successor = memory.facts.get(actor=owner, number=paul).replaced_by
    assert successor is not None
    assert memory.facts.get(actor=owner, number=successor).subject_id == "4242"


RANKED = {
    "en": {"save": "Save", "saved": "It counts from the next message on", "scored": "2 of 4 facts have an importance."},
    "fr": {
        "save": "Enregistrer",
        "saved": "Cela vaut dès le prochain message",
        "scored": "2 souvenirs sur 4 ont une importance.",
    },
}


def _weigh(page: Page, **weights: str) -> None:
    """Move the three sliders to their ends: `End` is 10, `Home` is 0."""
    for name in ("recency", "importance", "relevance"):
        page.locator(f"#{name}").press(weights.get(name, "Home"))


@BOTH
def test_t4_three_weights_move_the_order_at_once_and_the_model_is_given_it(
    open_as_owner: Open,
    memory: Application,
    owner: Actor,
    club: str,
    model: Model,
    calendar: Calendar,
    language: str,
) -> None:
    calendar.back = timedelta(days=200)
    said = [Observation(content="Pas de support dans les salons publics.", importance=10)]
    said.append(Observation(content="Peut-être une règle sur les salons.", importance=10, confidence=0.1))
    rule, doubtful = (one.fact.number for one in memory.facts.remember(actor=owner, vault=club, observations=said))
    cake = told(memory, owner, club, "Le gâteau de Zoé est au citron.")
    calendar.back = timedelta()
    gossip = told(memory, owner, club, "Hier, Karim a perdu aux dés.")
    memory.vaults.change_type(actor=owner, vault=club, memory_type=MemoryType.RANKED)
    memory.vaults.change_settings(actor=owner, vault=club, changes={"max_injected": 1})

    words, page = RANKED[language], open_as_owner(f"/memory/{club}", language=language)
    page.locator("#ladder").get_by_role("button").click()
    expect(page.locator(".step-card").nth(3)).to_contain_text(words["scored"])
    go(page, f"/settings/answers/{club}")
    page.locator("#max_injected").fill("4")
    expect(page.locator("#order li")).to_have_count(4)
    order = page.locator("#order li")
    _weigh(page, importance="End")
    expect(order.first).to_contain_text("Pas de support")
    expect(order.nth(1)).to_contain_text("Peut-être")  # of the same importance, and doubtful; nothing is left out
    _weigh(page, recency="End")
    expect(order.first).to_contain_text("Karim")
    _weigh(page, relevance="End")
    page.locator("#message").fill("Qui fait le gâteau ?")
    expect(order.first).to_contain_text("citron")
    assert memory.vaults.get(actor=owner, vault=club).settings == {"max_injected": 1}, "looking changes nothing"

    for weights, first in (({"importance": "End"}, rule), ({"recency": "End"}, gossip), ({"relevance": "End"}, cake)):
        _weigh(page, **weights)
        page.locator("#max_injected").fill("1")
        page.locator("#settings").get_by_role("button", name=words["save"]).first.click()
        expect(page.locator("#toasts")).to_contain_text(words["saved"])
        model.says(f"Answer {first}.")
        ask_anew(page, "Qui fait le gâteau ?", f"Answer {first}.")
        assert given(model) == [first]
        go(page, f"/settings/answers/{club}")
    assert doubtful not in given(model)
    model.says("He lost. <<remember dés | Karim triche aux dés. | 9 | Café rétro>>")
    ask_anew(page, "Et Karim, aux dés ?", "He lost.")
    assert given(model) == [gossip], "what missed its place is a candidate again at the next message"
    expect(page.locator(f"{ANSWER} .did")).to_contain_text("Karim triche aux dés.")
    go(page, f"/memory/{club}")
    expect(page.locator(".fact").first.locator(".fact-figures")).to_contain_text("9")  # scored as it was written


TIDIED = {
    "en": {
        "quiet": "the vault is quiet and has changed", "waiting": "3 proposals wait for your answers.",
        "contradiction": "contradiction", "duplicate": "said twice", "keep both": "Keep both",
        "merge": "Merge: keep #", "other": "The other way: keep #", "never": re.compile("Merge|other way"),
        "now": "The summary now", "draft": "The draft", "take": "Take the draft",
        "later": "Later", "nothing": "Nothing waits for you",
        "too soon": "the last pass was less than a day ago", "declined": "No pass was made", "restore": "Restore",
        "pass": "Have a pass now", "unchanged": "nothing has changed since the last pass",
    },
    "fr": {
        "quiet": "le coffre est au calme et a changé", "waiting": "3 propositions attendent votre réponse.",
        "contradiction": "contradiction", "duplicate": "dit deux fois", "keep both": "Garder les deux",
        "merge": "Fusionner : garder #", "other": "Dans l’autre sens : garder #",
        "never": re.compile("Fusionner|autre sens"), "now": "Le résumé actuel", "draft": "L’ébauche",
        "take": "Prendre l’ébauche",
        "later": "Plus tard", "nothing": "Rien ne vous attend",
        "too soon": "la dernière passe a moins d’un jour", "declined": "Aucune passe", "restore": "Rétablir",
        "pass": "Lancer une passe", "unchanged": "rien n’a changé depuis la dernière passe",
    },
}  # fmt: skip
DRAFT = "Un club de jeux rétro où l’on parle français."


def _pass_model(handler: Handler, body: dict[str, Any]) -> None:
    """The model of the passes: nothing it is asked twice about contradicts, and it words the summary."""
    is_summary = "summary" in body["messages"][0]["content"]
    said = {"summary": DRAFT} if is_summary else {"verdict": "same"}
    handler.send_json({"choices": [{"message": {"role": "assistant", "content": json.dumps(said)}}]})


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The background looks after its vaults at once; it begins with the server."""
    monkeypatch.setattr(passes, "FIRST_LOOK", 0.2)
    monkeypatch.setattr(passes, "LOOK_EVERY", 0.5)


@pytest.mark.usefixtures("impatient")
@BOTH
def test_t5_a_quiet_server_gets_its_pass_and_three_proposals_are_answered_one_by_one(
    open_as_owner: Open,
    memory: Application,
    owner: Actor,
    club: str,
    model: Model,
    calendar: Calendar,
    language: str,
) -> None:
    calendar.back = timedelta(hours=2)
    said = (
        ("summary", "Un club."), ("language", "La langue du serveur est le français."),
        ("lang", "Sur ce serveur, la langue est le français."),
        ("tournoi", "Le tournoi du club commence à 20 h le samedi."),
        ("tournoi", "Le tournoi du club commence à 21 h le samedi."),
        ("theme", "Le club joue à des jeux rétro."), ("charte", "La charte compte six articles."),
        ("badge", "Les modérateurs portent un badge vert."), ("potager", "Un potager occupe la cour."),
        ("archive", "L’archive tient sur une cassette."), ("entree", "Chacun se présente dans l’entrée."),
    )  # fmt: skip
    observations = [Observation(content=content, key=key) for key, content in said]
    kept = memory.facts.remember(actor=owner, vault=club, observations=observations)
    summary, french, lang, eight, nine = (item.fact.number for item in kept[:5])
    calendar.back = timedelta()
    with model_server() as own:
        own.otherwise = _pass_model
        memory.endpoints.add(actor=owner, name="night", base_url=own.url, model="larger", uses=[Use.CONSOLIDATION])
        words, page = TIDIED[language], open_as_owner(f"/memory/{club}", language=language)
        expect(page.locator("html")).to_have_attribute("data-connection", "there")
        memory.vaults.change_type(actor=owner, vault=club, memory_type=MemoryType.CONSOLIDATED)
        expect(page.locator("#waiting")).to_contain_text(words["waiting"], timeout=60_000)  # by itself
        before = {one.number: one.content for one in memory.facts.list(actor=owner, vault=club)}
        assert len(before) == 11, "a pass applies nothing"
        assert own.asked
        assert not model.asked, "it has its own model"
        page.locator(".waiting").click()
        expect(page.locator(".passes").first).to_contain_text(words["quiet"])
        expect(page.locator(".passes").first).to_contain_text("larger")

        board = page.locator("#board")
        expect(board.locator(".chip").first).to_have_text(words["contradiction"])
        expect(page.locator(".side")).to_have_count(2)
        expect(page.locator(".sides")).to_contain_text("20 h")
        expect(page.locator(".sides")).to_contain_text("21 h")
        expect(page.locator(".answers button")).to_have_count(3)
        expect(page.get_by_role("button", name=words["never"])).to_have_count(0)  # a contradiction is never merged
        page.get_by_role("button", name=words["keep both"]).click()
        expect(board.locator(".chip").first).to_have_text(words["duplicate"])
        page.get_by_role(
            "button", name=words["later"], exact=True
        ).click()  # a merge would overtake what it is drawn from
        expect(page.locator(".side.draft")).to_contain_text(DRAFT)
        expect(page.locator(".side").first).to_contain_text(words["now"])
        expect(page.locator(".side").first).to_contain_text("Un club.")
        page.get_by_role("button", name=words["take"]).click()
        expect(page.locator(".sides")).to_contain_text("La langue du serveur")
        expect(page.locator(".sides")).to_contain_text("Sur ce serveur")
        expect(page.get_by_role("button", name=words["merge"])).to_be_visible()
        page.get_by_role("button", name=words["other"]).click()
        expect(board).to_contain_text(words["nothing"])
    for number in (eight, nine):
        assert memory.facts.get(actor=owner, number=number).state is State.IN_FORCE
    merged = next(number for number in (french, lang) if memory.facts.get(actor=owner, number=number).replaced_by)
    (stays,) = {french, lang} - {merged}

    go(page, f"/memory/{club}?tab=retired")
    expect(page.locator("#summary")).to_contain_text(DRAFT)
    expect(page.locator(f"#fact-{summary} .struck")).to_have_text("Un club.")
    expect(page.locator(f"#fact-{merged} .fact-end")).to_contain_text(f"#{stays}")
    page.locator(f"#fact-{merged}").get_by_role("button", name=words["restore"]).click()
    expect(page.locator(f"#fact-{merged}")).to_have_count(0)
    assert memory.facts.get(actor=owner, number=merged).content == before[merged]
    go(page, f"/memory/{club}/proposals")
    expect(page.locator("#board")).to_contain_text(words["too soon"])
