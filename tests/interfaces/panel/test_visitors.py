"""Every way of the panel with every kind of visitor: let in, or refused in the right words; never a failure (A1)."""

import asyncio
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient

from panel_ways import CASES, Case, For
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.fact import State
from souvenance.domain.person import EnteredBy
from souvenance.domain.vault import MemoryType
from souvenance.interfaces.panel.app import WAYS
from souvenance.memory.remember import Observation
from souvenance.store import people

CANARY = "zorglub"
ENDLESS = {"GET /live"}


@dataclass
class House:
    """A vault of a team, with what the ways lead to: made anew for each way, so that no deed spoils another's."""

    memory: Application
    owner: Actor
    team: int
    folder: str
    proposal: str
    made: dict[str, list[Any]] = field(default_factory=lambda: {"fact": [], "note": []})
    count: int = 0

    def person(self, handle: str) -> tuple[Actor, str]:
        """That user as somebody who is signed in, and the secret of the session."""
        with self.memory.database.write() as tx:
            user = people.find_user(tx, handle)
            assert user is not None
            begun = self.memory.sessions.begin(tx, user, entered_by=EnteredBy.PASSWORD, user_agent="a test")
        return self.memory.sessions.authenticate(begun.secret)[1], begun.secret

    def fact(self, *, trashed: bool) -> tuple[int, int]:
        """A fact, and its first change."""
        self.count += 1
        said = Observation(content=f"{CANARY} {self.count}", category=f"c{self.count}")
        (kept,) = self.memory.facts.remember(actor=self.owner, vault="harpe", observations=[said])
        number = kept.fact.number
        change = self.memory.history.of_fact(actor=self.owner, number=number)[0].change_id
        if trashed:
            self.memory.facts.delete(actor=self.owner, number=number)
        self.made["fact"].append((number, trashed))
        return number, change

    def note(self, *, trashed: bool) -> tuple[str, int]:
        """A note, and its first change."""
        self.count += 1
        note = self.memory.notes.create(actor=self.owner, vault="harpe", title=f"T{self.count}", content=f"{CANARY} b")
        change = self.memory.history.of_note(actor=self.owner, ref=note.id)[0].change_id
        if trashed:
            self.memory.notes.delete(actor=self.owner, ref=note.id)
        self.made["note"].append((note.id, trashed))
        return note.id, change

    def fill(self, way: str, case: Case) -> tuple[str, str, dict[str, Any], str]:
        """Method, address and form of a way, leading to something that is there."""
        method, _, pattern = way.partition(" ")
        whole = pattern + case.query + str(case.form)
        trashed = "restore" in pattern.rpartition("/")[2] or pattern.endswith("/purge")
        is_history = "{change}" in pattern
        values: dict[str, Any] = {
            "secret": "si_unknown", "vault": "harpe", "turn": 1, "place": 9, "folder": self.folder, "deed": "suspend",
            "action": "delete", "step": "journal", "proposal": self.proposal, "what": "digest", "use": "auto",
            "team": self.team,
        }  # fmt: skip
        if "{number}" in whole:
            values["number"], values["change"] = self.fact(trashed=trashed)
        if "{note}" in whole or "{node}" in whole:
            values["note"], values["change"] = self.note(trashed=trashed and not is_history)
            values["node"] = f"note:{values['note']}"
        if "{conversation" in whole:
            values["conversation"] = self.conversation()
        if "{invitation" in whole:
            values["invitation"] = self.memory.invitations.invite(actor=self.owner, team=self.team)[0].id
        if "{token" in whole:
            self.count += 1
            values["token"] = self.memory.tokens.create(actor=self.owner, name=f"t{self.count}")[0].id
        if "{session" in whole:
            values["session"] = self.person("owner")[0].session_id
        plain = re.sub(r"\{(\w+):\w+\}", r"{\1}", pattern + case.query)
        form = {name: str(value).format(**values) for name, value in case.form.items()}
        return method, plain.format(**values), form, case.file

    def conversation(self) -> int:
        """A conversation of the owner's with one turn."""
        made = self.memory.conversations.start(actor=self.owner)

        async def ask() -> None:
            answer = self.memory.exchange.answer(actor=self.owner, question=f"{CANARY}?", conversation=made.id)
            async for _ in answer:
                pass

        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, ask()).result()
        return made.id

    def untouched(self) -> None:
        """Assert that everything made is as it was made."""
        for number, trashed in self.made["fact"]:
            fact = self.memory.facts.get(actor=self.owner, number=number)
            assert (fact.state is State.TRASHED) == trashed, number
            assert fact.content.startswith(CANARY), number
            assert not fact.disabled, number
            assert fact.version <= 2, number
        for ref, trashed in self.made["note"]:
            note = self.memory.notes.get(actor=self.owner, ref=ref, limit=0).note
            assert (note.deleted_at is not None) == trashed, ref
            assert (note.content, note.folder, note.digest) == (f"{CANARY} b", "", ""), ref
            assert (note.muted, note.disabled) == (False, False), ref


@pytest.fixture
def house(memory: Application, tmp_path: Path) -> House:
    owner = memory.owner_through(Source.PANEL)
    for handle in ("reader", "configurer", "outsider", "another"):
        memory.users.create(actor=owner, handle=handle)
    team = memory.teams.create(actor=owner, name="Harpists").id
    for name in ("Harpe", "Lyre"):
        memory.vaults.create(actor=owner, name=name, description=CANARY)
        memory.teams.move_vault(actor=owner, vault=name.lower(), team=team)
    for category in ("one", "two"):
        said = Observation(content=f"{CANARY} has strings", category=category)
        memory.facts.remember(actor=owner, vault="harpe", observations=[said])
    memory.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.SEMANTIC)
    memory.passes.run(actor=owner, vault="harpe", anyway=True)
    (proposed,) = memory.proposals.list(actor=owner, vault="harpe")
    watched = tmp_path / "watched"
    watched.mkdir()
    folder = memory.folders.watch(actor=owner, vault="harpe", path=str(watched))
    made = House(memory, owner, team, folder.id, str(proposed.proposal.id))
    for handle in ("reader", "configurer", "another"):
        _, secret = memory.invitations.invite(actor=owner, team=team, can_configure=handle == "configurer")
        memory.invitations.join(secret, actor=made.person(handle)[0])
    return made


Ask = Callable[..., Any]


def _visitor(client: TestClient, house: House, handle: str | None) -> Ask:
    """Somebody with a browser that sends along what it should."""
    client.cookies.clear()
    headers = {}
    if handle is not None:
        _, secret = house.person(handle)
        client.cookies.set("souvenance_session", secret)
        headers = {"x-csrf": house.memory.sessions.csrf(secret)}

    def ask(method: str, address: str, form: dict[str, Any], file: str = "") -> Any:
        if method == "GET":
            return client.get(address)
        files = {file: ("imported.md", b"# Imported")} if file else None
        return client.post(address, data=form, files=files, headers=headers | {"hx-request": "true"})

    return ask


def _ordered() -> Iterator[tuple[str, Case]]:
    yield from sorted(CASES.items(), key=lambda item: (item[1].last, item[0] == "POST /logout"))


def test_every_way_is_in_the_table() -> None:
    ways = {f"{way.method} {way.address}" for way in WAYS}
    assert ways - ENDLESS == set(CASES), "a way of the panel says here whom it is for"


def test_a1_who_has_not_signed_in_is_asked_to_and_sees_nothing(stranger: TestClient, house: House) -> None:
    ask = _visitor(stranger, house, None)
    open_to_all = {f"{way.method} {way.address}" for way in WAYS if way.stranger}
    assert open_to_all == {way for way, case in CASES.items() if case.whom is For.DOOR}
    for way, case in CASES.items():
        found: Response = ask(*house.fill(way, case))
        if case.whom is For.DOOR:
            assert found.status_code in case.answers, (way, found.status_code)
        else:
            assert found.status_code == 401, (way, found.status_code)
        assert CANARY not in found.text.lower(), way
    assert stranger.get("/live").status_code == 401
    house.untouched()


def test_a1_who_is_not_in_the_team_finds_nothing_of_it(stranger: TestClient, house: House) -> None:
    ask = _visitor(stranger, house, "outsider")
    wrong = []
    for way, case in _ordered():
        found = ask(*house.fill(way, case))
        may = case.whom in {For.DOOR, For.SELF}
        refused = (403, 404) if case.whom is For.MACHINE else case.unknown
        if found.status_code not in (case.answers if may else refused):
            wrong.append((way, found.status_code))
        if CANARY in found.text.lower() or "harpists" in found.text.lower():
            wrong.append((way, "tells"))
    assert not wrong, wrong
    house.untouched()


def test_a1_a_member_reads_and_changes_nothing(stranger: TestClient, house: House) -> None:
    ask = _visitor(stranger, house, "reader")
    wrong = []
    for way, case in _ordered():
        found = ask(*house.fill(way, case))
        if case.whom in {For.DOOR, For.SELF, For.READ, For.MEMBER}:
            expected: tuple[int, ...] = case.answers
        elif case.whom is For.MINE:
            expected = (404,)
        else:
            expected = (403,)
        if found.status_code not in expected:
            wrong.append((way, found.status_code))
    assert not wrong, wrong
    house.untouched()
    audited = [one for one in house.memory.history.audit(actor=house.owner, limit=500) if one.vault == "harpe"]
    assert {one.verb for one in audited if one.who != "Owner"} <= {"vault.export"}


@pytest.mark.parametrize("handle", ["configurer", "owner"])
def test_a1_who_configures_does_it_all(stranger: TestClient, house: House, handle: str) -> None:
    ask = _visitor(stranger, house, handle)
    wrong = []
    for way, case in _ordered():
        found = ask(*house.fill(way, case))
        expected = case.answers
        if handle != "owner" and case.whom in {For.MINE, For.MACHINE}:
            expected = (404,) if case.whom is For.MINE else (403,)
        if found.status_code not in expected:
            wrong.append((way, found.status_code))
    assert not wrong, wrong


def test_a_deed_without_proof_or_with_anothers_is_none(stranger: TestClient, house: House) -> None:
    _, secret = house.person("owner")
    _, others = house.person("owner")
    stranger.cookies.set("souvenance_session", secret)
    for way, case in CASES.items():
        method, address, form, _ = house.fill(way, case)
        if method != "POST":
            continue
        for proof in ({}, {"x-csrf": house.memory.sessions.csrf(others)}, {"x-csrf": secret}):
            found = stranger.post(address, data=form, headers=proof | {"hx-request": "true"})
            assert found.status_code == 401, (way, found.status_code)
    house.untouched()
    assert house.memory.sessions.authenticate(secret)[1].user_id == house.owner.user_id


def test_a1_who_was_taken_out_of_the_team_sees_it_no_more(stranger: TestClient, house: House) -> None:
    ask = _visitor(stranger, house, "reader")
    assert ask("GET", "/vaults/harpe", {}).status_code == 200
    house.memory.teams.remove_member(actor=house.owner, team=house.team, member="reader")
    assert ask("GET", "/vaults/harpe", {}).status_code == 404
    house.memory.users.remove(actor=house.owner, handle="reader")
    assert ask("GET", "/vaults", {}).status_code == 401
