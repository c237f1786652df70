"""C1: the panel tells time by the memory's clock, which another machine may keep."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.settings import Settings
from souvenance.wiring import open_application

OFF = timedelta(days=2, hours=3)


@pytest.fixture(params=[OFF, -OFF], ids=["ahead", "behind"])
def off(request: pytest.FixtureRequest) -> timedelta:
    found: timedelta = request.param
    return found


@pytest.fixture
def memory(settings: Settings, off: timedelta) -> Iterator[Application]:
    opened = open_application(settings, clock=lambda: datetime.now(UTC) + off)
    yield opened
    opened.close()


def test_c1_what_was_just_written_is_not_said_to_be_hours_old_or_to_come(
    owner: TestClient, memory: Application
) -> None:
    actor = memory.owner_through(Source.PANEL)
    memory.vaults.create(actor=actor, name="Harpe")
    memory.notes.create(actor=actor, vault="harpe", title="Cordes", content="en boyau")
    page = owner.get("/notes", headers={"accept-language": "fr"}).text
    (said,) = re.findall(r"<time [^>]*>([^<]*)</time>", page)
    assert re.fullmatch(r"(?:dans|il y a) \d secondes?", said.replace("\N{NO-BREAK SPACE}", " ")), said


def test_c1_a_session_s_cookie_lasts_as_long_as_the_session(
    stranger: TestClient, memory: Application, off: timedelta
) -> None:
    link = memory.entry.make_link(actor=memory.owner_through(Source.COMMAND_LINE))
    cookie = stranger.get(f"/enter/{link}").headers["set-cookie"]
    lasts = re.search(r"Max-Age=(\d+)", cookie)
    (session,) = memory.sessions.list(actor=memory.owner_through(Source.PANEL))
    assert lasts
    assert abs(int(lasts[1]) - (session.expires_at - session.created_at).total_seconds()) < 10


def test_c1_today_is_the_memory_s_day(owner: TestClient, memory: Application, off: timedelta) -> None:
    memory.vaults.create(actor=memory.owner_through(Source.PANEL), name="Harpe")
    today = (datetime.now(UTC) + off).date()
    assert f'value="{today - timedelta(days=7)}"' in owner.get("/notes/history").text
    assert f'max="{today}"' in owner.get("/notes/history").text
    assert f'max="{today - timedelta(days=1)}"' in owner.get("/memory/harpe").text
    assert "Back to today" in owner.get(f"/memory/harpe?day={today - timedelta(days=1)}").text
    assert "Back to today" not in owner.get(f"/memory/harpe?day={today}").text
