"""`/conversations`: stored conversations; a token has those it began (V7, C5)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field

from souvenance.exchange.shapes import conversation_shape, turn_shape
from souvenance.interfaces.rest.caller import Caller, Memory
from souvenance.interfaces.rest.fields import LARGEST, Given, Limit, Offset, Shown, Text

router = APIRouter(prefix="/conversations", tags=["chat"])

ConversationId = Annotated[int, Path(ge=1, le=LARGEST, description="Number of a conversation.")]
Title = Annotated[Text, Field(max_length=500)]


class ConversationShown(Shown):
    """A conversation. `without_memory`: nothing is read in it, whatever the weights; the one thing of its scope that
    comes back with it."""

    conversation: int
    title: str
    without_memory: bool
    turns: int
    is_protected: bool
    created_at: datetime
    updated_at: datetime


class TurnShown(Shown):
    """A question and what came of it; empty where it was made from a protected vault and your route is cloud.

    `state`: `asked`, `done`, `stopped`, `failed`."""

    turn: int
    state: str
    question: str
    answer: str
    failure: dict[str, Any] | None
    model: str
    read: dict[str, Any] | None
    wrote: list[dict[str, Any]]
    is_protected: bool
    asked_at: datetime
    answered_at: datetime | None


class OpenedShown(ConversationShown):
    """A conversation with its turns."""

    said: list[TurnShown]


class ConversationGiven(Given):
    """A new conversation; titled by its first question when no title is given."""

    title: Title = ""
    without_memory: bool = False


class ChangeGiven(Given):
    """What to change; what is left out stays."""

    title: Title | None = None
    without_memory: bool | None = None


class UndoGiven(Given):
    """Which of the things an answer wrote, from 0."""

    place: Annotated[int, Field(ge=0, le=10_000)]


class Listed(Shown):
    """Conversations, the last used first."""

    conversations: list[ConversationShown]


class Deleted(Shown):
    """What is gone."""

    deleted: int


@router.post("", status_code=201, summary="Begin a conversation")
def start_conversation(memory: Memory, actor: Caller, given: ConversationGiven) -> ConversationShown:
    """Begin a conversation, for questions that are to be kept together."""
    made = memory.conversations.start(actor=actor, title=given.title, without_memory=given.without_memory)
    return ConversationShown(**conversation_shape(made))


@router.get("", summary="List conversations")
def list_conversations(
    memory: Memory,
    actor: Caller,
    query: Annotated[str, Query(max_length=1000, description="Only those that say this.")] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed:
    """The last used first."""
    found = memory.conversations.list(actor=actor, query=query, limit=limit, offset=offset)
    return Listed(conversations=[ConversationShown(**conversation_shape(one)) for one in found])


@router.get("/{conversation}", summary="Read a conversation")
def get_conversation(memory: Memory, actor: Caller, conversation: ConversationId) -> OpenedShown:
    """A conversation with its turns, in order."""
    opened = memory.conversations.get(actor=actor, conversation=conversation)
    said = [TurnShown(**turn_shape(one)) for one in opened.turns]
    return OpenedShown(**conversation_shape(opened.conversation), said=said)


@router.patch("/{conversation}", summary="Rename a conversation, or take memory out of it")
def change_conversation(
    memory: Memory, actor: Caller, conversation: ConversationId, given: ChangeGiven
) -> ConversationShown:
    """Change what is given."""
    changed = memory.conversations.change(
        actor=actor, conversation=conversation, title=given.title, without_memory=given.without_memory
    )
    return ConversationShown(**conversation_shape(changed))


@router.delete("/{conversation}", summary="Delete a conversation for good")
def delete_conversation(memory: Memory, actor: Caller, conversation: ConversationId) -> Deleted:
    """Delete it with its turns; what was learnt in it stays in memory."""
    memory.conversations.delete(actor=actor, conversation=conversation)
    return Deleted(deleted=conversation)


@router.post("/{conversation}/turns/{turn}/undo", summary="Undo what an answer wrote")
def undo_written(
    memory: Memory,
    actor: Caller,
    conversation: ConversationId,
    turn: Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a turn, from 1.")],
    given: UndoGiven,
) -> dict[str, Any]:
    """Take back one thing, unless somebody changed it since."""
    actor.require_write()
    undone = memory.conversations.undo(actor=actor, conversation=conversation, turn=turn, place=given.place)
    return undone.as_dict()
