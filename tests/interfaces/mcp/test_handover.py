"""A stdio server hands its client over to a running `serve`, and goes on alone when that goes away (R3)."""

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.interfaces.mcp.handover import SERVE_FILE

pytestmark = pytest.mark.anyio
TOKEN = "known to serve and to its file alone"


@pytest.fixture
def announce(data: Path) -> Callable[..., None]:
    """Writes `serve.json` as `serve` does."""

    def write(url: str, token: str = TOKEN, pid: int | None = None) -> None:
        data.mkdir(exist_ok=True)
        told = {"url": url, "token": token, "pid": pid or os.getpid(), "started": "2026-01-01T00:00:00Z"}
        (data / SERVE_FILE).write_text(json.dumps(told))

    return write


class Recorder(http.server.BaseHTTPRequestHandler):
    """A `serve` that takes a request and goes away without an answer."""

    taken: list[dict[str, Any]]

    def do_POST(self) -> None:
        self.taken.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.close_connection = True

    def log_message(self, *_said: object) -> None:
        pass


@pytest.fixture
def vanishing() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    taken: list[dict[str, Any]] = []
    handler = type("Handler", (Recorder,), {"taken": taken})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", taken
        server.shutdown()
        thread.join()


async def test_r3_the_client_is_served_by_serve_as_the_owner_by_its_own_route(
    stdio: Any, start_http: Any, call: Any, announce: Any, memory: Application, owner: Actor, era: str
) -> None:
    memory.vaults.create(actor=owner, name="Health", protection="maximum")  # type: ignore[arg-type]
    server = start_http(local_token=TOKEN, mcp_answer_tokens=1234)
    announce(server.url)
    for route, seen in (("cloud", []), ("local", ["health"])):
        async with stdio(mode=era, mcp_all_tools="1", mcp_route=route) as client:
            assert len((await client.list_tools()).tools) == 19
            me = await call(client, "whoami")
            listed = await call(client, "list_vaults")
        assert me["limits"]["answer_tokens"] == 1234, "answered by serve, whose setting this is"
        assert (me["name"], me["route"], me["can_write"], me["every_vault"]) == ("mcp", route, True, True)
        assert [vault["vault"] for vault in listed["vaults"]] == seen


async def test_r3_when_serve_goes_away_the_client_is_served_here_and_handed_over_again(
    stdio: Any, start_http: Any, call: Any, announce: Any, data: Path, era: str
) -> None:
    server = start_http(local_token=TOKEN, mcp_answer_tokens=1234)
    announce(server.url)
    answered_by = []
    async with stdio(mode=era, mcp_all_tools="1") as client:
        for state in ("serving", "gone", "removed", "back"):
            if state == "gone":
                server.stop()
            if state == "removed":
                (data / SERVE_FILE).unlink()
            if state == "back":
                server.start()
                announce(server.url)
            kept = await call(client, "remember_about_user", observation=f"said while {state}")
            assert kept["outcome"] in {"created", "appended"}
            answered_by.append((await call(client, "whoami"))["limits"]["answer_tokens"])
        page = await call(client, "get_note", ref=kept["note"])
    assert answered_by == [1234, 4000, 4000, 1234]
    assert [fact["number"] for fact in page["facts"]] == [1, 2, 3, 4]


async def test_r3_a_call_that_may_have_been_carried_out_is_never_repeated(
    stdio: Any, call: Any, announce: Any, vanishing: tuple[str, list[dict[str, Any]]], era: str
) -> None:
    url, taken = vanishing
    async with stdio(mode=era) as client:
        await client.list_tools()
        announce(url)
        with pytest.raises(MCPError, match="may or may not have been carried out"):
            await client.call_tool("remember_about_user", {"observation": "once"})
        assert [message["method"] for message in taken] == ["tools/call"]
        assert len((await client.list_tools()).tools) == 10, "what changes nothing is asked again, here"
        assert [message["method"] for message in taken] == ["tools/call", "tools/list"]


async def test_r3_a_serve_on_another_memory_is_left_alone(
    stdio: Any, start_http: Any, call: Any, announce: Any, tmp_path: Path
) -> None:
    server = start_http(local_token=TOKEN, data=tmp_path / "other", mcp_answer_tokens=1234)
    announce(server.url)
    async with stdio(mcp_all_tools="1") as client:
        assert (await call(client, "whoami"))["limits"]["answer_tokens"] == 4000


@pytest.mark.parametrize("told", [b"", b"{}", b'{"url": 5, "pid": "x", "token": []}', b"[1]", b"\xff"])
async def test_r3_a_file_that_says_nothing_is_no_hindrance(stdio: Any, call: Any, data: Path, told: bytes) -> None:
    data.mkdir()
    (data / SERVE_FILE).write_bytes(told)
    async with stdio() as client:
        assert (await call(client, "list_vaults"))["count"] == 0


async def test_r3_a_file_left_by_a_killed_serve_is_not_followed(
    stdio: Any, call: Any, announce: Any, vanishing: tuple[str, list[dict[str, Any]]]
) -> None:
    url, taken = vanishing
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    announce(url, pid=gone.pid)
    async with stdio() as client:
        assert (await call(client, "list_vaults"))["count"] == 0
    assert taken == []


async def test_r3_a_wrong_token_is_a_stale_file(stdio: Any, start_http: Any, call: Any, announce: Any) -> None:
    server = start_http(local_token=TOKEN)
    announce(server.url, token="of an earlier serve")
    async with stdio() as client:
        kept = await call(client, "remember_about_user", observation="tea")
    assert kept["number"] == 1


async def test_only_the_local_token_may_choose_a_route(
    start_http: Any, make_token: Any, memory: Application, owner: Actor
) -> None:
    import httpx2

    memory.vaults.create(actor=owner, name="Health", protection="maximum")  # type: ignore[arg-type]
    server = start_http(local_token=TOKEN)
    sent = {
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {make_token()}",
        "X-Souvenance-Route": "local",
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_vaults", "arguments": {}}}
    async with httpx2.AsyncClient() as client:
        answer = (await client.post(f"{server.url}/mcp", json=body, headers=sent)).json()
    assert answer["result"]["structuredContent"]["withheld"] == 1
