"""Scenes of a server's memory as its people live them, in both languages: what is written by hand and how much of it is
sent (F3, F5), what the model takes back on Classic and on Journal (F4, T1, T2), the choice of a step (T7, T8)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from chatting import ANSWER, ask_anew, given, told
from scripted import Server as Model
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.fact import State
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from windows import Open, go

BOTH = pytest.mark.parametrize("language", ["en", "fr"])

ENTRIES = {
    "en": (
        ("server_theme", "This café is about retro games."),
        ("bot_tone", "Answers are friendly and short."),
        ("important_rule", "Give no support in public channels; send people to tickets."),
    ),
    "fr": (
        ("server_theme", "Ce serveur parle de jeux rétro."),
        ("bot_tone", "Les réponses doivent être amicales et concises."),
        (
            "important_rule",
            "Ne pas donner de support dans les salons publics ; orienter les utilisateurs vers les tickets.",
        ),
    ),
}
WORDS = {
    "en": {
        "vault": "Vault", "empty": "Nothing is remembered here yet", "add": "Add a fact",
        "what": "What should be remembered?", "key": "Key", "remember": "Remember",
        "theme": "CAFE IS ABOUT", "edit": "Edit", "confidence": "Confidence, in percent", "save": "Save",
        "second": "Page 2 of 2", "next": "Next", "previous": "Previous", "more": "More on", "delete": "Delete",
        "trash": "Trash", "most": "Most facts at once", "twenty": "20 facts at most for a question",
        "saved": "It counts from the next message on", "restore": "Restore", "retired": "Retired", "force": "In force",
        "all": "All facts", "change": "Change…", "choose": "Choose", "nothing moves": "Nothing moves.",
        "kept": "The old wording is kept, never destroyed.", "undone": "1 request not done",
        "ignored": "the number was not shown in this exchange", "date": "Retired on ", "by": "replaced by",
        "hidden": "2 retired facts stay hidden.", "all back": "Restore every retired fact", "do it": "Restore them all",
        "back": "2 facts are in force again.", "audit": "restored all retired facts", "two": "Facts: 2",
        "owner": "Owner",
        "model asked": "a model's request was ignored",
    },
    "fr": {
        "vault": "Coffre", "empty": "Aucun souvenir ici pour l’instant", "add": "Ajouter un souvenir",
        "what": "De quoi faut-il se souvenir ?", "key": "Clé", "remember": "Retenir",
        "theme": "JEUX RETRO", "edit": "Modifier", "confidence": "Confiance, en pour cent",
        "save": "Enregistrer", "second": "Page 2 sur 2", "next": "Suivant", "previous": "Précédent",
        "more": "Autres actions sur", "delete": "Supprimer", "trash": "Corbeille", "most": "Souvenirs au plus",
        "twenty": "20 souvenirs au plus par question", "saved": "Cela vaut dès le prochain message",
        "restore": "Rétablir", "retired": "Retirés", "force": "En vigueur", "all": "Tout", "change": "Changer…",
        "choose": "Choisir", "nothing moves": "Rien ne bouge.",
        "kept": "L’ancienne formulation est conservée, jamais détruite.", "undone": "1 demande non exécutée",
        "ignored": "ce numéro n’a pas été montré dans cet échange", "date": "Retiré le ", "by": "remplacé par",
        "hidden": "2 souvenirs retirés restent masqués.", "all back": "Rétablir tous les faits retirés",
        "do it": "Tout rétablir", "back": "2 souvenirs sont de nouveau en vigueur.",
        "audit": "a rétabli tous les faits retirés", "two": "Souvenirs : 2", "owner": "Propriétaire",
        "model asked": "la demande d’un modèle a été ignorée",
    },
}  # fmt: skip


def row(page: Page, number: int) -> Locator:
    return page.locator(f"#fact-{number}")


def tab(page: Page, name: str) -> None:
    page.locator("#facts .tabs").get_by_role("link", name=re.compile(rf"^{name}")).click()
    expect(page.locator("#facts .tabs [aria-current=page]")).to_contain_text(name)


def choose_step(page: Page, words: dict[str, str], step: str) -> None:
    page.locator("#ladder").get_by_role("button", name=words["change"]).click()
    page.get_by_role("button", name=f"{words['choose']} {step}", exact=True).click()
    expect(page.locator(".rung[aria-current=step]")).to_contain_text(step)


@BOTH
def test_f3_f5_a_server_is_told_its_three_rules_by_hand_and_so_many_of_its_facts_are_sent(
    open_as_owner: Open, memory: Application, owner: Actor, club: str, model: Model, language: str
) -> None:
    words, page = WORDS[language], open_as_owner("/memory", language=language)
    page.get_by_label(words["vault"], exact=True).select_option(label="Café rétro")
    expect(page.locator("#facts .empty")).to_contain_text(words["empty"])
    dialog = page.locator("#add-fact")
    for key, content in ENTRIES[language]:
        page.locator(".page-head").get_by_role("button", name=words["add"]).click()
        dialog.get_by_label(words["what"]).fill(content)
        dialog.get_by_label(words["key"], exact=True).fill(key)
        dialog.get_by_role("button", name=words["remember"]).click()
        expect(dialog).to_be_hidden()
        expect(page.locator(".fact").first).to_contain_text(content)
    theme, tone, rule = sorted(one.number for one in memory.facts.list(actor=owner, vault=club))

    search = page.get_by_role("searchbox")
    search.fill("BOT_TONE")
    expect(page.locator(".fact")).to_have_count(1)
    expect(row(page, tone)).to_be_visible()
    search.fill(words["theme"])
    expect(row(page, theme)).to_be_visible()
    expect(page.locator(".fact")).to_have_count(1)
    search.fill("")
    page.get_by_role("button", name=f"{words['edit']} #{rule}", exact=True).click()
    form = row(page, rule)
    form.get_by_label(words["key"], exact=True).fill("golden_rule")
    form.get_by_label(words["confidence"]).fill("60")
    form.get_by_role("button", name=words["save"], exact=True).click()
    expect(row(page, rule).locator(".fact-key")).to_have_text("golden_rule")
    expect(row(page, rule).locator(".fact-figures")).to_contain_text(re.compile(r"60\s?%"))

    chatter = [Observation(content=f"Anecdote {place} : une partie de plus.") for place in range(57)]
    memory.facts.remember(actor=owner, vault=club, observations=chatter)
    expect(page.locator("#found")).to_contain_text("60")
    page.locator(".pager").get_by_role("link", name=words["next"]).click()
    expect(page.locator(".pager")).to_contain_text(words["second"])
    expect(page.locator(".fact")).to_have_count(10)
    expect(row(page, theme)).to_be_visible()  # what was said first stands last
    row(page, tone).get_by_role("button", name=f"{words['more']} #{tone}").click()
    page.locator("#fact-menu").get_by_role("button", name=words["delete"]).click()
    expect(row(page, tone)).to_have_count(0)
    assert memory.facts.get(actor=owner, number=tone).state is State.TRASHED

    page.get_by_role("link", name=words["twenty"]).click()
    expect(page.get_by_label(words["most"])).to_have_value("20")
    settings = page.url
    newest = [one.number for one in memory.facts.list(actor=owner, vault=club)]
    newest.sort(key=lambda number: (memory.facts.get(actor=owner, number=number).updated_at, number), reverse=True)
    for most in (20, 3, 45):
        if most != 20:
            page.goto(settings)
            page.get_by_label(words["most"]).fill(str(most))
            page.locator("#settings").get_by_role("button", name=words["save"]).first.click()
            expect(page.locator("#toasts")).to_contain_text(words["saved"])
        ask_anew(page, "Une question, a question", "Very well.")
        assert given(model) == newest[:most]
    page.goto(settings)
    page.get_by_label(words["most"]).fill("1001")
    page.locator("#settings").get_by_role("button", name=words["save"]).first.click()
    expect(page.locator("#max_injected:invalid")).to_be_focused()
    assert memory.facts.browse(actor=owner, vault=club).total == 59, "nothing was deleted"
    assert memory.vaults.get(actor=owner, vault=club).settings["max_injected"] == 45


@BOTH
def test_t1_t2_what_the_model_takes_back_is_deleted_on_classic_and_kept_on_journal(
    open_as_owner: Open, memory: Application, owner: Actor, club: str, model: Model, language: str
) -> None:
    words, page = WORDS[language], open_as_owner("/", language=language)
    beyond, opening, tongue = (
        told(memory, owner, club, text)
        for text in ("Les tickets sont en bas de page.", "Le club ouvre à 20 h.", "Le serveur parle anglais.")
    )
    memory.vaults.change_settings(actor=owner, vault=club, changes={"max_injected": 2})
    born = memory.facts.get(actor=owner, number=opening).created_at

    # On Classic: the trash, from which a person brings it back.
    model.says(f"Noted then. <<retire #{tongue} | tout le monde parle français>>")
    ask_anew(page, "On parle français ici.", "Noted then.")
    expect(page.locator(f"{ANSWER} .did")).to_contain_text("Le serveur parle anglais.")
    go(page, f"/memory/{club}")
    expect(row(page, tongue)).to_have_count(0)
    expect(page.locator("#facts .tabs")).not_to_contain_text(words["retired"])
    tab(page, words["trash"])
    expect(row(page, tongue).locator(".fact-end")).to_contain_text("tout le monde parle français")
    row(page, tongue).get_by_role("button", name=words["restore"]).click()
    expect(row(page, tongue)).to_have_count(0)
    go(page, f"/memory/{club}")
    expect(row(page, tongue)).to_be_visible()

    # On Journal: retired with date, reason and what replaces it; a number it was not shown does nothing.
    page.locator("#ladder").get_by_role("button", name=words["change"]).click()
    expect(page.locator(".step-card").nth(1)).to_contain_text(words["nothing moves"])
    page.keyboard.press("Escape")
    choose_step(page, words, "Journal")
    assert memory.facts.get(actor=owner, number=opening).created_at == born
    model.says(
        f"Corrected. <<replace #{tongue} | Le serveur parle français. | vote de mars>> <<retire #{beyond} | deviné>>"
    )
    ask_anew(page, "On parle français, le vote est clos.", "Corrected.")
    assert beyond not in given(model)
    expect(page.locator(f"{ANSWER} .did")).to_contain_text(f"#{tongue} → #")
    refused = page.locator(f"{ANSWER} .foot details.badge", has_text=words["undone"])
    refused.locator("summary").click()
    for said in (f"#{beyond}", words["ignored"]):
        expect(refused).to_contain_text(said)
    assert memory.facts.get(actor=owner, number=beyond).state is State.IN_FORCE
    ended = memory.facts.get(actor=owner, number=tongue)
    assert ended.replaced_by is not None

    go(page, f"/memory/{club}")
    expect(page.locator("#facts .tabs [aria-current=page]")).to_contain_text(words["force"])
    expect(row(page, tongue)).to_have_count(0)
    expect(row(page, ended.replaced_by)).to_contain_text("Le serveur parle français.")
    tab(page, words["all"])
    expect(row(page, ended.replaced_by)).to_be_visible()
    tab(page, words["retired"])
    expect(row(page, tongue).locator(".struck")).to_have_css("text-decoration-line", "line-through")
    for said in (words["date"], "vote de mars", f"{words['by']} #{ended.replaced_by}"):
        expect(row(page, tongue).locator(".fact-end")).to_contain_text(said)
    row(page, tongue).get_by_role("button", name=words["restore"]).click()
    expect(row(page, tongue)).to_have_count(0)
    page.locator("#facts .tabs").get_by_text(words["force"]).click()
    for number in (tongue, ended.replaced_by):  # which of the two goes is for a person to say
        expect(row(page, number)).to_be_visible()

    # Back to Classic: what is retired stays, until all of it is restored, which the audit log tells.
    for number in (tongue, opening):
        memory.facts.retire(actor=owner, number=number, version=None, reason="été")
    page.locator("#ladder").get_by_role("button", name=words["change"]).click()
    expect(page.locator(".step-card").first).to_contain_text(words["hidden"])
    page.keyboard.press("Escape")
    choose_step(page, words, "Classic" if language == "en" else "Classique")
    model.says("Back to before.")
    ask_anew(page, "Et maintenant ?", "Back to before.")
    assert not {tongue, opening} & set(given(model))
    go(page, f"/memory/{club}?tab=retired")
    expect(page.locator(".fact")).to_have_count(2)
    page.get_by_role("button", name=words["all back"]).click()
    page.locator("#restore-all").get_by_role("button", name=words["do it"]).click()
    expect(page.locator("#toasts")).to_contain_text(words["back"])
    expect(page.locator(".fact")).to_have_count(4)
    go(page, "/audit")
    line = page.locator("tbody tr", has_text=words["audit"])
    for said in (words["owner"], "Café rétro", words["two"]):
        expect(line).to_contain_text(said)
    expect(page.locator("tbody tr", has_text=words["model asked"])).to_contain_text(f"#{beyond}")


STEPS = {
    "en": ("Classic", "Journal", "Searchable archive", "Ranked", "Consolidated", "Semantic"),
    "fr": ("Classique", "Journal", "Archive consultable", "Classée", "Consolidée", "Sémantique"),
}
FIGURES = {
    "en": (
        ("4 facts in force.", "1 retired fact stays hidden."),
        ("Nothing moves.", "4 facts keep their dates.", "1 is retired already."),
        ("4 facts to search.", "characters of text.", "A real search just took", "2 are out of a question’s reach"),
        ("1 of 4 facts have an importance.", "1 fact would win a place, 1 would lose one."),
        ("4 facts compared.", "1 thing said twice.", "0 contradictions."),
        ("4 texts to embed, in 1 call.", "characters of text.", "No embedding model is set yet"),
    ),
    "fr": (
        ("4 souvenirs en vigueur.", "1 souvenir retiré reste masqué."),
        ("Rien ne bouge.", "4 souvenirs gardent leur date.", "1 est déjà retiré."),
        (
            "4 souvenirs où chercher.", "caractères de texte.", "Une vraie recherche vient de prendre",
            "2 sont hors d’atteinte d’une question",
        ),
        ("1 souvenirs sur 4 ont une importance.", "1 souvenir gagnerait une place, 1 perdrait la sienne."),
        ("4 souvenirs comparés.", "1 chose dite deux fois.", "0 contradiction."),
        ("4 textes à vectoriser, en 1 appel.", "caractères de texte.", "Aucun modèle d’embedding n’est encore choisi"),
    ),
}  # fmt: skip
SET_AT = {
    "en": ("2 facts at most for a question", "Weights: recency 1", "Model of the passes", "Embedding model"),
    "fr": ("2 souvenirs au plus par question", "Poids : récence 1", "Modèle des passes", "Modèle d’embedding"),
}
FIELDS = ("#max_injected", "#recency", "#pass-model", "#embedding-model")


@BOTH
def test_t7_t8_each_step_says_what_it_would_shift_before_it_is_chosen_and_where_it_is_set(
    open_as_owner: Open, memory: Application, owner: Actor, club: str, language: str
) -> None:
    weighty = Observation(content="La règle du silence vaut après 22 h.", importance=10)
    said = (
        "Le thème est le rétro.",
        "La langue du serveur est le français.",
        "Sur ce serveur, la langue est le français.",
    )
    memory.facts.remember(actor=owner, vault=club, observations=[weighty, *(Observation(content=one) for one in said)])
    gone = told(memory, owner, club, "Le club ferme en août.")
    memory.facts.retire(actor=owner, number=gone, version=None, reason="il reste ouvert")
    memory.vaults.change_settings(actor=owner, vault=club, changes={"max_injected": 2})
    words, page = WORDS[language], open_as_owner(f"/memory/{club}", language=language)
    expect(page.locator(".rung")).to_have_text([f"{place}{name}" for place, name in enumerate(STEPS[language], 1)])
    expect(page.locator(".rung[aria-current=step]")).to_contain_text(STEPS[language][0])  # nobody chose
    page.locator("#ladder").get_by_role("button", name=words["change"]).click()
    for place, figures in enumerate(FIGURES[language]):
        for figure in figures:
            expect(page.locator(".step-card").nth(place)).to_contain_text(figure)
    expect(page.locator("dialog.steps")).not_to_contain_text(re.compile("[€$]"))
    page.keyboard.press("Escape")
    before = [(one.number, one.version) for one in memory.facts.list(actor=owner, vault=club)]
    for place in (5, 4, 3, 2, 1):
        choose_step(page, words, STEPS[language][place])
        assert memory.vaults.get(actor=owner, vault=club).memory_type is list(MemoryType)[place]
        shown = {5: SET_AT[language], 4: SET_AT[language][:3], 3: SET_AT[language][:2]}.get(place, SET_AT[language][:1])
        expect(page.locator(".set-at li")).to_contain_text(list(shown))
    page.reload()
    expect(page.locator(".rung[aria-current=step]")).to_contain_text("Journal")
    assert [(one.number, one.version) for one in memory.facts.list(actor=owner, vault=club)] == before
    choose_step(page, words, STEPS[language][5])
    for name, field in zip(SET_AT[language], FIELDS, strict=True):
        page.get_by_role("link", name=name).click()
        expect(page.locator(field)).to_be_in_viewport()
        page.go_back()
