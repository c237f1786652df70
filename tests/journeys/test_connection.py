"""A connection that is lost and comes back, and two servers on one memory without any stickiness."""

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect

from scripted import Held, model_server
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.endpoint import Use
from souvenance.settings import Settings
from souvenance.wiring import open_application
from windows import Open


def test_a_lost_connection_is_said_and_what_was_missed_is_shown_when_it_is_back(  # type: ignore[no-untyped-def]
    open_as_owner: Open, server, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Voyages")
    page = open_as_owner("/team")
    page.get_by_role("button", name="Make a team").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Half a name")
    watching = open_as_owner("/vaults")
    expect(watching.locator("#vaults-state")).to_have_text("all")
    server.stop()
    expect(watching.get_by_text("The connection is lost.")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Make a team").click()
    expect(page.get_by_role("dialog").get_by_text("The server cannot be reached.")).to_be_visible()
    memory.attention.none(actor=owner)
    server.start()
    expect(watching.get_by_text("The connection is lost.")).to_be_hidden(timeout=15_000)
    expect(watching.locator("#vaults-state")).to_have_text("all muted")
    expect(page.get_by_role("dialog").get_by_label("Name")).to_have_value("Half a name")
    page.get_by_role("dialog").get_by_role("button", name="Make a team").click()
    expect(page.get_by_role("heading", name="Half a name")).to_be_visible()


def test_news_between_a_page_and_its_stream_are_shown(open_as_owner: Open, memory: Application, owner: Actor) -> None:
    memory.vaults.create(actor=owner, name="Voyages")
    memory.vaults.create(actor=owner, name="Cuisine")
    page = open_as_owner("/settings")

    def gesture(route: Route) -> None:  # the page is there, and listens to nothing yet
        memory.attention.solo(actor=owner, vault="voyages")
        route.continue_()

    page.route("**/live?*", gesture, times=1)
    page.goto(page.url.replace("/settings", "/vaults"))
    expect(page.locator("#vaults-state")).to_have_text("Voyages")

    def other_gesture(route: Route) -> None:  # the first window, which listens for both, is told before this one hears
        memory.attention.solo(actor=owner, vault="cuisine")
        time.sleep(1.5)
        route.continue_()

    second = page.context.new_page()
    second.route("**/live.js", other_gesture, times=1)
    second.goto(page.url)
    expect(second.locator("#vaults-state")).to_have_text("Cuisine")
    expect(page.locator("#vaults-state")).to_have_text("Cuisine")


@pytest.fixture
def settings(store_url: str, tmp_path: Path) -> Settings:
    url = store_url if store_url.startswith("postgresql") else None
    return Settings(data=tmp_path / "data", database_url=url, embedder="none", port=0)  # type: ignore[arg-type]


@pytest.fixture
def other(settings: Settings, server_of) -> Iterator[object]:  # type: ignore[no-untyped-def]
    memory = open_application(settings)
    yield server_of(memory, settings)
    memory.close()


def test_r2_an_answer_is_stopped_through_another_server(  # type: ignore[no-untyped-def]
    open_as_owner: Open, other, memory: Application, owner: Actor
) -> None:
    """Nothing keeps a browser at one process: the stop may come to another than the one that makes the answer."""
    with model_server() as model:
        memory.endpoints.add(actor=owner, name="tiny", base_url=model.url, model="tiny", uses=[Use.ANSWERS])
        held = Held("The first half", " and the second.")
        model.says(held)
        page = open_as_owner(f"/chat/{memory.conversations.start(actor=owner).id}")
        page.locator("#question").fill("Tell me a long story")
        page.locator("#question").press("Enter")
        answer = page.locator(".turn:last-child .answered")
        expect(answer.locator("[data-text]")).to_have_text("The first half")
        there = page.context.request.post(
            f"{other.url}{urlsplit(page.url).path}/stop",
            headers=page.evaluate("JSON.parse(document.body.getAttribute('hx-headers'))"),
        )
        assert there.status == 204
        expect(answer).to_contain_text("Stopped", timeout=15_000)  # the model would hold it for longer
        expect(answer.locator(".prose")).to_have_text("The first half")
        held.go.set()
        model.says("Once upon a time.")
        page.get_by_role("button", name="Ask again").last.click()  # in its place, and not stopped for what was before
        expect(answer.locator(".prose")).to_have_text("Once upon a time.")
        page.wait_for_timeout(1500)
        expect(answer).not_to_contain_text("Stopped")


def test_r2_two_servers_share_sessions_and_news(open_as_owner: Open, other, memory: Application, owner: Actor) -> None:  # type: ignore[no-untyped-def]
    memory.vaults.create(actor=owner, name="Voyages")
    memory.vaults.create(actor=owner, name="Cuisine")
    here = open_as_owner("/vaults")
    there = here.context.new_page()
    there.goto(f"{other.url}/vaults")
    expect(there.locator("#vaults-state")).to_have_text("all")
    there.locator(".vault", has_text="Voyages").get_by_role("button", name="Solo").click()
    expect(here.locator("#vaults-state")).to_have_text("Voyages", timeout=1000)
