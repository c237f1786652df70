"""The notes pages without a script, and as those see them who may only read (N5, N8, A1)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.memory.remember import Observation
from souvenance.serving.app import build_app
from souvenance.settings import Settings
from souvenance.wiring import open_application

HOME = "http://127.0.0.1:8765"
PARTIAL = {"hx-request": "true"}
PASSWORD = "correct horse battery"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", embedder="none")


@pytest.fixture
def memory(settings: Settings) -> Iterator[Application]:
    opened = open_application(settings)
    opened.vaults.create(actor=opened.owner_through(Source.PANEL), name="Home")
    yield opened
    opened.close()


@pytest.fixture
def me(memory: Application) -> Actor:
    return memory.owner_through(Source.PANEL)


@pytest.fixture
def page(memory: Application, settings: Settings, me: Actor) -> Iterator[TestClient]:
    app = build_app(memory, settings, local_token="local-secret")
    with TestClient(app, base_url=HOME, client=("127.0.0.1", 5), follow_redirects=False) as opened:
        opened.get(f"/enter/{memory.entry.make_link(actor=me)}")
        yield opened


def proof(page: TestClient) -> dict[str, str]:
    found = re.search(r'"x-csrf": "([0-9a-f]{64})"', page.get("/notes").text)
    assert found
    return {"csrf": found[1]}


def test_n5_without_a_script_a_note_is_written_saved_and_a_stale_text_kept(
    page: TestClient, memory: Application, me: Actor
) -> None:
    form = proof(page)
    made = page.post("/notes/new", data=form | {"vault": "home", "title": "Plan", "folder": "", "content": "one"})
    assert made.status_code == 303
    address = made.headers["location"]
    ref = address.rpartition("/")[2]
    again = page.post("/notes/new", data=form | {"vault": "home", "title": "plan", "content": "my words"})
    assert again.status_code == 409
    assert "my words</textarea>" in again.text
    saved = page.post(f"{address}/edit", data=form | {"version": "1", "content": "two\r\nlines"})
    assert (saved.status_code, saved.headers["location"]) == (303, address)
    assert memory.notes.get(actor=me, ref=ref).note.content == "two\nlines"
    stale = page.post(f"{address}/edit", data=form | {"version": "1", "content": "my late words"})
    assert stale.status_code == 409
    assert "my late words</textarea>" in stale.text
    assert memory.notes.get(actor=me, ref=ref).note.content == "two\nlines"
    assert page.post(f"{address}/edit", data=form | {"content": "no version"}).status_code == 409


def test_n5_a_text_without_a_version_or_with_a_senseless_one_overwrites_nothing(
    page: TestClient, memory: Application, me: Actor
) -> None:
    note = memory.notes.create(actor=me, vault="home", title="Plan", content="one")
    form = proof(page)
    for version in ("", "0", "-3", "1e9", "x", "99999999999999999999"):
        answer = page.post(f"/n/{note.id}/edit", data=form | {"version": version, "content": "overwritten"})
        assert answer.status_code in {409, 422}, version
    assert memory.notes.get(actor=me, ref=note.id).note.content == "one"


def test_n8_each_kind_of_note_has_its_address(page: TestClient, memory: Application, me: Actor) -> None:
    note = memory.notes.create(actor=me, vault="home", title="Plan", content="one")
    (kept,) = memory.facts.remember(actor=me, vault="home", observations=[Observation(content="kept")])
    assert page.get(f"/m/{note.id}").headers["location"] == f"/n/{note.id}"
    assert page.get(f"/n/{kept.fact.note_id}").headers["location"] == f"/m/{kept.fact.note_id}"
    for place in ("/n/nowhere", "/m/0123456789ab", "/n/nowhere/edit", "/n/nowhere/history", "/notes?vault=nowhere"):
        assert page.get(place).status_code == 404, place


def test_f8_a_secret_is_kept_and_warned_about(page: TestClient, memory: Application) -> None:
    token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    made = page.post("/notes/new", data=proof(page) | {"vault": "home", "title": "Keys", "content": f"mine: {token}"})
    shown = page.get(made.headers["location"]).text
    assert "It seems to hold a secret" in shown
    plain = page.post("/notes/new", data=proof(page) | {"vault": "home", "title": "Plain", "content": "words"})
    assert "secret" not in page.get(plain.headers["location"] + "?warned=a+lie").text


def test_a1_a_member_who_may_not_configure_reads_and_changes_nothing(
    page: TestClient, memory: Application, me: Actor, settings: Settings
) -> None:
    team = memory.teams.create(actor=me, name="House")
    memory.teams.move_vault(actor=me, vault="home", team=team.id)
    _, secret = memory.invitations.invite(actor=me, team=team.id)
    guest = memory.invitations.accept(secret, handle="guest", display_name="Guest", password=PASSWORD, user_agent="")
    note = memory.notes.create(actor=me, vault="home", title="Plan", content="one")
    gone = memory.notes.create(actor=me, vault="home", title="Gone", content="x")
    memory.notes.delete(actor=me, ref=gone.id)
    page.cookies.clear()
    page.cookies.set("souvenance_session", guest.secret)
    shown = page.get(f"/n/{note.id}").text
    assert "one" in shown
    assert "/edit" not in shown
    assert "/delete" not in shown
    assert '<option value="home"' not in page.get("/notes/new").text
    assert "Purge" not in page.get("/notes/trash").text
    assert page.get(f"/n/{note.id}/edit").headers["location"] == f"/n/{note.id}"
    form = proof(page)
    deeds = {
        "rename": {"title": "Mine"}, "move": {"folder": "x"}, "digest": {"digest": "x"}, "mute": {"muted": "yes"},
        "disable": {"disabled": "yes"}, "delete": {}, "edit": {"version": "1", "content": "mine"},
        "undo/rename?value=Mine": {},
    }  # fmt: skip
    for deed, values in deeds.items():
        answer = page.post(f"/n/{note.id}/{deed}", data=form | values, headers=PARTIAL)
        assert answer.status_code == 403, deed
    change = memory.history.of_note(actor=me, ref=note.id)[0].change_id
    assert page.post(f"/n/{note.id}/history/{change}/restore", data=form, headers=PARTIAL).status_code == 403
    for deed in ("restore", "purge"):
        assert page.post(f"/n/{gone.id}/{deed}", data=form, headers=PARTIAL).status_code == 403
        assert page.post(f"/notes/trash/{gone.id}/{deed}", data=form, headers=PARTIAL).status_code == 403
    made = page.post("/notes/new", data=form | {"vault": "home", "title": "New", "content": "x"}, headers=PARTIAL)
    assert made.status_code == 403
    after = memory.notes.get(actor=me, ref=note.id).note
    assert (after.title, after.content, after.version) == ("Plan", "one", 1)


def test_v8_every_deed_needs_the_proof_of_our_page(page: TestClient, memory: Application, me: Actor) -> None:
    note = memory.notes.create(actor=me, vault="home", title="Plan", content="one")
    for deed in ("rename", "move", "delete", "edit", "mute", "disable", "pin", "undo/rename?value=x", "purge"):
        assert page.post(f"/n/{note.id}/{deed}", data={"title": "x"}).status_code == 401, deed
    assert page.post("/notes/history/revert", data={"who": "agent:x"}).status_code == 401
    assert memory.notes.get(actor=me, ref=note.id).note.version == 1


def test_n1_a_long_note_is_read_in_parts_and_a_broken_address_shows_something(
    page: TestClient, memory: Application, me: Actor
) -> None:
    text = "".join(f"line {n} of a long text\n\n" for n in range(6_000))
    note = memory.notes.create(actor=me, vault="home", title="Long", content=text)
    first = page.get(f"/n/{note.id}").text
    assert "line 0 of" in first
    assert "line 5999 of" not in first
    assert "line 5999 of" in page.get(f"/n/{note.id}?part=3").text
    assert "line 5999 of" in page.get(f"/n/{note.id}?part=999").text
    assert "line 0 of" in page.get(f"/n/{note.id}?part=-1").text
    for place in (
        "/notes/feed?from=99999",
        "/notes/branch?vault=home&folder=../x",
        "/notes/tree?open=%00&open=home/x/y",
    ):
        assert page.get(place, headers=PARTIAL).status_code in {200, 422}, place


def test_n9_a_review_refuses_what_is_no_date_and_no_name(page: TestClient, memory: Application, me: Actor) -> None:
    model = memory.owner_through(Source.AGENT, route=Route.LOCAL, is_model=True, name="Claude")
    memory.notes.create(actor=model, vault="home", title="Theirs", content="x")
    assert page.get("/notes/history?who=agent:Claude&since=yesterday").status_code == 422
    assert page.get("/notes/history?who=agent:Nobody").status_code == 404
    for who in ("", "token:x", "user:1", "agent:"):
        answer = page.post("/notes/history/revert", data=proof(page) | {"who": who}, headers=PARTIAL)
        assert answer.status_code == 422, who
    assert len(memory.notes.list(actor=me)) == 1
    done = page.post("/notes/history/revert", data=proof(page) | {"who": "agent:Claude"}, headers=PARTIAL)
    assert done.status_code == 200
    assert memory.notes.list(actor=me) == []


def test_n9_a_change_of_many_things_is_shown_in_part_and_counted(page: TestClient, memory: Application) -> None:
    model = memory.owner_through(Source.AGENT, route=Route.LOCAL, is_model=True, name="Claude")
    said = [Observation(content=f"The harp has string {number}.") for number in range(70)]
    memory.facts.remember(actor=model, vault="home", observations=said)
    shown = page.get("/notes/history?who=agent:Claude").text
    assert 1 <= shown.count("The harp has string") <= 50
    assert re.search(r"and 2\d more", shown)
