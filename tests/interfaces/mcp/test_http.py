"""MCP over streamable HTTP: tokens, restarts, bodies, and who is refused (N3, A3, V8)."""

import json
from collections.abc import Callable
from typing import Any

import anyio
import httpx2
import pytest
from mcp import MCPError

from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.memory.remember import Observation

pytestmark = pytest.mark.anyio

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def two_vaults(memory: Application, owner: Actor) -> None:
    for name in ("Lyre", "Harpe"):
        memory.vaults.create(actor=owner, name=name)
        memory.facts.remember(actor=owner, vault=name, observations=[Observation(content=f"{name} has strings")])


@pytest.mark.usefixtures("two_vaults")
async def test_a3_a_token_reaches_only_the_vaults_it_lists(
    start_http: Any, http: Any, make_token: Any, call: Any, refusal: Any, era: str
) -> None:
    server = start_http()
    async with http(server, make_token(vaults=["lyre"]), mode=era) as client:
        assert [vault["vault"] for vault in (await call(client, "list_vaults"))["vaults"]] == ["lyre"]
        other = await refusal(client, "create_note", title="a", content="b", vault="harpe")
        absent = await refusal(client, "create_note", title="a", content="b", vault="nowhere")
        assert other == absent
        said = await refusal(client, "remember_about_user", observation="tea")
        assert said["code"] == "not_allowed"
        kept = await call(client, "remember_about_project", project="Lyre", observation="Tuned to A")
        assert kept["vault"] == "lyre"


async def test_a3_a_read_only_token_neither_sees_nor_runs_a_write(
    start_http: Any, http: Any, make_token: Any, refusal: Any, era: str
) -> None:
    server = start_http(mcp_all_tools=True)
    async with http(server, make_token(can_write=False), mode=era) as client:
        offered = {tool.name for tool in (await client.list_tools()).tools}
        assert {"search", "history", "whoami"} <= offered
        for tool in ("remember_about_user", "edit_note", "delete_note"):
            assert tool not in offered
            assert (await refusal(client, tool))["code"] == "not_allowed"


async def test_v8_the_tokens_route_decides_on_protected_vaults(
    start_http: Any, http: Any, make_token: Any, call: Any, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Health", protection="maximum")  # type: ignore[arg-type]
    server = start_http()
    for route, seen in ((Route.CLOUD, []), (Route.LOCAL, ["health"])):
        async with http(server, make_token(name=route, route=route)) as client:
            listed = await call(client, "list_vaults")
        assert [vault["vault"] for vault in listed["vaults"]] == seen
        assert listed["withheld"] == (1 if route is Route.CLOUD else 0)


async def test_the_tokens_name_is_the_writers(start_http: Any, http: Any, make_token: Any, call: Any, era: str) -> None:
    server = start_http(mcp_all_tools=True)
    async with http(server, make_token(name="laptop"), mode=era) as client:
        kept = await call(client, "remember_about_user", observation="Prefers tea")
        told = await call(client, "history", number=kept["number"])
        me = await call(client, "whoami")
    assert [item["who"] for item in told["revisions"]] == ["laptop"]
    assert (me["name"], me["user"], me["can_write"]) == ("laptop", "Owner", True)
    assert me["limits"]["answer_tokens"] == 4000


async def test_a_restart_loses_nobody(start_http: Any, http: Any, make_token: Any, call: Any, era: str) -> None:
    server = start_http()
    async with http(server, make_token(), mode=era) as client:
        kept = await call(client, "remember_about_user", observation="Prefers tea")
        server.stop()
        server.start()
        again = await call(client, "remember_about_user", observation="Prefers tea")
    assert (again["outcome"], again["number"]) == ("skipped", kept["number"])


async def test_a3_a_revoked_token_ends_at_once(
    start_http: Any, http: Any, call: Any, memory: Application, owner: Actor
) -> None:
    token, secret = memory.tokens.create(actor=owner, name="laptop")
    server = start_http()
    async with http(server, secret, mode="legacy") as client:
        await call(client, "list_vaults")
        memory.tokens.revoke(actor=owner, token=token.id)
        with pytest.raises(MCPError) as refused:
            await client.call_tool("list_vaults", {})
    assert "unknown or revoked" in refused.value.error.message


@pytest.mark.parametrize("sent", [{}, {"Authorization": "Basic eA=="}, {"Authorization": "Bearer"}])
async def test_no_token_is_asked_for_one(start_http: Any, sent: dict[str, str]) -> None:
    server = start_http()
    async with httpx2.AsyncClient() as client:
        answer = await client.post(f"{server.url}/mcp", json=LIST, headers=ACCEPT | sent)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith('Bearer realm="souvenance"')
    assert "souvenance token create" in answer.json()["error"]["message"]


async def test_an_unknown_token_is_told_so(start_http: Any) -> None:
    server = start_http(local_token="the-local-one")
    async with httpx2.AsyncClient() as client:
        sent = ACCEPT | {"Authorization": "Bearer sv_nobody"}
        answer = await client.post(f"{server.url}/mcp", json=LIST, headers=sent)
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


@pytest.mark.parametrize(("header", "value", "status"), [("Host", "evil.example", 421), ("Origin", "http://evil", 403)])
async def test_a_web_page_that_was_pointed_here_is_refused(
    start_http: Any, make_token: Any, header: str, value: str, status: int
) -> None:
    server = start_http()
    async with httpx2.AsyncClient() as client:
        sent = ACCEPT | {"Authorization": f"Bearer {make_token()}", header: value}
        assert (await client.post(f"{server.url}/mcp", json=LIST, headers=sent)).status_code == status


async def test_a_body_of_ten_mebibytes_gets_the_memorys_own_answer(
    start_http: Any, http: Any, make_token: Any, refusal: Any, era: str
) -> None:
    server = start_http()
    async with http(server, make_token(), mode=era) as client:
        said = await refusal(client, "remember_about_user", observation="x" * (10 * 1024 * 1024))
    assert said["code"] == "too_large"


async def test_a_body_over_the_limit_is_refused_in_words(start_http: Any, make_token: Any) -> None:
    server = start_http()
    async with httpx2.AsyncClient() as client:
        sent = ACCEPT | {"Authorization": f"Bearer {make_token()}"}
        body = json.dumps(LIST | {"params": {"x": "y" * (33 * 1024 * 1024)}}).encode()
        answer = await client.post(f"{server.url}/mcp", content=body, headers=sent)
    assert answer.status_code == 413
    assert "32 MiB" in answer.json()["error"]["message"]


@pytest.mark.parametrize("body", [b"{oops", b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"\\ud800"}}'])
async def test_a_body_that_is_no_message_is_refused(start_http: Any, make_token: Any, body: bytes) -> None:
    server = start_http()
    async with httpx2.AsyncClient() as client:
        sent = ACCEPT | {"Authorization": f"Bearer {make_token()}", "Content-Type": "application/json"}
        answer = await client.post(f"{server.url}/mcp", content=body, headers=sent)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == -32700
        assert (await client.get(f"{server.url}/mcp", headers=sent)).status_code == 405


@pytest.mark.parametrize(("text", "status"), [("\\ud83d", 400), ("\\ud83d\\ude42", 200)])
async def test_half_an_emoji_is_refused_in_words_and_a_whole_one_is_taken(
    start_http: Any, make_token: Any, text: str, status: int
) -> None:
    server = start_http()
    arguments = f'{{"observation": "tea {text}"}}'
    body = (
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "remember_about_user", "arguments": '
        + arguments
        + "}}"
    )
    headers = {**ACCEPT, "Content-Type": "application/json", "Authorization": f"Bearer {make_token()}"}
    async with httpx2.AsyncClient() as client:
        answer = await client.post(f"{server.url}/mcp", content=body.encode(), headers=headers)
    assert answer.status_code == status
    if status == 400:
        assert "half of a surrogate pair" in answer.json()["error"]["message"]


@pytest.mark.usefixtures("two_vaults")
async def test_callers_at_the_same_time_are_never_mixed_up(
    start_http: Any, http: Any, make_token: Callable[..., str], call: Any
) -> None:
    server = start_http()
    tokens = {name: make_token(name=name, vaults=[name]) for name in ("lyre", "harpe")}

    async def ask(name: str, mode: str) -> None:
        async with http(server, tokens[name], mode=mode) as client:
            for _ in range(10):
                listed = await call(client, "list_vaults")
                assert [vault["vault"] for vault in listed["vaults"]] == [name]

    async with anyio.create_task_group() as tasks:
        for name in tokens:
            for mode in ("legacy", "auto"):
                tasks.start_soon(ask, name, mode)
