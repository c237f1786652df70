"""A program's day over REST, and every refusal it can meet."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.vault import Protection
from souvenance.interfaces.rest.caller import PUBLIC
from souvenance.serving.app import build_app
from souvenance.settings import Settings

CANARY = "zanzibarine"


def test_facts_are_remembered_found_edited_retired_and_restored(ask: Any) -> None:
    assert ask("POST", "/vaults", {"name": "Lyre"}).json()["attention"] == 100
    kept = ask("POST", "/vaults/lyre/facts", {"observations": [{"content": "Tuned to A"}, {"content": "Tuned to A"}]})
    assert [item["outcome"] for item in kept.json()["remembered"]] == ["created", "skipped"]
    number = kept.json()["remembered"][0]["number"]
    assert [hit["number"] for hit in ask("POST", "/search", {"query": "tuned"}).json()["hits"]] == [number]
    assert "Tuned to A" in ask("POST", "/recall", {"topic": "tuned"}).json()["text"]

    edited = ask("PATCH", f"/facts/{number}", {"version": 1, "content": "Tuned to B"}).json()
    assert (edited["content"], edited["version"], edited["vault"]) == ("Tuned to B", 2, "lyre")
    stale = ask("PATCH", f"/facts/{number}", {"version": 1, "content": "Tuned to C"})
    assert (stale.status_code, stale.json()["code"]) == (409, "stale_version")
    retired = ask(
        "POST", f"/facts/{number}/retire", {"version": 2, "reason": "new strings", "replacement": "Tuned to D"}
    )
    assert retired.json()["retired"]["state"] == "retired"
    assert retired.json()["replacement"]["content"] == "Tuned to D"
    assert ask("POST", f"/facts/{number}/restore").json()["state"] == "in_force"
    assert ask("DELETE", f"/facts/{number}").json()["state"] == "trashed"
    assert [item["operation"] for item in ask("GET", f"/facts/{number}/history").json()["revisions"]][-1] == "remember"
    assert ask("POST", f"/facts/{number}/purge").status_code == 204
    assert ask("GET", f"/facts/{number}").status_code == 404


def test_n5_notes_are_written_edited_arranged_and_restored(ask: Any) -> None:
    ask("POST", "/vaults", {"name": "Lyre"})
    note = ask("POST", "/notes", {"vault": "lyre", "title": "Strings", "content": "gut"}).json()
    again = ask("POST", "/notes", {"vault": "lyre", "title": "strings", "content": "steel"})
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    path = f"/notes/{note['note']}"
    edited = ask("POST", f"{path}/edit", {"operation": "append", "content": "nylon", "version": 1}).json()
    assert edited["version"] == 2
    stale = ask("POST", f"{path}/edit", {"operation": "append", "content": "x", "version": 1})
    assert stale.json()["code"] == "stale_version"
    assert ask("POST", f"{path}/move", {"folder": "parts"}).json()["path"] == "parts/Strings"
    assert ask("POST", "/notes/find", {"ref": "lyre:parts/Strings"}).json()["note"] == note["note"]
    assert ask("GET", path).json()["content"].split() == ["gut", "nylon"]
    first = ask("GET", f"{path}/history").json()["revisions"][-1]["change"]
    assert ask("GET", f"{path}/history/{first}").json()["text"] == "gut"
    assert ask("DELETE", path).status_code == 200
    assert ask("GET", "/notes?vault=lyre").json()["notes"] == []
    assert ask("POST", f"{path}/restore").status_code == 200
    assert ask("PUT", f"/context/pins/{note['note']}").json()["pins"][0]["title"] == "Strings"
    assert "nylon" in ask("POST", "/context/start", {}).json()["text"]


def test_lists_are_paged_and_say_whether_there_is_more(ask: Any) -> None:
    ask("POST", "/vaults", {"name": "Lyre"})
    ask("POST", "/vaults/lyre/facts", {"observations": [{"content": f"fact {i}"} for i in range(5)]})
    seen = []
    for offset in (0, 2, 4):
        found = ask("GET", f"/vaults/lyre/facts?limit=2&offset={offset}").json()
        seen += [fact["content"] for fact in found["facts"]]
        assert found["more"] is (offset < 4)
    assert sorted(seen) == [f"fact {i}" for i in range(5)]


def test_v8_a_protected_vault_is_withheld_from_a_cloud_token(
    ask: Any, token: Any, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Health", protection=Protection.MAXIMUM)
    local, cloud = token("near"), token("far", route=Route.CLOUD)
    kept = ask("POST", "/vaults/health/facts", {"observations": [{"content": CANARY}]}, by=local).json()["remembered"]
    for path in ("/vaults/health", "/vaults/health/facts", f"/facts/{kept[0]['number']}", f"/notes/{kept[0]['note']}"):
        assert ask("GET", path, by=local).status_code == 200
        refused = ask("GET", path, by=cloud)
        assert (refused.status_code, refused.json()["code"]) == (403, "withheld")
        assert CANARY not in refused.text
    assert ask("GET", "/vaults", by=cloud).json() == {"vaults": [], "withheld": 1}
    assert ask("POST", "/search", {"query": CANARY}, by=cloud).json()["hits"] == []
    declared = ask("GET", "/vaults", by=cloud, headers={"X-Souvenance-Route": "local"})
    assert (declared.status_code, declared.json()["code"]) == (403, "not_allowed")
    unknown = ask("GET", "/vaults", by=local, headers={"X-Souvenance-Route": "moon"})
    assert (unknown.status_code, unknown.json()["code"]) == (422, "invalid_input")


@pytest.mark.parametrize(
    "body",
    [
        {"content": 5},
        {"content": "a", "unknown": 1},
        {"content": "a\x00b"},
        {"content": ""},
        {"content": "a", "importance": True},
        {"content": "a", "confidence": 2},
        {"content": "a", "confidence": "1"},
        {},
        [],
        {"content": "x" * 70_000},
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_written(ask: Any, body: Any) -> None:
    refused = ask("POST", "/facts/about-user", body)
    assert refused.status_code in {413, 422}
    assert set(refused.json()) == {"code", "message", "hint", "details"}
    assert refused.json()["hint"]
    assert ask("GET", "/vaults").json()["vaults"] == []


def test_bodies_that_are_no_json_and_texts_that_are_no_unicode(ask: Any, client: TestClient) -> None:
    def sent(content: bytes, kind: str = "application/json") -> tuple[int, str]:
        found = ask("POST", "/facts/about-user", content=content, headers={"Content-Type": kind})
        return found.status_code, found.json()["code"]

    assert sent(b'{"content": "\\ud800"}') == (422, "invalid_input")
    assert sent(b'{"content": ') == (400, "malformed")
    assert sent(b'{"content": "\xff"}') == (400, "malformed")
    assert sent(b"[" * 100_000) == (400, "malformed")
    assert sent(b"content=a", "application/x-www-form-urlencoded") == (415, "unsupported_media_type")
    assert sent(b'{"content": "' + b"x" * (20 * 2**20) + b'"}') == (413, "too_large")

    def chunks() -> Any:
        for _ in range(20):
            yield b"x" * 2**20

    streamed = client.post(
        "/api/v1/facts/about-user", content=chunks(), headers={"Authorization": "Bearer no", "Content-Type": "a/b"}
    )
    assert streamed.status_code == 401


def test_paths_that_would_leave_their_vault(ask: Any) -> None:
    ask("POST", "/vaults", {"name": "Lyre"})
    for folder in ("../x", "/etc", "a/../../b", "C:\\x"):
        refused = ask("POST", "/notes", {"vault": "lyre", "title": "t", "content": "c", "folder": folder})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
    assert ask("GET", "/vaults/..%2F..%2Fetc").status_code == 404
    assert ask("GET", "/vaults/a%00b").status_code in {404, 422}
    assert ask("GET", "/facts/99999999999999999999").status_code == 422
    assert ask("GET", "/vaults?limt=3").json()["code"] == "invalid_input"
    assert ask("GET", "/nowhere").json()["code"] == "not_found"
    assert ask("PUT", "/vaults").json()["code"] == "method_not_allowed"


def test_r6_metrics_and_logs_hold_no_content(
    ask: Any, client: TestClient, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("DEBUG")
    secret = ask("POST", "/vaults", {"name": "Lyre", "description": CANARY})
    assert secret.status_code == 201
    ask("POST", "/vaults/lyre/facts", {"observations": [{"content": CANARY, "category": CANARY}]})
    ask("POST", "/notes", {"vault": "lyre", "title": CANARY, "content": CANARY})
    ask("POST", "/search", {"query": CANARY})
    ask("GET", f"/vaults/{CANARY}")
    ask("GET", f"/{CANARY}?{CANARY}={CANARY}")
    ask("POST", "/facts/about-user", {"content": 1, CANARY: CANARY})
    shown = client.get("/metrics").text
    assert 'souvenance_requests_total{method="POST",route="/api/v1/search",status="200"} 1.0' in shown
    assert "souvenance_facts 1.0" in shown
    assert 'souvenance_retrieval_seconds_count{matcher="words",verb="search"} 1.0' in shown
    assert CANARY not in shown + client.get("/ready").text
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith("httpx")]  # the client's own
    assert [said for said in ours if CANARY in said] == []
    captured = capsys.readouterr()
    assert CANARY not in captured.out + captured.err


def test_other_hosts_and_origins_are_refused(client: TestClient) -> None:
    for header, value, code in (
        ("Host", "evil.example", "wrong_host"),
        ("Origin", "http://evil.example", "wrong_origin"),
        ("Origin", "null", "wrong_origin"),
        ("Origin", "http://localhost:3000", "wrong_origin"),
    ):
        for path in ("/health", "/api/v1/vaults", "/mcp"):
            assert client.get(path, headers={header: value}).json()["code"] == code
    assert client.get("/health", headers={"Origin": "http://127.0.0.1:8765"}).status_code == 200
    assert client.get("/ready").json()["ready"] is True


def test_the_document_describes_every_route(client: TestClient) -> None:
    document = client.get("/api/v1/openapi.json").json()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            where = f"{method} {path}"
            assert operation["summary"], where
            assert operation["description"], where
            assert {"401", "403", "404", "409", "413", "422", "503"} <= set(operation["responses"]), where
            assert ("security" in operation) is ((method.upper(), path) not in PUBLIC), where
    assert "HTTPValidationError" not in json.dumps(document)


def test_a2_a_path_that_ends_like_the_description_asks_for_a_token(ask: Any, client: TestClient) -> None:
    assert client.get("/api/v1/openapi.json").status_code == 200
    for method, path, body in (
        ("GET", "/vaults/openapi.json", None),
        ("PUT", "/context/places/openapi.json", {"notes": []}),
        ("GET", "/openapi.json/openapi.json", None),
    ):
        assert ask(method, path, body, by=None).status_code == 401, path


def test_r6_metrics_ask_for_a_token_behind_a_proxy(
    memory: Application, settings: Settings, token: Callable[..., str]
) -> None:
    served = build_app(
        memory, settings.model_copy(update={"allowed_hosts": "memory.example.org"}), local_token="x" * 40
    )
    bearer = {"Authorization": f"Bearer {token('scraper')}"}
    with TestClient(served, base_url="http://127.0.0.1:8765", client=("127.0.0.1", 5)) as client:
        assert client.get("/metrics").status_code == 200
        for headers in ({"Host": "memory.example.org"}, {"X-Forwarded-For": "203.0.113.9"}, {"Via": "1.1 proxy"}):
            assert client.get("/metrics", headers=headers).status_code == 401, headers
            assert client.get("/metrics", headers=headers | bearer).status_code == 200
            assert client.get("/health", headers=headers).status_code == 200
