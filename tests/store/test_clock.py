"""C1, R2: several machines on one PostgreSQL go by its clock, so that none gives up what another answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import pytest

from scripted import Held, Server, model_server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.clock import SharedClock, utc_now
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import Conflict
from souvenance.exchange.events import Text
from souvenance.interfaces.panel.render import tongue
from souvenance.settings import Settings
from souvenance.store.database import Database
from souvenance.wiring import open_application

OFF = timedelta(hours=3)


def opened(url: str, folder: Path) -> Application:
    return open_application(Settings(data=folder, database_url=url, embedder="none"))  # type: ignore[arg-type]


def owner_of(memory: Application) -> Actor:
    return memory.owner_through(Source.PANEL, route=Route.LOCAL)


@pytest.fixture(params=[OFF, -OFF], ids=["ahead", "behind"])
def two(request: pytest.FixtureRequest, postgresql_url: str, tmp_path: Path) -> Iterator[list[Application]]:
    """One memory on two machines; the clock of the first is off by hours."""
    memories = [opened(postgresql_url, tmp_path / name) for name in ("first", "second")]
    memories[0].database.clock.process = lambda: utc_now() + request.param
    memories[0].attention.set_auto(actor=owner_of(memories[0]), auto=False)  # it writes something: it hears the time
    yield memories
    for one in memories:
        one.close()


@pytest.fixture
def model() -> Iterator[Server]:
    with model_server() as server:
        yield server


@pytest.mark.parametrize("answers", [0, 1])
def test_c1_an_answer_on_a_machine_whose_clock_is_off_is_not_taken_for_lapsed(
    two: list[Application], model: Server, answers: int
) -> None:
    here, there = two[answers], two[1 - answers]
    here.endpoints.add(actor=owner_of(here), name="m", base_url=model.url, model="tiny", uses=[Use.ANSWERS])
    held = Held("It has 47 ", "strings.")
    model.says(held)
    chat = here.conversations.start(actor=owner_of(here)).id

    async def ask() -> None:
        async with aclosing(here.exchange.answer(actor=owner_of(here), question="q", conversation=chat)) as events:
            async for one in events:
                if isinstance(one, Text) and not held.go.is_set():
                    await asyncio.to_thread(look)
                    held.go.set()

    def look() -> None:
        there.exchange.heartbeat.beat()  # which gives up what gave no sign of life
        with pytest.raises(Conflict):
            asyncio.run(anext(there.exchange.answer(actor=owner_of(there), question="q", conversation=chat)))
        here.exchange.heartbeat.beat()
        (turn,) = there.conversations.get(actor=owner_of(there), conversation=chat).turns
        assert turn.state == "asked"

    asyncio.run(ask())
    (turn,) = there.conversations.get(actor=owner_of(there), conversation=chat).turns
    assert (turn.state, turn.answer) == ("done", "It has 47 strings.")
    assert turn.answered_at is not None
    assert abs(turn.answered_at - utc_now()) < timedelta(minutes=1)


def test_c1_people_are_told_how_long_ago_by_the_clock_of_the_store(two: list[Application]) -> None:
    for one in two:
        made = two[1].vaults.create(actor=owner_of(two[1]), name=f"Harp {two.index(one)}")
        assert tongue("en", clock=one.clock).ago(made.created_at - timedelta(minutes=20)) == "20 minutes ago"


def test_a_machine_hears_the_time_of_the_store_as_it_opens_it_and_as_it_writes(postgresql_url: str) -> None:
    database = Database(postgresql_url)
    try:
        database.clock.process = lambda: utc_now() + OFF
        database.open()
        assert abs(database.clock() - utc_now()) < timedelta(seconds=2)
        database.clock.process = lambda: utc_now() - OFF  # somebody set it
        with database.write():
            assert abs(database.clock() - utc_now()) < timedelta(seconds=2)
    finally:
        database.close()


def test_time_does_not_jump_to_and_fro_for_as_long_as_a_message_takes(postgresql_url: str) -> None:
    database = Database(postgresql_url)
    try:
        database.clock.process = lambda: utc_now() + timedelta(milliseconds=300)
        with database.open().write():
            assert database.clock() > utc_now() + timedelta(milliseconds=200)
    finally:
        database.close()


def test_an_answer_that_is_long_in_coming_moves_no_time() -> None:
    clock, asked = SharedClock(), utc_now()
    clock.process = lambda: asked + timedelta(seconds=9)  # the network stood still, or the machine slept
    clock.heard(asked + timedelta(seconds=1), since=asked)
    assert clock() == asked + timedelta(seconds=9)
    clock.heard(asked + OFF, since=asked)  # hours are no matter of the network
    assert asked + OFF <= clock() <= asked + OFF + timedelta(seconds=9)


def test_r1_on_sqlite_the_time_is_this_machines(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    try:
        database.clock.process = lambda: utc_now() + OFF
        with database.open().write():
            assert database.clock() > utc_now() + OFF - timedelta(seconds=2)
    finally:
        database.close()
