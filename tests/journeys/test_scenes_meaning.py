"""Scenes of the last step, in both languages: what shares no word is found, by the model of this machine and by one at
an address; what is sent there is counted; a fallback to words is said (T6, T8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from chatting import ANSWER, ask_anew, given, told
from scripted import Server as Model
from scripted import model_server
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.endpoint import Use
from souvenance.domain.vault import MemoryType
from souvenance.settings import Settings
from souvenance.wiring import open_application
from windows import Open, go

BOTH = pytest.mark.parametrize("language", ["en", "fr"])
WORDS = {
    "en": {
        "step": "Semantic", "change": "Change…", "choose": "Choose Semantic", "texts": "4 texts to embed, in 1 call.",
        "here": "They are made on this machine", "short": "the message is under 12 characters",
        "elsewhere": "The texts are sent to", "fallback": "searching by words", "done": "4 of 4 embedded already.",
        "local": "at an address you declared local",
    },
    "fr": {
        "step": "Sémantique", "change": "Changer…", "choose": "Choisir Sémantique",
        "texts": "4 textes à vectoriser, en 1 appel.", "here": "Ils sont faits sur cette machine",
        "short": "le message a moins de 12 caractères", "elsewhere": "Les textes sont envoyés à",
        "fallback": "recherche par mots", "done": "4 sur 4 déjà vectorisés.",
        "local": "à une adresse que vous avez déclarée locale",
    },
}  # fmt: skip
SAID = (
    "La langue du serveur est le français.",
    "Karim parle trop près de son micro.",
    "Le gâteau de Zoé est au citron.",
    "Le club ferme en août.",
)


def read_for(page: Page, question: str, answer: str) -> Any:
    """Ask, and open what was read for the answer."""
    ask_anew(page, question, answer)
    badge = page.locator(f"{ANSWER} .badge").first
    badge.locator("summary").click()
    expect(badge.locator(".read .tiny").last).to_contain_text("ms")
    return badge.locator(".read")


class TestOnThisMachine:
    """The bundled model, as it comes."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"embedder": "local"})

    @pytest.fixture
    def memory(self, settings: Settings) -> Iterator[Application]:
        opened = open_application(settings)
        owner = opened.owner_through(Source.PANEL)
        opened.vaults.create(actor=owner, name="Maison")
        told(opened, owner, "maison", "La clé est sous le pot.")
        opened.embedding.catch_up()  # at once: the background gives way to everything, and has the model to make ready
        yield opened
        opened.close()

    def test_t6_he_speaks_french_finds_the_language_of_the_server(
        self, open_as_owner: Open, memory: Application, owner: Actor, club: str, model: Model
    ) -> None:
        words, page = WORDS["fr"], open_as_owner(f"/memory/{club}", language="fr")
        tongue, *others = (told(memory, owner, club, one) for one in SAID)
        memory.vaults.change_settings(actor=owner, vault=club, changes={"max_injected": 1})
        page.locator("#ladder").get_by_role("button", name=words["change"]).click()
        expect(page.locator(".step-card").last).to_contain_text(words["here"])
        page.get_by_role("button", name=words["choose"], exact=True).click()
        expect(page.locator(".rung[aria-current=step]")).to_contain_text(words["step"])
        memory.embedding.catch_up()
        expect(page.locator("#ladder")).not_to_contain_text(words["fallback"], timeout=10_000)

        model.says("<<lookup il parle français>>", f"Yes [#{tongue}].")
        read = read_for(page, "Et Paul, il sera à l’aise ? Il parle français.", f"Yes #{tongue}.")
        assert tongue in given(model, 0), "the one place goes to the nearest"
        assert not set(others) & set(given(model, 0))
        found = map(int, re.findall(r"\[#(\d+)\]", model.asked[1]["messages"][-1]["content"]))
        assert next(one for one in found if one in {tongue, *others}) == tongue, "the nearest is found first"
        expect(read).not_to_contain_text(words["fallback"])
        model.says("A word.")
        english = open_as_owner("/", language="en")
        read = read_for(english, "lol", "A word.")
        expect(read).to_contain_text(WORDS["en"]["short"])
        expect(read).to_contain_text(WORDS["en"]["fallback"])


class TestAtAnAddress:
    """A model reached over HTTP, whose server writes down what it is sent."""

    @pytest.fixture
    def vectors(self) -> Iterator[Model]:
        with model_server() as server:
            yield server

    @pytest.fixture
    def memory(self, settings: Settings, vectors: Model) -> Iterator[Application]:
        chosen = open_application(settings)
        owner = chosen.owner_through(Source.PANEL)
        chosen.endpoints.add(actor=owner, name="vectors", base_url=vectors.url, model="meaning")
        chosen.endpoints.change(actor=owner, name="vectors", dimension=8)
        chosen.endpoints.use(actor=owner, use=Use.EMBEDDINGS, name="vectors")
        chosen.close()
        settings = settings.model_copy(update={"embedder": "local"})
        opened = open_application(settings)
        yield opened
        opened.close()

    @BOTH
    def test_t6_each_wording_is_sent_once_a_word_never_and_words_answer_when_it_is_away(
        self,
        open_as_owner: Open,
        memory: Application,
        owner: Actor,
        club: str,
        model: Model,
        vectors: Model,
        language: str,
    ) -> None:
        words, page = WORDS[language], open_as_owner(f"/memory/{club}", language=language)
        for one in SAID:
            told(memory, owner, club, one)
        model.says("Classic.")
        ask_anew(page, "Une question assez longue", "Classic.")
        assert not sent(vectors), "below the last step nothing is sent anywhere"

        go(page, f"/memory/{club}")
        page.locator("#ladder").get_by_role("button", name=words["change"]).click()
        card = page.locator(".step-card").last
        expect(card).to_contain_text(words["texts"])
        expect(card).to_contain_text(words["local"])
        page.get_by_role("button", name=words["choose"], exact=True).click()
        expect(page.locator(".rung[aria-current=step]")).to_contain_text(words["step"])
        expect(page.locator("#ladder")).not_to_contain_text(words["fallback"], timeout=30_000)  # all is embedded
        assert sorted(one for one in sent(vectors) if one in SAID) == sorted(SAID), "each wording once"
        page.locator("#ladder").get_by_role("button", name=words["change"]).click()
        expect(card).to_contain_text(words["done"])
        page.keyboard.press("Escape")

        vectors.seen.clear()
        model.says("By meaning.")
        read = read_for(page, "Quelle langue parle-t-on ici ?", "By meaning.")
        expect(read).not_to_contain_text(words["fallback"])
        assert sent(vectors).count("Quelle langue parle-t-on ici ?") == 1
        vectors.seen.clear()
        model.says("Ha.")
        expect(read_for(page, "lol", "Ha.")).to_contain_text(words["short"])
        assert not sent(vectors)

        vectors.shutdown()
        vectors.server_close()
        model.says("By words.")
        expect(read_for(page, "Quel gâteau fait Zoé ce soir ?", "By words.")).to_contain_text(words["fallback"])
        assert memory.vaults.get(actor=owner, vault=club).memory_type is MemoryType.SEMANTIC


def sent(vectors: Model) -> list[str]:
    """The texts that were sent to be embedded."""
    return [text for one in vectors.seen if one["path"] == "/v1/embeddings" for text in one["body"]["input"]]
