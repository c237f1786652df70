"""The chat as a person uses it: questions, answers as they come, what was read for them, what they wrote (C1 to C6)."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import expect

from chatting import ANSWER, ask, told
from scripted import Handler, Held, Raw
from scripted import Server as Model
from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.vault import Protection
from windows import NARROW


@pytest.fixture
def journeys(memory: Application, owner: Actor) -> int:
    """A vault with one fact; its number."""
    memory.vaults.create(actor=owner, name="Voyages")
    return told(memory, owner, "voyages", "The train leaves at 7 from platform 12", key="train")


def in_loop(work: Coroutine[Any, Any, None]) -> None:
    """Run to its end in a loop of its own: the browser's driver has one in this thread."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


def begun(memory: Application, owner: Actor, question: str = "Hello?") -> str:
    """The address of a conversation with one turn."""
    made = memory.conversations.start(actor=owner)

    async def run() -> None:
        async for _ in memory.exchange.answer(actor=owner, question=question, conversation=made.id):
            pass

    in_loop(run())
    return f"/chat/{made.id}"


def test_c1_an_answer_comes_as_it_is_said_and_says_what_was_read_and_written(
    open_as_owner, memory: Application, owner: Actor, model: Model, journeys: int
) -> None:
    held = Held(
        f"At **7** [#{journeys}]", ", not [#999]. <<remember seat | The seat is 41 | voyages>> <<retire #999 | no>>"
    )
    model.says(held)
    page = open_as_owner("/")
    ask(page, "When does the train leave?")
    page.wait_for_url("**/chat/*")
    expect(page.locator(f"{ANSWER} [data-text]")).to_have_text(f"At **7** [#{journeys}]")
    expect(page.locator("#stop")).to_be_visible()
    held.go.set()
    expect(page.locator(f"{ANSWER} .prose strong")).to_have_text("7")
    expect(page.locator(f"{ANSWER} .prose a")).to_have_count(1)
    expect(page.locator(f"{ANSWER} .prose a.fact")).to_have_attribute("href", f"/fact/{journeys}")
    expect(page.locator("#stop")).to_be_hidden()
    expect(page.locator(f"{ANSWER} .did")).to_contain_text("The seat is 41")
    expect(page.locator(f"{ANSWER} .foot")).to_contain_text("1 request not done")
    badge = page.locator(f"{ANSWER} .badge").first
    expect(badge).to_contain_text("All vaults read (Voyages)")
    badge.locator("summary").click()
    expect(badge.locator(".read")).to_contain_text("The train leaves at 7 from platform 12")
    expect(badge.locator(".read h4")).to_contain_text("100%")
    # C5: undone under the answer
    page.get_by_role("button", name="Undo: The seat is 41").click()
    expect(page.locator(f"{ANSWER} .did")).to_contain_text("Undone")
    assert not [fact for fact in memory.facts.list(actor=owner, vault="voyages") if "41" in fact.content]


def test_c3_without_a_model_memory_answers_and_says_so(open_as_owner, journeys: int) -> None:
    page = open_as_owner("/", language="fr")
    expect(page.locator("#no-model")).to_contain_text("Aucun modèle n’est réglé")
    expect(page.locator("#no-model a")).to_have_attribute("href", "/settings/endpoints")
    page.get_by_role("button", name="Que savez-vous de « train » ?").click()
    page.locator("#question").press("Enter")
    expect(page.locator(ANSWER)).to_contain_text("platform 12")
    expect(page.locator(f"{ANSWER} a.fact").first).to_have_text(f"#{journeys}")


def test_c2_a_failing_endpoint_is_told_and_the_question_is_asked_again(
    open_as_owner, memory: Application, owner: Actor, model: Model
) -> None:
    model.says("Well.", Raw(b'{"error": {"message": "nope"}}', status=401), "Here I am.")
    page = open_as_owner(begun(memory, owner))
    ask(page, "Are you there?")
    expect(page.locator(f"{ANSWER} [role=alert]")).to_contain_text("The model's server fails")
    expect(page.locator("#told")).to_have_text("The model's server fails")
    expect(page.locator(".turn:last-child .asked")).to_have_text("Are you there?")
    page.get_by_role("button", name="Ask again").last.click()
    expect(page.locator(f"{ANSWER} .prose")).to_have_text("Here I am.")
    expect(page.locator("#told")).to_have_text("The answer is there.")
    expect(page.locator(".turn")).to_have_count(2)
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator("[role=alert]")).to_have_count(0)


def test_c2_an_answer_is_stopped_and_what_was_said_is_kept(
    open_as_owner, memory: Application, owner: Actor, model: Model
) -> None:
    model.says("Well.", Held("The first half", " and the second. <<remember k | Never kept>>"))
    page = open_as_owner(begun(memory, owner))
    ask(page, "Tell me a long story")
    expect(page.locator(f"{ANSWER} [data-text]")).to_have_text("The first half")
    page.locator("#question").fill("The next question, begun meanwhile")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(ANSWER)).to_contain_text("Stopped")
    expect(page.locator("#told")).to_have_text("The answer was stopped.")
    expect(page.locator(f"{ANSWER} .prose")).to_have_text("The first half")
    expect(page.locator("#question")).to_have_value("The next question, begun meanwhile")
    assert not memory.vaults.count_facts(actor=owner)


def test_a_window_that_was_cut_off_finds_the_answer_again(
    open_as_owner, memory: Application, owner: Actor, model: Model, server
) -> None:
    held = Held("One, two, ", "three.")
    model.says("Well.", held)
    address = begun(memory, owner)
    page = open_as_owner(address)
    ask(page, "Count")
    expect(page.locator(f"{ANSWER} [data-text]")).to_have_text("One, two, ")
    page.reload()  # the window goes; the answer goes on
    expect(page.locator(f"{ANSWER} [data-text]")).to_have_text("One, two, ")
    other = open_as_owner(address)  # and a second one sees it come
    expect(other.locator(f"{ANSWER} [data-text]")).to_have_text("One, two, ")
    held.go.set()
    for window in (page, other):
        expect(window.locator(f"{ANSWER} .prose")).to_have_text("One, two, three.")
        expect(window.locator(".turn")).to_have_count(2)


def test_a_server_that_stops_in_mid_answer_loses_no_text(
    open_as_owner, memory: Application, owner: Actor, model: Model, server
) -> None:
    model.says("Well.", Held("Half of it", " and half."))
    page = open_as_owner(begun(memory, owner))
    ask(page, "Count")
    expect(page.locator(f"{ANSWER} [data-text]")).to_have_text("Half of it")
    page.locator("#question").fill("My draft")
    server.stop()
    expect(page.locator(ANSWER)).to_contain_text("The connection is lost")
    server.start()
    expect(page.locator(ANSWER)).to_contain_text("Stopped", timeout=20_000)
    expect(page.locator(f"{ANSWER} .prose")).to_have_text("Half of it")
    expect(page.locator("#question")).to_have_value("My draft")


def test_two_windows_on_one_conversation_and_its_list(
    open_as_owner, memory: Application, owner: Actor, model: Model
) -> None:
    address = begun(memory, owner, "What is new?")
    here, there = open_as_owner(address), open_as_owner(address, language="fr")
    ask(here, "And now?")
    expect(there.locator(".turn")).to_have_count(2, timeout=3000)
    expect(there.locator(f"{ANSWER} .prose")).to_have_text("Very well.")
    here.get_by_role("button", name="More about this conversation").click()
    here.get_by_role("button", name="Rename").first.click()
    here.get_by_label("Title").fill('<img src=x onerror=alert(1)> "été" 🎻')
    here.locator("#rename-talk").get_by_role("button", name="Rename").click()
    expect(here.locator("h1")).to_have_text('<img src=x onerror=alert(1)> "été" 🎻')
    expect(there.locator("#talks")).to_contain_text("<img src=x onerror=alert(1)>", timeout=3000)
    there.locator("#talk-search").fill("nothing says this")
    expect(there.locator("#talks")).to_contain_text("Aucune conversation n’en parle.")
    here.get_by_role("button", name="More about this conversation").click()
    here.get_by_role("button", name="Delete").first.click()
    here.get_by_role("button", name="Delete for good").click()
    expect(here.locator("h1")).to_have_text("A memory that is yours")
    expect(there.get_by_role("alert")).to_contain_text("Cette conversation a été supprimée", timeout=3000)
    ask(there, "Still there?")  # the other window was told, and its question is kept
    expect(there.locator("#question")).to_have_value("Still there?")


def test_a_conversation_that_is_deleted_in_mid_answer_ends_it_and_what_is_typed_goes_along(
    open_as_owner, memory: Application, owner: Actor, model: Model, journeys: int
) -> None:
    held = Held("It leaves", *[" at seven"] * 50)
    model.says(held)
    page = open_as_owner("/")
    ask(page, "When does the train leave?")
    page.wait_for_url("**/chat/*")
    expect(page.locator(f"{ANSWER} [data-text]")).to_have_text("It leaves")
    page.locator("#question").fill("And when does it arrive?")
    memory.conversations.delete(actor=owner, conversation=int(page.url.rsplit("/", 1)[1]))
    expect(page.get_by_role("alert")).to_contain_text("This conversation was deleted")
    expect(page.locator("#stop")).to_be_hidden()
    expect(page.locator("#toasts .toast")).to_have_count(0)
    page.locator("#go-on").click()
    expect(page.locator("#question")).to_have_value("And when does it arrive?")
    held.go.set()
    assert model.gone.wait(15), "the model went on to its end"


def test_v7_none_is_a_position_of_one_conversation(
    open_as_owner, memory: Application, owner: Actor, model: Model, journeys: int
) -> None:
    page = open_as_owner("/")
    page.locator("#scope-button").click()
    page.locator("#scope-none").click()
    expect(page.locator("#scope-label")).to_have_text("No memory")
    page.keyboard.press("Escape")
    ask(page, "What does @voyages say of the train?")
    page.wait_for_url("**/chat/*")
    expect(page.locator(f"{ANSWER} .badge").first).to_contain_text("No memory")
    assert "platform 12" not in model.prompt()
    page.reload()
    expect(page.locator("#scope-label")).to_have_text("No memory")
    page.goto(page.url.split("/chat")[0])
    expect(page.locator("#scope-label")).to_have_text("All")


def test_v10_auto_names_its_wait_and_the_badge_has_a_spark(
    open_as_owner, memory: Application, owner: Actor, model: Model, journeys: int
) -> None:
    memory.vaults.create(actor=owner, name="Kitchen")
    memory.endpoints.change(actor=owner, name="tiny", route=Route.CLOUD)
    waits = threading.Event()

    def choose(handler: Handler, body: dict[str, Any]) -> None:
        waits.wait(20)
        (number,) = [
            one["number"] for one in json.loads(body["messages"][-1]["content"])["vaults"] if one["name"] == "Kitchen"
        ]
        handler.send_json(
            {"choices": [{"message": {"role": "assistant", "content": json.dumps({"vaults": [number]})}}]}
        )

    model.says(choose, "Soup.")
    page = open_as_owner("/")
    page.locator("#scope-button").click()
    page.locator("#scope-auto").click()
    expect(page.locator("#scope-label")).to_contain_text("Auto")
    expect(page.locator("#scope-says")).to_contain_text("one more call")
    page.keyboard.press("Escape")
    ask(page, "What do we cook?")
    page.wait_for_url("**/chat/*")
    expect(page.locator(ANSWER)).to_contain_text("The model chooses among your vaults (about ")
    expect(page.locator(ANSWER)).to_contain_text("tokens to the cloud")
    waits.set()
    expect(page.locator(f"{ANSWER} .prose")).to_have_text("Soup.")
    badge = page.locator(f"{ANSWER} .badge").first
    expect(badge.get_by_role("img", name="Chosen by the model")).to_be_visible()
    expect(badge.locator("summary")).to_have_text("Kitchen")


def test_v8_what_a_protected_vault_holds_is_withheld_and_told(
    open_as_owner, memory: Application, owner: Actor, model: Model, journeys: int
) -> None:
    memory.vaults.create(actor=owner, name="Secret", protection=Protection.MAXIMUM)
    memory.notes.create(actor=owner, vault="secret", title="Trains", content="The secret train leaves at midnight.")
    memory.endpoints.change(actor=owner, name="tiny", route=Route.CLOUD)
    page = open_as_owner("/")
    ask(page, "When does the train leave, @secret?")
    page.wait_for_url("**/chat/*")
    expect(page.locator(f"{ANSWER} .withheld")).to_contain_text("withheld: protected vault")
    page.locator(f"{ANSWER} .badge summary").first.click()
    expect(page.locator(".read")).to_contain_text("never goes to a cloud model")
    assert "midnight" not in model.prompt()


def test_v12_vaults_are_completed_after_an_at_sign_by_keyboard_alone(
    open_as_owner, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Été à la mer")
    memory.vaults.create(actor=owner, name="Etudes")
    told(memory, owner, "etudes", "The exam is in June")
    page = open_as_owner("/", viewport=NARROW)
    field = page.locator("#question")
    field.press_sequentially("ask @ete")
    expect(page.get_by_role("option")).to_have_count(1)
    field.press("Backspace")
    expect(page.get_by_role("option")).to_have_count(2)
    assert field.get_attribute("aria-activedescendant") == "mention-0"
    field.press("ArrowDown")
    chosen = page.locator("[role=option][aria-selected=true] .soft").inner_text()
    field.press("Enter")
    expect(field).to_have_value(f"ask {chosen} ")
    expect(page.get_by_role("listbox")).to_be_hidden()
    assert page.url.endswith("/"), "Enter chose, and sent nothing"


HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\n\n"
    "[#{n}](https://evil.example/) [click](javascript:document.title='owned') ![x](https://evil.example/p.png?leak) "
    "[out](/logout) [#99999] \u202egnp.exe\u202c \x1b[31m <svg onload=alert(1)>\n\n"
    "[#{n}]: https://evil.example/\n\n"
    "<div hx-get=/chat/list hx-trigger=load data-opens=delete-talk style='position:fixed'>panel</div> [#{n}]"
)


def test_what_a_model_says_cannot_act_on_the_page(
    open_as_owner, memory: Application, owner: Actor, model: Model, journeys: int
) -> None:
    model.says(HOSTILE.replace("{n}", str(journeys)))
    page = open_as_owner("/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    ask(page, "<b>bold?</b> [#1] \u202eoops")
    page.wait_for_url("**/chat/*")
    said = page.locator(f"{ANSWER} .prose[id]")
    expect(said).to_contain_text("<script>")
    assert page.title() != "owned"
    assert said.locator("script, img, svg, div, [style], [hx-get], [onerror], [data-opens]").count() == 0
    links = {link.get_attribute("href") for link in said.locator("a").all()}
    assert links == {f"/fact/{journeys}", "https://evil.example/p.png?leak"}, "no forged reference is a link"
    expect(said).to_contain_text("[#99999]")
    expect(page.locator(".turn .asked")).to_contain_text("<b>bold?</b> [#1]")
    assert "\u202e" not in page.locator(".turn").inner_text()
    assert not [address for address in asked if "evil.example" in address]


def test_a_huge_answer_is_shown_whole_and_soon(open_as_owner, model: Model, journeys: int) -> None:
    model.chunk = 20_000
    model.says("word [[[![ " * 40_000 + "the end")
    page = open_as_owner("/")
    ask(page, "Much, please")
    page.wait_for_url("**/chat/*")
    expect(page.locator(f"{ANSWER} .plain")).to_contain_text("the end", timeout=15_000)
    started = time.monotonic()
    page.reload()
    expect(page.locator(f"{ANSWER} .plain")).to_contain_text("the end")
    assert time.monotonic() - started < 5


def test_what_was_typed_outlives_a_session_that_ended(
    open_as_owner, memory: Application, owner: Actor, model: Model
) -> None:
    page = open_as_owner(begun(memory, owner))
    page.context.clear_cookies()
    ask(page, "A question that took long to write")
    expect(page.locator("#toasts")).to_contain_text("You are no longer signed in")
    expect(page.locator("#question")).to_have_value("A question that took long to write")
    expect(page.locator(".turn")).to_have_count(1)
    page.locator("#question").fill("   \n ")
    page.locator("#question").press("Enter")
    expect(page.locator(".turn")).to_have_count(1)


def test_a_long_conversation_shows_its_end_and_then_more(
    open_as_owner, memory: Application, owner: Actor, journeys: int
) -> None:
    address = begun(memory, owner, "Question number 1")
    number = int(address.rsplit("/", 1)[1])

    async def more() -> None:
        for place in range(2, 46):
            async for _ in memory.exchange.answer(
                actor=owner, question=f"Question number {place}", conversation=number
            ):
                pass

    in_loop(more())
    page = open_as_owner(address)
    expect(page.locator(".turn")).to_have_count(20)
    expect(page.locator(".turn .asked").last).to_be_in_viewport()
    for shown in (40, 45):
        page.get_by_role("button", name="Show what was said before").click()
        expect(page.locator(".turn")).to_have_count(shown)
    assert page.locator(".turn .asked").first.inner_text() == "Question number 1"
    expect(page.get_by_role("button", name="Show what was said before")).to_have_count(0)
