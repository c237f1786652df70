"""`/chat`: a question answered with memory, whole or as it is said (C1)."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from souvenance.domain.errors import SouvenanceError
from souvenance.exchange.engine import BUDGET_TOKENS
from souvenance.exchange.events import Ended, Event, Failed
from souvenance.exchange.language import checked_language
from souvenance.exchange.shapes import ended_shape, event_shape
from souvenance.exchange.stopping import Interrupted, unless
from souvenance.interfaces.rest.caller import Caller, Memory
from souvenance.interfaces.rest.fields import LARGEST, Given, Shown, Text, Vault

router = APIRouter(tags=["chat"])

MOST_TOKENS = 200_000
STREAM = {"text/event-stream": {"schema": {"type": "string", "description": "With `stream`: one event for each step."}}}


class QuestionGiven(Given):
    """A question. In a stored conversation its turns are what was said before; without one nothing is stored."""

    question: Text
    conversation: Annotated[int, Field(ge=1, le=LARGEST)] | None = None
    vaults: Annotated[list[Vault], Field(max_length=100)] | None = None
    memory: bool = True
    language: Annotated[Text, Field(max_length=20)] | None = None
    budget_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS)] = BUDGET_TOKENS
    stream: bool = False


class AnswerShown(Shown):
    """An answer: what was read for it, what it wrote to memory, what it cost. `by_model` is false where no model is
    set and memory itself answered."""

    answer: str
    by_model: bool
    read: dict[str, Any]
    wrote: list[dict[str, Any]]
    spent: dict[str, Any]
    conversation: int | None
    turn: int | None


@router.post("/chat", summary="Ask a question", response_model=AnswerShown, responses={200: {"content": STREAM}})
async def ask(memory: Memory, actor: Caller, given: QuestionGiven, request: Request) -> Response:
    """Answer with what the caller may read. With `stream`, server-sent events: `waiting`, `gathered`, `text` ...,
    `looked_up`, `wrote`, and last `ended` or `failed`; closing the connection stops the model."""
    language = checked_language(given.language)
    events = memory.exchange.answer(
        actor=actor,
        question=given.question,
        conversation=given.conversation,
        vaults=given.vaults,
        with_memory=given.memory,
        language=language,
        budget_tokens=given.budget_tokens,
    )
    language = language or "en"
    if not given.stream:
        try:
            return JSONResponse(ended_shape(await unless(_gone(request), _whole(events)), language))
        except Interrupted:
            return Response(status_code=499)
    first = await anext(events)  # what is refused before anything was done has a status of its own
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_lines(first, events, language), media_type="text/event-stream", headers=headers)


async def _gone(request: Request) -> None:
    """Ends when the client went away; its body is read already."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _whole(events: AsyncGenerator[Event]) -> Ended:
    async with contextlib.aclosing(events):
        async for event in events:
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Ended):
                return event
    raise SouvenanceError("The exchange did not end.")


async def _lines(first: Event, events: AsyncGenerator[Event], language: str) -> AsyncIterator[str]:
    async with contextlib.aclosing(events):
        yield _line(first, language)
        async for event in events:
            yield _line(event, language)


def _line(event: Event, language: str) -> str:
    name, values = event_shape(event, language)
    return f"event: {name}\ndata: {json.dumps(values, ensure_ascii=False)}\n\n"
