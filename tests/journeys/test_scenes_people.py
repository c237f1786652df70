"""Scenes of those a memory is about and of those who keep it, in both languages: erasing a member and then everything
(F7), and what a team gives to those who read, to those who configure, and to nobody else (A1)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from chatting import ANSWER, ask_anew, told
from scripted import Server as Model
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.fact import State, SubjectKind
from souvenance.domain.person import EnteredBy
from souvenance.domain.vault import MemoryType
from souvenance.interfaces.panel.safety import COOKIE
from souvenance.memory.remember import Observation
from windows import NARROW, Open, go

BOTH = pytest.mark.parametrize("language", ["en", "fr"])
MEMBER = "200000000000000042"
ERASED = {
    "en": {
        "erase": "Erase the memory", "member": "Everything about one member", "id": "The member’s id",
        "names": "Names they go by", "see": "See what would go", "force": "facts in force",
        "retired": "retired facts", "trash": "facts in the trash", "mention": "1 fact or note of others names them",
        "go": "Erase for good", "done": "It is done", "receipt": "Gone for good",
        "vault": "Everything about Café rétro",
        "audit member": "erased what is known of a member", "owner": "Owner",
        "audit vault": "erased the memory of a vault",
        "three": "Facts: 3", "two": "Facts: 2", "empty": "Nothing is remembered here yet",
    },
    "fr": {
        "erase": "Effacer la mémoire", "member": "Tout ce qui concerne un membre", "id": "L’identifiant du membre",
        "names": "Les noms qu’on lui donne", "see": "Voir ce qui disparaîtrait", "force": "souvenirs en vigueur",
        "retired": "souvenirs retirés", "trash": "souvenirs à la corbeille",
        "mention": "1 souvenir ou note d’autrui le nomme", "go": "Effacer pour de bon", "done": "C’est fait",
        "receipt": "Effacé pour de bon", "vault": "Tout ce qui concerne Café rétro",
        "audit member": "a effacé ce qu’on savait d’un membre", "owner": "Propriétaire",
        "audit vault": "a effacé la mémoire d’un coffre",
        "three": "Souvenirs : 3", "two": "Souvenirs : 2", "empty": "Aucun souvenir ici pour l’instant",
    },
}  # fmt: skip


@BOTH
def test_f7_a_member_is_forgotten_then_everything_and_learning_starts_again(
    open_as_owner: Open, memory: Application, owner: Actor, club: str, model: Model, language: str
) -> None:
    said = [
        Observation(content=content, subject_kind=SubjectKind.MEMBER, subject_id=MEMBER)
        for content in ("Zoé vend ses jeux de course.", "Zoé cherche une manette.", "Zoé joue le mardi.")
    ]
    kept = memory.facts.remember(actor=owner, vault=club, observations=said)
    forced, retired, trashed = (one.fact.number for one in kept)
    memory.facts.retire(actor=owner, number=retired, version=None, reason="trouvée")
    memory.facts.delete(actor=owner, number=trashed)
    told(memory, owner, club, "Le club ouvre à 20 h.")
    cake = told(memory, owner, club, "Karim mange le gâteau de Zoé.")
    memory.vaults.create(actor=owner, name="Maison")
    home = told(memory, owner, "maison", "La clé est sous le pot.")

    words, page = ERASED[language], open_as_owner(f"/memory/{club}", language=language)
    page.get_by_role("link", name=words["erase"]).click()
    page.get_by_label(words["member"]).check()
    page.get_by_label(words["id"]).fill(MEMBER)
    page.get_by_label(words["names"]).fill("Zoé")
    page.get_by_role("button", name=words["see"]).click()
    preview = page.locator("#preview")
    counts = preview.locator(".counts > div")
    for shown in ("force", "retired", "trash"):
        expect(counts.filter(has_text=re.compile(rf"^{words[shown]}")).locator("dd")).to_have_text("1")
    expect(preview).to_contain_text(words["mention"])
    expect(preview.get_by_role("link", name=f"#{cake}")).to_be_visible()
    assert memory.facts.get(actor=owner, number=forced).state is State.IN_FORCE, "a dry run changes nothing"
    page.locator("#confirm").fill(MEMBER)
    page.get_by_role("button", name=words["go"]).click()
    expect(preview).to_contain_text(words["done"], timeout=20_000)
    receipts = page.locator("#receipts .receipt")
    expect(receipts.first).to_contain_text(words["receipt"], timeout=20_000)
    left = memory.facts.browse(actor=owner, vault=club, states=list(State))
    assert {one.content for one in left.facts} == {"Le club ouvre à 20 h.", "Karim mange le gâteau de Zoé."}

    go(page, f"/memory/{club}/erase")
    expect(page.get_by_label(words["vault"])).to_be_checked()
    page.get_by_role("button", name=words["see"]).click()
    page.locator("#confirm").fill("Café rétro")
    page.get_by_role("button", name=words["go"]).click()
    expect(preview).to_contain_text(words["done"], timeout=20_000)
    expect(receipts).to_have_count(2)
    go(page, "/audit")
    for act, number in (("audit member", "three"), ("audit vault", "two")):
        line = page.locator("tbody tr", has_text=words[act])
        for part in (words["owner"], "Café rétro", words[number]):
            expect(line).to_contain_text(part)
    expect(page.locator("tbody")).not_to_contain_text("Zoé")
    expect(page.locator("tbody")).not_to_contain_text(MEMBER)
    go(page, f"/memory/{club}")
    expect(page.locator("#facts .empty")).to_contain_text(words["empty"])
    assert memory.facts.get(actor=owner, number=home).content == "La clé est sous le pot.", "other vaults stay"

    model.says("Noted. <<remember theme | Le club joue à des jeux rétro. | Café rétro>>")
    ask_anew(page, "Le club joue à des jeux rétro.", "Noted.")
    expect(page.locator(f"{ANSWER} .did")).to_contain_text("Le club joue à des jeux rétro.")
    go(page, f"/memory/{club}")
    expect(page.locator(".fact")).to_have_count(1)


CHANNELS = {
    "en": {
        "read": "Memory may be read in", "write": "Memory may be written in", "threads": "Threads follow their channel",
        "warning": "A thread may be open to people who should not see this memory.", "every": "every ordinary channel",
        "these": "these channels", "none": "none", "save": "Save", "saved": "Saved.",
    },
    "fr": {
        "read": "La mémoire peut être lue dans", "write": "La mémoire peut être écrite dans",
        "threads": "Les fils suivent leur salon", "every": "tous les salons ordinaires", "these": "ces salons",
        "warning": "Un fil peut être ouvert à des gens qui ne devraient pas voir cette mémoire.", "none": "aucun",
        "save": "Enregistrer", "saved": "Enregistré.",
    },
}  # fmt: skip


@BOTH
def test_d2_d3_two_lists_of_channels_and_the_threads_stand_with_the_servers_settings(
    open_as_owner: Open, memory: Application, owner: Actor, club: str, language: str
) -> None:
    words, page = CHANNELS[language], open_as_owner(f"/settings/answers/{club}", language=language, viewport=NARROW)
    for name in ("read", "write"):
        expect(page.get_by_label(words[name]).locator("option:checked")).to_have_text(words["every"])
    expect(page.get_by_label(words["threads"])).not_to_be_checked()
    expect(page.locator("#settings")).to_contain_text(words["warning"])
    page.get_by_label(words["read"]).select_option(label=words["these"])
    page.locator("#read_chosen").fill("300000000000000001 300000000000000002")
    page.get_by_label(words["write"]).select_option(label=words["none"])
    page.get_by_label(words["threads"]).check()
    page.locator("#settings").get_by_role("button", name=words["save"]).last.click()
    expect(page.locator("#toasts")).to_contain_text(words["saved"])
    page.reload()
    expect(page.locator("#read_chosen")).to_have_value("300000000000000001 300000000000000002")
    kept = memory.servers.get(actor=owner, vault=club).settings
    assert (kept.write.reach, kept.include_threads) == ("none", True)


TEAM = {
    "en": {
        "erase": "Erase the memory", "add": "Add a fact", "edit": "Edit", "six": "See the six steps",
        "choose": "Choose", "more": "More on", "history": "History", "delete": "Delete",
        "refused": "You may read this vault but not change it", "gone": "There is no such thing here",
    },
    "fr": {
        "erase": "Effacer la mémoire", "add": "Ajouter un souvenir", "edit": "Modifier", "six": "Voir les six paliers",
        "choose": "Choisir", "more": "Autres actions sur", "history": "Historique", "delete": "Supprimer",
        "refused": "Vous pouvez lire ce coffre, mais pas le modifier", "gone": "Il n’y a rien de tel ici",
    },
}  # fmt: skip
DEEDS = {
    "/facts": {"vault": "club", "content": "Glissé par la fenêtre"},
    "/fact/{number}": {"content": "Réécrit", "version": "1", "confidence": "100"},
    "/fact/{number}/delete": {},
    "/fact/{number}/retire": {"reason": "non"},
    "/memory/club/restore-all": {},
    "/memory/club/step": {"step": "semantic"},
    "/settings/answers/club": {"max_injected": "1"},
    "/memory/club/erase": {"what": "vault", "confirm": "Club"},
}
SENDS = """async ([address, form]) => {
  const csrf = JSON.parse(document.body.getAttribute("hx-headers"))["x-csrf"];
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams(form),
    headers: { "x-csrf": csrf, "hx-request": "true", "hx-target": "facts" } });
  return [answer.status, await answer.text()];
}"""


@pytest.fixture
def come_in(
    contexts: Callable[..., BrowserContext], memory: Application, owner: Actor, server: object
) -> Callable[..., Page]:
    """A window of somebody who has an account here."""

    def opened(handle: str, *, language: str, **options: object) -> Page:
        user = next(one for one in memory.users.list(actor=owner) if one.handle == handle)
        with memory.database.write() as tx:
            entered = memory.sessions.begin(tx, user, entered_by=EnteredBy.PASSWORD, user_agent="")
        context = contexts(locale={"en": "en-GB", "fr": "fr-FR"}[language], **options)
        url = server.url  # type: ignore[attr-defined]
        context.add_cookies([{"name": COOKIE, "value": entered.secret, "url": url}])
        page = context.new_page()
        page.goto(f"{url}/vaults")
        return page

    return opened


@BOTH
def test_a1_the_team_reads_who_configures_changes_and_others_find_nothing(
    come_in: Callable[..., Page], memory: Application, owner: Actor, language: str
) -> None:
    team = memory.teams.create(actor=owner, name="Modération")
    memory.vaults.create(actor=owner, name="Club", team=team.id)
    number = told(memory, owner, "club", "Le club ouvre à 20 h.", key="horaires")
    memory.vaults.change_type(actor=owner, vault="club", memory_type=MemoryType.JOURNAL)
    for handle, can_configure in (("reader", False), ("keeper", True), ("stranger", None)):
        user = memory.users.create(actor=owner, handle=handle)
        if can_configure is not None:
            _, secret = memory.invitations.invite(actor=owner, team=team.id, can_configure=can_configure)
            memory.invitations.join(secret, actor=Actor(user_id=user.id, source=Source.PANEL, route=Route.LOCAL))
    before = memory.facts.get(actor=owner, number=number)
    words = TEAM[language]

    reader = come_in("reader", language=language, viewport=NARROW)
    go(reader, "/memory/club")
    row = reader.locator(f"#fact-{number}")
    expect(row).to_contain_text("Le club ouvre à 20 h.")
    for absent in (words["erase"], words["add"], words["edit"]):
        expect(reader.get_by_role("button", name=absent).or_(reader.get_by_role("link", name=absent))).to_have_count(0)
    row.get_by_role("button", name=f"{words['more']} #{number}").click()
    menu = reader.locator("#fact-menu")
    expect(menu.get_by_role("button", name=words["history"])).to_be_visible()
    expect(menu.get_by_role("button", name=words["delete"])).to_have_count(0)
    reader.keyboard.press("Escape")
    reader.get_by_role("button", name=words["six"]).click()
    expect(reader.locator(".step-card")).to_have_count(6)
    expect(reader.get_by_role("button", name=words["choose"])).to_have_count(0)
    for address, form in DEEDS.items():
        status, text = reader.evaluate(SENDS, [address.format(number=number), form])
        assert (status, 'role="alert"' in text) == (403, True), address
    assert words["refused"] in reader.evaluate(SENDS, ["/memory/club/step", {"step": "semantic"}])[1]
    assert memory.facts.list(actor=owner, vault="club") == [before]
    assert memory.vaults.get(actor=owner, vault="club").memory_type is MemoryType.JOURNAL

    stranger = come_in("stranger", language=language)
    expect(stranger.locator("main")).not_to_contain_text("Club")
    for address in ("/memory/club", f"/fact/{number}", "/memory/club/erase", "/settings/answers/club"):
        answer = go(stranger, address)
        assert answer is not None
        assert answer.status == 404, address
        expect(stranger.locator("main")).to_contain_text(words["gone"])

    keeper = come_in("keeper", language=language)
    go(keeper, "/memory/club")
    expect(keeper.get_by_role("link", name=words["erase"])).to_be_visible()
    keeper.get_by_role("button", name=f"{words['edit']} #{number}").click()
    keeper.locator(f"#content-{number}").fill("Le club ouvre à 19 h.")
    keeper.locator(f"#content-{number}").press("Tab")
    keeper.locator(f"#fact-{number} .button.main").click()
    expect(row).to_contain_text("Le club ouvre à 19 h.")  # the reader sees it come
