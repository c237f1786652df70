"""Every route with every kind of visitor: let in, or refused in the right words."""

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation

OWNERS = ("/tokens", "/audit", "/retrievals", "/endpoints", "/spending", "/vaults/{vault}/folders")
READS_BY_POST = {
    "/chat",
    "/search",
    "/recall",
    "/context/start",
    "/notes/find",
    "/history/revert",
    "/vaults/{vault}/given",
}
QUERIES = {"/history/review": "?since=2020-01-01T00:00:00Z&agent=a", "/vaults/{vault}/simulation": "?to=journal"}
BODIES: dict[str, Any] = {
    "post /vaults": {"name": "New"},
    "patch /vaults/{vault}": {"description": "d"},
    "put /vaults/{vault}/attention": {"weight": 50},
    "post /vaults/{vault}/facts": {"observations": [{"content": "c"}]},
    "post /facts/about-user": {"content": "c"},
    "post /facts/about-project": {"content": "c", "project": "harpe"},
    "patch /facts/{number}": {"content": "d"},
    "post /facts/{number}/retire": {"reason": "r"},
    "post /notes": {"vault": "harpe", "title": "t", "content": "c"},
    "post /notes/batch": {"vault": "harpe", "notes": [{"title": "u", "content": "c"}]},
    "post /notes/find": {"ref": "Strings"},
    "post /notes/{note}/edit": {"operation": "append", "content": "c"},
    "post /notes/{note}/move": {"folder": "f"},
    "post /notes/{note}/rename": {"title": "v"},
    "post /notes/{note}/links": {"target": "Other"},
    "put /notes/{note}/digest": {"digest": "d"},
    "put /notes/{note}/muted": {"muted": True},
    "post /search": {"query": "q"},
    "post /recall": {"topic": "q"},
    "post /history/revert": {"agent": "a", "since": "2020-01-01T00:00:00Z"},
    "post /context/start": {},
    "patch /context": {},
    "put /context/places/{place}": {"notes": []},
    "post /tokens": {"name": "n"},
    "post /scope": {"gesture": "all"},
    "put /scope/auto": {"auto": True},
    "put /map/{node}/disabled": {"disabled": False},
    "post /vaults/{vault}/folders": {"path": "."},
    "post /vaults/{vault}/folders/census": {"path": "."},
    "patch /vaults/{vault}/folders/{folder}": {"suspended": True},
    "put /vaults/{vault}/type": {"memory_type": "journal"},
    "patch /vaults/{vault}/settings": {"max_injected": 5},
    "post /vaults/{vault}/given": {"message": "m"},
    "post /vaults/{vault}/passes": {"anyway": True},
    "post /proposals/{proposal}/answer": {"answer": "keep_both"},
    "post /facts/bulk": {"action": "delete", "numbers": [1]},
    "post /facts/{number}/move": {"vault": "lyre"},
    "patch /servers/{vault}": {"listens": False},
    "post /vaults/{vault}/erasure/preview": {},
    "post /vaults/{vault}/erasure": {"confirm": "not its name"},
    "post /erasures/preview": {"member": "281474976710656001"},
    "post /erasures": {"member": "281474976710656001", "confirm": "281474976710656001"},
    "post /chat": {"question": "q"},
    "post /conversations": {},
    "patch /conversations/{conversation}": {"title": "t"},
    "post /conversations/{conversation}/turns/{turn}/undo": {"place": 0},
    "post /endpoints": {"name": "n", "base_url": "http://127.0.0.1:9/v1", "model": "m"},
    "patch /endpoints/{endpoint}": {"model": "m"},
    "put /endpoints/uses/{use}": {"endpoint": None},
}


@pytest.fixture
def routes(client: TestClient, memory: Application, owner: Actor, tmp_path: Path) -> list[tuple[str, str, str, Any]]:
    """Method, pattern, path in the vault Harpe, and body, of every documented route."""
    memory.servers.join(actor=owner, guild_id="81384788765712384", name="Harpe")
    memory.vaults.create(actor=owner, name="Lyre")
    kept = memory.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="has strings")])[0]
    memory.facts.remember(
        actor=owner, vault="harpe", observations=[Observation(content="has strings", category="twice")]
    )
    note = memory.notes.create(actor=owner, vault="harpe", title="Strings", content="gut")
    memory.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.SEMANTIC)
    memory.passes.run(actor=owner, vault="harpe", anyway=True)
    (proposed,) = memory.proposals.list(actor=owner, vault="harpe")
    of_fact = memory.history.of_fact(actor=owner, number=kept.fact.number)[0].change_id
    of_note = memory.history.of_note(actor=owner, ref=note.id)[0].change_id
    real = {"vault": "harpe", "number": kept.fact.number, "note": note.id, "place": "p", "token": 9, "folder": "0" * 12}
    real |= {"node": f"note:{note.id}", "proposal": proposed.proposal.id}
    real |= {"conversation": memory.conversations.start(actor=owner).id, "turn": 1, "endpoint": "none", "use": "auto"}
    watched = tmp_path / "watched"
    watched.mkdir()
    found = []
    for path, operations in client.get("/api/v1/openapi.json").json()["paths"].items():
        for method in operations:
            values = real | {"change": of_note if path.startswith("/notes") else of_fact}
            filled = path.format(**values)
            query = QUERIES.get(path, "")
            body = BODIES.get(f"{method} {path}")
            if body is not None and "path" in body:
                body = body | {"path": str(watched)}
            found.append((method.upper(), path, filled + query, body))
    return found


def test_a3_nobody_gets_in_without_a_token_in_force(
    ask: Any, routes: Any, token: Any, memory: Application, owner: Actor
) -> None:
    revoked = token("revoked")
    memory.tokens.revoke(actor=owner, token=memory.tokens.list(actor=owner)[-1].id)
    assert len(routes) > 45
    for method, _, path, body in routes:
        for visitor in (None, "", "sv_wrong", revoked):
            refused = ask(method, path, body, by=visitor)
            assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated"), (method, path)
            assert refused.headers["www-authenticate"].startswith("Bearer")


def test_n11_what_is_the_owners_only_is_no_tokens(ask: Any, routes: Any) -> None:
    for method, pattern, path, body in routes:
        if pattern.startswith(OWNERS):
            refused = ask(method, path, body)
            assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed"), (method, path)
            at_home = {"X-Souvenance-Route": "local"}
            allowed = ask(method, path, body, by="secret-of-serve-json", headers=at_home)
            assert allowed.status_code in {200, 201, 202, 404}, (method, path, allowed.text)


def test_a3_a_token_that_reads_writes_nothing(ask: Any, routes: Any, token: Any) -> None:
    reader = token("reader", can_write=False)
    for method, pattern, path, body in routes:
        if pattern.startswith(OWNERS):
            continue
        found = ask(method, path, body, by=reader)
        if method == "GET" and "{conversation}" in pattern:
            assert (found.status_code, found.json()["code"]) == (404, "not_found"), (method, path, found.text)
        elif method == "GET" or pattern in READS_BY_POST - {"/history/revert"}:
            assert found.status_code == 200, (method, path, found.text)
        else:
            assert (found.status_code, found.json()["code"]) == (403, "not_allowed"), (method, path, found.text)


def test_a3_a_token_of_another_vault_finds_nothing_and_is_told_nothing(ask: Any, routes: Any, token: Any) -> None:
    other = token("other", vaults=["lyre"])
    for method, pattern, path, body in routes:
        if pattern.startswith(OWNERS) or (pattern.startswith("/context/") and method in {"PUT", "DELETE"}):
            found = ask(method, path, body, by=other)
            assert (found.status_code, found.json()["code"]) == (403, "not_allowed"), (method, path, found.text)
        elif re.search(r"\{(vault|number|note|node|proposal|conversation)\}", pattern):
            found = ask(method, path, body, by=other)
            assert (found.status_code, found.json()["code"]) == (404, "not_found"), (method, path, found.text)
        else:
            found = ask(method, path, body, by=other)
            assert found.status_code in {200, 201, 403, 404}, (method, path, found.text)
        assert "strings" not in found.text.lower() or pattern == "/notes/find"
        assert "gut" not in found.text


def test_no_route_fails_for_a_token_that_may_do_all(ask: Any, routes: Any) -> None:
    for method, _, path, body in routes:
        found = ask(method, path, body)
        assert found.status_code < 500, (method, path, found.text)
