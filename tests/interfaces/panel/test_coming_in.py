"""Who is let in by what: cookies, tokens, links; and what a window is told once its session is over (A2, A3)."""

import html
import json
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from souvenance.accounts.sessions import MOST_SESSIONS
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.errors import NotAuthenticated, TooManyAttempts
from souvenance.domain.person import EnteredBy
from souvenance.interfaces.panel.live import MOST_STREAMS
from souvenance.interfaces.panel.safety import COOKIE
from souvenance.interfaces.panel.streams import Streams
from souvenance.memory.remember import Observation
from souvenance.serving.app import build_app
from souvenance.serving.run import greeting
from souvenance.settings import Settings
from souvenance.store import people
from souvenance.wiring import open_application

PASSWORD = "harps have strings"


@pytest.fixture
def actor(memory: Application) -> Actor:
    return memory.owner_through(Source.COMMAND_LINE)


@pytest.fixture
def elsewhere(settings: Settings) -> Iterator[tuple[TestClient, Application]]:
    """A server behind a proxy with TLS, whose owner has a password."""
    public = settings.model_copy(update={"allowed_hosts": "memory.example"})
    opened = open_application(public)
    opened.users.set_password(actor=opened.owner_through(Source.COMMAND_LINE), handle="owner", password=PASSWORD)
    app = build_app(opened, public, local_token="local-secret")
    with TestClient(app, base_url="https://memory.example", follow_redirects=False) as client:
        yield client, opened
    opened.close()


def test_a3_a_token_is_no_cookie(stranger: TestClient, memory: Application, actor: Actor) -> None:
    _, secret = memory.tokens.create(actor=actor, name="laptop")
    for value in (secret, "local-secret", "si_x", "sl_x", "ss_", "ss_" + "x" * 43, "ss_é"):
        answer = stranger.get("/vaults", headers={b"cookie": f"souvenance_session={value}".encode()})
        assert answer.status_code == 401, value


def test_a3_the_cookie_of_a_session_opens_no_other_interface(owner: TestClient) -> None:
    assert owner.get("/settings").status_code == 200
    assert owner.get("/api/v1/vaults").status_code == 401
    assert owner.post("/mcp", json={}).status_code == 401
    assert owner.get("/v1/models").status_code == 401


def test_a2_over_tls_the_cookie_is_this_hosts_alone(elsewhere: tuple[TestClient, Application]) -> None:
    client, _ = elsewhere
    answer = client.post("/login", data={"handle": "owner", "password": PASSWORD, "next": "//elsewhere.example"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-souvenance_session=ss_")
    assert {"secure", "httponly", "samesite=lax", "path=/"} <= {part.strip() for part in cookie.lower().split(";")}
    assert "max-age=31536000" in answer.headers["strict-transport-security"]
    assert client.get("/settings").status_code == 200
    secret = client.cookies["__Host-souvenance_session"]
    client.cookies.clear()
    planted = client.get("/settings", headers={"cookie": f"souvenance_session={secret}"})
    assert planted.status_code == 401


def test_a2_behind_a_proxy_no_link_lets_in(elsewhere: tuple[TestClient, Application]) -> None:
    client, _ = elsewhere
    answer = client.get("/enter/sl_whatever", headers={"accept": "text/html"})
    assert answer.status_code == 403
    assert "account" in answer.text
    assert "souvenance open" not in client.get("/login").text


def test_a2_the_door_names_the_command_as_the_greeting_does(
    stranger: TestClient, memory: Application, settings: Settings
) -> None:
    greeted = re.search(r"minutes;  (.+ open)  makes another", greeting(memory, settings, "http://127.0.0.1:1"))
    assert greeted
    assert f"--data {settings.data_folder.resolve()}" in greeted[1]
    assert html.escape(greeted[1]) in stranger.get("/login").text
    used = stranger.get("/enter/sl_whatever", headers={"accept": "text/html"}).text
    assert html.escape(greeted[1]) in used
    assert "used already" in used


def test_a2_who_does_not_own_the_machine_is_shown_no_command_that_makes_one_the_owner(
    owner: TestClient, memory: Application, actor: Actor, settings: Settings
) -> None:
    assert "SOUVENANCE_DATA" in owner.get("/agents").text
    memory.users.create(actor=actor, handle="bo", password=PASSWORD)
    with memory.database.write() as tx:
        owner.cookies.clear()
        (user,) = (one for one in people.list_users(tx) if one.handle == "bo")
        owner.cookies.set(COOKIE, memory.sessions.begin(tx, user, entered_by=EnteredBy.PASSWORD, user_agent="").secret)
    for address in ("/agents", "/welcome", "/settings"):
        answer = owner.get(address)
        assert answer.status_code == 200, address
        assert "SOUVENANCE_DATA" not in answer.text, address
        assert str(settings.data_folder) not in answer.text, address
    assert "Authorization" in owner.get("/agents").text


def test_a2_a_page_of_another_site_signs_nobody_in(elsewhere: tuple[TestClient, Application]) -> None:
    client, _ = elsewhere
    for origin in ("https://evil.example", "null", "https://memory.example.evil.example", "http://localhost:3000"):
        answer = client.post("/login", data={"handle": "owner", "password": PASSWORD}, headers={"origin": origin})
        assert answer.status_code == 403, origin
        assert "set-cookie" not in answer.headers


def test_signing_out_ends_the_session_and_clears_what_the_browser_kept(owner: TestClient) -> None:
    secret = owner.cookies["souvenance_session"]
    proof = re.search(r'"x-csrf": "([0-9a-f]{64})"', owner.get("/settings").text)
    assert proof
    answer = owner.post("/logout", data={"csrf": proof[1]})
    assert answer.status_code == 303
    assert answer.headers["clear-site-data"] == '"storage"'
    assert owner.get("/vaults", headers={"cookie": f"souvenance_session={secret}"}).status_code == 401


def test_a2_a_session_is_begun_anew_each_time(stranger: TestClient, memory: Application, actor: Actor) -> None:
    stranger.cookies.set("souvenance_session", "ss_" + "x" * 43, domain="127.0.0.1")
    answer = stranger.get(f"/enter/{memory.entry.make_link(actor=actor)}")
    assert "souvenance_session=ss_" in answer.headers["set-cookie"]
    assert "xxxx" not in answer.headers["set-cookie"]


def test_a2_of_very_many_sessions_those_used_last_are_in_force(memory: Application, actor: Actor) -> None:
    secrets = []
    for _ in range(MOST_SESSIONS + 2):
        with memory.database.write() as tx:
            user = people.get_user(tx, actor.user_id)
            assert user is not None
            begun = memory.sessions.begin(tx, user, entered_by=EnteredBy.PASSWORD, user_agent="")
            secrets.append(begun.secret)
    assert len(memory.sessions.list(actor=actor)) == MOST_SESSIONS
    assert memory.sessions.authenticate(secrets[-1])[1].user_id == actor.user_id
    for old in secrets[:2]:
        with pytest.raises(NotAuthenticated):
            memory.sessions.authenticate(old)


def test_a2_who_floods_the_door_does_not_take_the_house(memory: Application, actor: Actor) -> None:
    memory.users.create(actor=actor, handle="zoe", password=PASSWORD)

    def guess(number: int) -> str:
        try:
            memory.sessions.log_in(handle=f"nobody{number}", password="guess", address=f"10.0.{number}.1")
        except TooManyAttempts:
            return "busy"
        except NotAuthenticated:
            return "refused"
        return "in"

    with ThreadPoolExecutor(40) as pool:
        became = list(pool.map(guess, range(40)))
    assert set(became) <= {"busy", "refused"}
    assert "busy" in became  # nobody waits in a thread that others need
    entered = memory.sessions.log_in(handle="zoe", password=PASSWORD, address="10.1.1.1")
    assert entered.user.handle == "zoe"


def test_a_window_is_told_of_its_own_vaults_and_no_more_once_its_session_is_over(
    owner: TestClient, memory: Application, actor: Actor
) -> None:
    mine = memory.vaults.create(actor=actor, name="Voyages")
    memory.users.create(actor=actor, handle="zoe", password=PASSWORD)
    zoe = memory.sessions.authenticate(
        memory.sessions.log_in(handle="zoe", password=PASSWORD, address="10.0.0.1").secret
    )[1]
    theirs = memory.vaults.create(actor=zoe, name="Secrets")

    def write(who: Actor, vault: str, said: str) -> None:
        memory.facts.remember(actor=who, vault=vault, observations=[Observation(content=said)])

    with ThreadPoolExecutor(1) as pool:
        window = pool.submit(owner.get, "/live")
        until = time.monotonic() + 10
        while not any(thread.name == "changes" for thread in threading.enumerate()) and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.5)
        memory.vaults.create(actor=zoe, name="More secrets")
        write(zoe, theirs.slug, "theirs")
        write(actor, mine.slug, "mine")
        time.sleep(1.5)
        memory.sessions.revoke_others(actor=actor)
        number = 0
        while not window.done() and time.monotonic() < until + 5:  # news that never pause
            write(actor, mine.slug, f"later {number}")
            number += 1
            time.sleep(0.4)
        said = window.result(timeout=20).text
    told = [name for line in re.findall(r"event: news\ndata: (.*)", said) for name in json.loads(line)]
    assert told == [f"knowledge-{mine.id}"]
    assert said.endswith("event: ended\ndata: {}\n\n")
    assert number < 12


def test_one_person_holds_so_many_streams_and_no_more() -> None:
    streams = Streams()
    with streams.listening(1, most=1) as first, streams.listening(1, most=1) as second:
        assert (first, second) == (True, False)
        with streams.listening(2, most=1) as other:
            assert other
    with streams.listening(1, most=1) as again:
        assert again
    assert MOST_STREAMS >= 6
