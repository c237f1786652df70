"""A1, A2: users, sessions and teams on the command line, as a script runs them."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.interfaces.cli.app import run
from souvenance.settings import Settings
from souvenance.wiring import open_application

PASSWORD = "a harp has many strings"
Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")
    monkeypatch.setenv("SOUVENANCE_DATA", str(tmp_path / "data"))


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    opened = open_application(Settings(data=tmp_path / "data", embedder="none"))
    yield opened
    opened.close()


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command with --json; its answer."""

    def call(*arguments: str) -> Any:
        code = run([*arguments, "--json"])
        out, err = capsys.readouterr()
        assert code == 0, err
        return json.loads(out)

    return call


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command with --json that is refused; its exit code and its error."""

    def call(*arguments: str) -> tuple[int, dict[str, Any]]:
        code = run([*arguments, "--json"])
        return code, json.loads(capsys.readouterr().err)["error"]

    return call


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """What standard input holds."""

    def given(text: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))

    return given


def test_a2_a_user_is_made_listed_removed_and_let_in_again(
    answer: Run, refusal: Run, typed: Any, memory: Application
) -> None:
    typed(f"{PASSWORD}\n".encode())
    made = answer("user", "add", "Zoé", "--name", "Zoé K.", "--password-stdin")
    assert (made["user"], made["display_name"], made["has_password"]) == ("zoé", "Zoé K.", True)
    assert memory.sessions.log_in(handle="zoé", password=PASSWORD, address="::1")
    assert [one["user"] for one in answer("user", "list")["users"]] == ["owner", "zoé"]
    typed(b"")
    assert refusal("user", "remove", "zoé")[0] == 1  # not without being asked
    assert answer("user", "remove", "zoé", "--yes")["disabled_at"]
    assert answer("user", "restore", "zoé")["disabled_at"] is None
    typed(b"another one of some length\r\n")
    assert answer("user", "password", "zoé", "--password-stdin") == {"user": "zoé", "ended_sessions": 0}
    assert memory.sessions.log_in(handle="zoé", password="another one of some length", address="::1")


@pytest.mark.parametrize(
    ("given", "arguments", "code", "error"),
    [
        (b"short\n", ["user", "add", "zoe", "--password-stdin"], 1, "invalid_input"),
        (b"\xff\xfe\n", ["user", "add", "zoe", "--password-stdin"], 1, "invalid_input"),
        (b"", ["user", "add", "zoe"], 1, "invalid_input"),
        (b"", ["user", "add", "owner", "--no-password"], 1, "conflict"),
        (b"", ["user", "add", "a b", "--no-password"], 1, "invalid_input"),
        (PASSWORD.encode(), ["user", "password", "nobody", "--password-stdin"], 3, "not_found"),
        (b"", ["user", "remove", "owner", "--yes"], 1, "not_allowed"),
        (b"", ["team", "rename", "99", "Harps"], 3, "not_found"),
        (b"", ["team", "invite", "1"], 1, "not_allowed"),
        (b"", ["team", "leave", "1"], 1, "conflict"),
        (b"", ["team", "member", "1", "zoe"], 1, "invalid_input"),
        (b"", ["team", "member", "1", "zoe", "--configure", "--remove"], 1, "invalid_input"),
        (b"", ["session", "revoke"], 1, "invalid_input"),
        (b"", ["session", "revoke", "99"], 3, "not_found"),
        (b"", ["open"], 3, "not_found"),
    ],
)
def test_what_cannot_be_done_is_said_with_an_exit_code(
    refusal: Run, typed: Any, given: bytes, arguments: list[str], code: int, error: str
) -> None:
    typed(given)
    found = refusal(*arguments)
    assert (found[0], found[1]["code"]) == (code, error)
    assert found[1].get("hint")


def test_a1_a_team_shares_a_vault(answer: Run, memory: Application) -> None:
    answer("user", "add", "zoe", "--no-password")
    team = answer("team", "add", "Harp makers")["team"]
    answer("vault", "create", "Harpe")
    assert answer("team", "give", str(team), "harpe") == {"vault": "harpe", "team": team}
    invited = answer("team", "invite", str(team), "--days", "2")
    assert invited["path"] == f"/join/{invited['secret']}"
    assert [one["id"] for one in answer("team", "invitations", str(team))["invitations"]] == [invited["invitation"]]
    joined = memory.invitations.accept(invited["secret"], handle="ivan", password=PASSWORD)
    ivan = memory.sessions.authenticate(joined.secret, source=Source.PANEL)[1]
    assert not memory.vaults.get(actor=ivan, vault="harpe").can_configure
    answer("team", "member", str(team), "ivan", "--configure")
    assert memory.vaults.get(actor=ivan, vault="harpe").can_configure
    assert answer("team", "rename", str(team), "Harps")["name"] == "Harps"
    members = {one["user"]: one["can_configure"] for one in answer("team", "list")["teams"][1]["members"]}
    assert members == {"owner": True, "ivan": True}
    assert answer("team", "member", str(team), "ivan", "--remove")["removed"] is True
    assert memory.vaults.list(actor=ivan)[0].slug == "personal"
    waiting = answer("team", "invite", str(team))["invitation"]
    assert answer("team", "withdraw", str(team), str(waiting))["withdrawn"] is True
    assert "team.withdraw" in {one["verb"] for one in answer("audit")["entries"]}


def test_a1_a_team_is_named_as_people_call_it(answer: Run, refusal: Run) -> None:
    number = answer("team", "add", "Élan & Harpes")["team"]
    answer("vault", "create", "Harpe")
    assert answer("team", "give", "elan & harpes", "harpe") == {"vault": "harpe", "team": number}
    assert answer("team", "invite", "ÉLAN  & HARPES")["team"] == number
    assert answer("team", "rename", f"#{number}", "Harps")["team"] == number
    code, error = refusal("team", "invitations", "Élan & Harpes")
    assert (code, error["code"]) == (3, "not_found")
    assert "There are: Harps." in error["message"]
    second = answer("team", "add", "harps")["team"]
    code, error = refusal("team", "rename", "Harps", "Lyres")
    assert (code, error["code"]) == (1, "conflict")
    assert f"#{number}, #{second}" in error["message"]
    answer("team", "rename", f"#{second}", str(number))
    assert refusal("team", "leave", str(number))[1]["code"] == "conflict"
    assert answer("team", "rename", "harps", "Lyres")["team"] == number


def test_a2_sessions_are_listed_and_ended(answer: Run, memory: Application) -> None:
    owner = memory.owner_through(Source.COMMAND_LINE)
    for browser in ("Firefox", "Safari"):
        memory.entry.enter(memory.entry.make_link(actor=owner), user_agent=browser)
    found = answer("session", "list")["sessions"]
    assert [one["user_agent"] for one in found] == ["Safari", "Firefox"]
    assert answer("session", "revoke", str(found[0]["id"])) == {"ended": 1}
    assert answer("session", "revoke", "--all") == {"ended": 1}
    assert answer("session", "list") == {"sessions": []}


def test_a_person_reads_tables_and_never_a_secret(capsys: pytest.CaptureFixture[str], memory: Application) -> None:
    for line in (
        ["team", "add", "Harps"],
        ["team", "list"],
        ["user", "list"],
        ["session", "list"],
        ["team", "leave", "1"],
    ):
        run(line)
    said = capsys.readouterr()
    assert "Team 2: Harps." in said.out
    assert "owner*" in said.out
    assert "signed in nowhere" in said.err
    assert "$argon2" not in said.out + said.err
