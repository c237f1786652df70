"""A1: every tool for every kind of visitor of a vault that a team shares."""

from typing import Any

import anyio
import pytest
from mcp import Client

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.interfaces.mcp.server import Caller, build_server
from souvenance.interfaces.mcp.tools import TOOLS
from souvenance.memory.remember import Observation

READS = {name for name, tool in TOOLS.items() if not tool.writes}
OF_VAULT = {"get_note", "history"}
"""What reads one thing by its name, and so does not find it where the vault is another's."""
OWN = {"remember_about_user"}
SAID = "gut strings"


@pytest.fixture
def calls(memory: Application, owner: Actor) -> dict[str, dict[str, Any]]:
    """Arguments of every tool, on what stands in the vault Harpe, which the owner's team shares."""
    team = memory.teams.create(actor=owner, name="Harps")
    memory.vaults.create(actor=owner, name="Harpe", team=team.id)
    kept = memory.facts.remember(actor=owner, vault="harpe", observations=[Observation(content=SAID)])[0]
    note = memory.notes.create(actor=owner, vault="harpe", title="Tuning", content=SAID)
    other = memory.notes.create(actor=owner, vault="harpe", title="Playing", content=SAID)
    for handle, can_configure in (("reader", False), ("configurer", True), ("stranger", None)):
        memory.users.create(actor=owner, handle=handle)
        if can_configure is not None:
            _, secret = memory.invitations.invite(actor=owner, team=team.id, can_configure=can_configure)
            memory.invitations.join(secret, actor=person(memory, owner, handle))
    filled = {
        "start_session": {"project": "harpe"},
        "list_vaults": {},
        "search": {"query": "strings"},
        "get_note": {"ref": note.id},
        "recall": {"topic": "strings"},
        "whoami": {},
        "list_notes": {},
        "recent_activity": {},
        "history": {"number": kept.fact.number},
        "remember_about_user": {"observation": "likes tea"},
        "remember_about_project": {"project": "harpe", "observation": "has pedals"},
        "create_note": {"title": "New", "content": "c", "vault": "harpe"},
        "create_notes": {"vault": "harpe", "notes": [{"title": "Newer", "content": "c"}]},
        "edit_note": {"ref": note.id, "operation": "append", "content": "more"},
        "link": {"source": note.id, "target": other.id},
        "move_note": {"ref": note.id, "path": "f"},
        "rename_note": {"ref": note.id, "title": "Tuned"},
        "retire_fact": {"number": kept.fact.number, "version": "1", "reason": "over"},
        "delete_note": {"ref": other.id},
    }
    assert set(filled) == set(TOOLS)
    return filled


def person(memory: Application, owner: Actor, handle: str) -> Actor:
    user = next(one for one in memory.users.list(actor=owner) if one.handle == handle)
    return Actor(user_id=user.id, source=Source.PANEL, route=Route.LOCAL)


def answers(
    memory: Application, owner: Actor, calls: dict[str, dict[str, Any]], handle: str, *, can_write: bool
) -> dict[str, Any]:
    """What each tool answers to that user's token: None where it did what was asked, else the refusal's code."""
    secret = memory.tokens.create(
        actor=person(memory, owner, handle), name="agent", can_write=can_write, route=Route.LOCAL
    )[1]
    actor = memory.tokens.authenticate(secret, source=Source.AGENT)
    caller = Caller(can_write=can_write, every_tool=True, actor_in=lambda _memory: actor)
    server = build_server(lambda: memory, lambda _context: caller, answer_tokens=4000)

    async def asked() -> dict[str, Any]:
        found: dict[str, Any] = {}
        async with Client(server) as client:
            for name, arguments in calls.items():
                result = await client.call_tool(name, arguments)
                assert result.structured_content is not None
                found[name] = result.structured_content["code"] if result.is_error else None
                if handle == "stranger":
                    assert SAID not in result.model_dump_json(), name
        return found

    return anyio.run(asked)


def knowledge(memory: Application, owner: Actor) -> list[Any]:
    facts = [(one.number, one.content, one.version) for one in memory.facts.list(actor=owner, vault="harpe")]
    notes = [(one.id, one.title, one.version) for one in memory.notes.list(actor=owner, vault="harpe")]
    return [facts, notes]


@pytest.mark.parametrize("can_write", [True, False])
def test_a1_a_member_without_configure_reads_by_every_tool_and_writes_by_none(
    memory: Application, owner: Actor, calls: dict[str, Any], can_write: bool
) -> None:
    before = knowledge(memory, owner)
    found = answers(memory, owner, calls, "reader", can_write=can_write)
    allowed = READS | (OWN if can_write else set())
    assert {name for name, code in found.items() if code is None} == allowed
    assert {code for name, code in found.items() if name not in allowed} == {"not_allowed"}
    assert knowledge(memory, owner) == before


@pytest.mark.parametrize("can_write", [True, False])
def test_a1_who_is_not_in_the_team_is_told_of_nothing_by_any_tool(
    memory: Application, owner: Actor, calls: dict[str, Any], can_write: bool
) -> None:
    before = knowledge(memory, owner)
    found = answers(memory, owner, calls, "stranger", can_write=can_write)
    made = {"remember_about_project"} if can_write else set()  # a project of that name of their own
    allowed = (READS - OF_VAULT) | (OWN if can_write else set()) | made
    later = {"create_note", "create_notes"} if can_write else set()  # in that project
    assert {name for name, code in found.items() if code is None} == allowed | later
    codes = {code for name, code in found.items() if code is not None}
    assert codes == ({"not_found"} if can_write else {"not_found", "not_allowed"})
    assert knowledge(memory, owner) == before


@pytest.mark.parametrize("can_write", [True, False])
def test_a1_who_configures_writes_by_every_tool_where_the_token_may(
    memory: Application, owner: Actor, calls: dict[str, Any], can_write: bool
) -> None:
    found = answers(memory, owner, calls, "configurer", can_write=can_write)
    assert {name for name, code in found.items() if code is None} == (set(TOOLS) if can_write else READS)
    assert {code for code in found.values() if code is not None} <= {"not_allowed"}
