"""C1, C2: endpoints that fail, people who stop, clients who go: bounded, said in words, nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager, nullcontext
from typing import Any

import pytest
from sqlalchemy import event as sqlalchemy_event
from sqlalchemy import exc

from bad_endpoints import BAD, event
from scripted import Handler, Raw, Server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.endpoint import Reached, Use
from souvenance.domain.errors import CapReached, InvalidInput, ModelUnavailable, NotFound, StoreUnavailable
from souvenance.exchange.events import Became, Ended, Event, Failed, Member, Text, Wrote
from souvenance.memory.remember import Observation
from souvenance.models.chat import Chat, Patience

Ask = Callable[..., list[Event]]


@pytest.mark.parametrize("kind", BAD)
def test_c2_an_endpoint_that_fails_is_told_in_words_and_the_question_is_kept(
    app: Application, owner: Actor, model: Server, ask: Ask, kind: str
) -> None:
    raw, words = BAD[kind]
    chat = app.conversations.start(actor=owner)
    model.says(raw)
    events = ask("Where is the harp?", conversation=chat.id)
    failed = events[-1]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ModelUnavailable)
    assert words in failed.error.message
    assert failed.error.hint
    assert "very-secret" not in str(failed.error.as_dict())
    assert len(failed.error.message) < 500
    (turn,) = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert (turn.state, turn.question) == ("failed", "Where is the harp?")
    assert turn.answer == "".join(one.text for one in events if isinstance(one, Text))
    assert turn.failure == failed.error.as_dict()


def test_c2_silence_is_given_up(app: Application, owner: Actor, model: Server, ask: Ask) -> None:
    app.exchange.chat.patience = Patience(silence=0.3)
    for raw in (
        Raw(silent_seconds=20, kind="text/event-stream"),
        Raw(event("We"), silent_seconds=20, kind="text/event-stream"),
    ):
        model.says(raw)
        started = time.monotonic()
        failed = ask("q")[-1]
        assert isinstance(failed, Failed)
        assert "said nothing for 0.3 seconds" in failed.error.message
        assert time.monotonic() - started < 5


def test_c2_comments_that_keep_a_connection_open_are_no_word(model: Server, ask: Ask, app: Application) -> None:
    def pings(handler: Handler, _body: Any) -> None:
        handler.begin_stream()
        while not model.stop.wait(0.05):
            try:
                handler.wfile.write(b": ping\n\n")
            except OSError:
                return

    app.exchange.chat.patience = Patience(silence=0.4)
    model.says(pings)
    assert isinstance(ask("q")[-1], Failed)


def test_c2_busy_endpoints_are_asked_again_and_refusals_are_not(app: Application, model: Server, ask: Ask) -> None:
    app.exchange.chat.patience = Patience(silence=5, pause=0.01)
    model.says(Raw(status=429, headers={"Retry-After": "0"}), Raw(b"x", status=503), "At last.")
    assert ask("q")[-1].text == "At last."  # type: ignore[union-attr]
    assert len(model.asked) == 3
    model.says(*[Raw(b'{"error": "busy"}', status=500)] * 9)
    assert "500" in str(ask("q")[-1].error)  # type: ignore[union-attr]
    assert len(model.asked) == 3
    model.says(Raw(b"{}", status=400))
    assert isinstance(ask("q")[-1], Failed)
    assert len(model.asked) == 1


@pytest.mark.parametrize("asked", ["nan", "-5", "soon", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_c2_a_pause_that_is_none_is_not_kept(app: Application, model: Server, ask: Ask, asked: str) -> None:
    pause = 0.05
    app.exchange.chat.patience = Patience(silence=5, pause=pause)
    model.says(Raw(status=429, headers={"Retry-After": asked}), "At last.")
    started = time.monotonic()
    assert ask("q")[-1].text == "At last."  # type: ignore[union-attr]
    assert pause <= time.monotonic() - started < 5


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_c2_events_are_read_whatever_ends_their_lines(model: Server, ask: Ask, end: str, size: int) -> None:
    def by_pieces(handler: Handler, _body: Any) -> None:
        lines = ["data: " + json.dumps({"choices": [{"delta": {"content": word}}]}) + "\n" for word in ("Oh ", "well")]
        whole = ("\n".join([": hello", *lines, "data: [DONE]", "", ""])).replace("\n", end).encode()
        handler.begin_stream()
        for at in range(0, len(whole), size):
            handler.wfile.write(whole[at : at + size])
            handler.wfile.flush()

    model.says(by_pieces)
    assert ask("q")[-1].text == "Oh well"  # type: ignore[union-attr]


def test_c2_an_endpoint_that_is_not_there(app: Application, owner: Actor, ask: Ask) -> None:
    app.exchange.chat.patience = Patience(silence=5, pause=0.01)
    app.endpoints.add(actor=owner, name="gone", base_url="http://127.0.0.1:9/v1", model="m", uses=[Use.ANSWERS])
    failed = ask("q")[-1]
    assert isinstance(failed, Failed)
    assert "cannot be reached" in failed.error.message


def test_c2_an_endpoint_that_does_not_stream_is_read_all_the_same(model: Server, ask: Ask) -> None:
    whole = {"choices": [{"index": 0, "message": {"content": "Hello <<remember a | b>>"}, "finish_reason": "stop"}]}
    model.says(Raw(json.dumps(whole).encode()))
    ended = ask("q")[-1]
    assert isinstance(ended, Ended)
    assert ended.text == "Hello"


# --- stopping --------------------------------------------------------------------------------------------------


def slowly(text: str) -> Callable[[Handler, Any], None]:
    def say(handler: Handler, _body: Any) -> None:
        handler.begin_stream()
        try:
            for letter in text:
                handler.send_event({"content": letter})
                time.sleep(0.01)
            handler.send_event({}, "stop")
        except OSError:
            handler.server.gone.set()

    return say


@pytest.mark.parametrize("how", ["close", "cancel"])
def test_c1_who_stops_keeps_what_was_said_and_nothing_is_done(
    app: Application, owner: Actor, model: Server, how: str
) -> None:
    chat = app.conversations.start(actor=owner)
    model.says(slowly("<<remember a | b>>One two three four five six seven eight nine ten " * 20))

    async def listen() -> None:
        heard = ""
        events = app.exchange.answer(actor=owner, question="q", conversation=chat.id)
        async with aclosing(events):
            async for one in events:
                heard += one.text if isinstance(one, Text) else ""
                if len(heard) > 10:
                    if how == "close":
                        return
                    asyncio.current_task().cancel()  # type: ignore[union-attr]

    with pytest.raises(asyncio.CancelledError) if how == "cancel" else nullcontext():
        asyncio.run(listen())
    (turn,) = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert turn.state == "stopped"
    assert turn.answer.startswith("One two")
    assert turn.wrote == ()
    assert model.gone.wait(5)  # the model was stopped, not only left alone
    assert app.vaults.list(actor=owner) == [] or app.facts.list(actor=owner, vault="personal") == []


def test_c1_who_goes_away_before_the_model_is_asked_leaves_a_stopped_turn_and_nothing_reserved(
    app: Application, owner: Actor, model: Server
) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"daily_tokens": 5000})
    chat = app.conversations.start(actor=owner)

    async def gone() -> None:
        events = app.exchange.answer(actor=owner, question="q", conversation=chat.id)
        asking = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)  # it is opened in a thread by now, or about to be
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(gone())
    (turn,) = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert (turn.state, turn.question, turn.answer) == ("stopped", "q", "")
    assert model.asked == []
    assert sum(spent.sent + spent.received for _, spent in app.spending.list(actor=owner)) == 0


def test_c1_a_retry_after_a_failure_does_nothing_twice(app: Application, owner: Actor, model: Server, ask: Ask) -> None:
    asked = "<<remember pet | Ana has a cat>>"
    model.says(Raw(event(asked), kind="text/event-stream", cut=True), f"{asked} Noted.", f"{asked} Again.")
    assert isinstance(ask("Ana has a cat")[-1], Failed)
    wrote = [one.became for text in ("Ana has a cat", "Ana has a cat") for one in ask(text) if isinstance(one, Wrote)]
    assert wrote == [Became.DONE, Became.SKIPPED]
    assert len(app.facts.list(actor=owner, vault="personal")) == 1


def test_a_model_that_repeats_itself_a_thousand_times_is_bounded(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    model.chunk = 4000
    model.says("<<remember pet | Ana has a cat>>" * 1000)
    (wrote,) = [one for one in ask("q") if isinstance(one, Wrote)]
    assert (wrote.became, wrote.times) == (Became.DONE, 1000)
    model.says("".join(f"<<remember k{place} | thing {place}>>" for place in range(1000)))
    events = [one for one in ask("q") if isinstance(one, Wrote)]
    assert sum(one.became is Became.DONE for one in events) == 10
    assert len(events) == 51
    assert len([one for one in app.history.audit(actor=owner, limit=500) if one.verb == "fact.ignored"]) == 41


# --- a store that is away for a moment --------------------------------------------------------------------------


@contextmanager
def lost(app: Application, beginning: str, *, times: int = 1) -> Iterator[None]:
    """The database is lost just before the next so many statements that begin so."""
    left = times

    def before(_c: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        nonlocal left
        if left and statement.startswith(beginning):
            left -= 1
            raise exc.OperationalError(statement, parameters, ConnectionError("gone"))

    engine = app.database._engine
    sqlalchemy_event.listen(engine, "before_cursor_execute", before)
    try:
        yield
    finally:
        sqlalchemy_event.remove(engine, "before_cursor_execute", before)
    assert left == 0


def test_c1_an_answer_that_could_not_be_kept_at_once_is_not_lost_and_what_it_wrote_can_be_undone(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"daily_tokens": 5000})
    chat = app.conversations.start(actor=owner)
    model.says("<<remember visit | Martin comes tomorrow at nine | harpe>>Noted.")
    with lost(app, "UPDATE turn "):
        assert isinstance(ask("Martin comes tomorrow at nine", conversation=chat.id, vaults="harpe")[-1], Failed)
    (turn,) = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert (turn.state, turn.answer) == ("failed", "Noted.")
    spent = [spent for vault, spent in app.spending.list(actor=owner) if vault is not None]
    assert [(one.sent, one.received) for one in spent] == [(11, 7)]
    model.says("Ok.")  # asked again, it stays where what it wrote is undone
    assert isinstance(ask("Martin comes tomorrow at nine", conversation=chat.id, instead_of=1)[-1], Ended)
    turns = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert [(one.ordinal, one.answer) for one in turns] == [(1, "Noted."), (2, "Ok.")]
    app.conversations.undo(actor=owner, conversation=chat.id, turn=1, place=0)
    assert app.facts.list(actor=owner, vault="harpe") == []


def test_c1_a_store_that_stays_away_is_told_as_a_failure(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    chat = app.conversations.start(actor=owner)
    model.says("Hello.")
    with lost(app, "UPDATE turn ", times=2):
        found = ask("q", conversation=chat.id)[-1]
    assert isinstance(found, Failed)
    assert (found.error.code, found.text) == ("store_unavailable", "Hello.")


def test_c5_an_undo_that_fails_half_way_leaves_all_as_it_was(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="It has 47 strings of gut.")])
    (fact,) = app.facts.list(actor=owner, vault="harpe")
    chat = app.conversations.start(actor=owner)
    model.says(f"<<replace #{fact.number} | It has 46 strings of gut. | one broke>>Ok.")
    ask("One string broke", conversation=chat.id, vaults="harpe")
    with lost(app, "UPDATE turn "), pytest.raises(StoreUnavailable):
        app.conversations.undo(actor=owner, conversation=chat.id, turn=1, place=0)
    assert [one.content for one in app.facts.list(actor=owner, vault="harpe")] == ["It has 46 strings of gut."]
    assert app.conversations.undo(actor=owner, conversation=chat.id, turn=1, place=0).undone
    assert [one.content for one in app.facts.list(actor=owner, vault="harpe")] == ["It has 47 strings of gut."]


# --- bad input -------------------------------------------------------------------------------------------------


def test_a_message_of_a_hundred_thousand_characters_goes_through_whole(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="strings")])
    question = "mot " * 25_000
    model.says("ok")
    assert ask(question)[-1].text == "ok"  # type: ignore[union-attr]
    assert model.asked[0]["messages"][-1]["content"] == question.strip()
    with pytest.raises(InvalidInput):
        ask("x" * 600_000)
    for bad in ("", " \n ", "a\x00b", "\ud800"):
        with pytest.raises(InvalidInput):
            ask(bad)
    with pytest.raises(NotFound):
        ask("q", conversation=99)
    assert len(model.asked) == 1


def test_c6_a_cap_and_a_rate_are_kept(app: Application, owner: Actor, model: Server, ask: Ask, clock: Any) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"member_rate": 2})
    chat = app.conversations.start(actor=owner)
    assert [type(ask("q", conversation=chat.id)[-1]) for _ in range(3)] == [Ended, Ended, Failed]
    last = app.conversations.get(actor=owner, conversation=chat.id).turns[-1]
    assert (last.state, last.question) == ("failed", "q")
    assert len(model.asked) == 2
    assert isinstance(ask("q", vaults="harpe", member=Member(id="7", name="Bo"))[-1], Ended)
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"member_rate": 0, "daily_tokens": 50})
    failed = ask("q")[-1]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, CapReached)
    ((vault, spent),) = app.spending.list(actor=owner)
    assert vault is not None
    assert (vault.slug, spent.calls, spent.sent, spent.received) == ("harpe", 3, 33, 21)
    clock.now = clock.now.replace(day=clock.now.day + 1)
    assert isinstance(ask("q")[-1], Ended)


def test_c6_many_at_once_are_no_way_around_a_cap(app: Application, owner: Actor, model: Server) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="It has 47 strings.")])
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"daily_tokens": 1500})
    model.otherwise, model.chunk, model.pause = "word " * 20, 5, 0.02

    async def one() -> Event:
        return [event async for event in app.exchange.answer(actor=owner, question="How many strings?")][-1]

    async def all_of_them() -> list[Event]:
        return list(await asyncio.gather(*(one() for _ in range(12))))

    ended = asyncio.run(all_of_them())
    refused = [one for one in ended if isinstance(one, Failed)]
    assert {type(one.error) for one in refused} == {CapReached}
    assert 1 <= len(model.asked) == 12 - len(refused) <= 3
    ((_, spent),) = app.spending.list(actor=owner)  # what was reserved gave way to what was spent
    assert (spent.calls, spent.sent, spent.received) == tuple(len(model.asked) * one for one in (1, 11, 7))
    assert isinstance(asyncio.run(one()), Ended)


@pytest.mark.parametrize("end", ["stopped", "failed"])
def test_c6_what_was_reserved_is_given_back_however_it_ends(
    app: Application, owner: Actor, model: Server, ask: Ask, end: str
) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"daily_tokens": 5000})

    async def stopped() -> None:
        async with aclosing(app.exchange.answer(actor=owner, question="q")) as events:
            async for one in events:
                if isinstance(one, Text):
                    return

    if end == "stopped":
        model.says("word " * 20)
        asyncio.run(stopped())
    else:
        model.says(Raw(b"no", status=400))
        ask("q")
    ((_, spent),) = app.spending.list(actor=owner)
    assert spent.calls == 1
    assert spent.received < 50


def test_c6_the_vault_that_is_charged_has_its_limits_where_nothing_is_read(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    vault = app.vaults.create(actor=owner, name="Guild")
    app.vaults.change_settings(actor=owner, vault="guild", changes={"member_rate": 1, "daily_tokens": 10_000})
    given: dict[str, Any] = {"with_memory": False, "charged": vault.id, "member": Member(id="7", name="Bo")}
    assert isinstance(ask("q", **given)[-1], Ended)
    ((counted, spent),) = app.spending.list(actor=owner)
    assert (counted.slug if counted else "", spent.calls, spent.sent) == ("guild", 1, 11)
    failed = ask("q", **given)[-1]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, CapReached)


def test_one_chat_client_serves_fifty_streams_at_once(app: Application, owner: Actor, model: Server) -> None:
    model.otherwise = "word " * 40
    model.chunk = 20

    async def all_of_them() -> list[str]:
        async def one(number: int) -> str:
            given: dict[str, Any] = {"question": "q", "member": Member(id=str(number), name="Bo")}
            return "".join([e.text async for e in app.exchange.answer(actor=owner, **given) if isinstance(e, Text)])

        return await asyncio.gather(*(one(number) for number in range(50)))

    assert set(asyncio.run(all_of_them())) == {("word " * 40).strip()}


def test_chat_takes_no_key_into_what_it_shows() -> None:
    reached = Reached(name="n", base_url="http://h/v1", model="m", key="sk-hidden", route=Route.CLOUD)
    assert "sk-hidden" not in repr(reached)
    assert Chat().patience.silence == 120
