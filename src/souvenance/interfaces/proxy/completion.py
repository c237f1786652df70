"""One chat completion through memory: gathered, passed on, read for requests, given back (C4)."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator
from typing import Any

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.endpoint import Reached
from souvenance.domain.errors import NoModel, SouvenanceError
from souvenance.domain.tokens import estimate_tokens
from souvenance.exchange.engine import BUDGET_TOKENS
from souvenance.exchange.events import LookedUp, Wrote
from souvenance.exchange.keeping import Kept, State
from souvenance.exchange.opening import Asking
from souvenance.exchange.reply import Reply
from souvenance.exchange.shapes import gathered_shape
from souvenance.exchange.steps import Ready, content_of, look_up_messages, opening_look_up
from souvenance.interfaces.proxy.refusals import error_shape
from souvenance.interfaces.proxy.request import Completion, tool_calls

Json = dict[str, Any]
HIDDEN = "(withheld: protected vault)"
CHOSEN = 0
"""Of several choices, the one whose requests are done."""
NOTHING = "?"
"""Stands for a question that has no text: nothing is found for it."""


class Passing:
    """One completion on its way. `headers` say what was read once it is begun."""

    def __init__(self, memory: Application, actor: Actor, asked: Completion) -> None:
        self._exchange = memory.exchange
        self._actor = actor
        self._asked = asked
        self._replies: dict[int, Reply] = {}
        self._goes_on: dict[int, Reply] = {}

    async def begin(self) -> None:
        """Gather memory; refuses before anything is sent."""
        self._place = self._exchange.at_once.enter(self._actor)
        try:
            await self._gather()
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """Make room for others of the same caller; once it is over, however it ended."""
        self._place.leave()

    async def _gather(self) -> None:
        asked = self._asked
        opening = await self._exchange.open(
            Asking(
                actor=self._actor,
                question=asked.question.strip() or NOTHING,
                history=asked.history,
                vaults=asked.vaults,
                with_memory=asked.with_memory and bool(asked.question.strip()),
                budget_tokens=BUDGET_TOKENS,
                may_ask=asked.may_ask,
                beside=asked.beside,
                sends_all=True,
            )
        )
        if opening.endpoint is None:
            raise NoModel("No model is set to answer.", hint="souvenance endpoint add NAME URL MODEL")
        self._endpoint: Reached = opening.endpoint
        kept = Kept(opening)
        choice = await self._exchange.choose(opening, kept)
        self._ready: Ready = await self._exchange.gather(opening, kept, choice)
        self._body = asked.upstream(self._ready.memory.text, opening.withheld_texts, HIDDEN)

    @property
    def headers(self) -> dict[str, str]:
        """Which vaults were read, and how many passages were withheld (V8)."""
        gathered = self._ready.memory.gathered
        slugs = ", ".join(one.slug for one in gathered.badge.vaults)
        shown = {"x-souvenance-vaults": slugs.encode("ascii", "replace").decode()}
        withheld = gathered.withheld + gathered.withheld_turns
        return shown | ({"x-souvenance-withheld": str(withheld)} if withheld else {})

    # --- whole -------------------------------------------------------------------------------------------------

    async def whole(self) -> Json:
        """The completion, its requests done and taken out; with what memory did in a field of ours."""
        try:
            found = await self._complete(self._body)
            looked = await self._read_whole(found, may_look_up=True)
            if looked is not None:
                first = found.get("usage")
                found = await self._complete(self._after(looked))
                await self._read_whole(found, may_look_up=False)
                found["usage"] = _added(first, found.get("usage")) or found.get("usage")
            wrote = await self._exchange.finish(self._settled())
            return found | {"souvenance": self._told(wrote)}
        finally:
            await self._exchange.keep(self._ready, State.STOPPED)

    async def _read_whole(self, found: Json, *, may_look_up: bool) -> LookedUp | None:
        self._replies, self._goes_on = self._goes_on, {}
        for place, choice in enumerate(found["choices"]):
            message = choice.get("message")
            said = content_of(message)
            index = choice.get("index", place)
            self._called(index, message)
            if not said or not self._asked.with_memory:
                self._heard(index, said)
                continue
            reply = self._reply(index, halts=may_look_up and index == CHOSEN)
            visible = reply.feed(said) + reply.end()
            if index == CHOSEN and (looked := await self._looked_up()) is not None:
                return looked
            visible += reply.end()
            message["content"] = visible
            self._heard(index, visible)
        return None

    # --- as it comes -------------------------------------------------------------------------------------------

    async def lines(self) -> AsyncGenerator[str]:
        """The events for the client. What fails before the first is raised; later it is an event, and the last."""
        has_begun = False
        try:
            async with contextlib.aclosing(self._chunks()) as chunks:
                async for chunk in chunks:
                    has_begun = True
                    yield f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
            await self._exchange.finish(self._settled())
            yield "data: [DONE]\n\n"
        except SouvenanceError as error:
            if not has_begun:
                raise
            yield f"data: {json.dumps(error_shape(error), ensure_ascii=False)}\n\n"
        finally:
            await self._exchange.keep(self._ready, State.STOPPED)

    async def _chunks(self) -> AsyncGenerator[Json]:
        body, may_look_up, name = self._body, True, None
        while True:
            looked: LookedUp | None = None
            said: list[str] = []
            usage: Any = None
            self._replies, self._goes_on = self._goes_on, {}
            self._ready.kept.sending = _cost(body)
            try:
                async with contextlib.aclosing(self._exchange.chat.stream(self._endpoint, body)) as chunks:
                    async for chunk in chunks:
                        usage = chunk.get("usage") or usage
                        name = name or chunk.get("id")
                        for place, choice in enumerate(chunk["choices"]):
                            self._called(choice.get("index", place), choice.get("delta"))
                        for one in self._passed(chunk, said, may_look_up=may_look_up):
                            yield one if name is None else one | {"id": name}
                        looked = await self._looked_up() if may_look_up else None
                        if looked is not None:
                            break
            finally:
                self._ready.kept.answered(usage=usage, received_text="".join(said))
            if looked is None:
                if CHOSEN in self._replies and (left := self._replies[CHOSEN].end()):
                    self._ready.kept.text.append(left)
                    choice = {"index": CHOSEN, "delta": {"content": left}, "finish_reason": None}
                    yield {"id": name, "object": "chat.completion.chunk", "choices": [choice]}
                return
            may_look_up, body = False, self._after(looked)

    def _passed(self, chunk: Json, said: list[str], *, may_look_up: bool) -> list[Json]:
        """What of a chunk goes on: all but requests, and what may be the beginning of one; held text comes before the
        end of its choice."""
        if not self._asked.with_memory:
            for place, one in enumerate(chunk["choices"]):
                said.append(content_of(one.get("delta")))
                self._heard(one.get("index", place), said[-1])
            return [chunk]
        choices, tails = [], []
        for place, choice in enumerate(chunk["choices"]):
            delta = choice.get("delta")
            text = content_of(delta)
            index = choice.get("index", place)
            reply = self._reply(index, halts=may_look_up and index == CHOSEN)
            finish = choice.get("finish_reason")
            visible = reply.feed(text) if text else ""
            if finish:
                visible += reply.end()
            if text:
                said.append(text)
            self._heard(index, visible)
            if visible and not text:  # held back until now
                tails.append({"index": index, "delta": {"content": visible}, "finish_reason": None})
                choices.append(choice)
            elif text:
                rest = {name: value for name, value in delta.items() if name != "content"}
                if visible or rest or finish:
                    choices.append(choice | {"delta": rest | {"content": visible}})
            else:
                choices.append(choice)
        if chunk["choices"] and not choices:
            return []
        before = (
            [{name: value for name, value in chunk.items() if name != "usage"} | {"choices": tails}] if tails else []
        )
        return [*before, chunk | {"choices": choices}]

    # --- both --------------------------------------------------------------------------------------------------

    def _heard(self, index: int, text: str) -> None:
        """Keep what the client is given, of every choice: it may send any of them again (V8)."""
        kept = self._ready.kept
        if text:
            (kept.text if index == CHOSEN else kept.others.setdefault(index, [])).append(text)

    def _called(self, index: int, message: Any) -> None:
        """Keep which tools of the client's were called with what, for the same reason."""
        for call in tool_calls(message):
            calls = self._ready.kept.calls.setdefault(index, {})
            calls.setdefault(call.place if call.place is not None else len(calls), []).append(call.text)

    def _reply(self, index: int, *, halts: bool) -> Reply:
        return self._replies.setdefault(index, Reply(halts=halts))

    async def _looked_up(self) -> LookedUp | None:
        """What the look-up that opens the reply found; None where there is none that is allowed."""
        reply = self._replies.get(CHOSEN)
        request = None if reply is None else opening_look_up(reply)
        if reply is None or request is None:
            return None
        self._ready.reply = reply
        looked = await self._exchange.look_up(self._ready, request)
        if looked is not None:
            self._goes_on = {CHOSEN: reply.after_look_up()}
        return looked

    def _after(self, looked: LookedUp) -> Json:
        more = look_up_messages(looked.query, self._ready.occasion.put, self._ready.opening.language)
        return self._body | {"messages": [*self._body["messages"], *more]}

    def _settled(self) -> Ready:
        self._ready.reply = self._replies.get(CHOSEN, Reply())
        return self._ready

    async def _complete(self, body: Json) -> Json:
        """One whole completion. What it spent is counted however it ends."""
        found: Json = {"choices": []}
        self._ready.kept.sending = _cost(body)
        try:
            found = await self._exchange.chat.complete(self._endpoint, body)
            return found
        finally:
            said = "".join(content_of(one.get("message")) for one in found["choices"])
            self._ready.kept.answered(usage=found.get("usage"), received_text=said)

    def _told(self, wrote: list[Wrote]) -> Json:
        gathered = gathered_shape(self._ready.memory.gathered, self._ready.opening.language)
        return {"read": gathered, "wrote": [one.as_dict() for one in wrote]}


def _cost(body: Json) -> int:
    return estimate_tokens(json.dumps(body["messages"], ensure_ascii=False, default=str))


def _added(first: Any, second: Any) -> Json | None:
    """The usage of two calls; counts are added, whatever else is in it is the second's."""
    if not isinstance(first, dict) or not isinstance(second, dict):
        return None
    both = {name: first[name] + value for name, value in second.items() if type(value) is int and name in first}
    return second | both
