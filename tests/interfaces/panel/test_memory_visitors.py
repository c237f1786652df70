"""A1: every address of the memory page for every kind of visitor; what a reader is not shown; what is refused."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.fact import State, SubjectKind
from souvenance.domain.person import EnteredBy
from souvenance.domain.vault import MemoryType
from souvenance.interfaces.panel.pages import (
    memory as memory_page,
)
from souvenance.interfaces.panel.pages import (
    memory_erase,
    memory_facts,
    memory_ladder,
    memory_proposals,
    memory_transfer,
)
from souvenance.interfaces.panel.safety import COOKIE
from souvenance.memory.remember import Observation
from souvenance.serving.app import build_app
from souvenance.settings import Settings
from souvenance.wiring import open_application

PAGES = (memory_page, memory_facts, memory_ladder, memory_proposals, memory_erase, memory_transfer)
SAID = "cordes en boyau"
FIND = {"vault": "harpe", "q": "", "tab": "in_force", "order": "updated", "page": "1"}


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
def shown(memory: Application, owner: Actor) -> dict[str, Any]:
    """What stands in a vault that a team shares, and who is in that team."""
    team = memory.teams.create(actor=owner, name="Harpes")
    memory.vaults.create(actor=owner, name="Harpe", team=team.id)
    memory.vaults.create(actor=owner, name="Luth", team=team.id)
    times = [f"La harpe est accordée {day} à 20 h dans le salon." for day in ("mardi", "mercredi")]
    said = [Observation(content=SAID), *(Observation(key="accord", content=one) for one in times)]
    numbers = [item.fact.number for item in memory.facts.remember(actor=owner, vault="harpe", observations=said)]
    memory.facts.edit(actor=owner, number=numbers[0], content=f"{SAID}, accordées")
    memory.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.CONSOLIDATED)
    memory.passes.run(actor=owner, vault="harpe", anyway=True)
    for handle, can_configure in (("reader", False), ("configurer", True), ("stranger", None)):
        user = memory.users.create(actor=owner, handle=handle)
        if can_configure is not None:
            _, secret = memory.invitations.invite(actor=owner, team=team.id, can_configure=can_configure)
            memory.invitations.join(secret, actor=Actor(user_id=user.id, source=Source.PANEL, route=Route.LOCAL))
    change = memory.history.of_fact(actor=owner, number=numbers[0])[-1].change_id
    waiting = memory.proposals.list(actor=owner, vault="harpe")
    return {"number": numbers[0], "change": change, "proposal": waiting[0].proposal.id if waiting else "none"}


@pytest.fixture
def server(memory: Application, settings: Settings) -> Iterator[TestClient]:
    app = build_app(memory, settings, local_token="local-secret")
    with TestClient(app, base_url="http://127.0.0.1:8765", client=("127.0.0.1", 5), follow_redirects=False) as opened:
        yield opened


def _enter(server: TestClient, memory: Application, owner: Actor, handle: str) -> dict[str, str]:
    """Come in as somebody; the headers with which their pages ask."""
    (user,) = (one for one in memory.users.list(actor=owner) if one.handle == handle)
    with memory.database.write() as tx:
        entered = memory.sessions.begin(tx, user, entered_by=EnteredBy.PASSWORD, user_agent="")
    server.cookies.clear()
    server.cookies.set(COOKIE, entered.secret)
    return {"x-csrf": memory.sessions.csrf(entered.secret), "hx-request": "true", "hx-target": "facts"}


READS = (
    "/memory/{vault}", "/facts?vault=harpe", "/fact/{number}", "/fact/{number}/row", "/fact/{number}/menu",
    "/fact/{number}/edit", "/fact/{number}/retire", "/fact/{number}/purge", "/fact/{number}/move",
    "/fact/{number}/history", "/memory/{vault}/summary", "/memory/{vault}/summary/edit", "/memory/{vault}/ladder",
    "/memory/{vault}/steps", "/memory/{vault}/steps/{step}", "/memory/{vault}/proposals",
    "/memory/{vault}/proposals/board", "/memory/{vault}/import", "/memory/{vault}/export",
    "/memory/{vault}/waiting",
)  # fmt: skip
CONFIGURES = ("/memory/{vault}/erase", "/memory/{vault}/receipts")
ANYONE = ("/memory", "/facts/bulk/{action}")
DEEDS: dict[str, dict[str, Any]] = {
    "/facts": {"content": "Neuf"},
    "/fact/{number}": {"content": "Changé", "version": "2", "confidence": "100"},
    "/fact/{number}/retire": {"reason": "fini"},
    "/fact/{number}/restore": {},
    "/fact/{number}/delete": {},
    "/fact/{number}/purge": {},
    "/fact/{number}/move": {"to": "luth"},
    "/fact/{number}/back?change={change}": {},
    "/memory/{vault}/summary": {"content": "Une ligne"},
    "/memory/{vault}/restore-all": {},
    "/memory/{vault}/empty-trash": {},
    "/memory/{vault}/step": {"step": "journal"},
    "/memory/{vault}/proposals/{proposal}": {"answer": "keep_both"},
    "/memory/{vault}/pass": {"anyway": "yes"},
    "/memory/{vault}/erase/preview": {"what": "vault"},
    "/memory/{vault}/erase": {"what": "vault", "confirm": "somebody else"},
    "/memory/{vault}/import": {"deed": "import"},
    "/memory/{vault}/import/facts": {"deed": "import", "form": "jsonl"},
    "/memory/{vault}/import/chats": {"deed": "import"},
}
TELLS_OF_GONE = {"/memory/{vault}/ladder", "/memory/{vault}/waiting"}
"""Pieces that a window asks for again: where the vault is gone they say so in their place."""
BULK = "/facts/bulk/{action}"
CHAT = b'[{"uuid": "c", "name": "Un", "chat_messages": [{"sender": "human", "text": "Deux"}]}]'
FILES = {
    "import": ("files", "a.md", b"# Un"),
    "facts": ("file", "a.jsonl", b'{"content": "Lu"}\n'),
    "chats": ("file", "a.json", CHAT),
}


def _filled(address: str, shown: dict[str, Any]) -> str:
    return address.format(vault="harpe", step="ranked", action="delete", **shown)


def test_a1_every_address_of_the_page_is_walked() -> None:
    ours = {(way.method, way.address) for module in PAGES for way in module.WAYS}
    walked = {("GET", one.partition("?")[0]) for one in (*READS, *CONFIGURES, *ANYONE)}
    walked |= {("POST", one.partition("?")[0]) for one in (*DEEDS, BULK)}
    assert ours == walked


def _deed(server: TestClient, address: str, given: dict[str, Any], headers: dict[str, str]) -> Any:
    name = address.rpartition("/")[2]
    files = None
    if "/import" in address:
        field, file, content = FILES[name]
        files = {field: (file, io.BytesIO(content))}
    return server.post(address, data={**FIND, **given}, headers=headers, files=files)


def _knowledge(memory: Application, owner: Actor) -> list[Any]:
    found = memory.facts.browse(actor=owner, vault="harpe", states=list(State))
    return [sorted((one.number, one.content, one.version) for one in found.facts),
            memory.vaults.get(actor=owner, vault="harpe").memory_type,
            len(memory.notes.list(actor=owner, vault="harpe"))]  # fmt: skip


def test_a1_nobody_is_let_in_by_any_address(server: TestClient, shown: dict[str, Any]) -> None:
    for address in (*READS, *CONFIGURES, *ANYONE):
        assert server.get(_filled(address, shown), headers={"accept": "text/html"}).status_code == 303, address
    for address, given in DEEDS.items():
        assert _deed(server, _filled(address, shown), given, {}).status_code == 401, address


def test_a1_who_is_not_in_the_team_finds_nothing(
    server: TestClient, memory: Application, owner: Actor, shown: dict[str, Any]
) -> None:
    headers, before = _enter(server, memory, owner, "stranger"), _knowledge(memory, owner)
    for address in (*READS, *CONFIGURES):
        answer = server.get(_filled(address, shown))
        assert answer.status_code == (200 if address in TELLS_OF_GONE else 404), address
        assert SAID not in answer.text
    assert SAID not in server.get("/memory").text
    for address, given in DEEDS.items():
        answer = _deed(server, _filled(address, shown), given, headers)
        assert answer.status_code == 404, address
        assert SAID not in answer.text
    answer = server.post("/facts/bulk/delete", data={"number": str(shown["number"])}, headers=headers)
    assert SAID not in answer.text
    assert _knowledge(memory, owner) == before


def test_a1_a_reader_sees_the_list_only_and_changes_nothing(
    server: TestClient, memory: Application, owner: Actor, shown: dict[str, Any]
) -> None:
    headers, before = _enter(server, memory, owner, "reader"), _knowledge(memory, owner)
    for address in READS:
        assert server.get(_filled(address, shown)).status_code in {200, 303}, address
    for address in CONFIGURES:
        assert server.get(_filled(address, shown)).status_code == 403, address
    page = server.get("/memory/harpe").text
    assert SAID in page
    for hidden in ("Erase the memory", "Add a fact", "data-tick", "/edit", "Import Markdown"):
        assert hidden not in page, hidden
    menu = server.get(f"/fact/{shown['number']}/menu").text
    assert "History" in menu
    assert "Delete" not in menu
    assert "Those who configure this vault can give it: configurer, Owner." in page
    assert "wait for your answer" not in page
    proposals = server.get("/memory/harpe/proposals").text
    assert 'name="answer"' not in proposals
    assert "Those who configure it can answer: configurer, Owner." in proposals
    assert "Choose" not in server.get("/memory/harpe/steps").text
    for address, given in DEEDS.items():
        answer = _deed(server, _filled(address, shown), given, headers)
        assert answer.status_code == 403, (address, answer.text)
    told = server.post("/facts/bulk/delete", data={**FIND, "number": str(shown["number"])}, headers=headers).text
    assert "You may read this fact but not change it" in told
    assert _knowledge(memory, owner) == before


def test_a1_who_configures_may_do_all_of_it(
    server: TestClient, memory: Application, owner: Actor, shown: dict[str, Any]
) -> None:
    headers = _enter(server, memory, owner, "configurer")
    for address in (*READS, *CONFIGURES):
        assert server.get(_filled(address, shown)).status_code in {200, 303}, address
    for address in ("/facts", "/fact/{number}", "/fact/{number}/retire", "/fact/{number}/restore",
                    "/fact/{number}/delete", "/memory/{vault}/summary", "/memory/{vault}/step",
                    "/memory/{vault}/import", "/memory/{vault}/import/facts", "/memory/{vault}/import/chats",
                    "/memory/{vault}/erase/preview",
                    "/memory/{vault}/empty-trash"):  # fmt: skip
        answer = _deed(server, _filled(address, shown), DEEDS[address], headers)
        assert answer.status_code == 200, (address, answer.text)
    assert memory.vaults.get(actor=owner, vault="harpe").memory_type is MemoryType.JOURNAL
    assert "Erase the memory" in server.get("/memory/harpe").text


REFUSED: list[tuple[str, dict[str, Any], int]] = [
    ("/facts", {"content": "   "}, 422),
    ("/facts", {"content": "x" * 70_000}, 413),
    ("/facts", {"content": "x", "confidence": "much"}, 422),
    ("/facts", {"content": "x", "confidence": "101"}, 422),
    ("/facts", {"content": "x", "importance": "11"}, 422),
    ("/facts", {"content": "x", "importance": "1.5"}, 422),
    ("/facts", {"content": "x", "subject_kind": "nobody"}, 422),
    ("/facts", {"content": "x", "key": "k" * 300}, 413),
    ("/facts", {"content": "x", "vault": "nowhere"}, 404),
    ("/facts/bulk/nothing", {"number": "1"}, 422),
    ("/facts/bulk/retire", {"number": "1", "reason": ""}, 422),
    ("/facts/bulk/delete", {}, 422),
    ("/fact/99999/delete", {}, 404),
    ("/fact/abc/delete", {}, 422),
    ("/fact/{number}/retire", {"reason": ""}, 422),
    ("/fact/{number}/retire", {"reason": "x", "replaced_by": "seven"}, 422),
    ("/fact/{number}/purge", {}, 409),
    ("/fact/{number}/move", {"to": "nowhere"}, 404),
    ("/fact/{number}/back?change=1234567", {}, 404),
    ("/memory/harpe/step", {"step": "seventh"}, 422),
    ("/memory/harpe/proposals/none", {"answer": "perhaps"}, 422),
    ("/memory/harpe/erase", {"what": "member", "member": "", "confirm": ""}, 422),
    ("/memory/harpe/import", {"deed": "import", "folder": "a\x01b"}, 422),
    ("/memory/harpe/import/facts", {"deed": "import", "form": "xlsx"}, 422),
    ("/memory/harpe/import/facts", {"deed": "import", "form": "mem0"}, 422),
    ("/memory/harpe/import/chats", {"deed": "import", "folder": "../.."}, 422),
]


def test_what_cannot_be_taken_is_refused_in_words(
    server: TestClient, memory: Application, owner: Actor, shown: dict[str, Any]
) -> None:
    headers, before = _enter(server, memory, owner, "configurer"), _knowledge(memory, owner)
    for address, given, status in REFUSED:
        answer = _deed(server, _filled(address, shown), given, headers)
        assert answer.status_code == status, (address, given, answer.text)
        assert 'role="alert"' in answer.text
    assert _knowledge(memory, owner) == before


def test_nothing_written_acts_on_any_page(
    server: TestClient, memory: Application, owner: Actor, shown: dict[str, Any]
) -> None:
    attack = '"><img src=x onerror=alert(1)>'
    said = Observation(content=attack, key=attack, category=attack, author=attack, channel=attack,
                       subject_kind=SubjectKind.MEMBER, subject_id=attack)  # fmt: skip
    (kept,) = memory.facts.remember(actor=owner, vault="harpe", observations=[said])
    memory.facts.retire(actor=owner, number=kept.fact.number, version=None, reason=attack)
    _enter(server, memory, owner, "configurer")
    for address in ("/memory/harpe?tab=all", f"/fact/{kept.fact.number}/row", f"/fact/{kept.fact.number}/edit",
                    f"/fact/{kept.fact.number}/history", f"/memory/harpe?q={attack}"):  # fmt: skip
        text = server.get(address).text
        assert "<img" not in text, address
        assert "&lt;img" in text, address
