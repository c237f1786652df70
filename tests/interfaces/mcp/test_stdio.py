"""`souvenance mcp` as a process: what it starts with, what breaks it, how it ends (N3, R3)."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.memory.remember import Observation

CLIENTS = 8
FACTS = 50
OPENING: list[dict[str, Any]] = [
    {
        "jsonrpc": "2.0",
        "id": "open",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "plain", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


class Process:
    """A `souvenance mcp` spoken to line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, message: dict[str, Any] | bytes) -> None:
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        params = {"name": tool, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


@pytest.fixture
def process(stdio_environment: Callable[..., dict[str, str]]) -> Iterator[Process]:
    with started(stdio_environment()) as running:
        for message in OPENING:
            running.send(message)
        assert running.receive()["id"] == "open"
        yield running


@contextmanager
def started(env: dict[str, str]) -> Iterator[Process]:
    command = [sys.executable, "-m", "souvenance", "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=env) as process:
        try:
            yield Process(process)
        finally:
            process.kill()


@pytest.mark.anyio
async def test_what_one_process_acknowledged_a_fresh_one_reads(stdio: Any, call: Any, era: str) -> None:
    async with stdio(mode=era) as client:
        kept = await call(client, "remember_about_user", observation="Prefers tea", category="tastes")
    async with stdio(mode=era) as client:
        page = await call(client, "get_note", ref=kept["note"])
    assert (kept["outcome"], kept["number"], kept["version"]) == ("created", 1, "1")
    assert page["content"] == "- Prefers tea ^1\n"
    assert page["facts"] == [{"number": 1, "version": "1"}]


@pytest.mark.anyio
async def test_eight_servers_on_one_file_lose_no_write(
    stdio: Any, call: Any, memory: Application, owner: Actor
) -> None:
    """CASES 2, 3: several agents on one file at the same time is the normal case."""

    async def write(writer: int) -> None:
        async with stdio() as client:
            for number in range(FACTS):
                kept = await call(
                    client, "remember_about_project", project="Lyre", observation=f"writer {writer} said {number}"
                )
                assert kept["outcome"] in {"created", "appended"}

    async with anyio.create_task_group() as tasks:
        for writer in range(CLIENTS):
            tasks.start_soon(write, writer)
    facts = memory.facts.list(actor=owner, vault="lyre", limit=1000)
    assert len({fact.content for fact in facts}) == len(facts) == CLIENTS * FACTS
    assert {fact.number for fact in facts} == set(range(1, CLIENTS * FACTS + 1))


@pytest.mark.anyio
async def test_the_clients_name_stands_in_history(stdio: Any, call: Any, data: Path) -> None:
    async with stdio(mcp_all_tools="1", mode="legacy") as client:
        kept = await call(client, "remember_about_user", observation="Prefers tea")
        told = await call(client, "history", number=kept["number"])
        me = await call(client, "whoami")
    assert [(item["who"], item["source"], item["did"]) for item in told["revisions"]] == [("mcp", "agent", "remember")]
    assert (me["name"], me["route"], me["token"]) == ("mcp", "cloud", None)


@pytest.mark.anyio
async def test_v8_a_protected_vault_answers_on_a_local_route_only(
    stdio: Any, call: Any, refusal: Any, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Health", protection="maximum")  # type: ignore[arg-type]
    memory.facts.remember(actor=owner, vault="health", observations=[Observation(content="Allergic to nuts")])
    async with stdio() as client:
        listed = await call(client, "list_vaults")
        said = await refusal(client, "search", query="nuts", vault="Health")
    assert (listed["vaults"], listed["withheld"]) == ([], 1)
    assert said["code"] == "withheld"
    assert "Allergic" not in json.dumps(said)
    async with stdio(mcp_route="local") as client:
        listed = await call(client, "list_vaults")
    assert [vault["vault"] for vault in listed["vaults"]] == ["health"]


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b"{oops", None),
        (b"[]", None),
        (b'"text"', None),
        (b'{"jsonrpc":"1.0","id":7,"method":"tools/list"}', 7),
        (b'{"jsonrpc":"2.0","id":true,"method":"tools/list"}', None),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\\ud83d"}}', 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"\\udc00":1}}}', 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\xff"}}', 7),
        (b"[" * 100_000, None),
    ],
)
def test_a_bad_line_is_answered_and_the_next_one_too(process: Process, line: bytes, number: int | None) -> None:
    process.send(line)
    answer = process.receive()
    assert answer["id"] == number
    assert answer["error"]["code"] < -32000
    process.send({"jsonrpc": "2.0", "id": 8, "method": "ping"})
    assert process.receive() == {"jsonrpc": "2.0", "id": 8, "result": {}}


def test_a_line_of_ten_mebibytes_gets_the_memorys_own_answer(process: Process) -> None:
    process.call(1, "remember_about_user", observation="x" * (10 * 1024 * 1024))
    result = process.receive()["result"]
    assert result["isError"]
    assert result["structuredContent"]["code"] == "too_large"
    assert len(json.dumps(result)) < 1000


@pytest.mark.parametrize("text", ["a\x00b", "\x00"])
def test_a_nul_byte_is_refused_by_name(process: Process, text: str) -> None:
    process.call(1, "remember_about_user", observation=text)
    result = process.receive()["result"]
    assert result["structuredContent"]["code"] == "invalid_input"
    assert "NUL" in result["structuredContent"]["message"]


def test_all_that_was_asked_before_the_end_of_input_is_answered(
    stdio_environment: Callable[..., dict[str, str]],
) -> None:
    with started(stdio_environment()) as running:
        for message in OPENING:
            running.send(message)
        for number in range(5):
            running.call(number, "remember_about_user", observation=f"fact {number}")
        out, _ = running.process.communicate(timeout=60)
    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    assert set(answers) == {"open", 0, 1, 2, 3, 4}
    assert running.process.returncode == 0


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once(process: Process, sent: signal.Signals) -> None:
    process.call(1, "remember_about_user", observation="kept")
    assert not process.receive()["result"]["isError"]
    process.process.send_signal(sent)
    assert process.process.wait(timeout=5) == -sent


def test_idle_is_idle(process: Process) -> None:
    """CASES 21."""
    process.call(1, "list_vaults")
    process.receive()

    def spent() -> int:
        fields = Path(f"/proc/{process.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc")
    time.sleep(0.5)
    before = spent()
    time.sleep(2)
    assert (spent() - before) / os.sysconf("SC_CLK_TCK") < 0.1


def test_the_tools_are_listed_before_the_memory_is_touched(
    stdio_environment: Callable[..., dict[str, str]], data: Path
) -> None:
    with started(stdio_environment()) as running:
        for message in OPENING:
            running.send(message)
        running.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        running.receive()
        begun = time.monotonic()
        assert len(running.receive()["result"]["tools"]) == 10
        assert time.monotonic() - begun < 20
        assert not data.exists()


def test_a_memory_that_cannot_be_opened_is_a_clear_answer_and_is_tried_again(
    stdio_environment: Callable[..., dict[str, str]], data: Path
) -> None:
    data.mkdir()
    (data / "souvenance.db").write_bytes(b"this is not a database" * 1000)
    with started(stdio_environment()) as running:
        for message in OPENING:
            running.send(message)
        running.receive()
        running.call(1, "list_vaults")
        refused = running.receive()["result"]
        assert refused["structuredContent"]["code"] == "store_damaged"
        (data / "souvenance.db").unlink()
        running.call(2, "list_vaults")
        assert not running.receive()["result"]["isError"]
