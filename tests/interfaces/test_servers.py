"""Settings of Discord servers by command line and REST (D1 to D3)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from souvenance.domain.access import Source
from souvenance.interfaces.cli.app import run
from souvenance.interfaces.cli.exits import ExitCode
from souvenance.serving.app import build_app
from souvenance.settings import Settings
from souvenance.wiring import open_application

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    memory = open_application(Settings(data=tmp_path, embedder="none"))
    bot = memory.owner_through(Source.BOT)
    memory.servers.join(actor=bot, guild_id="81384788765712384", name="Harbour")
    memory.close()
    return tmp_path


@pytest.fixture
def say(folder: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    def said(*words: str) -> tuple[int, str, str]:
        code = run(["discord", "--data", str(folder), *words])
        out, err = capsys.readouterr()
        return code, out, err

    return said


def test_servers_are_listed_and_set(say: Say) -> None:
    code, out, _ = say("servers")
    assert code == ExitCode.DONE
    assert out.split("\t")[:5] == ["81384788765712384", "Harbour", "harbour", "all", "all"]
    code, out, err = say("settings", "harbour", "--read", "12, 3", "--write", "none", "--threads", "--answer", "3")
    assert code == ExitCode.DONE
    assert "read: 3, 12" in out
    assert "write: none" in out
    assert "A thread may be open to people who should not see this memory." in err
    _, out, _ = say("--json", "settings", "Harbour")
    assert json.loads(out) == {
        "server": "81384788765712384",
        "name": "Harbour",
        "vault": "harbour",
        "read": ["3", "12"],
        "write": "none",
        "include_threads": True,
        "answer_channels": ["3"],
        "listens": True,
    }
    _, out, _ = say("settings", "harbour", "--read", "all", "--answer", "none", "--no-threads", "--no-listen", "--json")
    changed = json.loads(out)
    assert (changed["read"], changed["answer_channels"], changed["include_threads"], changed["listens"]) == (
        "all", [], False, False,
    )  # fmt: skip


def test_what_is_wrong_is_refused_with_the_way_out(say: Say) -> None:
    code, _, err = say("settings", "harbour", "--read", "general")
    assert code == ExitCode.REFUSED
    assert "developer mode" in err
    code, _, err = say("settings", "lagoon")
    assert code == ExitCode.NOT_FOUND


def test_without_a_token_the_bot_says_how_to_get_one(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOUVENANCE_DISCORD_TOKEN", raising=False)
    from souvenance.serving import discord

    with pytest.raises(Exception, match="SOUVENANCE_DISCORD_TOKEN"):
        discord.run(Settings())


def test_servers_over_rest(folder: Path) -> None:
    settings = Settings(data=folder, embedder="none")
    memory = open_application(settings)
    owner = memory.owner_through(Source.COMMAND_LINE)
    writer = memory.tokens.create(actor=owner, name="panel")[1]
    reader = memory.tokens.create(actor=owner, name="reader", can_write=False)[1]
    client = TestClient(build_app(memory, settings, local_token="x"), base_url="http://127.0.0.1:8765")

    def ask(method: str, path: str, body: Any = None, *, by: str = writer) -> Any:
        headers = {"Authorization": f"Bearer {by}"}
        return client.request(method, f"/api/v1/servers{path}", headers=headers, **({"json": body} if body else {}))

    (listed,) = ask("GET", "").json()["servers"]
    assert (listed["server"], listed["vault"], listed["read"]) == ("81384788765712384", "harbour", "all")
    changed = ask("PATCH", "/harbour", {"read": ["7"], "include_threads": True}).json()
    assert (changed["read"], changed["write"], changed["include_threads"]) == (["7"], "all", True)
    assert ask("GET", "/harbour", by=reader).json() == changed
    assert ask("PATCH", "/harbour", {"read": "none"}, by=reader).status_code == 403
    assert ask("PATCH", "/harbour", {"read": ["general"]}).status_code == 422
    assert ask("GET", "/lagoon").status_code == 404
    (entry,) = [one for one in memory.history.audit(actor=owner) if one.verb == "server.settings"]
    assert entry.details == {"changed": {"read": ["7"], "include_threads": True}}
    memory.close()
