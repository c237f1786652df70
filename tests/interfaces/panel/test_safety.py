"""What keeps others' pages, and what is written in a memory, from acting through the panel."""

import re

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.interfaces.panel.render import preferred
from souvenance.interfaces.panel.ways import own_address

HTML = {"accept": "text/html"}


def _proof(client: TestClient) -> str:
    found = re.search(r'"x-csrf": "([0-9a-f]{64})"', client.get("/vaults").text)
    assert found
    return found[1]


def test_a_page_is_not_shown_to_a_stranger_and_is_returned_to_after_signing_in(stranger: TestClient) -> None:
    answer = stranger.get("/vaults?x=1", headers=HTML)
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=/vaults%3Fx%3D1")
    assert stranger.get("/login", headers=HTML).status_code == 200


def test_a_script_of_an_expired_session_is_told_so_and_the_page_stays(stranger: TestClient) -> None:
    answer = stranger.post("/vaults/all", headers={"hx-request": "true"})
    assert answer.status_code == 401
    assert "no longer signed in" in answer.text
    assert "<html" not in answer.text


def test_a2_a_link_lets_in_once(stranger: TestClient, memory: Application) -> None:
    link = memory.entry.make_link(actor=memory.owner_through(Source.COMMAND_LINE))
    assert stranger.get(f"/enter/{link}").status_code == 303
    stranger.cookies.clear()
    again = stranger.get(f"/enter/{link}", headers=HTML)
    assert again.status_code == 401
    assert "used already" in again.text


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(stranger: TestClient, memory: Application) -> None:
    link = memory.entry.make_link(actor=memory.owner_through(Source.COMMAND_LINE))
    cookie = stranger.get(f"/enter/{link}").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


@pytest.mark.parametrize("address", ["/vaults", "/login", "/nowhere-at-all", "/join/si_unknown"])
def test_every_page_goes_out_with_the_strictest_policy(owner: TestClient, address: str) -> None:
    headers = owner.get(address, headers=HTML).headers
    policy = headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert "no-store" in headers["cache-control"]


def test_a_deed_without_the_proof_of_our_page_does_nothing(owner: TestClient, memory: Application) -> None:
    actor = memory.owner_through(Source.COMMAND_LINE)
    memory.vaults.create(actor=actor, name="Voyages")
    for headers in ({}, {b"x-csrf": b"0" * 64}, {b"x-csrf": b"\xe9"}):
        assert owner.post("/vaults/voyages/attention", data={"weight": "0"}, headers=headers).status_code == 401
    assert memory.vaults.get(actor=actor, vault="voyages").attention == 100
    done = owner.post("/vaults/voyages/attention", data={"weight": "0"}, headers={"x-csrf": _proof(owner)})
    assert done.status_code == 200
    assert memory.vaults.get(actor=actor, vault="voyages").attention == 0


def test_a_page_of_another_site_is_refused_whatever_it_sends(owner: TestClient) -> None:
    proof = _proof(owner)
    answer = owner.post("/vaults/all", headers={"x-csrf": proof, "origin": "https://elsewhere.example"})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "given", ["//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example", "javascript:x", "", "/a\nb"]
)
def test_after_signing_in_one_stays_on_this_server(given: str) -> None:
    assert own_address(given) == "/"
    assert own_address("/memory/voyages?q=tram#fact-3") == "/memory/voyages?q=tram#fact-3"


@pytest.mark.parametrize(
    ("wish", "given"),
    [
        ("fr-FR,fr;q=0.9,en;q=0.8", "fr"),
        ("de-DE,de;q=0.9,fr;q=0.5,en;q=0.4", "fr"),
        ("en;q=0.1,fr;q=0.2", "fr"),
        ("de", "en"),
        ("", "en"),
        ("fr;q=zero", "en"),
        ("fr;q=0", "en"),
    ],
)
def test_r5_the_browser_says_which_language(wish: str, given: str) -> None:
    assert preferred(wish) == given


def test_what_is_written_is_shown_and_never_acts(owner: TestClient, memory: Application) -> None:
    attack = '"><img src=x onerror=alert(1)>'
    memory.vaults.create(actor=memory.owner_through(Source.COMMAND_LINE), name=attack, description=attack)
    text = owner.get("/vaults").text
    assert "<img" not in text
    assert "&lt;img" in text
