"""The bad moments of a form: the session ends while one writes, or what one writes for is deleted elsewhere."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.memory.remember import Observation
from windows import Open

TEXT = "What took me an hour to write 🎲"


@pytest.fixture
def number(memory: Application, owner: Actor) -> int:
    """A fact in a vault of its own."""
    memory.vaults.create(actor=owner, name="Atelier", description="tools")
    said = Observation(content="The key hangs by the door", key="key")
    (kept,) = memory.facts.remember(actor=owner, vault="atelier", observations=[said])
    return kept.fact.number


@pytest.fixture
def note(memory: Application, owner: Actor, number: int) -> str:
    """A note in that vault."""
    return memory.notes.create(actor=owner, vault="atelier", title="Plan", content="the plan").id


def write(page: Page, text: str) -> None:
    """Type in the editor in the place of what is there."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


@dataclass(frozen=True)
class Form:
    """A form as a person fills and sends it, and how one sees that it was taken."""

    address: str
    fill: Callable[[Page], None]
    field: Callable[[Page], Locator]
    send: Callable[[Page], None]
    is_kept: Callable[[], bool]


def _forms(memory: Application, owner: Actor, number: int, note: str) -> Iterator[Form]:
    def edit(page: Page) -> None:
        page.get_by_role("button", name=f"Edit #{number}").click()
        page.locator(f"#content-{number}").fill(TEXT)

    def add(page: Page) -> None:
        page.get_by_role("button", name="Add a fact").click()
        page.locator("#add-content").fill(TEXT + "!")

    yield Form(
        "/memory/atelier",
        edit,
        lambda page: page.locator(f"#content-{number}"),
        lambda page: page.locator(".editing").get_by_role("button", name="Save").click(),
        lambda: memory.facts.get(actor=owner, number=number).content == TEXT,
    )
    yield Form(
        "/memory/atelier",
        add,
        lambda page: page.locator("#add-content"),
        lambda page: page.get_by_role("button", name="Remember").click(),
        lambda: any(fact.content == TEXT + "!" for fact in memory.facts.list(actor=owner, vault="atelier")),
    )
    yield Form(
        f"/n/{note}/edit",
        lambda page: write(page, TEXT),
        lambda page: page.locator("#content"),
        lambda page: page.keyboard.press("Control+s"),
        lambda: memory.notes.get(actor=owner, ref=note).note.content == TEXT,
    )
    yield Form(
        "/vaults/atelier",
        lambda page: page.get_by_label("What belongs in it").fill(TEXT),
        lambda page: page.get_by_label("What belongs in it"),
        lambda page: page.get_by_role("button", name="Save").click(),
        lambda: memory.vaults.get(actor=owner, vault="atelier").description == TEXT,
    )
    yield Form(
        "/",
        lambda page: page.locator("#question").fill(TEXT),
        lambda page: page.locator("#question"),
        lambda page: page.locator("#question").press("Enter"),
        lambda: any(talk.title.startswith(TEXT[:20]) for talk in memory.conversations.list(actor=owner)),
    )


def _sign_out_everywhere(memory: Application, owner: Actor) -> None:
    memory.sessions.revoke_others(actor=owner)


def _sign_in(page: Page, memory: Application, owner: Actor) -> None:
    """In another window of the same browser, as the message proposes."""
    other = page.context.new_page()
    start = "/".join(page.url.split("/")[:3])
    other.goto(f"{start}/enter/{memory.entry.make_link(actor=owner)}")
    expect(other.locator("h1")).to_be_visible()
    other.close()


def test_after_a_new_sign_in_every_long_form_goes_on_where_it_was(
    open_as_owner: Open, memory: Application, owner: Actor, number: int, note: str
) -> None:
    page = open_as_owner("/")
    start = page.url.rstrip("/")
    for form in _forms(memory, owner, number, note):
        page.goto(start + form.address)
        form.fill(page)
        _sign_out_everywhere(memory, owner)
        form.send(page)
        told = page.locator('.toast[data-code="401"]')
        expect(told).to_contain_text("You are no longer signed in")
        expect(told.get_by_role("link")).to_have_text("Sign in in another window, then go on here")
        assert not form.is_kept(), form.address
        expect(form.field(page)).to_have_value(TEXT + "!" if "add" in form.fill.__name__ else TEXT)
        _sign_in(page, memory, owner)
        expect(told).to_have_count(0)
        with page.expect_response(lambda answer: answer.request.method == "POST") as sent:
            form.send(page)
        assert sent.value.status < 400, form.address
        expect(page.locator(".toast.bad")).to_have_count(0)
        assert form.is_kept(), form.address


def test_a_session_that_ended_sends_to_the_door_and_back_to_what_was_typed(
    open_as_owner: Open, memory: Application, owner: Actor, number: int
) -> None:
    page = open_as_owner("/agents/context")
    page.get_by_label("To", exact=True).fill("evening")
    page.get_by_label("Search for a note").fill("key door")
    expect(page.locator("#offers li")).to_have_count(1)
    _sign_out_everywhere(memory, owner)
    page.locator("#offers").get_by_role("button", name="Add").click()
    expect(page.locator('.toast[data-code="401"]')).to_be_visible()
    page.reload()
    page.wait_for_url("**/login?next=/agents/context")
    page.goto("/".join(page.url.split("/")[:3]) + f"/enter/{memory.entry.make_link(actor=owner)}")
    page.goto("/".join(page.url.split("/")[:3]) + "/agents/context")
    expect(page.get_by_label("To", exact=True)).to_have_value("evening")
    expect(page.get_by_label("Search for a note")).to_have_value("key door")
    page.locator("#offers").get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name="evening")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Search for a note")).to_have_value("")


def test_a_vault_deleted_elsewhere_is_told_on_every_page_that_is_open_on_it(
    open_as_owner: Open, memory: Application, owner: Actor, number: int, note: str
) -> None:
    memory.vaults.create(actor=owner, name="Voyages")
    page = open_as_owner("/memory/atelier")
    start = page.url.removesuffix("/memory/atelier")
    page.get_by_role("button", name=f"Edit #{number}").click()
    page.locator(f"#content-{number}").fill(TEXT)
    editor, new, chart, chat = (page.context.new_page() for _ in range(4))
    editor.goto(f"{start}/n/{note}/edit")
    write(editor, TEXT)
    new.goto(f"{start}/notes/new?vault=atelier")
    new.get_by_label("Title").fill("Another")
    write(new, TEXT)
    chart.goto(f"{start}/map")
    chart.get_by_label("Find on the map").fill("plan")
    chart.locator("#map-hits button").first.click()
    expect(chart.locator("#map-sheet")).to_contain_text("the plan")
    chat.goto(start)
    chat.locator("#scope-button").click()
    chat.get_by_role("checkbox", name="Voyages").uncheck()
    expect(chat.locator("#scope-label")).to_have_text("Atelier")
    chat.keyboard.press("Escape")
    chat.locator("#question").fill(TEXT)

    memory.erasures.delete_vault(actor=owner, vault="atelier", confirm="Atelier")

    # the memory page: one notice, the text in hand, and a way out
    gone = page.get_by_role("alert").filter(has_text="This vault is gone")
    expect(gone).to_contain_text("What you typed is still here")
    expect(page.locator(f"#content-{number}")).to_have_value(TEXT)
    page.locator(".editing").get_by_role("button", name="Save").click()
    expect(page.locator(".toast.bad")).to_contain_text("There is no such thing here")
    expect(page.locator(f"#content-{number}")).to_have_value(TEXT)
    expect(page.locator(".toast.bad")).to_have_count(1)
    gone.get_by_role("link").click()
    expect(page).to_have_url(f"{start}/memory")
    # the editor of a note: told before one saves, and again when one does
    expect(editor.locator("#news")).to_contain_text("gone for good")
    editor.get_by_role("button", name="Save").click()
    expect(editor.locator(".toast.bad, #problem .notice")).to_contain_text("There is no")
    expect(editor.locator(".cm-content")).to_have_text(TEXT)
    expect(editor.locator("#news a")).to_have_attribute("href", "/notes/new")
    # a new note: refused beside its text, and taken by another vault
    new.get_by_role("button", name="Save").click()
    expect(new.locator("#problem")).to_contain_text("no vault")
    new.get_by_label("Vault").select_option("voyages")
    new.get_by_role("button", name="Save").click()
    expect(new.locator(".prose")).to_have_text(TEXT)
    # the map: what was open on it is told to be gone
    expect(chart.locator("#map-sheet")).to_be_hidden()
    expect(chart.locator(".toast.bad")).to_contain_text("There is no such thing here")
    # the chat: the pill says that nothing answers, and the question is still there and can be asked
    expect(chat.locator("#scope-label")).to_have_text("No vault")
    expect(chat.locator("#question")).to_have_value(TEXT)
    chat.locator("#question").press("Enter")
    chat.wait_for_url("**/chat/*")
    expect(chat.locator(".asked")).to_have_text(TEXT)
