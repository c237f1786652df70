"""The table of tools: what it costs, what it accepts, and what it says when it does not (N3)."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client, MCPError

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.tokens import estimate_tokens
from souvenance.interfaces.mcp.server import Caller, build_server
from souvenance.interfaces.mcp.tools import TOOLS

pytestmark = pytest.mark.anyio

EVERY_DAY = {
    "start_session": {"project"},
    "list_vaults": set(),
    "search": {"query", "vault", "class", "limit"},
    "get_note": {"ref"},
    "recall": {"topic", "vault", "depth", "budget_tokens", "max_per_source"},
    "create_note": {"title", "content", "vault", "path"},
    "remember_about_user": {"observation", "category", "digest"},
    "remember_about_project": {"project", "observation", "category", "digest"},
    "edit_note": {"ref", "operation", "content", "find", "section", "version"},
    "retire_fact": {"number", "version", "reason", "replacement"},
}
NOW_AND_THEN = {
    "whoami",
    "list_notes",
    "recent_activity",
    "create_notes",
    "delete_note",
    "link",
    "move_note",
    "rename_note",
    "history",
}
READING = {"start_session", "list_vaults", "search", "get_note", "recall"}


@pytest.fixture
def server(memory: Application) -> Callable[..., Any]:
    """A server in this process, for one caller."""

    def build(*, can_write: bool = True, every: bool = True, answer_tokens: int = 4000) -> Any:
        def actor_in(opened: Application) -> Actor:
            user = opened.owner.id
            return Actor(user_id=user, source=Source.AGENT, route=Route.CLOUD, is_model=True, can_write=can_write)

        caller = Caller(can_write=can_write, every_tool=every, actor_in=actor_in)
        return build_server(lambda: memory, lambda _context: caller, answer_tokens=answer_tokens)

    return build


async def test_n3_the_ten_have_the_names_and_arguments_of_the_specification(server: Any, era: str) -> None:
    async with Client(server(every=False), mode=era) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name: set(tool.input_schema.get("properties", {})) for tool in tools} == EVERY_DAY
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
    defaults = {
        (tool.name, name): info["default"]
        for tool in tools
        for name, info in tool.input_schema.get("properties", {}).items()
        if "default" in info
    }
    assert defaults == {
        ("search", "limit"): 20,
        ("recall", "depth"): 1,
        ("recall", "budget_tokens"): 4000,
        ("remember_about_user", "category"): "general",
        ("remember_about_project", "category"): "general",
    }


async def test_the_listing_of_the_ten_costs_under_2500_tokens(server: Any) -> None:
    async with Client(server(every=False)) as client:
        listed = await client.list_tools()
    sent = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert estimate_tokens(sent) < 2500


async def test_the_occasional_tools_stand_behind_the_setting(server: Any) -> None:
    async with Client(server(every=True)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == set(EVERY_DAY) | NOW_AND_THEN == set(TOOLS)


async def test_who_only_reads_sees_no_tool_that_writes(server: Any, era: str, refusal: Any) -> None:
    async with Client(server(can_write=False, every=False), mode=era) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == READING
        said = await refusal(client, "remember_about_user", observation="tea")
    assert said["code"] == "not_allowed"
    assert all(name in said["hint"] for name in READING)
    assert "retire_fact" not in said["hint"]


async def test_a_hidden_tool_says_which_setting_shows_it(server: Any, refusal: Any) -> None:
    async with Client(server(every=False)) as client:
        said = await refusal(client, "whoami")
    assert "mcp_all_tools" in said["message"]


async def test_an_unknown_tool_is_refused_with_those_there_are(server: Any, era: str) -> None:
    async with Client(server(every=False), mode=era) as client:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("forget_everything", {})
    assert "start_session, list_vaults, search" in refused.value.error.message


SECRET = "the secret the message must not repeat"


@pytest.mark.parametrize(
    ("tool", "given", "named"),
    [
        ("search", {"query": "tea", "top_k": 5}, "`top_k`"),
        ("search", {"query": "tea", "limit": "20"}, "`limit`"),
        ("search", {"query": "tea", "limit": 20.0}, "`limit`"),
        ("search", {"query": "tea", "limit": True}, "`limit`"),
        ("search", {"query": "tea", "limit": 0}, "`limit`"),
        ("search", {"query": "tea", "class": SECRET}, "`class`"),
        ("search", {"query": "tea", "class_": "source"}, "`class_`"),
        ("search", {"query": 5}, "`query`"),
        ("search", {}, "`query`"),
        ("recall", {"topic": "tea", "depth": -1}, "`depth`"),
        ("list_vaults", {SECRET: 1}, "takes: no arguments"),
        ("remember_about_user", {"observation": {"text": SECRET}}, "`observation`"),
        ("edit_note", {"ref": "a", "operation": SECRET, "content": "b"}, "`operation`"),
        ("retire_fact", {"number": "twelve", "version": "1", "reason": SECRET}, "`number`"),
        ("retire_fact", {"number": "-12", "version": "1", "reason": SECRET}, "`number`"),
        ("retire_fact", {"number": 12.0, "version": "1", "reason": SECRET}, "`number`"),
        ("retire_fact", {"number": 12, "version": True, "reason": SECRET}, "`version`"),
        ("retire_fact", {"number": 12, "version": 1.0, "reason": SECRET}, "`version`"),
        ("retire_fact", {"number": 12, "version": SECRET, "reason": "x"}, "version"),
        ("create_notes", {"vault": "a", "notes": [{"title": "t", "content": "c", "folder": SECRET}]}, "folder"),
    ],
)
async def test_bad_arguments_are_named_and_never_repeated(
    server: Any, refusal: Any, tool: str, given: dict[str, Any], named: str
) -> None:
    async with Client(server()) as client:
        said = await refusal(client, tool, **given)
    assert said["code"] == "invalid_input"
    assert named in said["message"]
    assert SECRET not in json.dumps(said)


@pytest.mark.parametrize(("number", "version"), [(1, 1), ("1", "1"), ("#1", "v1"), ("[#1]", 1)])
async def test_n5_a_fact_and_its_version_are_named_as_they_are_shown(server: Any, number: Any, version: Any) -> None:
    async with Client(server()) as client:
        await client.call_tool("remember_about_user", {"observation": "tea", "category": "drinks"})
        stale = await client.call_tool("retire_fact", {"number": number, "version": 7, "reason": "cold"})
        assert "stale_version" in str(stale.content)
        done = await client.call_tool("retire_fact", {"number": number, "version": version, "reason": "cold"})
        assert "retired: [#1] v2" in str(done.content)
        await client.call_tool("create_note", {"title": "A", "content": "one", "vault": "personal"})
        append = {"ref": "A", "operation": "append", "content": "two"}
        assert "at version 1, not 4" in str((await client.call_tool("edit_note", append | {"version": 4})).content)
        assert "now 2" in str((await client.call_tool("edit_note", append | {"version": 1})).content)
        assert "tea" in str((await client.call_tool("history", {"number": "#1"})).content)


async def test_a_fault_of_the_programs_own_says_nothing_of_what_was_stored(
    server: Any, memory: Application, refusal: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(**_given: Any) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(memory.vaults, "list", broken)
    async with Client(server(), mode="legacy") as client:
        said = await refusal(client, "list_vaults")
    assert said["code"] == "fault"
    assert SECRET not in json.dumps(said)
    assert "RuntimeError" in caplog.text
    assert SECRET not in caplog.text
