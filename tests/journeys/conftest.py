"""A real server and a real browser: the panel as a person uses it."""

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from scripted import Server as Model
from scripted import model_server
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.endpoint import Use
from souvenance.serving.app import Server as uvicorn_server
from souvenance.serving.app import build_app
from souvenance.serving.run import listen
from souvenance.settings import Settings
from souvenance.wiring import open_application
from windows import WIDE, Open

CHROMIUM = os.environ.get("SOUVENANCE_TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    assert CHROMIUM, "No Chromium: install Debian's package, or set SOUVENANCE_TEST_CHROMIUM."
    opened = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
    yield opened
    opened.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", embedder="none", port=0)


@pytest.fixture
def memory(settings: Settings) -> Iterator[Application]:
    opened = open_application(settings)
    yield opened
    opened.close()


@pytest.fixture
def owner(memory: Application) -> Actor:
    return memory.owner_through(Source.PANEL)


class Server:
    """A server of this process on a port of its own, which can be stopped and started again at the same address."""

    def __init__(self, memory: Application, settings: Settings) -> None:
        self._memory, self._settings = memory, settings
        self.start()

    def start(self) -> None:
        listener = listen(self._settings)
        self._settings = self._settings.model_copy(update={"port": listener.getsockname()[1]})
        self.url = f"http://127.0.0.1:{self._settings.port}"
        app = build_app(self._memory, self._settings, local_token="local-secret")
        config = uvicorn.Config(app, lifespan="on", log_config=None, ws="none", timeout_graceful_shutdown=1)
        self._server = uvicorn_server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True)
        self._thread.start()
        until = time.monotonic() + 20
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
            assert time.monotonic() < until, "the server did not start in time"
            time.sleep(0.02)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=15)
        assert not self._thread.is_alive(), "the server did not stop"


ServerOf = Callable[[Application, Settings], Server]


@pytest.fixture
def server_of() -> Iterator[ServerOf]:
    """Start a server on a memory; every one is stopped at the end."""
    started: list[Server] = []

    def start(memory: Application, settings: Settings) -> Server:
        started.append(Server(memory, settings))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture
def server(memory: Application, settings: Settings, server_of: ServerOf) -> Server:
    return server_of(memory, settings)


@pytest.fixture
def contexts(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    made: list[BrowserContext] = []
    complaints: list[str] = []

    def make(**options: object) -> BrowserContext:
        context = browser.new_context(**{"viewport": WIDE, "locale": "en-GB", **options})  # type: ignore[arg-type]
        context.set_default_timeout(8000)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        context.on("console", lambda said: _is_complaint(said.text) and complaints.append(said.text))
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
    assert not complaints, f"the browser complained: {complaints[:5]}"


def _is_complaint(text: str) -> bool:
    """What a page must never cause: a refused script or style, an exception."""
    return "Content Security Policy" in text or "Uncaught" in text


@pytest.fixture
def open_as_owner(contexts: Callable[..., BrowserContext], server: Server, memory: Application, owner: Actor) -> Open:
    """A window of the owner, come in by a one-time link, in the language and size asked for."""

    def opened(address: str = "/", *, language: str = "en", **options: object) -> Page:
        context = contexts(locale={"en": "en-GB", "fr": "fr-FR"}[language], **options)
        page = context.new_page()
        page.goto(f"{server.url}/enter/{memory.entry.make_link(actor=owner)}")
        page.goto(server.url + address)
        return page

    return opened


@pytest.fixture
def model(memory: Application, owner: Actor) -> Iterator[Model]:
    """A model that answers in the chat."""
    with model_server() as server:
        memory.endpoints.add(actor=owner, name="tiny", base_url=server.url, model="tiny", uses=[Use.ANSWERS])
        yield server


@pytest.fixture
def club(memory: Application, owner: Actor) -> str:
    """The vault of a Discord server, which begins on Classic; its slug."""
    joined = memory.servers.join(actor=owner, guild_id="987654321098765432", name="Café rétro")
    return next(one.slug for one in memory.vaults.list(actor=owner) if one.id == joined.vault_id)


def _is_journey(item: pytest.Item) -> bool:
    return Path(__file__).parent in item.path.parents


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Journeys come last: Playwright leaves an event loop running in their thread, and other tests start their own.

    A browser beside a server on two busy cores: a journey that fails is gone up to twice more; each is reported.
    """
    items.sort(key=_is_journey)
    for journey in filter(_is_journey, items):
        journey.add_marker(pytest.mark.flaky(reruns=2))
