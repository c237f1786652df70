"""One question, one answer: the exchange that the chat page, the Discord bot and the proxy share (C1)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import replace
from typing import Any

from souvenance.domain.access import Actor
from souvenance.domain.endpoint import Reached
from souvenance.domain.errors import AnswerStopped, SouvenanceError
from souvenance.domain.tokens import estimate_tokens
from souvenance.exchange import auto_scope
from souvenance.exchange.events import (
    Ended,
    Event,
    Failed,
    Kind,
    LookedUp,
    Member,
    Put,
    Said,
    Text,
    Wait,
    Waiting,
    Wrote,
)
from souvenance.exchange.extract import extract
from souvenance.exchange.keeping import Kept, State
from souvenance.exchange.opening import Asking
from souvenance.exchange.reply import Reply
from souvenance.exchange.steps import (
    Begun,
    Message,
    Ready,
    Steps,
    content_of,
    in_thread,
    look_up_messages,
    opening_look_up,
)
from souvenance.exchange.stopping import Interrupted, passing
from souvenance.memory.shown import Where
from souvenance.retrieval.answer import Answer
from souvenance.store.fact_lists import Subject

BUDGET_TOKENS = 4000
"""What memory may take of a prompt, when the caller does not say."""


class Exchange(Steps):
    """Exchanges with one memory: the steps in their order, told as they are taken."""

    async def answer(
        self,
        *,
        actor: Actor,
        question: str,
        conversation: int | None = None,
        instead_of: int | None = None,
        history: Sequence[Said] = (),
        vaults: str | Sequence[str] | None = None,
        with_memory: bool = True,
        where: Where | None = None,
        member: Member | None = None,
        members: Sequence[Member] = (),
        about: Collection[Subject] | None = None,
        language: str | None = None,
        persona: str = "",
        budget_tokens: int = BUDGET_TOKENS,
        charged: int | None = None,
    ) -> AsyncGenerator[Event]:
        """Answer a question with memory; see `events` for what is yielded, in which order.

        `actor` is who asks: only what they may read is read, and only where they may write is written. `conversation`
        is a stored one: its turns are the history and this becomes its next; else `history` is what was said before,
        oldest first, and nothing of the exchange is stored. `instead_of` is the conversation's last turn, stopped or
        failed, whose place this one takes. `vaults` names the vaults to read at full weight, alone (a
        server's own, for a bot); else the person's attention decides, and Auto where it is on. `where` says whether
        memory may be read and written in this channel. `member` is who speaks, where that is not the actor: facts about
        them are kept under their id; `members` are the others present, so that facts about them are too. `about` keeps
        to facts about the vault itself and these subjects. `language` is the conversation's (`fr`, `en`), guessed when
        left out. `persona` is the caller's own instruction, put first. `charged` is the id of the vault whose cap
        and rate hold even where nothing is read.

        A question that cannot be put, and one too many at once of the same caller, is refused by raising, before the
        first event and before anything is kept; what goes wrong later is told by `Failed`. Closing the iterator, or
        cancelling the task, stops the model: what was said is kept, and nothing that the model asked is done. So does
        `Conversations.stop` within a second, from whichever process; `Failed` then tells `AnswerStopped`.
        """
        asking = Asking(
            actor=actor, question=question, history=history, vaults=vaults, with_memory=with_memory,
            where=where or Where(), member=member, members=members, about=about, language=language, persona=persona,
            budget_tokens=budget_tokens, charged=charged,
        )  # fmt: skip
        place = self.at_once.enter(actor, member.id if member else None)
        try:
            begun = await self._begun(asking, conversation, instead_of)
            async with contextlib.aclosing(self._answered(begun)) as events:
                async for event in events:
                    yield event
        finally:
            place.leave()

    async def _answered(self, begun: Begun) -> AsyncGenerator[Event]:
        opening, kept = begun.opening, begun.kept
        gone = [self.stopped(kept)] if opening.turn is not None and opening.endpoint is not None else []
        try:
            async with contextlib.aclosing(passing(self._run(begun), *gone)) as events:
                async for event in events:
                    yield event
        except Interrupted:
            await self._left(kept, State.STOPPED)
            stopped = AnswerStopped("The answer was stopped; what had been said by then is kept.", hint="Ask again.")
            yield Failed(error=stopped, text=kept.answer, conversation=opening.conversation, turn=opening.turn)
        except SouvenanceError as error:
            await self._left(kept, State.FAILED, error)
            yield Failed(error=error, text=kept.answer, conversation=opening.conversation, turn=opening.turn)
        except BaseException:
            await self._left(kept, State.STOPPED)
            raise

    async def learn(
        self,
        *,
        actor: Actor,
        said: Sequence[Said],
        vault: str,
        where: Where | None = None,
        members: Sequence[Member] = (),
        language: str | None = None,
        charged: int | None = None,
    ) -> tuple[Wrote, ...]:
        """Ask the model what of these messages is worth remembering in that vault, and keep it; nobody is answered.

        Nothing is asked where `where` forbids writing, nothing was said or no model is set. Raises what an endpoint
        that fails is told by.
        """
        heard = "\n".join(f"{one.by}: {one.text}" if one.by else one.text for one in said if one.text.strip())
        if not heard or not (where or Where()).may_write:
            return ()
        asking = Asking(
            actor=actor, question=heard, vaults=vault, where=where or Where(), members=members, language=language,
            budget_tokens=BUDGET_TOKENS, charged=charged, may_look_up=False,
        )  # fmt: skip
        opening = await in_thread(self._openings.open, asking)
        if opening.endpoint is None or not opening.may_write:
            return ()
        persona = _LISTEN.get(opening.language, _LISTEN["en"])
        endpoint, opening = opening.endpoint, replace(opening, asking=replace(asking, persona=persona))
        ready = await self.gather(opening, Kept(opening))
        try:
            async with contextlib.aclosing(self._call(endpoint, ready.messages(), ready)) as spoken:
                async for text in spoken:
                    ready.reply.feed(text)
            ready.reply.end()
            return tuple(await self.finish(ready))
        finally:
            await self.keep(ready, State.STOPPED)

    async def undo(self, *, actor: Actor, wrote: Wrote) -> Wrote:
        """Take back one thing that an answer wrote, unless somebody changed it since (C5). For what is not kept in a
        conversation; `Conversations.undo` for what is."""
        return await in_thread(self._applying.undo, actor=actor, wrote=wrote)

    # --- the exchange itself -----------------------------------------------------------------------------------

    async def _begun(self, asking: Asking, conversation: int | None, instead_of: int | None) -> Begun:
        """The exchange as far as it goes by itself; done to the end once begun, and stopped where nobody waits."""
        work = asyncio.create_task(asyncio.to_thread(self._begin, asking, conversation, instead_of))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            with contextlib.suppress(SouvenanceError):
                await in_thread(self._keeping.save, (await work).kept, State.STOPPED)
            raise

    async def _left(self, kept: Kept, state: State, error: SouvenanceError | None = None) -> None:
        """Keep what was said of an exchange that did not end well, as far as the store lets: what is told is that."""
        with contextlib.suppress(SouvenanceError):
            await in_thread(self._keeping.save, kept, state, error)

    async def _run(self, begun: Begun) -> AsyncGenerator[Event]:
        opening, kept, ready = begun.opening, begun.kept, begun.ready
        if begun.error is not None:
            raise begun.error
        if ready is None:
            if opening.offered and opening.auto_endpoint is not None:
                tokens = auto_scope.build_prompt(opening.question, opening.offered).tokens
                yield Waiting(what=Wait.AUTO, route=opening.auto_endpoint.route, tokens=tokens)
            ready = await self.gather(opening, kept, await self.choose(opening, kept))
        if opening.endpoint is None:
            async with contextlib.aclosing(self._without_model(ready)) as events:
                async for event in events:
                    yield event
            return
        yield ready.memory.gathered
        async with contextlib.aclosing(self._talk(opening.endpoint, ready)) as events:
            async for event in events:
                yield event
        has_spoken = bool(kept.answer)
        wrote = await self.finish(ready)
        if not has_spoken:
            yield Text(text=kept.answer)
        for one in wrote:
            yield one
        yield self._ended(ready, tuple(wrote))

    async def _talk(self, endpoint: Reached, ready: Ready) -> AsyncGenerator[Event]:
        """What the model says, let out as it comes; a look-up that opens the reply is answered by one more call."""
        messages = ready.messages()
        ready.reply = Reply(halts=True)
        yield Waiting(what=Wait.MODEL, route=endpoint.route, tokens=_tokens(messages))
        found: LookedUp | None = None
        async with contextlib.aclosing(self._call(endpoint, messages, ready)) as spoken:
            async for text in spoken:
                for event in _visible(ready, ready.reply.feed(text)):
                    yield event
                found = await self._looked_up(ready)
                if found is not None:
                    break
        if found is None:
            for event in _visible(ready, ready.reply.end()):
                yield event
            found = await self._looked_up(ready)
        if found is None:
            for event in _visible(ready, ready.reply.end()):
                yield event
            return
        yield found
        messages = [*messages, *look_up_messages(found.query, ready.occasion.put, ready.opening.language)]
        yield Waiting(what=Wait.LOOK_UP, route=endpoint.route, tokens=_tokens(messages))
        ready.reply = ready.reply.after_look_up()
        async with contextlib.aclosing(self._call(endpoint, messages, ready)) as spoken:
            async for text in spoken:
                for event in _visible(ready, ready.reply.feed(text)):
                    yield event
        for event in _visible(ready, ready.reply.end()):
            yield event

    async def _looked_up(self, ready: Ready) -> LookedUp | None:
        """What the look-up that opens the reply found; None where there is none, or none that is allowed."""
        request = opening_look_up(ready.reply)
        return None if request is None else await self.look_up(ready, request)

    async def _call(self, endpoint: Reached, messages: list[Message], ready: Ready) -> AsyncGenerator[str]:
        """What one call says, piece by piece. What it spent is counted however it ends."""
        body = {"model": endpoint.model, "messages": messages, "stream_options": {"include_usage": True}}
        said: list[str] = []
        usage: Any = None
        ready.kept.sending = _tokens(messages)
        try:
            async with contextlib.aclosing(self.chat.stream(endpoint, body)) as chunks:
                async for chunk in chunks:
                    usage = chunk.get("usage") or usage
                    text = content_of(chunk["choices"][0].get("delta")) if chunk["choices"] else ""
                    if text:
                        said.append(text)
                        yield text
        finally:
            ready.kept.answered(usage=usage, received_text="".join(said))

    async def _without_model(self, ready: Ready) -> AsyncGenerator[Event]:
        """What memory holds on the question, said to be only that (C3)."""
        opening = ready.opening
        answer: Answer | None = None
        if opening.asking.with_memory and opening.asking.where.may_read:
            answer = await in_thread(self._search, opening, ready)
        text = extract(answer, opening.language)
        gathered = replace(ready.memory.gathered, put=_quoted(answer), tokens=0, instruction_tokens=0)
        ready.kept.gathered = gathered
        slugs = {one.vault for one in gathered.put}
        ready.kept.read = frozenset(one.id for one in ready.memory.vaults.values() if one.slug in slugs)
        yield gathered
        ready.kept.text.append(text)
        yield Text(text=text)
        await in_thread(self._keeping.save, ready.kept, State.DONE)
        yield replace(self._ended(ready, ()), by_model=False)

    def _ended(self, ready: Ready, wrote: tuple[Wrote, ...]) -> Ended:
        opening, kept = ready.opening, ready.kept
        return Ended(
            text=kept.answer,
            gathered=kept.gathered or ready.memory.gathered,
            wrote=wrote,
            spent=kept.answers.spent,
            conversation=opening.conversation,
            turn=opening.turn,
        )


def _visible(ready: Ready, text: str) -> list[Text]:
    """What goes on to the reader, kept as it goes."""
    if not text:
        return []
    ready.kept.text.append(text)
    return [Text(text=text)]


def _tokens(messages: Sequence[Message]) -> int:
    return sum(estimate_tokens(str(one["content"])) + 4 for one in messages)


def _quoted(answer: Answer | None) -> tuple[Put, ...]:
    return tuple(
        Put(
            kind=Kind.FACT if hit.number is not None else Kind.PASSAGE,
            vault=hit.vault,
            text=hit.excerpt,
            number=hit.number,
            note="" if hit.number is not None else hit.note_id,
            title=hit.title,
        )
        for hit in (answer.hits if answer else ())
    )


_LISTEN = {
    "en": "You listen to a conversation and answer nobody. Write only requests to memory for what is worth keeping in "
    "the messages below, or nothing at all.",
    "fr": "Tu écoutes une conversation et ne réponds à personne. N’écris que des demandes à la mémoire pour ce qui "
    "mérite d’être retenu des messages ci-dessous, ou rien du tout.",
}
