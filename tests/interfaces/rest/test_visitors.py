"""Every route with every kind of visitor: let in, or refused in the right words."""

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.person import EnteredBy
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from souvenance.store import people

PEOPLES = ("/users", "/sessions", "/teams", "/invitations", "/entry-links", "/me")
"""What only people do, never a token: but for GET /me, and what takes another secret than a token's."""
OWNERS = ("/tokens", "/audit", "/retrievals", "/endpoints", "/spending", "/vaults/{vault}/folders", *PEOPLES)
PUBLIC = {("POST", "/sessions"), ("POST", "/invitations/look"), ("POST", "/invitations/accept")}
MACHINES = {
    ("POST", "/vaults/{vault}/folders"),
    ("POST", "/vaults/{vault}/folders/census"),
    ("POST", "/entry-links"),
    ("GET", "/users"),
    ("POST", "/users"),
    ("DELETE", "/users/{handle}"),
    ("POST", "/users/{handle}/restore"),
    ("PUT", "/users/{handle}/password"),
}
"""What only the owner of the machine does, whoever configures a vault."""
UNFOUND = {"/facts/{number}/move", "/erasures", "/erasures/preview"}
"""What names a second thing, of another's, which is not found before anything is refused."""
OWN = (
    "/vaults",
    "/vaults/{vault}/attention",
    "/facts/about-user",
    "/scope",
    "/scope/auto",
    "/context",
    "/context/places/{place}",
    "/context/pins/{note}",
    "/conversations",
    "/tokens",
    "/endpoints",
    "/endpoints/uses/{use}",
    "/teams",
    "/me",
    "/me/password",
    "/sessions",
)
"""What everyone does with what is their own, or sees their own way, without configuring any vault."""
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
    "post /sessions": {"handle": "nobody", "password": "not the right one"},
    "patch /me": {"theme": "dark"},
    "put /me/password": {"new": "harps have strings"},
    "post /users": {"handle": "ada", "password": "harps have strings"},
    "put /users/{handle}/password": {"password": "harps have strings"},
    "post /teams": {"name": "New"},
    "patch /teams/{team}": {"name": "Renamed"},
    "put /teams/{team}/members/{handle}": {"can_configure": False},
    "post /teams/{team}/invitations": {},
    "post /invitations/look": {"secret": "si_unknown"},
    "post /invitations/accept": {"secret": "si_unknown", "handle": "ada", "password": "harps have strings"},
    "post /invitations/join": {"secret": "si_unknown"},
}


def person(memory: Application, handle: str) -> Actor:
    """That user, as somebody who is signed in."""
    return memory.sessions.authenticate(signed_in(memory, handle))[1]


def signed_in(memory: Application, handle: str) -> str:
    """The secret of a session of that user."""
    with memory.database.write() as tx:
        user = people.find_user(tx, handle)
        assert user is not None
        return memory.sessions.begin(tx, user, entered_by=EnteredBy.PASSWORD, user_agent="a test").secret


def is_for_people(method: str, pattern: str) -> bool:
    """Whether a route is no token's."""
    return pattern.startswith(OWNERS) and (method, pattern) not in {("GET", "/me"), *PUBLIC}


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
    memory.users.create(actor=owner, handle="member")
    team = memory.teams.create(actor=owner, name="Strings")
    _, invited = memory.invitations.invite(actor=owner, team=team.id)
    memory.invitations.join(invited, actor=person(memory, "member"))
    real |= {"session": 9, "handle": "member", "team": team.id, "invitation": 9}
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
    for method, pattern, path, body in routes:
        if (method, pattern) in PUBLIC:
            assert ask(method, path, body, by=None).status_code == (401 if pattern == "/sessions" else 404)
            continue
        for visitor in (None, "", "sv_wrong", revoked):
            refused = ask(method, path, body, by=visitor)
            assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated"), (method, path)
            assert refused.headers["www-authenticate"].startswith("Bearer")


def test_n11_what_is_the_owners_only_is_no_tokens(ask: Any, routes: Any) -> None:
    for method, pattern, path, body in routes:
        if is_for_people(method, pattern):
            refused = ask(method, path, body)
            assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed"), (method, path)
            at_home = {"X-Souvenance-Route": "local"}
            allowed = ask(method, path, body, by="secret-of-serve-json", headers=at_home)
            assert allowed.status_code in {200, 201, 202, 204, 404, 409}, (method, path, allowed.text)


def test_a3_a_token_that_reads_writes_nothing(ask: Any, routes: Any, token: Any) -> None:
    reader = token("reader", can_write=False)
    for method, pattern, path, body in routes:
        if is_for_people(method, pattern) or (method, pattern) in PUBLIC:
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
        if (method, pattern) in PUBLIC:
            continue
        if is_for_people(method, pattern) or (pattern.startswith("/context/") and method in {"PUT", "DELETE"}):
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


@pytest.fixture
def shared(routes: list[Any], memory: Application, owner: Actor) -> dict[str, str]:
    """Harpe belongs to a team: secrets of who configures it, only reads it, or is not in it, and of their tokens."""
    team = next(one for one in memory.teams.list(actor=owner) if one.name == "Strings")
    memory.teams.move_vault(actor=owner, vault="harpe", team=team.id)
    made = {"reader": signed_in(memory, "member")}
    for handle in ("configurer", "stranger"):
        memory.users.create(actor=owner, handle=handle)
        made[handle] = signed_in(memory, handle)
    _, invited = memory.invitations.invite(actor=owner, team=team.id, can_configure=True)
    memory.invitations.join(invited, actor=person(memory, "configurer"))
    for handle, user in (("reader", "member"), ("configurer", "configurer"), ("stranger", "stranger")):
        for can_write in (True, False):
            name = f"{handle}'s {'write' if can_write else 'read'} token"
            made[name] = memory.tokens.create(
                actor=person(memory, user), name=name, can_write=can_write, route=Route.LOCAL
            )[1]
    return made


LOCAL = {"X-Souvenance-Route": "local"}


@pytest.mark.parametrize("visitor", ["stranger", "stranger's write token", "stranger's read token"])
def test_a1_who_is_not_in_the_team_finds_nothing(ask: Any, routes: Any, shared: dict[str, str], visitor: str) -> None:
    for method, pattern, path, body in routes:
        found = ask(method, path, body, by=shared[visitor], headers=LOCAL)
        where = (visitor, method, path, found.text)
        if (method, pattern) in PUBLIC:
            continue
        if "token" in visitor and is_for_people(method, pattern):
            assert found.status_code in {403, 404}, where
        elif (method, pattern) in MACHINES and "{vault}" not in pattern:
            assert (found.status_code, found.json()["code"]) == (403, "not_allowed"), where
        elif re.search(r"\{(vault|number|note|node|proposal|conversation|team)\}", pattern):
            refusal = (found.status_code, found.json()["code"])
            assert refusal == (404, "not_found") or ("read" in visitor and refusal == (403, "not_allowed")), where
        else:
            assert found.status_code in {200, 201, 204, 403, 404, 409}, where
        assert "strings" not in found.text.lower() or pattern == "/notes/find", where
        assert "gut" not in found.text, where


@pytest.mark.parametrize("visitor", ["reader", "reader's write token", "reader's read token"])
def test_a1_a_member_without_configure_reads_and_changes_nothing(
    ask: Any, routes: Any, shared: dict[str, str], visitor: str, memory: Application, owner: Actor
) -> None:
    before = memory.history.audit(actor=owner, limit=500)
    for method, pattern, path, body in routes:
        found = ask(method, path, body, by=shared[visitor], headers=LOCAL)
        where = (visitor, method, path, found.text)
        if (method, pattern) in PUBLIC or "{conversation}" in pattern:
            assert found.status_code in {401, 404, 403}, where
        elif ("token" in visitor and is_for_people(method, pattern)) or (method, pattern) in MACHINES:
            assert (found.status_code, found.json()["code"]) == (403, "not_allowed"), where
        elif method == "GET" or pattern in READS_BY_POST - {"/history/revert"}:
            assert found.status_code == (404 if "{folder}" in pattern else 200), where
        elif pattern in OWN and visitor != "reader's read token":
            assert found.status_code in {200, 201, 204, 404}, where
        elif pattern in OWN or re.search(r"/(sessions|tokens|endpoints|folders|invitations)/|/leave", pattern):
            assert found.status_code in {200, 201, 204, 403, 404}, where
        elif pattern == "/history/revert":
            assert found.status_code in {200, 403}, where
            assert not found.json().get("reverted"), where
        elif pattern == "/facts/bulk" and found.status_code == 200:
            assert not found.json()["done"], where
            assert {one["code"] for one in found.json()["refused"]} == {"not_allowed"}, where
        elif pattern in UNFOUND:
            assert (found.status_code, found.json()["code"]) in {(403, "not_allowed"), (404, "not_found")}, where
        else:
            assert (found.status_code, found.json().get("code")) == (403, "not_allowed"), where
    after = [one for one in memory.history.audit(actor=owner, limit=500) if one.vault == "harpe"]
    assert after == [one for one in before if one.vault == "harpe"]
    fact = memory.facts.get(actor=owner, number=1)
    assert (fact.content, fact.version) == ("has strings", 1)


@pytest.mark.parametrize("visitor", ["configurer", "configurer's write token"])
def test_a1_who_configures_does_it_all(ask: Any, routes: Any, shared: dict[str, str], visitor: str) -> None:
    for method, pattern, path, body in routes:
        found = ask(method, path, body, by=shared[visitor], headers=LOCAL)
        where = (visitor, method, path, found.text)
        if ("token" in visitor and is_for_people(method, pattern)) or (method, pattern) in MACHINES:
            assert found.status_code in {403, 404}, where
        elif (method, pattern) not in PUBLIC:
            assert found.status_code not in {401, 403}, where
            assert found.status_code < 500, where


def test_a1_a_read_token_of_who_configures_changes_nothing(ask: Any, routes: Any, shared: dict[str, str]) -> None:
    for method, pattern, path, body in routes:
        found = ask(method, path, body, by=shared["configurer's read token"], headers=LOCAL)
        if (method, pattern) in PUBLIC or "{conversation}" in pattern:
            continue
        if method == "POST" and pattern in UNFOUND:
            assert found.status_code in {403, 404}, (method, path, found.text)
        elif is_for_people(method, pattern) or not (method == "GET" or pattern in READS_BY_POST - {"/history/revert"}):
            assert (found.status_code, found.json()["code"]) == (403, "not_allowed"), (method, path, found.text)
        else:
            assert found.status_code == 200, (method, path, found.text)


def test_a1_who_leaves_the_team_sees_its_vault_no_more(
    ask: Any, routes: Any, shared: dict[str, str], memory: Application, owner: Actor
) -> None:
    assert ask("GET", "/vaults/harpe", by=shared["reader"]).status_code == 200
    team = next(one for one in memory.teams.list(actor=owner) if one.name == "Strings")
    memory.teams.remove_member(actor=owner, team=team.id, member="member")
    for visitor in ("reader", "reader's write token"):
        assert ask("GET", "/vaults/harpe", by=shared[visitor], headers=LOCAL).status_code == 404
