"""C2: an answer in a conversation is stopped by whoever may, whichever process and whichever mouth makes it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from scripted import Handler, Held, Server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import AnswerStopped
from souvenance.exchange import steps
from souvenance.exchange.events import Event, Failed, Text
from souvenance.exchange.stopping import Interrupted, passing
from souvenance.settings import Settings
from souvenance.wiring import open_application

Ask = Callable[..., list[Event]]


@pytest.fixture
def elsewhere(tmp_path: Any, store_url: str, app: Application, clock: Any) -> Iterator[Application]:
    """The same memory in what is as good as another process."""
    settings = Settings(data=tmp_path / "data", database_url=store_url, embedder="none")  # type: ignore[arg-type]
    opened = open_application(settings, clock=clock)
    yield opened
    opened.close()


def stop_in(memory: Application, chat: int) -> None:
    through = memory.owner_through(Source.PANEL, route=Route.LOCAL)
    memory.conversations.stop(actor=through, conversation=chat)


def test_c2_an_answer_is_stopped_from_another_process_whoever_began_it(
    app: Application, owner: Actor, model: Server, elsewhere: Application
) -> None:
    chat = app.conversations.start(actor=owner).id
    held = Held("It has 47 <<remember a | b>> strings", *[" and more" * 1000] * 200)
    model.says(held)

    async def listen() -> list[Event]:
        events = list[Event]()
        async for one in app.exchange.answer(actor=owner, question="q", conversation=chat):
            if isinstance(one, Text) and not any(isinstance(before, Text) for before in events):
                await asyncio.to_thread(stop_in, elsewhere, chat)
            events.append(one)
        return events

    events = asyncio.run(asyncio.wait_for(listen(), 15))
    (told,) = [one for one in events if isinstance(one, Failed)]
    assert told is events[-1]
    assert isinstance(told.error, AnswerStopped)
    assert told.text.split() == ["It", "has", "47", "strings"]
    (turn,) = app.conversations.get(actor=owner, conversation=chat).turns
    assert (turn.state, turn.answer.split(), turn.failure, turn.wrote) == (
        "stopped", ["It", "has", "47", "strings"], None, (),
    )  # fmt: skip
    held.go.set()
    assert model.gone.wait(5)  # the model was stopped, not only left alone
    assert app.vaults.list(actor=owner) == [] or app.facts.list(actor=owner, vault="personal") == []


def test_c2_an_answer_is_stopped_before_its_first_word(
    app: Application, owner: Actor, model: Server, ask: Ask, elsewhere: Application
) -> None:
    chat = app.conversations.start(actor=owner).id

    def silent(handler: Handler, _body: Any) -> None:
        stop_in(elsewhere, chat)
        handler.server.stop.wait(20)

    model.says(silent)
    assert isinstance(ask("q", conversation=chat)[-1].error, AnswerStopped)  # type: ignore[union-attr]
    (turn,) = app.conversations.get(actor=owner, conversation=chat).turns
    assert (turn.state, turn.answer) == ("stopped", "")


def test_c2_a_wish_that_comes_with_the_last_word_still_lets_nothing_be_done(
    app: Application, owner: Actor, model: Server, ask: Ask, elsewhere: Application
) -> None:
    """Between two looks: what the reply asks of memory is not done once somebody wished it stopped."""
    chat = app.conversations.start(actor=owner).id

    def at_the_end(handler: Handler, _body: Any) -> None:
        stop_in(elsewhere, chat)
        handler.send_stream("Noted. <<remember pet | Ana has a cat>>")

    model.says(at_the_end)
    assert isinstance(ask("q", conversation=chat)[-1].error, AnswerStopped)  # type: ignore[union-attr]
    (turn,) = app.conversations.get(actor=owner, conversation=chat).turns
    assert (turn.state, turn.answer.strip(), turn.wrote) == ("stopped", "Noted.", ())
    assert app.vaults.list(actor=owner) == [] or app.facts.list(actor=owner, vault="personal") == []


def test_c2_a_look_that_fails_is_not_the_last(
    app: Application, owner: Actor, model: Server, ask: Ask, elsewhere: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "LOOK_EVERY", 0.05)
    chat = app.conversations.start(actor=owner).id
    looked, looks = app.exchange._keeping.is_wished_stopped, list[str]()

    def away_at_first(kept: Any) -> bool:
        looks.append("look")
        if len(looks) < 3:
            raise OperationalError("SELECT", {}, ConnectionError("the store is away"))
        return looked(kept)

    monkeypatch.setattr(app.exchange._keeping, "is_wished_stopped", away_at_first)

    def silent(handler: Handler, _body: Any) -> None:
        stop_in(elsewhere, chat)
        handler.server.stop.wait(20)

    model.says(silent)
    assert isinstance(ask("q", conversation=chat)[-1].error, AnswerStopped)  # type: ignore[union-attr]
    assert len(looks) >= 3


def test_c2_who_deletes_a_conversation_ends_its_answer(
    app: Application, owner: Actor, model: Server, ask: Ask, elsewhere: Application
) -> None:
    chat = app.conversations.start(actor=owner).id

    def silent(handler: Handler, _body: Any) -> None:
        through = elsewhere.owner_through(Source.PANEL, route=Route.LOCAL)
        elsewhere.conversations.delete(actor=through, conversation=chat)
        handler.server.stop.wait(20)

    model.says(silent)
    assert isinstance(ask("q", conversation=chat)[-1].error, AnswerStopped)  # type: ignore[union-attr]
    assert app.conversations.list(actor=owner) == []


# --- pieces that end early --------------------------------------------------------------------------------------


def test_what_is_interrupted_is_closed_to_its_end_and_leaves_nothing_running() -> None:
    closed, begun = list[str](), threading.Event()

    async def pieces() -> AsyncGenerator[str]:
        try:
            yield "1"
            begun.set()
            await asyncio.sleep(60)
            yield "2"
        finally:
            await asyncio.sleep(0.01)
            closed.append("closed")

    async def run() -> None:
        gone = asyncio.Event()
        through = passing(pieces(), gone.wait())
        assert await anext(through) == "1"
        following = asyncio.ensure_future(anext(through))
        await asyncio.sleep(0.01)
        gone.set()
        with pytest.raises(Interrupted):
            await following
        assert closed == ["closed"]
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())
    assert begun.is_set()


def test_pieces_that_end_or_fail_by_themselves_do_so() -> None:
    async def pieces(error: Exception | None) -> AsyncGenerator[int]:
        yield 1
        if error is not None:
            raise error

    async def run(error: Exception | None) -> list[int]:
        return [one async for one in passing(pieces(error), asyncio.Event().wait())]

    assert asyncio.run(run(None)) == [1]
    with pytest.raises(ValueError, match="as it was"):
        asyncio.run(run(ValueError("as it was")))
