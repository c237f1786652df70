"""Every address of the chat and of the first steps, asked by those who may not (A1): strangers, other people, other
sites."""

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.interfaces.panel.pages import chat, chat_asking, welcome
from souvenance.interfaces.panel.ways import Way
from souvenance.serving.app import build_app
from souvenance.settings import Settings
from souvenance.wiring import open_application

HOME = "http://127.0.0.1:8765"
CHAT = [*chat.WAYS, *chat_asking.WAYS]
WAYS = [*CHAT, *welcome.WAYS]
OTHERS = [way for way in CHAT if "{conversation" in way.address]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", embedder="none")


@pytest.fixture
def memory(settings: Settings) -> Iterator[Application]:
    opened = open_application(settings)
    yield opened
    opened.close()


@pytest.fixture
def owner(memory: Application) -> Actor:
    return memory.owner_through(Source.PANEL)


@pytest.fixture
def conversation(memory: Application, owner: Actor) -> int:
    """A conversation of the owner's with one turn."""
    made = memory.conversations.start(actor=owner)

    async def ask() -> None:
        async for _ in memory.exchange.answer(actor=owner, question="Where is the zorglub?", conversation=made.id):
            pass

    with ThreadPoolExecutor(1) as pool:  # a browser's driver may have a loop in this thread
        pool.submit(asyncio.run, ask()).result()
    return made.id


@pytest.fixture
def client(memory: Application, settings: Settings) -> Iterator[TestClient]:
    app = build_app(memory, settings, local_token="local-secret")
    with TestClient(app, base_url=HOME, client=("127.0.0.1", 5), follow_redirects=False) as opened:
        yield opened


def _address(way: Way, conversation: int) -> str:
    named = way.address.replace("{conversation:int}", str(conversation))
    return re.sub(r"\{place:int\}", "0", re.sub(r"\{turn:int\}", "1", named))


def _signed_in(client: TestClient, memory: Application, owner: Actor, *, other: bool) -> dict[str, str]:
    """Come in, as the owner or as somebody else; the headers that a page of theirs sends."""
    if other:
        memory.users.create(actor=owner, handle="mallory", password="a few words in a row")
        client.post("/login", data={"handle": "mallory", "password": "a few words in a row"})
    else:
        client.get(f"/enter/{memory.entry.make_link(actor=owner)}")
    found = re.search(r'"x-csrf": "([0-9a-f]{64})"', client.get("/welcome").text)
    assert found
    return {"x-csrf": found[1], "hx-request": "true"}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.method} {way.address}")
def test_a_stranger_is_shown_nothing(way: Way, client: TestClient, conversation: int) -> None:
    answer = client.request(way.method, _address(way, conversation), headers={"hx-request": "true"})
    assert answer.status_code == 401
    assert "zorglub" not in answer.text


@pytest.mark.parametrize("way", OTHERS, ids=lambda way: f"{way.method} {way.address}")
def test_a1_nobody_reaches_the_conversation_of_another(
    way: Way, client: TestClient, memory: Application, owner: Actor, conversation: int
) -> None:
    headers = _signed_in(client, memory, owner, other=True)
    data = {"question": "Hello", "title": "Mine", "without_memory": "1"}
    answer = client.request(way.method, _address(way, conversation), headers=headers, data=data)
    assert answer.status_code == 404, answer.text[:300]
    assert "zorglub" not in answer.text
    opened = memory.conversations.get(actor=owner, conversation=conversation)
    assert (opened.conversation.title, len(opened.turns)) == ("Where is the zorglub?", 1)


@pytest.mark.parametrize("way", [way for way in WAYS if way.method == "POST"], ids=lambda way: way.address)
def test_no_other_site_acts_through_the_browser(
    way: Way, client: TestClient, memory: Application, owner: Actor, conversation: int
) -> None:
    _signed_in(client, memory, owner, other=False)
    answer = client.post(_address(way, conversation), data={"question": "Hello", "content": "Mallory is the admin"})
    assert answer.status_code == 401
    assert len(memory.conversations.list(actor=owner)) == 1
    assert not memory.vaults.count_facts(actor=owner)


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"question": ""}, 422),
        ({"question": " \n\t"}, 422),
        ({"question": "x" * 600_000}, 413),
        ({"again": "99"}, 404),
        ({"again": "many"}, 422),
        ({"again": "1.5"}, 422),
    ],
    ids=["empty", "blank", "huge", "no such turn", "no number", "no whole number"],
)
def test_a_question_that_cannot_be_put_is_refused_and_nothing_is_kept(
    data: dict[str, str], status: int, client: TestClient, memory: Application, owner: Actor, conversation: int
) -> None:
    headers = _signed_in(client, memory, owner, other=False)
    assert client.post(f"/chat/{conversation}/ask", headers=headers, data=data).status_code == status
    assert len(memory.conversations.get(actor=owner, conversation=conversation).turns) == 1
    if "question" in data:
        assert client.post("/chat/begin", headers=headers, data=data).status_code == status
        assert len(memory.conversations.list(actor=owner)) == 1


def test_what_is_typed_for_numbers_in_addresses_finds_nothing(
    client: TestClient, memory: Application, owner: Actor
) -> None:
    _signed_in(client, memory, owner, other=False)
    for address in ("/chat/0", "/chat/x", "/chat/99999999999999999999999", "/chat/1/turns/1/read", "/chat/-1"):
        assert client.get(address).status_code == 404, address
