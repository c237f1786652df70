"""A caller never receives anything of a vault it may not read, whatever it asks for (A3, V8, CASES 9)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client, MCPError

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.vault import Protection
from souvenance.interfaces.mcp.server import Caller, build_server
from souvenance.interfaces.mcp.tools import TOOLS
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.wiring import open_application

SHARED = "orchard"


@dataclass(frozen=True)
class Marked:
    """A vault with two words of its own: one in its names and titles, one in what it says."""

    slug: str
    name: str
    body: str


OPEN = Marked("garden", "garden", "fern")
OTHER = Marked("harbour-zanzibar", "zanzibar", "quokka")
PROTECTED = Marked("health-samarkand", "samarkand", "narwhal")
REFS: list[str] = []
NUMBERS: list[int] = []


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Application, Actor]]:
    """Three vaults that say alike things and link to the same titles, each under its own words."""
    memory = open_application(Settings(data=tmp_path_factory.mktemp("house"), embedder="none"))
    owner = memory.owner_through(Source.COMMAND_LINE)
    memory.users.create(actor=owner, handle="other")
    for vault in (OPEN, OTHER, PROTECTED):
        protection = Protection.MAXIMUM if vault is PROTECTED else Protection.NORMAL
        made = memory.vaults.create(
            actor=owner,
            name=vault.slug.replace("-", " "),
            description=f"about {vault.body}",
            protection=protection,
        )
        assert made.slug == vault.slug
        said = [
            Observation(content=f"{SHARED} {vault.body}, see [[{SHARED}]] and [[meeting]]", category=SHARED),
            Observation(content=f"{vault.body} likes tea", category=f"{vault.body} tastes", key=vault.body),
        ]
        kept = memory.facts.remember(actor=owner, vault=vault.slug, observations=said, digest=f"digest {vault.body}")
        body = f"{SHARED} {vault.body} [[meeting]]"
        note = memory.notes.create(actor=owner, vault=vault.slug, title=SHARED, content=body, folder=vault.name)
        memory.notes.create(actor=owner, vault=vault.slug, title="meeting", content=f"a meeting on {vault.body}")
        memory.notes.edit(actor=owner, ref=note.id, operation="append", content=f"\nmore {vault.body}")
        memory.context.pin(actor=owner, ref=note.id)
        NUMBERS.extend(item.fact.number for item in kept)
        REFS.extend(
            f"{before}{ref}"
            for before, ref in (
                ("", note.id),
                ("", kept[0].note_id),
                ("", f"{note.id}@2"),
                ("/n/", note.id),
                ("souvenance://note/", note.id),
                (f"{vault.slug}:", f"{vault.name}/{SHARED}"),
                ("", f"{vault.name}/{SHARED}"),
                (f"{vault.slug}:", "meeting"),
            )
        )
    REFS.extend([SHARED, "meeting", f"[[{SHARED}]]", "memory/orchard", "nothing"])
    yield memory, owner
    memory.close()


def callers(memory: Application, owner: Actor) -> dict[str, tuple[Actor, list[Marked]]]:
    """Who asks, and the vaults whose words must never reach them."""
    garden = memory.vaults.get(actor=owner, vault=OPEN.slug).id
    other = next(one for one in memory.users.list(actor=owner) if one.handle == "other")

    def token(*, can_write: bool, vaults: frozenset[int] | None) -> Actor:
        return Actor(
            user_id=owner.user_id,
            source=Source.AGENT,
            route=Route.CLOUD,
            token_id=1,
            name="agent",
            is_model=True,
            can_write=can_write,
            vaults=vaults,
        )

    return {
        "bound": (token(can_write=True, vaults=frozenset({garden})), [OTHER, PROTECTED]),
        "bound, reading": (token(can_write=False, vaults=frozenset({garden})), [OTHER, PROTECTED]),
        "on a cloud route": (token(can_write=True, vaults=None), [PROTECTED]),
        "of another user": (
            replace(token(can_write=True, vaults=None), user_id=other.id, route=Route.LOCAL),
            [Marked(vault.slug, vault.body, vault.body) for vault in (OPEN, OTHER, PROTECTED)],
        ),
    }


words = st.sampled_from([SHARED, "meeting", "tea", "digest", "likes tea", f"{SHARED} @{OTHER.slug}", PROTECTED.name])
vaults = st.sampled_from([OPEN.slug, OTHER.slug, PROTECTED.slug, "personal", f"@{PROTECTED.slug}"])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "query": words,
    "topic": words,
    "vault": vaults,
    "project": vaults,
    "ref": st.deferred(lambda: st.sampled_from(REFS)),
    "source": st.deferred(lambda: st.sampled_from(REFS)),
    "target": st.deferred(lambda: st.sampled_from(REFS)),
    "number": st.deferred(lambda: st.sampled_from(NUMBERS)),
    "version": st.sampled_from(["1", "2", "3"]),
    "depth": st.integers(0, 3),
    "limit": st.integers(1, 100),
    "offset": st.integers(0, 3),
    "budget_tokens": st.sampled_from([200, 4000]),
    "class": st.sampled_from(["user-doc", "agent-memory", "source"]),
    "folder": st.sampled_from(["memory", "", OTHER.name]),
    "path": st.sampled_from(["a", "b/c"]),
    "title": st.sampled_from(["meeting", "new", SHARED]),
    "content": st.sampled_from(["", "new text [[meeting]]", f"[[{SHARED}]]"]),
    "find": st.sampled_from(["o", "meeting", "a meeting on"]),
    "section": st.just("meeting"),
    "operation": st.sampled_from(["append", "prepend", "replace", "replace_section", "find_replace"]),
    "observation": st.sampled_from(["new fact", f"see [[{SHARED}]]"]),
    "category": st.sampled_from(["tastes", SHARED]),
    "digest": st.just("one line"),
    "reason": st.just("over"),
    "replacement": st.just("what is true now"),
    "max_per_source": st.just(50),
    "notes": st.just([{"title": "new", "content": "text"}]),
}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from([*sorted(TOOLS), "resource"]))
    if name == "resource":
        return name, {"ref": draw(VALUES["ref"])}
    schema = TOOLS[name].takes.listed()
    optional = [item for item in schema.get("properties", {}) if item not in schema.get("required", [])]
    chosen = [
        *schema.get("required", []),
        *draw(st.lists(st.sampled_from(optional), unique=True) if optional else st.just([])),
    ]
    return name, {item: draw(VALUES[item]) for item in chosen}


def test_every_argument_of_every_tool_is_tried() -> None:
    taken = {name for tool in TOOLS.values() for name in tool.takes.names()}
    assert taken <= set(VALUES)


def test_the_words_are_there_for_who_may_read_them(house: tuple[Application, Actor]) -> None:
    """Or the property above would prove nothing."""
    memory, owner = house
    found = memory.retrieval.search(actor=owner, query="likes tea", vault=[OPEN.slug, OTHER.slug, PROTECTED.slug])
    said = json.dumps(found.as_dict())
    assert all(vault.body in said for vault in (OTHER, PROTECTED))


@pytest.mark.parametrize("who", ["bound", "bound, reading", "on a cloud route", "of another user"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(asked=st.lists(calls(), min_size=1, max_size=8))
def test_nothing_of_another_vault_comes_back(
    house: tuple[Application, Actor], who: str, asked: list[tuple[str, dict[str, Any]]]
) -> None:
    memory, owner = house
    actor, forbidden = callers(memory, owner)[who]
    caller = Caller(can_write=actor.can_write, every_tool=True, actor_in=lambda _memory: actor)
    server = build_server(lambda: memory, lambda _context: caller, answer_tokens=4000)

    async def answers() -> list[str]:
        given_back = []
        async with Client(server) as client:
            for tool, arguments in asked:
                try:
                    if tool == "resource":
                        answer: Any = await client.read_resource(f"souvenance://note/{arguments['ref']}")
                    else:
                        answer = await client.call_tool(tool, arguments)
                    given_back.append(answer.model_dump_json())
                except MCPError as error:
                    given_back.append(f"{error.error.message}" + ("" if tool == "resource" else f"{error.error.data}"))
            given_back.append((await client.list_resources()).model_dump_json())
        return given_back

    received = anyio.run(answers)
    for (tool, arguments), answer in zip([*asked, ("list_resources", {})], received, strict=True):
        sent = json.dumps(arguments)
        for vault in forbidden:
            assert vault.body not in answer, (tool, arguments)
            assert vault.name not in answer or vault.name in sent, (tool, arguments)
