"""Asking in the chat: a question goes out, and its answer comes as it is said, whichever process makes it (C1, C2)."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import anyio.to_thread
from starlette.responses import Response

from souvenance.domain.errors import InvalidInput, NotFound
from souvenance.exchange.conversations import Opened
from souvenance.exchange.events import Event, Gathered, LookedUp, Text, Waiting
from souvenance.exchange.language import guessed_language
from souvenance.interfaces.panel.pages.chat import LARGEST, TURN, conversation_of, turn_of
from souvenance.interfaces.panel.streams import Going
from souvenance.interfaces.panel.turns import badge_words, turn_views, waiting_words
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

LOOK_EVERY = 1.0
"""Seconds between two looks at an answer that another process makes."""


async def begin(visit: Visit) -> Response:
    """Begin a conversation with its first question; its page shows the answer as it comes."""
    question = visit.given("question")
    if not question.strip():
        raise InvalidInput("The question is empty.", hint="Say something.")
    without_memory = visit.given("without_memory") == "1"
    made = await anyio.to_thread.run_sync(
        lambda: visit.memory.conversations.start(actor=visit.actor, without_memory=without_memory)
    )
    try:
        await _ask(visit, made.id, question)
    except BaseException:
        await anyio.to_thread.run_sync(
            lambda: visit.memory.conversations.delete(actor=visit.actor, conversation=made.id)
        )
        raise
    return visit.go(f"/chat/{made.id}")


async def ask(visit: Visit) -> Response:
    """Put a question and send what comes of it; `again` names a turn whose question is put once more."""
    conversation, again = conversation_of(visit), visit.given_whole("again")
    opened = await _opened(visit, conversation)
    if again is None:
        return visit.stream((await _ask(visit, conversation, visit.given("question"))).follow())
    turn = (await anyio.to_thread.run_sync(turn_of, visit, conversation, min(again, LARGEST))).turns[-1]
    is_last = bool(opened.turns) and opened.turns[-1].ordinal == again
    instead_of = again if is_last and turn.state in {"stopped", "failed"} else None
    return visit.stream((await _ask(visit, conversation, turn.question, instead_of=instead_of)).follow())


async def follow(visit: Visit) -> Response:
    """The answer to the last question from its beginning on, whichever process makes it; how it ended where it did."""
    conversation = conversation_of(visit)
    opened = await _opened(visit, conversation)
    if not opened.turns:
        return visit.stream(_nothing())
    ordinal = visit.asked_number("turn", opened.turns[-1].ordinal, least=1, most=LARGEST)
    going = visit.streams.going(_key(conversation, ordinal))
    return visit.stream(going.follow() if going is not None else _elsewhere(visit, conversation, ordinal))


async def stop(visit: Visit) -> Response:
    """Stop the model, here or in another process. What was said is kept, and nothing it asked of memory is done."""
    conversation = conversation_of(visit)
    opened = await _opened(visit, conversation)
    going = visit.streams.going(_key(conversation, opened.turns[-1].ordinal)) if opened.turns else None
    if going is not None:
        going.stop()
    else:
        conversations = visit.memory.conversations
        await anyio.to_thread.run_sync(lambda: conversations.stop(actor=visit.actor, conversation=conversation))
    return Response(status_code=204)


async def _ask(visit: Visit, conversation: int, question: str, *, instead_of: int | None = None) -> Going:
    events = visit.memory.exchange.answer(
        actor=visit.actor, question=question, conversation=conversation, instead_of=instead_of,
        language=guessed_language(question, otherwise=visit.language),
    )  # fmt: skip
    first = await anext(events)  # what is refused before anything was done is answered with a status of its own
    ordinal = (await _opened(visit, conversation)).turns[-1].ordinal

    async def conclude() -> str:
        return await anyio.to_thread.run_sync(_concluded, visit, conversation, ordinal)

    return visit.streams.begin(_key(conversation, ordinal), _told(visit, first, events), conclude)


async def _told(visit: Visit, first: Event, events: AsyncGenerator[Event]) -> AsyncGenerator[str]:
    try:
        if said := await _said(visit, first):
            yield said
        async for event in events:
            if said := await _said(visit, event):
                yield said
    finally:
        await events.aclose()


async def _said(visit: Visit, event: Event) -> str:
    """One step of an exchange as the page is told it, in the reader's language; empty where nothing is told."""
    match event:
        case Text():
            return _event("text", event.text)
        case Waiting():
            return _event("state", waiting_words(visit, event))
        case LookedUp():
            return _event("state", visit.say("Looked up: %(query)s", query=event.query[:80]))
        case Gathered():
            return _event("badge", await anyio.to_thread.run_sync(badge_words, visit, event.as_dict()))
        case _:
            return ""


def _concluded(visit: Visit, conversation: int, ordinal: int) -> str:
    try:
        opened = turn_of(visit, conversation, ordinal)
    except NotFound:  # deleted or erased meanwhile
        return _event("gone", "")
    turn = turn_views(visit, opened.turns, since=ordinal)[-1]
    return _event("done", str(visit.block(TURN, "turn", turn=turn, conversation=conversation)))


def _event(name: str, said: str) -> str:
    return f"event: {name}\ndata: {json.dumps(said)}\n\n"


async def _elsewhere(visit: Visit, conversation: int, ordinal: int) -> AsyncGenerator[str]:
    """An answer that another process makes, as far as it keeps what it says while it goes on, and how it ended."""
    told = ""
    while True:
        try:
            turn = (await anyio.to_thread.run_sync(turn_of, visit, conversation, ordinal)).turns[-1]
        except NotFound:
            break
        if turn.state != "asked":
            break
        if turn.answer.startswith(told) and turn.answer != told:
            yield _event("text", turn.answer[len(told) :])
            told = turn.answer
        await anyio.sleep(LOOK_EVERY)
    yield await anyio.to_thread.run_sync(_concluded, visit, conversation, ordinal)


async def _nothing() -> AsyncGenerator[str]:
    yield _event("over", "")


async def _opened(visit: Visit, conversation: int) -> Opened:
    return await anyio.to_thread.run_sync(
        lambda: visit.memory.conversations.get(actor=visit.actor, conversation=conversation, last=1)
    )


def _key(conversation: int, ordinal: int) -> tuple[str, int, int]:
    return ("answer", conversation, ordinal)


WAYS: tuple[Way, ...] = (
    post("/chat/begin", begin),
    get("/chat/{conversation:int}/follow", follow),
    post("/chat/{conversation:int}/ask", ask),
    post("/chat/{conversation:int}/stop", stop),
)
