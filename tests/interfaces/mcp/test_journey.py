"""What an agent does in a day, through the official client, over stdio and over HTTP; then what its owner sees of it."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.tokens import estimate_tokens

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["stdio", "http"])
def agent(
    request: pytest.FixtureRequest, stdio: Any, http: Any, start_http: Any, make_token: Any, era: str
) -> Callable[[], AbstractAsyncContextManager[Client]]:
    """Connects the agent, over one of the two transports and in one of the two eras of the protocol."""
    if request.param == "stdio":
        return lambda: stdio(mode=era)  # type: ignore[no-any-return]
    server, token = start_http(), make_token(name="agent")
    return lambda: http(server, token, mode=era)  # type: ignore[no-any-return]


async def test_an_agent_remembers_searches_recalls_and_corrects(
    agent: Any, call: Any, refusal: Any, memory: Application, owner: Actor, data: Path
) -> None:
    begun = datetime.now(UTC) - timedelta(minutes=1)
    async with agent() as client:
        assert "Search before you" in (client.instructions or "")
        started = await call(client, "start_session", project="Lyre")
        assert started["withheld"] == 0

        nothing = await call(client, "search", query="thé vert")
        assert (nothing["confidence"], nothing["hits"]) == ("none", [])
        said = [
            ("Prefers green tea in the morning", "tastes"),
            ("Anniversaire le 3 mai", "dates"),
            ("Works with Béatrice on Lyre", "people"),
        ]
        kept = [await call(client, "remember_about_user", observation=text, category=label) for text, label in said]
        assert [item["outcome"] for item in kept] == ["created"] * 3
        assert [item["number"] for item in kept] == [1, 2, 3]
        assert {item["vault"] for item in kept} == {"personal"}
        again = await call(client, "remember_about_user", observation=said[0][0], category="tastes")
        assert (again["outcome"], again["number"]) == ("skipped", 1)
        close = await call(client, "remember_about_user", observation="Likes jazz", category="taste")
        assert close["similar_categories"] == ["tastes"]

        found = await call(client, "search", query="anniversaires")
        assert [hit["number"] for hit in found["hits"]] == [2]
        assert found["hits"][0]["version"] == "1"

        project = await call(
            client,
            "remember_about_project",
            project="Lyre",
            observation="La langue du serveur est le français, voir [[Deployment]]",
            digest="how Lyre is run",
        )
        assert (project["outcome"], project["vault"]) == ("created", "lyre")
        note = await call(
            client,
            "create_note",
            title="Deployment",
            vault="lyre",
            path="ops",
            content="# Deployment\n\nRun it on Mondays.\n\n## Rollback\n\nSee [[Runbook]].\n",
        )
        await call(client, "create_note", title="Runbook", vault="lyre", path="ops", content="Call Béatrice first.")

        result = await client.call_tool("recall", {"topic": "langue du serveur", "depth": 1, "budget_tokens": 600})
        recalled = result.structured_content
        assert "français" in recalled["text"]
        assert "Run it on Mondays" in recalled["text"], "one link away"
        assert {source["depth"] for source in recalled["sources"]} == {0, 1}
        assert estimate_tokens(result.content[0].text) <= 600
        assert estimate_tokens(json.dumps(recalled, ensure_ascii=False)) <= 600

        version = note["version"]
        for operation, changed in (
            ("append", {"content": "\nDone by noon.\n"}),
            ("prepend", {"content": "Read first.\n\n"}),
            ("find_replace", {"find": "Mondays", "content": "Tuesdays"}),
            ("replace_section", {"section": "Rollback", "content": "Call [[Runbook]]'s author.\n"}),
        ):
            edited = await call(client, "edit_note", ref=note["note"], operation=operation, version=version, **changed)
            assert int(edited["version"]) > int(version)
            stale = await refusal(
                client, "edit_note", ref="Deployment", operation="append", content="x", version=version
            )
            assert stale["code"] == "stale_version"
            version = edited["version"]
        text = (await call(client, "get_note", ref="lyre:ops/Deployment"))["content"]
        assert text.startswith("Read first.")
        assert "Tuesdays" in text
        assert "Mondays" not in text
        assert "Runbook]]'s author" in text
        await call(client, "edit_note", ref=note["note"], operation="replace", content="All new. [[Runbook]]")
        view = await call(client, "get_note", ref=note["note"])
        assert view["content"] == "All new. [[Runbook]]"
        assert [link["title"] for link in view["links"]] == ["Runbook"]
        assert [link["title"] for link in view["backlinks"]] == ["general"]

        wrong = await refusal(client, "retire_fact", number=1, version="9", reason="moved on")
        assert wrong["code"] == "stale_version"
        missing = await refusal(client, "retire_fact", number=1, reason="moved on")
        assert "`version`" in missing["message"]
        retired = await call(
            client, "retire_fact", number=1, version="1", reason="moved on", replacement="Prefers coffee now"
        )
        assert retired["outcome"] == "retired"
        assert [hit["number"] for hit in (await call(client, "search", query="green tea"))["hits"]] == []
        coffee = await call(client, "search", query="coffee")
        assert [hit["number"] for hit in coffee["hits"]] == [retired["replacement"]["number"]]
        assert (await call(client, "search", query="quantum chromodynamics"))["confidence"] == "none"

    blind = memory.retrievals.blind_spots(actor=owner)
    assert "quantum chromodynamics" in {item.query for item in blind}
    writer = next(item.who for item in memory.history.of_fact(actor=owner, number=1))
    undone = memory.history.revert(actor=owner, agent=writer, since=begun, dry_run=False)
    assert not undone.conflicts
    assert memory.facts.list(actor=owner, vault="personal") == []
    seen = subprocess.run(
        [sys.executable, "-m", "souvenance", "search", "coffee", "--json", "--data", str(data)],
        env={"PYTHONPATH": str(Path(__file__).parents[3] / "src"), "SOUVENANCE_EMBEDDER": "none"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert json.loads(seen.stdout)["hits"] == [], "a fresh process sees the revert"


async def test_n2_a_memory_page_is_edited_as_its_facts(agent: Any, call: Any, refusal: Any) -> None:
    async with agent() as client:
        for text in ("Likes tea", "Likes jazz", "Likes rain"):
            kept = await call(client, "remember_about_user", observation=text, category="tastes")
        page = await call(client, "get_note", ref=kept["note"])
        assert page["content"] == "- Likes tea ^1\n- Likes jazz ^2\n- Likes rain ^3\n"
        edited = await call(
            client,
            "edit_note",
            ref=kept["note"],
            operation="replace",
            content="- Likes rain ^3\n- Likes green tea ^1\n- Likes snow\n",
            version=page["version"],
        )
        assert (edited["facts_added"], edited["facts_changed"], edited["facts_removed"]) == ([4], [1], [2])
        page = await call(client, "get_note", ref=kept["note"])
        assert page["content"] == "- Likes rain ^3\n- Likes green tea ^1\n- Likes snow ^4\n"
        assert {fact["number"] for fact in page["facts"]} == {1, 3, 4}
        again = "- Likes green tea ^1\n- Likes black tea ^1\n"
        said = await refusal(client, "edit_note", ref=kept["note"], operation="replace", content=again)
        assert said["code"] == "ambiguous_edit"


async def test_resources_are_the_notes_page_by_page(agent: Any, call: Any) -> None:
    async with agent() as client:
        await call(client, "remember_about_project", project="Lyre", observation="exists")
        notes = [
            await call(client, "create_note", title=f"Note {number}", content=f"Text {number}", vault="lyre")
            for number in range(103)
        ]
        listed, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            listed += page.resources
            cursor = page.next_cursor
            if cursor is None:
                break
        assert {str(item.uri) for item in listed} == {f"souvenance://note/{note['note']}" for note in notes}
        assert len(listed) == len(notes)
        (template,) = (await client.list_resource_templates()).resource_templates
        assert re.fullmatch(r"souvenance://note/\{\w+\}", template.uri_template)
        read = await client.read_resource(listed[0].uri)
        assert read.contents[0].text.startswith("Text ")
