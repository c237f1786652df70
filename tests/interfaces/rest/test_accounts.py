"""A1, A2: people who sign in over REST, and what they then may do."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from souvenance.accounts import attempts
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.vault import Protection
from souvenance.serving.app import build_app
from souvenance.settings import Settings

PASSWORD = "a harp has many strings"
HOME = "secret-of-serve-json"
LOCAL = {"X-Souvenance-Route": "local"}


@pytest.fixture
def zoe(ask: Any) -> str:
    """The secret of Zoe's session."""
    assert ask("POST", "/users", {"handle": "zoe", "password": PASSWORD}, by=HOME).status_code == 201
    return str(ask("POST", "/sessions", {"handle": "Zoe", "password": PASSWORD}, by=None).json()["secret"])


def test_a2_a_person_logs_in_and_acts_for_themself(ask: Any, zoe: str) -> None:
    me = ask("GET", "/me", by=zoe).json()
    assert (me["user"], me["token"], me["route"]) == ("zoe", None, "cloud")
    assert ask("GET", "/me", by=zoe, headers=LOCAL).json()["route"] == "local"
    assert [one["slug"] for one in ask("GET", "/vaults", by=zoe).json()["vaults"]] == ["personal"]
    (session,) = ask("GET", "/sessions", by=zoe).json()["sessions"]
    assert session["is_current"] is True
    assert session["user_agent"] == "testclient"
    assert "secret" not in session
    changed = ask("PATCH", "/me", {"display_name": "Zoë", "theme": "dark", "language": "fr"}, by=zoe).json()
    assert (changed["display_name"], changed["theme"], changed["language"]) == ("Zoë", "dark", "fr")
    assert ask("PATCH", "/me", {"theme": "pink"}, by=zoe).status_code == 422
    assert ask("DELETE", f"/sessions/{session['id']}", by=zoe).status_code == 204
    assert ask("GET", "/me", by=zoe).status_code == 401


def test_v8_a_session_over_rest_is_a_cloud_route_unless_it_says_otherwise(
    ask: Any, zoe: str, memory: Application
) -> None:
    person = memory.sessions.authenticate(zoe)[1]
    memory.vaults.create(actor=person, name="Health", protection=Protection.MAXIMUM)
    assert ask("GET", "/vaults/health", by=zoe).json()["code"] == "withheld"
    assert ask("GET", "/vaults/health", by=zoe, headers=LOCAL).status_code == 200


def test_a2_refusals_are_alike_and_then_there_are_too_many(ask: Any, zoe: str) -> None:
    said = [
        ask("POST", "/sessions", {"handle": handle, "password": password}, by=None)
        for handle, password in (("zoe", "wrong"), ("nobody", PASSWORD), ("owner", ""), ("\x00", "\x00"))
    ]
    assert {one.status_code for one in said} == {401}
    assert len({one.text for one in said}) == 1
    for _ in range(attempts.PER_ACCOUNT):
        last = ask("POST", "/sessions", {"handle": "zoe", "password": "wrong"}, by=None)
    assert (last.status_code, last.json()["code"]) == (429, "too_many_attempts")
    assert int(last.headers["retry-after"]) > 0


def test_a2_a_password_is_changed_with_the_old_one(ask: Any, zoe: str) -> None:
    other = ask("POST", "/sessions", {"handle": "zoe", "password": PASSWORD}, by=None).json()["secret"]
    refused = ask("PUT", "/me/password", {"old": "wrong", "new": "another one of some length"}, by=zoe)
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    changed = ask("PUT", "/me/password", {"old": PASSWORD, "new": "another one of some length"}, by=zoe)
    assert changed.json() == {"ended": 1}
    assert ask("GET", "/me", by=other).status_code == 401
    assert ask("GET", "/me", by=zoe).status_code == 200


def test_a1_a_team_is_made_shared_and_left(ask: Any, zoe: str) -> None:
    team = ask("POST", "/teams", {"name": "Harps"}, by=zoe).json()["id"]
    assert ask("POST", "/vaults", {"name": "Harpe", "team": team}, by=zoe).status_code == 201
    invited = ask("POST", f"/teams/{team}/invitations", {}, by=zoe).json()
    look = ask("POST", "/invitations/look", {"secret": invited["secret"]}, by=None).json()
    assert (look["team"], look["made_by"], look["can_configure"]) == ("Harps", "zoe", False)
    account = {"secret": invited["secret"], "handle": "ivan", "password": PASSWORD}
    ivan = ask("POST", "/invitations/accept", account, by=None).json()["secret"]
    assert ask("POST", "/invitations/accept", account | {"handle": "eve"}, by=None).status_code == 404
    assert ask("GET", "/vaults/harpe", by=ivan).json()["can_configure"] is False
    assert ask("PATCH", "/vaults/harpe", {"description": "d"}, by=ivan).json()["code"] == "not_allowed"
    assert ask("PUT", f"/teams/{team}/members/ivan", {"can_configure": True}, by=zoe).status_code == 200
    assert ask("PATCH", "/vaults/harpe", {"description": "d"}, by=ivan).status_code == 200
    assert ask("POST", f"/teams/{team}/leave", by=ivan).status_code == 204
    assert ask("GET", "/vaults/harpe", by=ivan).status_code == 404
    assert ask("POST", f"/teams/{team}/leave", by=zoe).json()["code"] == "conflict"


def test_a2_only_the_owner_handles_users_and_only_on_loopback_makes_links(
    ask: Any, zoe: str, memory: Application, settings: Settings
) -> None:
    for method, path, body in (
        ("GET", "/users", None),
        ("POST", "/users", {"handle": "new"}),
        ("DELETE", "/users/owner", None),
        ("PUT", "/users/owner/password", {"password": PASSWORD}),
        ("POST", "/entry-links", None),
    ):
        assert ask(method, path, body, by=zoe).json()["code"] == "not_allowed"
    path = ask("POST", "/entry-links", by=HOME).json()["path"]
    assert path.startswith("/enter/sl_")
    assert memory.entry.enter(path.removeprefix("/enter/")).user.is_owner
    assert ask("DELETE", "/users/zoe", by=HOME).json()["disabled_at"]
    assert ask("GET", "/me", by=zoe).status_code == 401


def test_a2_a_token_never_signs_anybody_in(ask: Any, token: Any, owner: Actor) -> None:
    for method, path, body in (
        ("POST", "/entry-links", None),
        ("GET", "/sessions", None),
        ("PATCH", "/me", {"theme": "dark"}),
        ("PUT", "/me/password", {"new": PASSWORD}),
        ("POST", "/teams", {"name": "Harps"}),
    ):
        assert ask(method, path, body).json()["code"] == "not_allowed", path


def test_a2_a_session_is_no_key_to_mcp_nor_to_a_page_of_another_origin(client: TestClient, zoe: str, ask: Any) -> None:
    bearer = {"Authorization": f"Bearer {zoe}"}
    sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    assert client.post("/mcp", json=sent, headers=bearer | accept).status_code == 401
    there = {"Origin": "https://evil.example"}
    said = client.post("/api/v1/sessions", json={"handle": "zoe", "password": PASSWORD}, headers=there)
    assert (said.status_code, said.json()["code"]) == (403, "wrong_origin")


def test_a2_a_hostile_text_as_handle_password_or_name_is_kept_or_refused_and_never_a_fault(ask: Any) -> None:
    texts = ["", "\x00", "x" * 5000, "🎻" * 20, "\u202eevil", "<script>alert(1)</script>", "' OR 1=1 --", "ليلى"]
    for text in texts:
        for path, body in (
            ("/users", {"handle": text, "password": PASSWORD}),
            ("/users", {"handle": f"u{texts.index(text)}", "password": text}),
            ("/users", {"handle": f"v{texts.index(text)}", "display_name": text}),
            ("/sessions", {"handle": text, "password": text}),
            ("/teams", {"name": text}),
            ("/invitations/look", {"secret": text}),
        ):
            found = ask("POST", path, body, by=HOME)
            assert found.status_code in {201, 401, 404, 422, 429}, (path, text, found.text)


def test_a2_behind_a_proxy_no_link_lets_anybody_in(memory: Application, settings: Settings) -> None:
    from souvenance.wiring import open_application

    behind = settings.model_copy(update={"allowed_hosts": "memory.example"})
    other = open_application(behind)
    try:
        with TestClient(
            build_app(other, behind, local_token=HOME), base_url="http://127.0.0.1:8765", client=("127.0.0.1", 5)
        ) as asked:
            said = asked.post("/api/v1/entry-links", headers={"Authorization": f"Bearer {HOME}"})
        assert (said.status_code, said.json()["code"]) == (403, "not_allowed")
    finally:
        other.close()
