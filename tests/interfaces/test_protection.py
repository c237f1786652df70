"""Nothing of a protected vault goes over a cloud route, by any path (V8).

Run as a program, it prints the table of paths: `python tests/interfaces/test_protection.py`.
"""

import asyncio
import itertools
import json
import re
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from starlette.testclient import TestClient

from embedders import NgramEmbedder
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import NotAllowed, SouvenanceError
from souvenance.domain.protection import withheld_sentence
from souvenance.domain.vault import Protection
from souvenance.exchange import auto_scope
from souvenance.exchange.events import Event
from souvenance.interfaces.mcp.server import Caller, build_server
from souvenance.interfaces.mcp.tools import TOOLS
from souvenance.interfaces.rest.api import build_api
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.vaults.protection import protection_of, require_as_protected
from souvenance.wiring import open_application

CANARY = "zyxwvut"
"""In every text of the protected vault: its description, facts, keys, categories, digests, notes, titles, folders."""
NAME = "Samarkand"
"""The protected vault's name, which must not be said either."""

Path_ = tuple[str, str, str]
"""What reads, what was asked, and all that came back."""


@dataclass
class House:
    """A memory with an open and a protected vault, and an embedder on a cloud route that records what it is given."""

    memory: Application
    owner: Actor
    embedder: NgramEmbedder
    notes: list[str]
    facts: list[int]
    proposals: list[str]
    conversations: list[int] = field(default_factory=list)

    def actors(self) -> dict[str, Actor]:
        token = replace(self.owner, route=Route.CLOUD, token_id=1, source=Source.REST)
        return {
            "token": token,
            "reading token": replace(token, can_write=False),
            "model": replace(token, is_model=True, source=Source.AGENT),
            "owner declared cloud": replace(self.owner, route=Route.CLOUD),
        }


def build(folder: Path) -> House:
    embedder = NgramEmbedder(route=Route.CLOUD)
    memory = open_application(Settings(data=folder), embedder=embedder)
    owner = memory.owner_through(Source.COMMAND_LINE)
    house = House(memory, owner, embedder, [], [], [])
    for name, word, protection in (("Garden", "fern", Protection.NORMAL), (NAME, CANARY, Protection.MAXIMUM)):
        memory.vaults.create(actor=owner, name=name, description=f"about {word}", protection=protection)
        observations = [
            Observation(content=f"{word} likes tea, see [[meeting]]", category=f"tastes of {word}", key=f"{word} tea"),
            Observation(content=f"the orchard of {word}", category="orchard", author=f"Ana {word}", channel=word),
        ]
        kept = memory.facts.remember(actor=owner, vault=name, observations=observations, digest=f"digest {word}")
        note = memory.notes.create(actor=owner, vault=name, title="meeting", content=f"on {word} [[orchard {word}]]")
        other = memory.notes.create(
            actor=owner, vault=name, title=f"orchard {word}", folder=f"f {word}", content=f"# {word}\n\ntea"
        )
        memory.notes.edit(actor=owner, ref=note.id, operation="append", content=f"\nmore {word}")
        memory.facts.edit(actor=owner, number=kept[0].fact.number, content=f"{word} likes green tea")
        memory.facts.retire(actor=owner, number=kept[1].fact.number, version=None, reason=f"because {word}")
        twice = [Observation(content=f"{word} sings at dawn.", category=name) for name in ("birds", "hours")]
        memory.facts.remember(actor=owner, vault=name, observations=twice)
        told = [Observation(content=f"{word} keeps {what}.", importance=9) for what in ("bees", "a boat", "three oaks")]
        memory.facts.remember(actor=owner, vault=name, observations=told)
        memory.passes.run(actor=owner, vault=name, anyway=True)
        proposed = memory.proposals.list(actor=owner, vault=name)
        assert [view.proposal.kind for view in proposed] == ["duplicate", "summary"]
        house.proposals += [view.proposal.id for view in proposed]
        memory.context.pin(actor=owner, ref=note.id)
        memory.context.pin(actor=owner, ref=other.id)
        house.notes += [note.id, other.id, kept[0].fact.note_id]
        house.facts += [item.fact.number for item in kept]
    server = memory.servers.join(actor=owner, guild_id="77", name=f"Server of {CANARY}")
    memory.vaults.change(actor=owner, vault=server.vault, protection=Protection.MAXIMUM)
    memory.notes.delete(actor=owner, ref=house.notes[-2])
    memory.embedding.catch_up()
    memory.attention.solo(actor=owner, vault=NAME)  # the state of the scope is then that vault's name
    memory.attention.all(actor=owner)
    memory.retrieval.search(actor=owner, query="likes tea")
    memory.attention.solo(actor=owner, vault=NAME)
    kept = memory.conversations.start(actor=owner)
    house.conversations.append(kept.id)
    asyncio.run(_said(memory.exchange.answer(actor=owner, question=f"does {CANARY} like tea?", conversation=kept.id)))
    return house


async def _said(events: AsyncGenerator[Event]) -> str:
    return repr([event async for event in events])


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    built = build(tmp_path_factory.mktemp("protection"))
    yield built
    built.memory.close()


QUESTIONS = ["likes tea", "the orchard", "meeting", "what does @samarkand say of tea?", f"que dit {NAME} du thé ?"]


def rest_paths(house: House, actor: Actor) -> Iterator[Path_]:
    """Every route that reads, with every name there is; and every route that writes, refused or harmless."""
    api = build_api(house.memory, lambda _scope: actor)
    client = TestClient(api, raise_server_exceptions=False)
    values: dict[str, list[Any]] = {
        "vault": ["samarkand", "garden", "nowhere", f"server-of-{CANARY}"],
        "number": [*house.facts, 99_999],
        "note": [*house.notes, "0" * 12],
        "id": [*house.notes, "0" * 12],
        "note_id": [*house.notes, "0" * 12],
        "change": [1, 2, 3, 4, 5, 6, 7, 8],
        "change_id": [1, 2, 3, 4, 5, 6, 7, 8],
        "node": [*(f"fact:{number}" for number in house.facts), *(f"note:{one}" for one in house.notes)],
        "token": [1],
        "proposal": [*house.proposals, "0" * 12],
        "conversation": [*house.conversations, 99],
    }
    for path, operations in api.openapi()["paths"].items():
        names = re.findall(r"{(\w+)}", path)
        for method, operation in operations.items():
            for chosen in itertools.product(*(values.get(name, ["1"]) for name in names)):
                target = path.format(**dict(zip(names, chosen, strict=True)))
                shown = f"{method.upper()} {path}"
                if shown == "DELETE /conversations/{conversation}":
                    continue  # it reveals nothing, and what is walked here would be gone
                if method == "get":
                    asked = [{}]
                    parameters = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
                    asked += [{"vault": one} for one in values["vault"] if "vault" in parameters]
                    asked += [{"ref": one} for one in house.notes if "ref" in parameters]
                    asked += [{"since": "2000-01-01T00:00:00Z"}] if "since" in parameters else []
                    asked += [{"query": one} for one in (CANARY, "tea") if "query" in parameters]
                    asked += [{"language": "fr"}] if "language" in parameters else []
                    for query in asked:
                        yield shown, json.dumps([target, query]), client.get(target, params=query).text
                elif path in {"/search", "/recall"}:
                    key = "query" if path == "/search" else "topic"
                    for question in QUESTIONS:
                        for vaults in ({}, {"vaults": ["samarkand"]}, {"vaults": ["garden"]}):
                            body = {key: question} | vaults
                            yield shown, json.dumps([target, body]), client.post(target, json=body).text
                elif path == "/chat":
                    for question in QUESTIONS:
                        for more in ({}, {"vaults": ["samarkand"]}, {"memory": False}, {"stream": True}):
                            body = {"question": question} | more
                            yield shown, json.dumps([target, body]), client.post(target, json=body).text
                else:
                    # A body that no route takes: nothing is written, and the refusal must not tell more.
                    body = {"content": "", "nothing": 1}
                    yield shown, json.dumps([target, body]), client.request(method, target, json=body).text


def mcp_paths(house: House, actor: Actor) -> Iterator[Path_]:
    """Every reading tool and every resource."""
    refs = [*house.notes, "meeting", "samarkand:meeting", "orchard", "[[meeting]]", f"/n/{house.notes[-1]}"]
    asked: list[tuple[str, dict[str, Any]]] = [("start_session", {}), ("list_vaults", {}), ("whoami", {})]
    asked += [("start_session", {"project": "samarkand"}), ("recent_activity", {}), ("list_notes", {})]
    asked += [(tool, {"vault": "samarkand"}) for tool in ("list_notes", "recent_activity")]
    asked += [("get_note", {"ref": ref}) for ref in refs] + [("history", {"ref": ref}) for ref in refs]
    asked += [("history", {"ref": f"#{number}"}) for number in house.facts]
    for question in QUESTIONS:
        for vault in ({}, {"vault": "samarkand"}, {"vault": "@Samarkand"}):
            asked += [("search", {"query": question} | vault), ("recall", {"topic": question, "depth": 3} | vault)]
    asked += [("edit_note", {"ref": ref, "operation": "append", "content": "", "version": "99"}) for ref in refs]
    asked += [("retire_fact", {"number": one, "version": "99", "reason": "x"}) for one in house.facts]
    caller = Caller(can_write=True, every_tool=True, actor_in=lambda _memory: actor)
    server = build_server(lambda: house.memory, lambda _context: caller, answer_tokens=8000)

    async def answers() -> list[Path_]:
        got: list[Path_] = []
        async with Client(server) as client:
            got.append(("mcp list_resources", "", (await client.list_resources()).model_dump_json()))
            for tool, arguments in asked:
                result = await client.call_tool(tool, arguments)
                got.append((f"mcp {tool}", json.dumps(arguments), result.model_dump_json()))
            for ref in house.notes:
                uri = f"souvenance://note/{ref}"
                try:
                    got.append(("mcp read_resource", uri, (await client.read_resource(uri)).model_dump_json()))
                except MCPError as error:
                    got.append(("mcp read_resource", uri, error.error.message))
        return got

    yield from anyio.run(answers)


def library_paths(house: House, actor: Actor) -> Iterator[Path_]:
    """What later interfaces will read: the scope's labels, Auto's list, audits, logs, the review of a writer."""
    memory = house.memory
    for language in ("en", "fr"):
        scope = memory.attention.scope(actor=actor)
        yield "scope labels", language, f"{scope.state(language)} {scope.label(language)} {scope.vaults}"
    with memory.database.read() as tx:
        offered = auto_scope.offer(tx, actor)
        yield "auto's list", "", auto_scope.build_prompt("tea?", offered).user
        everything = auto_scope.offer(tx, house.owner)
        yield "auto's list on a local route", "", auto_scope.build_prompt("tea?", everything).user
    yield "map", "", repr(memory.map.draw(actor=actor))
    for question in QUESTIONS:
        yield "exchange", question, asyncio.run(_said(memory.exchange.answer(actor=actor, question=question)))
    for query in ("", "tea", CANARY):
        yield "conversations", query, repr(memory.conversations.list(actor=actor, query=query))
    if actor.token_id is None:
        for number in house.conversations:
            yield "conversation", "", repr(memory.conversations.get(actor=actor, conversation=number))
    for name, read in (
        ("audit log", lambda: memory.history.audit(actor=actor)),
        ("retrieval log", lambda: memory.retrievals.list(actor=actor)),
        ("blind spots", lambda: memory.retrievals.blind_spots(actor=actor)),
        ("facts of the protected vault", lambda: memory.facts.list(actor=actor, vault="samarkand")),
        ("proposals of the protected vault", lambda: memory.proposals.list(actor=actor, vault="samarkand")),
        ("them at a glance", lambda: memory.facts.glance(actor=actor, vault="samarkand")),
        ("every fact at a glance", lambda: memory.facts.glance(actor=actor, vault=None, query="tea")),
        ("its summary", lambda: memory.facts.summary(actor=actor, vault="samarkand")),
        ("its export", lambda: list(memory.exports.facts(actor=actor, vault="samarkand"))),
        ("its contradictions", lambda: memory.proposals.contradicted(actor=actor, vault="samarkand", numbers=[1])),
        ("a draft of it", lambda: memory.proposals.get(actor=actor, proposal=house.proposals[-1])),
        ("its passes", lambda: memory.passes.status(actor=actor, vault="samarkand")),
        ("recent notes", lambda: memory.notes.recent(actor=actor)),
        ("explorer", lambda: memory.explorer.vaults(actor=actor)),
        ("a branch of it", lambda: memory.explorer.branch(actor=actor, vault="samarkand")),
        ("its folders", lambda: memory.explorer.folders(actor=actor, vault="samarkand")),
        ("activity", lambda: memory.explorer.activity(actor=actor)),
        ("index of agent memory", lambda: memory.explorer.memory(actor=actor)),
        ("a search of documents", lambda: memory.retrieval.search(actor=actor, query="tea", documents=True)),
        ("trash", lambda: memory.notes.list(actor=actor, trashed=True)),
        ("Discord servers", lambda: memory.servers.list(actor=actor)),
    ):
        try:
            yield name, "", repr(read())
        except SouvenanceError as error:
            yield name, "", str(error.as_dict())


def walk(house: House) -> dict[tuple[str, str], tuple[int, list[str]]]:
    """Every path for every caller on a cloud route: how often it was asked, and what of the vault came back."""
    table: dict[tuple[str, str], tuple[int, list[str]]] = {}
    for who, actor in house.actors().items():
        paths = itertools.chain(rest_paths(house, actor), mcp_paths(house, actor), library_paths(house, actor))
        for path, asked, answer in paths:
            count, found = table.get((path, who), (0, []))
            plain = json.dumps(answer).casefold()
            if CANARY in plain or (NAME.casefold() in plain and NAME.casefold() not in asked.casefold()):
                found = [*found, f"{asked} -> {answer[:300]}"]
            table[path, who] = (count + 1, found)
    given = [text for text in house.embedder.calls if CANARY in text or NAME.casefold() in text.casefold()]
    table["embedder", "cloud endpoint"] = (len(house.embedder.calls), given)
    return table


def test_v8_the_canary_is_nowhere(house: House) -> None:
    table = walk(house)
    assert {key: found for key, (_, found) in table.items() if found} == {}
    reached = {path.removeprefix("mcp ") for path, _ in table}
    reading = {name for name, tool in TOOLS.items() if not tool.writes}
    assert reading <= reached
    assert any(path.startswith("GET ") for path in reached)
    assert table["embedder", "cloud endpoint"][0] > 0


def test_v8_the_canary_is_there_on_a_local_route(house: House) -> None:
    """Or the walk above would prove nothing."""
    found = house.memory.retrieval.search(actor=house.owner, query="likes tea")
    assert CANARY in json.dumps(found.as_dict())
    assert CANARY in house.memory.context.start(actor=house.owner).text
    # The protected vault answers alone here, and no cloud embedder is given its texts, nor what is asked of it.
    assert (found.trace.matcher, found.trace.why) == ("words", "words only in 1 protected")
    (turn,) = house.memory.conversations.get(actor=house.owner, conversation=house.conversations[0]).turns
    assert CANARY in turn.question
    assert CANARY in turn.answer
    local = "".join(answer for _, _, answer in mcp_paths(house, replace(house.owner, is_model=True)))
    assert CANARY in local


def test_v8_v12_a_protected_vault_that_is_named_answers_here_and_is_said_to_be_withheld_there(house: House) -> None:
    memory, owner = house.memory, house.owner
    memory.attention.solo(actor=owner, vault="Garden")
    question = "que dit Samarkand du tea ?"
    here = memory.retrieval.search(actor=owner, query=question)
    assert "samarkand" in {hit.vault for hit in here.hits}
    assert "samarkand" not in {hit.vault for hit in memory.retrieval.search(actor=owner, query="likes tea").hits}
    cloud = replace(owner, route=Route.CLOUD)
    there = memory.retrieval.search(actor=cloud, query=question).trace
    assert there.withheld > 0
    nothing_alike = memory.retrieval.search(actor=cloud, query="Samarkand").trace
    assert nothing_alike.named_withheld == 1
    said = withheld_sentence(there.withheld, language="fr")
    assert re.fullmatch(r"\d+ passages? retenus? : coffre protégé", said)
    assert withheld_sentence(0, named=1, language="fr").startswith("le coffre que vous nommez est protégé")
    assert withheld_sentence(0) == ""
    memory.attention.solo(actor=owner, vault=NAME)


def test_v8_what_is_learnt_from_a_protected_vault_goes_only_to_one(house: House) -> None:
    memory, owner = house.memory, house.owner
    ids = {vault.slug: vault.id for vault in memory.vaults.list(actor=owner)}
    with memory.database.read() as tx:
        require_as_protected(tx, learnt_from=[ids["garden"]], into=ids["garden"])
        require_as_protected(tx, learnt_from=[ids["garden"]], into=ids["samarkand"])
        require_as_protected(tx, learnt_from=ids.values(), into=ids["samarkand"])
        for sources in ([ids["samarkand"]], ids.values(), [10**6]):
            with pytest.raises(NotAllowed):
                require_as_protected(tx, learnt_from=list(sources), into=ids["garden"])
        assert protection_of(tx, []) is Protection.NORMAL


if __name__ == "__main__":
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        made = build(Path(folder))
        rows = walk(made)
        made.memory.close()
    print(f"{'path':44} {'caller':24} {'asked':>6}  canary")
    for (name, caller), (times, leaks) in rows.items():
        print(f"{name:44} {caller:24} {times:6}  {'FOUND' if leaks else 'not there'}")
    print(f"{len(rows)} paths in {time.monotonic() - started:.1f} s")
