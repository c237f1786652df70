"""C1, C6: a process that ends in the middle of an answer leaves nothing behind that stays so; an erasure in the middle
leaves nothing of what was erased, and no tokens below zero."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from scripted import Handler, Raw, Server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.clock import utc_now
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import CapReached, Conflict
from souvenance.domain.fact import SubjectKind
from souvenance.domain.vault import MemoryType
from souvenance.exchange.events import Ended, Event, Failed, LookedUp, Member, Text, Wrote
from souvenance.exchange.lapsed import LEASE
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.store import tables
from souvenance.wiring import open_application

Ask = Callable[..., list[Event]]

DYING = """
import asyncio, sys, time
from datetime import datetime
from souvenance.domain.access import Route, Source
from souvenance.exchange.events import Text
from souvenance.settings import Settings
from souvenance.wiring import open_application

data, url, conversation, beats = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
now = datetime.fromisoformat(sys.argv[5])
app = open_application(Settings(data=data, database_url=url, embedder="none"), clock=lambda: now)
app.exchange.heartbeat.seconds = beats
owner = app.owner_through(Source.PANEL, route=Route.LOCAL)

async def ask():
    said = ""
    given = {"vaults": "harpe", "conversation": conversation or None}
    async for event in app.exchange.answer(actor=owner, question="How many strings?", **given):
        if isinstance(event, Text):
            said += event.text
            if "strings" in said:
                time.sleep(beats * 3 if beats < 5 else 0)
                print("said", flush=True)

asyncio.run(ask())
"""


def hanging(handler: Handler, _body: Any) -> None:
    """Half a reply, and then nothing."""
    handler.begin_stream()
    try:
        handler.send_event({"content": "It has 47 strings "})
        handler.server.stop.wait(60)
    except OSError:
        handler.server.gone.set()


def killed(app: Application, data: Any, conversation: int, clock: Any, *, beats: float = 600.0) -> None:
    """Another process answers on the same store, and is killed in the middle of it."""
    url = app.database.url.render_as_string(hide_password=False)
    command = [sys.executable, "-c", DYING, str(data), url, str(conversation), str(beats), clock.now.isoformat()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=dict(os.environ)) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"said\n"
        other.send_signal(signal.SIGKILL)


@pytest.fixture
def harpe(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="It has 47 strings.")])


def later(clock: Any) -> None:
    clock.now += LEASE + timedelta(seconds=1)


@pytest.mark.parametrize("beats", [600.0, 0.2])
def test_c1_a_killed_process_leaves_a_turn_that_is_told_as_broken_off_and_asked_again(
    app: Application, owner: Actor, model: Server, ask: Ask, clock: Any, tmp_path: Any, harpe: None, beats: float
) -> None:
    chat = app.conversations.start(actor=owner).id
    model.says(hanging)
    killed(app, tmp_path / "data", chat, clock, beats=beats)
    (turn,) = app.conversations.get(actor=owner, conversation=chat).turns
    assert turn.state == "asked"  # nobody guesses: its lease runs
    with pytest.raises(Conflict):
        ask("How many strings?", conversation=chat, instead_of=1)
    later(clock)
    (turn,) = app.conversations.get(actor=owner, conversation=chat).turns
    assert (turn.state, turn.question) == ("failed", "How many strings?")
    assert turn.failure is not None
    assert (turn.failure["code"], turn.failure["hint"]) == ("broken_off", "Ask again.")
    # What a sign of life told of it is kept, as made from the vault that it was made from.
    assert turn.answer.strip() == ("It has 47 strings" if beats < 5 else "")
    assert bool(turn.read) is bool(turn.answer)
    model.says("47.")
    assert isinstance(ask("How many strings?", conversation=chat, instead_of=1, vaults="harpe")[-1], Ended)
    assert [one.answer for one in app.conversations.get(actor=owner, conversation=chat).turns] == ["47."]


def test_c6_what_a_killed_process_had_reserved_is_given_back_and_what_it_sent_is_counted(
    app: Application, owner: Actor, model: Server, ask: Ask, clock: Any, tmp_path: Any, harpe: None
) -> None:
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"daily_tokens": 600, "member_rate": 2})
    model.says(hanging)
    killed(app, tmp_path / "data", 0, clock)
    assert isinstance(ask("q", vaults="harpe")[-1].error, CapReached)  # type: ignore[union-attr]
    later(clock)
    model.says("47.")
    assert isinstance(ask("q", vaults="harpe")[-1], Ended)  # what was held is free, settled or not
    ((vault, spent),) = app.spending.list(actor=owner)
    assert vault is not None
    assert (vault.slug, spent.calls, spent.broken_off) == ("harpe", 2, 1)
    assert 0 < spent.estimated == spent.sent + spent.received - 18 < 500
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"daily_tokens": 0})
    # The question of the process that was killed counts in its hour.
    assert isinstance(ask("q", vaults="harpe")[-1].error, CapReached)  # type: ignore[union-attr]


def test_c1_it_is_recognised_when_the_memory_is_opened(
    app: Application, owner: Actor, model: Server, clock: Any, tmp_path: Any, store_url: str, harpe: None
) -> None:
    chat = app.conversations.start(actor=owner).id
    model.says(hanging)
    killed(app, tmp_path / "data", chat, clock)
    later(clock)
    settings = Settings(data=tmp_path / "data", database_url=store_url, embedder="none")  # type: ignore[arg-type]
    open_application(settings, clock=clock).close()
    with app.database.read() as tx:
        assert tx.execute(select(tables.turn.c.state)).scalars().all() == ["failed"]
        assert tx.execute(select(tables.under_way)).all() == []


def test_c1_an_answer_that_gives_signs_of_life_is_left_to_its_process(
    app: Application, owner: Actor, model: Server, clock: Any, harpe: None
) -> None:
    chat = app.conversations.start(actor=owner).id
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"daily_tokens": 5000})

    def with_beats(handler: Handler, _body: Any) -> None:
        handler.begin_stream()
        handler.send_event({"content": "It has "})
        for _ in range(3):
            clock.now += LEASE - timedelta(seconds=40)
            app.exchange.heartbeat.beat()
            (turn,) = app.conversations.get(actor=owner, conversation=chat).turns
            assert turn.state == "asked"
        handler.send_event({"content": "47."}, "stop")
        handler.wfile.write(b"data: [DONE]\n\n")

    model.says(with_beats)

    async def run() -> list[Event]:
        given: dict[str, Any] = {"question": "How many?", "conversation": chat, "vaults": "harpe"}
        return [event async for event in app.exchange.answer(actor=owner, **given)]

    assert isinstance(asyncio.run(run())[-1], Ended)
    (turn,) = app.conversations.get(actor=owner, conversation=chat).turns
    assert (turn.state, turn.answer) == ("done", "It has 47.")
    ((_, spent),) = app.spending.list(actor=owner)
    assert (spent.calls, spent.broken_off) == (1, 0)


def test_c1_one_answer_that_cannot_be_kept_lets_no_other_lapse(
    app: Application, owner: Actor, model: Server, clock: Any
) -> None:
    good, bad = (app.conversations.start(actor=owner).id for _ in range(2))

    def until(conversation: int) -> Any:
        return app.conversations.get(actor=owner, conversation=conversation).turns[0].until

    async def run() -> None:
        answers = [app.exchange.answer(actor=owner, question="q", conversation=one) for one in (good, bad)]
        async with aclosing(answers[0]), aclosing(answers[1]):
            for answer in answers:
                await anext(answer)
            began = {one: until(one) for one in (good, bad)}
            for kept in list(app.exchange.heartbeat._living):
                if kept.opening.conversation == bad:
                    kept.text.append("\ud800")  # half a character, which no store takes
            app.exchange.heartbeat.beat()
            assert until(good) > began[good]
            assert until(bad) == began[bad]
            for kept in list(app.exchange.heartbeat._living):
                kept.text.clear()

    asyncio.run(run())


def test_c1_an_answer_that_was_given_up_and_asked_again_does_nothing_when_it_comes_after_all(
    app: Application, owner: Actor, model: Server, ask: Ask, clock: Any, harpe: None
) -> None:
    chat = app.conversations.start(actor=owner).id
    again: list[Event] = []

    def stalled(handler: Handler, _body: Any) -> None:
        later(clock)
        other = threading.Thread(
            target=lambda: again.extend(ask("How many?", conversation=chat, instead_of=1, vaults="harpe"))
        )
        other.start()
        other.join()
        handler.send_stream("Late. <<remember late | Nobody waited for this | harpe>>")

    model.says(stalled, "47.")
    found = ask("How many?", conversation=chat, vaults="harpe")[-1]
    assert isinstance(again[-1], Ended)
    assert isinstance(found, Failed)
    assert isinstance(found.error, Conflict)
    (turn,) = app.conversations.get(actor=owner, conversation=chat).turns
    assert (turn.state, turn.answer) == ("done", "47.")
    assert [one.content for one in app.facts.list(actor=owner, vault="harpe")] == ["It has 47 strings."]


@pytest.fixture
def other(tmp_path: Any, store_url: str, app: Application) -> Iterator[Application]:
    """The same memory in what is as good as another process, whose clock is the real one."""
    opened = open_application(Settings(data=tmp_path / "data", database_url=store_url, embedder="none"))  # type: ignore[arg-type]
    yield opened
    opened.close()


def asked_of(memory: Application, **given: Any) -> list[Event]:
    async def run() -> list[Event]:
        through = memory.owner_through(Source.PANEL, route=Route.LOCAL)
        return [event async for event in memory.exchange.answer(actor=through, **given)]

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, run()).result()


def test_c1_no_second_question_is_put_through_another_process_while_an_answer_is_under_way(
    app: Application, owner: Actor, model: Server, ask: Ask, clock: Any, other: Application
) -> None:
    clock.now = utc_now()  # as the other's
    chat = app.conversations.start(actor=owner).id

    def interrupted(handler: Handler, _body: Any) -> None:
        for again in ({}, {"instead_of": 1}):
            with pytest.raises(Conflict, match="An answer is under way in this conversation"):
                asked_of(other, question="And now?", conversation=chat, **again)
        handler.send_stream("47.")

    model.says(interrupted, "At once.")
    assert isinstance(ask("How many?", conversation=chat)[-1], Ended)
    assert isinstance(asked_of(other, question="And now?", conversation=chat)[-1], Ended)
    turns = app.conversations.get(actor=owner, conversation=chat).turns
    assert [(one.question, one.answer) for one in turns] == [("How many?", "47."), ("And now?", "At once.")]


def test_c1_a_lapsed_answer_is_in_no_questions_way(
    app: Application, owner: Actor, model: Server, ask: Ask, clock: Any, tmp_path: Any, harpe: None
) -> None:
    chat = app.conversations.start(actor=owner).id
    model.says(hanging)
    killed(app, tmp_path / "data", chat, clock)
    app.conversations.stop(actor=owner, conversation=chat)  # which nobody hears, but it need not take two minutes
    clock.now += timedelta(seconds=31)
    model.says("Here.")
    assert isinstance(ask("Are you there?", conversation=chat)[-1], Ended)
    turns = app.conversations.get(actor=owner, conversation=chat).turns
    assert [one.state for one in turns] == ["failed", "done"]


def test_c1_who_was_asked_again_by_a_clock_ahead_of_ours_does_nothing(
    app: Application, owner: Actor, model: Server, ask: Ask, clock: Any, other: Application, harpe: None
) -> None:
    """The clock of this process stands years before the other's: here its lease runs, there it is over."""
    chat = app.conversations.start(actor=owner).id

    def overtaken(handler: Handler, _body: Any) -> None:
        asked_of(other, question="How many?", conversation=chat, instead_of=1)
        handler.send_stream("Late. <<remember late | Nobody waited for this | harpe>>")

    model.says(overtaken, "47.")
    found = ask("How many?", conversation=chat, vaults="harpe")[-1]
    assert isinstance(found, Failed)
    assert isinstance(found.error, Conflict)
    (turn,) = app.conversations.get(actor=owner, conversation=chat).turns
    assert (turn.state, turn.answer) == ("done", "47.")
    assert [one.content for one in app.facts.list(actor=owner, vault="harpe")] == ["It has 47 strings."]


# --- across an erasure ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [{"daily_tokens": 5000}, {"daily_tokens": 5000, "member_rate": 9}, {}])
@pytest.mark.parametrize("member", [None, Member(id="281474976710656001", name="Bo")])
def test_f7_spending_is_never_below_zero_across_an_erasure(
    app: Application, owner: Actor, model: Server, ask: Ask, harpe: None, limits: dict[str, int], member: Any
) -> None:
    app.vaults.change_settings(actor=owner, vault="harpe", changes=limits)
    if member:
        about = Observation(content="Plays it.", subject_kind=SubjectKind.MEMBER, subject_id=member.id)
        app.facts.remember(actor=owner, vault="harpe", observations=[about])

    def erasing(handler: Handler, _body: Any) -> None:
        if member:
            app.erasures.erase(actor=owner, member=member.id, confirm=member.id)
        else:
            app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
        app.exchange.heartbeat.beat()  # which brings nothing back either
        handler.send_stream("47.")

    model.says(erasing)
    ask("How many strings?", vaults="harpe", member=member)
    spent = [spent for _, spent in app.spending.list(actor=owner)]
    assert [(one.calls, one.sent, one.received) for one in spent] == [(1, 11, 7)]
    with app.database.read() as tx:
        names = {*tx.execute(select(tables.spending.c.member)).scalars()}
        assert tx.execute(select(tables.under_way)).all() == []
    assert not [name for name in names if member and member.id in name]


def test_f7_a_fact_is_not_learnt_from_what_is_erased_while_it_is_written(
    app: Application, owner: Actor, model: Server, ask: Ask, harpe: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The erasure comes after all was looked at and before the fact is written."""
    app.vaults.create(actor=owner, name="Lyre")
    remember = app.facts.remember

    def after_an_erasure(**given: Any) -> Any:
        app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
        return remember(**given)

    monkeypatch.setattr(app.facts, "remember", after_an_erasure)
    model.says("<<remember strings | The harp has 47 strings | lyre>>Noted.")
    (wrote,) = [one for one in ask("q", vaults=["harpe", "lyre"]) if isinstance(one, Wrote)]
    assert "erased meanwhile" in wrote.why
    assert app.facts.list(actor=owner, vault="lyre") == []


def test_f7_a_look_up_after_an_erasure_leaves_no_word_in_the_log(
    app: Application, owner: Actor, model: Server, ask: Ask, harpe: None
) -> None:
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.ARCHIVE)

    def erasing(handler: Handler, _body: Any) -> None:
        app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
        handler.send_stream("<<lookup zygomatics>>I do not know.")

    model.says(erasing)
    events = ask("How many strings?", vaults="harpe")
    assert not [one for one in events if isinstance(one, LookedUp)]
    assert len(model.asked) == 1
    app.retrievals.flush()
    with app.database.read() as tx:
        logged = json.dumps([dict(row) for row in tx.execute(select(tables.retrieval)).mappings()], default=str)
        audit = json.dumps([dict(row) for row in tx.execute(select(tables.audit)).mappings()], default=str)
    assert "zygomatics" not in logged + audit


def test_f7_what_was_said_before_and_is_erased_while_it_is_read_counts_as_erased(
    app: Application, owner: Actor, model: Server, ask: Ask, harpe: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = app.conversations.start(actor=owner).id
    ask("Hello", conversation=chat, with_memory=False)
    model.says("It has forty-seven.")
    ask("How many strings?", conversation=chat, vaults="harpe")
    reached = app.endpoints.reached

    def erasing(**given: Any) -> Any:
        if given["use"] is Use.AUTO:
            app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
        return reached(**given)

    app.vaults.create(actor=owner, name="Lyre")
    app.attention.set_auto(actor=owner, auto=True)  # asked for after the turns were read
    monkeypatch.setattr(app.endpoints, "reached", erasing)
    model.says('{"vaults": [1]}', "Forty-seven, as I said.")
    ask("And again?", conversation=chat)
    assert [one.answer for one in app.conversations.get(actor=owner, conversation=chat).turns] == ["Very well."]


# --- how many at once -------------------------------------------------------------------------------------------


def test_c6_one_caller_has_so_many_answers_under_way_and_no_more(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    app.exchange.at_once.most = 2
    model.otherwise, model.pause = "word " * 20, 0.05
    bo = Member(id="7", name="Bo")

    async def run() -> None:
        first, second = (app.exchange.answer(actor=owner, question="q") for _ in range(2))
        async with aclosing(first), aclosing(second):
            for one in (first, second):
                async for event in one:
                    if isinstance(event, Text):
                        break
            chat = app.conversations.start(actor=owner).id
            with pytest.raises(Exception, match="2 answers under way") as refused:
                await anext(app.exchange.answer(actor=owner, question="q", conversation=chat))
            assert refused.value.details["retry_after"] > 0  # type: ignore[attr-defined]
            assert app.conversations.get(actor=owner, conversation=chat).turns == ()
            others = app.exchange.answer(actor=owner, question="q", member=bo)
            assert [type(event) async for event in others][-1] is Ended
        third = app.exchange.answer(actor=owner, question="q")
        assert [type(event) async for event in third][-1] is Ended

    asyncio.run(run())
    app.exchange.at_once.most = 1
    model.says(Raw(b"no", status=400))
    for _ in range(2):  # a failure leaves its place too
        ask("q")
