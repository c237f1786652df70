"""Every way of the panel with every kind of visitor: let in, or refused in the right words; never a failure (A1)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient

from panel_house import CANARY, House, furnish
from panel_ways import CASES, Case, For
from souvenance.application import Application
from souvenance.interfaces.panel.app import WAYS

ENDLESS = {"GET /live"}


@pytest.fixture
def house(memory: Application, tmp_path: Path) -> House:
    return furnish(memory, tmp_path)


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
