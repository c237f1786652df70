"""The chat: conversations, questions and the answers that come while they are said (C1 to C6, V6, V7, V10, V11)."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import anyio.to_thread
from starlette.responses import Response

from souvenance.domain.conversation import UNTITLED
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import InvalidInput, NotFound
from souvenance.exchange.conversations import Opened
from souvenance.exchange.events import Event, Gathered, LookedUp, Text, Waiting
from souvenance.exchange.language import guessed_language
from souvenance.interfaces.panel.pages import welcome
from souvenance.interfaces.panel.pages.scope import PIECE as PILL
from souvenance.interfaces.panel.pages.scope import pill_values
from souvenance.interfaces.panel.streams import Going
from souvenance.interfaces.panel.turns import badge_words, read_view, turn_views, waiting_words
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "chat.html"
TURN = "pieces/turn.html"
TURNS = 20
"""Turns of a conversation that are shown at first, and more each time earlier ones are asked for."""
LISTED = 40
"""Conversations that are listed at first."""
MOST_LISTED = 200
LARGEST = 2**31 - 1
"""The largest number that an address may name."""
LOOK_EVERY = 1.0
"""Seconds between two looks at an answer that another process makes."""
PROMPTS = 3
"""Facts that a new conversation proposes to ask about."""


def show_new(visit: Visit) -> Response:
    """A conversation that is not begun yet; the welcome instead, where memory is empty and nobody has passed it by."""
    if welcome.is_due(visit):
        return welcome.show(visit)
    return visit.page(
        PAGE,
        **_around(visit, None),
        **pill_values(visit, form="ask"),
        title="",
        turns=[],
        earlier=None,
        prompts=_prompts(visit),
    )


def show(visit: Visit) -> Response:
    """A conversation, from its last turns on."""
    conversation = _conversation(visit)
    opened = visit.memory.conversations.get(actor=visit.actor, conversation=conversation, last=TURNS)
    return visit.page(
        PAGE,
        **_around(visit, conversation),
        **pill_values(visit, conversation=conversation, without_memory=opened.conversation.without_memory),
        title=_title(opened.conversation.title),
        **_shown(visit, opened),
        prompts=[],
    )


def show_list(visit: Visit) -> Response:
    """The conversations, or those that say what is looked for."""
    return visit.piece(PAGE, "talks", **_listed(visit, visit.asked_number("here", 0)))


def show_earlier(visit: Visit) -> Response:
    """Turns before those that are shown."""
    conversation, before = _conversation(visit), visit.asked_number("before", 1, least=1)
    opened = visit.memory.conversations.get(actor=visit.actor, conversation=conversation, last=TURNS, before=before)
    return visit.piece(PAGE, "turns", conversation=conversation, **_shown(visit, opened))


def show_since(visit: Visit) -> Response:
    """The turns from one on, for a window that was cut off, or that did not ask itself."""
    conversation, since = _conversation(visit), visit.asked_number("since", 1, least=1)
    opened = visit.memory.conversations.get(actor=visit.actor, conversation=conversation, last=TURNS)
    turns = turn_views(visit, opened.turns, since=since)
    return visit.html(*(visit.block(TURN, "turn", turn=turn, conversation=conversation) for turn in turns))


def show_read(visit: Visit) -> Response:
    """What was put before the model for one answer, at which weight, and what was withheld (V11)."""
    conversation, ordinal = _conversation(visit), _ordinal(visit)
    return visit.piece("pieces/read.html", "read", read=read_view(visit, _turn(visit, conversation, ordinal).turns[-1]))


def show_mentions(visit: Visit) -> Response:
    """The vaults that can be named with an @."""
    return visit.piece(PAGE, "mentions", mentionable=_mentionable(visit))


def show_scope(visit: Visit) -> Response:
    """The scope with this conversation's position, which another window may have changed."""
    conversation = _conversation(visit)
    found = visit.memory.conversations.get(actor=visit.actor, conversation=conversation, last=1).conversation
    return visit.piece(
        PILL, "scope", **pill_values(visit, conversation=conversation, without_memory=found.without_memory)
    )


# --- asking ------------------------------------------------------------------------------------------------------


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
    conversation, again = _conversation(visit), visit.given_whole("again")
    opened = await _opened(visit, conversation)
    if again is None:
        return visit.stream((await _ask(visit, conversation, visit.given("question"))).follow())
    turn = (await anyio.to_thread.run_sync(_turn, visit, conversation, min(again, LARGEST))).turns[-1]
    is_last = bool(opened.turns) and opened.turns[-1].ordinal == again
    instead_of = again if is_last and turn.state in {"stopped", "failed"} else None
    return visit.stream((await _ask(visit, conversation, turn.question, instead_of=instead_of)).follow())


async def follow(visit: Visit) -> Response:
    """The answer to the last question from its beginning on, whichever process makes it; how it ended where it did."""
    conversation = _conversation(visit)
    opened = await _opened(visit, conversation)
    if not opened.turns:
        return visit.stream(_nothing())
    ordinal = visit.asked_number("turn", opened.turns[-1].ordinal, least=1, most=LARGEST)
    going = visit.streams.going(_key(conversation, ordinal))
    return visit.stream(going.follow() if going is not None else _elsewhere(visit, conversation, ordinal))


async def stop(visit: Visit) -> Response:
    """Stop the model, here or in another process. What was said is kept, and nothing it asked of memory is done."""
    conversation = _conversation(visit)
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
        opened = _turn(visit, conversation, ordinal)
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
            turn = (await anyio.to_thread.run_sync(_turn, visit, conversation, ordinal)).turns[-1]
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


# --- deeds on a conversation -------------------------------------------------------------------------------------


def undo(visit: Visit) -> Response:
    """Take back one thing that an answer wrote (C5)."""
    conversation, ordinal = _conversation(visit), _ordinal(visit)
    visit.memory.conversations.undo(
        actor=visit.actor, conversation=conversation, turn=ordinal, place=visit.path["place"]
    )
    turn = turn_views(visit, _turn(visit, conversation, ordinal).turns, since=ordinal)[-1]
    return visit.piece(TURN, "turn", turn=turn, conversation=conversation)


def rename(visit: Visit) -> Response:
    """Call a conversation something else."""
    conversation = _conversation(visit)
    changed = visit.memory.conversations.change(
        actor=visit.actor, conversation=conversation, title=visit.given("title")
    )
    return visit.piece(PAGE, "head", conversation=conversation, title=_title(changed.title))


def delete(visit: Visit) -> Response:
    """Delete a conversation for good; what was learnt in it stays."""
    visit.memory.conversations.delete(actor=visit.actor, conversation=_conversation(visit))
    return visit.go("/")


# --- what is shown -----------------------------------------------------------------------------------------------


def _around(visit: Visit, conversation: int | None) -> dict[str, Any]:
    """What stands around the turns of any conversation."""
    return {
        "here": "chat",
        "conversation": conversation,
        "has_model": visit.memory.endpoints.used_for(user_id=visit.user.id, use=Use.ANSWERS) is not None,
        "mentionable": _mentionable(visit),
        "knows": conversation is not None or any(visit.memory.vaults.count_facts(actor=visit.actor).values()),
        **_listed(visit, conversation or 0),
    }


def _listed(visit: Visit, here: int) -> dict[str, Any]:
    query, limit = visit.asked("query"), visit.asked_number("limit", LISTED, least=1, most=MOST_LISTED)
    found = visit.memory.conversations.list(actor=visit.actor, query=query[:1000], limit=limit)
    talks = [
        {"id": one.id, "title": _title(one.title), "used": one.updated_at, "mute": one.without_memory} for one in found
    ]
    more = min(limit * 2, MOST_LISTED) if len(found) == limit < MOST_LISTED else None
    return {"talks": talks, "query": query, "more": more, "talk": here}


def _shown(visit: Visit, opened: Opened) -> dict[str, Any]:
    first = opened.turns[0].ordinal if opened.turns else 1
    return {
        "turns": turn_views(visit, opened.turns),
        "earlier": first if first > 1 and len(opened.turns) == TURNS else None,
    }


def _turn(visit: Visit, conversation: int, ordinal: int) -> Opened:
    """A conversation with that turn as its last, and some before it, whose facts it may name."""
    opened = visit.memory.conversations.get(
        actor=visit.actor, conversation=conversation, last=TURNS, before=ordinal + 1
    )
    if not opened.turns or opened.turns[-1].ordinal != ordinal:
        raise NotFound("That turn is no longer there.", hint="It was erased, or asked again in another window.")
    return opened


async def _opened(visit: Visit, conversation: int) -> Opened:
    return await anyio.to_thread.run_sync(
        lambda: visit.memory.conversations.get(actor=visit.actor, conversation=conversation, last=1)
    )


def _mentionable(visit: Visit) -> list[dict[str, str]]:
    return [{"slug": vault.slug, "name": visit.called(vault)} for vault in visit.memory.vaults.list(actor=visit.actor)]


def _prompts(visit: Visit) -> list[str]:
    """What one could ask: about what was remembered last."""
    page = visit.memory.facts.browse(actor=visit.actor, vault=None, limit=PROMPTS * 3)
    keys = dict.fromkeys(fact.key for fact in page.facts if fact.key and len(fact.key) <= 60)
    return [visit.say("What do you know about “%(subject)s”?", subject=key) for key in list(keys)[:PROMPTS]]


def _title(title: str) -> str:
    return "" if title == UNTITLED else title


def _conversation(visit: Visit) -> int:
    number = int(visit.path["conversation"])
    if number > LARGEST:
        raise NotFound("You have no such conversation.", hint="The list beside shows yours.")
    return number


def _ordinal(visit: Visit) -> int:
    number = int(visit.path["turn"])
    if number > LARGEST:
        raise NotFound("That turn is no longer there.")
    return number


def _key(conversation: int, ordinal: int) -> tuple[str, int, int]:
    return ("answer", conversation, ordinal)


WAYS: tuple[Way, ...] = (
    get("/", show_new),
    get("/chat/list", show_list),
    get("/chat/mentions", show_mentions),
    post("/chat/begin", begin),
    get("/chat/{conversation:int}", show),
    get("/chat/{conversation:int}/earlier", show_earlier),
    get("/chat/{conversation:int}/since", show_since),
    get("/chat/{conversation:int}/scope", show_scope),
    get("/chat/{conversation:int}/follow", follow),
    post("/chat/{conversation:int}/ask", ask),
    post("/chat/{conversation:int}/stop", stop),
    post("/chat/{conversation:int}/rename", rename),
    post("/chat/{conversation:int}/delete", delete),
    get("/chat/{conversation:int}/turns/{turn:int}/read", show_read),
    post("/chat/{conversation:int}/turns/{turn:int}/undo/{place:int}", undo),
)
