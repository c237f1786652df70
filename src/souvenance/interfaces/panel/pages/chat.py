"""The chat: conversations, questions and the answers that come while they are said (C1 to C6, V6, V7, V10, V11)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from souvenance.domain.conversation import UNTITLED
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import NotFound
from souvenance.exchange.conversations import Opened
from souvenance.interfaces.panel.pages import welcome
from souvenance.interfaces.panel.pages.scope import PIECE as PILL
from souvenance.interfaces.panel.pages.scope import pill_values
from souvenance.interfaces.panel.turns import read_view, turn_views
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
    conversation = conversation_of(visit)
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
    conversation, before = conversation_of(visit), visit.asked_number("before", 1, least=1)
    opened = visit.memory.conversations.get(actor=visit.actor, conversation=conversation, last=TURNS, before=before)
    return visit.piece(PAGE, "turns", conversation=conversation, **_shown(visit, opened))


def show_since(visit: Visit) -> Response:
    """The turns from one on, for a window that was cut off, or that did not ask itself."""
    conversation, since = conversation_of(visit), visit.asked_number("since", 1, least=1)
    opened = visit.memory.conversations.get(actor=visit.actor, conversation=conversation, last=TURNS)
    turns = turn_views(visit, opened.turns, since=since)
    return visit.html(*(visit.block(TURN, "turn", turn=turn, conversation=conversation) for turn in turns))


def show_read(visit: Visit) -> Response:
    """What was put before the model for one answer, at which weight, and what was withheld (V11)."""
    conversation, ordinal = conversation_of(visit), _ordinal(visit)
    turn = turn_of(visit, conversation, ordinal).turns[-1]
    return visit.piece("pieces/read.html", "read", read=read_view(visit, turn))


def show_mentions(visit: Visit) -> Response:
    """The vaults that can be named with an @."""
    return visit.piece(PAGE, "mentions", mentionable=_mentionable(visit))


def show_scope(visit: Visit) -> Response:
    """The scope with this conversation's position, which another window may have changed."""
    conversation = conversation_of(visit)
    found = visit.memory.conversations.get(actor=visit.actor, conversation=conversation, last=1).conversation
    return visit.piece(
        PILL, "scope", **pill_values(visit, conversation=conversation, without_memory=found.without_memory)
    )


# --- deeds on a conversation -------------------------------------------------------------------------------------


def undo(visit: Visit) -> Response:
    """Take back one thing that an answer wrote (C5)."""
    conversation, ordinal = conversation_of(visit), _ordinal(visit)
    visit.memory.conversations.undo(
        actor=visit.actor, conversation=conversation, turn=ordinal, place=visit.path["place"]
    )
    turn = turn_views(visit, turn_of(visit, conversation, ordinal).turns, since=ordinal)[-1]
    return visit.piece(TURN, "turn", turn=turn, conversation=conversation)


def rename(visit: Visit) -> Response:
    """Call a conversation something else."""
    conversation = conversation_of(visit)
    changed = visit.memory.conversations.change(
        actor=visit.actor, conversation=conversation, title=visit.given("title")
    )
    return visit.piece(PAGE, "head", conversation=conversation, title=_title(changed.title))


def delete(visit: Visit) -> Response:
    """Delete a conversation for good; what was learnt in it stays."""
    visit.memory.conversations.delete(actor=visit.actor, conversation=conversation_of(visit))
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


def turn_of(visit: Visit, conversation: int, ordinal: int) -> Opened:
    """A conversation with that turn as its last, and some before it, whose facts it may name."""
    opened = visit.memory.conversations.get(
        actor=visit.actor, conversation=conversation, last=TURNS, before=ordinal + 1
    )
    if not opened.turns or opened.turns[-1].ordinal != ordinal:
        raise NotFound("That turn is no longer there.", hint="It was erased, or asked again in another window.")
    return opened


def _mentionable(visit: Visit) -> list[dict[str, str]]:
    return [{"slug": vault.slug, "name": visit.called(vault)} for vault in visit.memory.vaults.list(actor=visit.actor)]


def _prompts(visit: Visit) -> list[str]:
    """What one could ask: about what was remembered last."""
    page = visit.memory.facts.browse(actor=visit.actor, vault=None, limit=PROMPTS * 3)
    keys = dict.fromkeys(fact.key for fact in page.facts if fact.key and len(fact.key) <= 60)
    return [visit.say("What do you know about “%(subject)s”?", subject=key) for key in list(keys)[:PROMPTS]]


def _title(title: str) -> str:
    return "" if title == UNTITLED else title


def conversation_of(visit: Visit) -> int:
    """The conversation that an address names."""
    number = int(visit.path["conversation"])
    if number > LARGEST:
        raise NotFound("You have no such conversation.", hint="The list beside shows yours.")
    return number


def _ordinal(visit: Visit) -> int:
    number = int(visit.path["turn"])
    if number > LARGEST:
        raise NotFound("That turn is no longer there.")
    return number


WAYS: tuple[Way, ...] = (
    get("/", show_new),
    get("/chat/list", show_list),
    get("/chat/mentions", show_mentions),
    get("/chat/{conversation:int}", show),
    get("/chat/{conversation:int}/earlier", show_earlier),
    get("/chat/{conversation:int}/since", show_since),
    get("/chat/{conversation:int}/scope", show_scope),
    post("/chat/{conversation:int}/rename", rename),
    post("/chat/{conversation:int}/delete", delete),
    get("/chat/{conversation:int}/turns/{turn:int}/read", show_read),
    post("/chat/{conversation:int}/turns/{turn:int}/undo/{place:int}", undo),
)
