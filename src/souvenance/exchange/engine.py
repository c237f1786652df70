"""One question, one answer: the exchange that the chat page, the Discord bot and the proxy share (C1).

The database is only touched in worker threads, and no transaction is open while a model speaks.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec, TypeVar

from souvenance.domain.access import Actor
from souvenance.domain.endpoint import Reached
from souvenance.domain.errors import SouvenanceError
from souvenance.domain.fact import Fact
from souvenance.domain.tokens import estimate_tokens
from souvenance.exchange import auto_scope
from souvenance.exchange.applying import Applying, Occasion
from souvenance.exchange.auto_scope import Choice
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
from souvenance.exchange.extract import MOST as MOST_QUOTED
from souvenance.exchange.extract import extract
from souvenance.exchange.gathering import Gathering, Memory, Wish, found_text
from souvenance.exchange.keeping import Keeping, Kept, State
from souvenance.exchange.opening import Asking, Opening, Openings
from souvenance.exchange.reply import Reply
from souvenance.exchange.spending import Counting, member_of
from souvenance.memory.shown import LookUp, Where
from souvenance.models.chat import Chat
from souvenance.retrieval.answer import Answer
from souvenance.retrieval.retrieval import Retrieval
from souvenance.store.fact_lists import Subject

P = ParamSpec("P")
T = TypeVar("T")
Message = dict[str, Any]

BUDGET_TOKENS = 4000
"""What memory may take of a prompt, when the caller does not say."""


@dataclass(slots=True, kw_only=True)
class Ready:
    """An exchange with its memory gathered: what is put before the model, and what its requests are held against.
    `reply` is the one whose requests count."""

    opening: Opening
    memory: Memory
    occasion: Occasion
    kept: Kept
    reply: Reply = field(default_factory=Reply)

    def messages(self) -> list[Message]:
        """The prompt: one system message where there is anything to say in one, what was said before, the question."""
        opening = self.opening
        system = "\n\n".join(part for part in (opening.asking.persona.strip(), self.memory.text) if part)
        messages = [{"role": "system", "content": system}] if system else []
        for one in opening.history:
            said = f"{one.by}: {one.text}" if one.by and not one.by_model else one.text
            messages.append({"role": "assistant" if one.by_model else "user", "content": said})
        member = opening.asking.member
        asked = f"{member.name}: {opening.question}" if member else opening.question
        return [*messages, {"role": "user", "content": asked}]


class Exchange:
    """Exchanges with one memory. Any event loop may use it."""

    def __init__(
        self,
        *,
        openings: Openings,
        gathering: Gathering,
        applying: Applying,
        keeping: Keeping,
        counting: Counting,
        retrieval: Retrieval,
        chat: Chat,
    ) -> None:
        self.chat = chat
        self._openings = openings
        self._gathering = gathering
        self._applying = applying
        self._keeping = keeping
        self._counting = counting
        self._retrieval = retrieval

    async def answer(
        self,
        *,
        actor: Actor,
        question: str,
        conversation: int | None = None,
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
    ) -> AsyncGenerator[Event]:
        """Answer a question with memory; see `events` for what is yielded, in which order.

        `actor` is who asks: only what they may read is read, and only where they may write is written. `conversation`
        is a stored one: its turns are the history and this becomes its next; else `history` is what was said before,
        oldest first, and nothing of the exchange is stored. `vaults` names the vaults to read at full weight, alone (a
        server's own, for a bot); else the person's attention decides, and Auto where it is on. `where` says whether
        memory may be read and written in this channel. `member` is who speaks, where that is not the actor: facts about
        them are kept under their id; `members` are the others present, so that facts about them are too. `about` keeps
        to facts about the vault itself and these subjects. `language` is the conversation's (`fr`, `en`), guessed when
        left out. `persona` is the caller's own instruction, put first.

        A question that cannot be put is refused by raising, before the first event and before anything is kept; what
        goes wrong later is told by `Failed`. Closing the iterator, or cancelling the task, stops the model: what was
        said is kept, and nothing that the model asked is done.
        """
        asking = Asking(
            actor=actor, question=question, history=history, vaults=vaults, with_memory=with_memory,
            where=where or Where(), member=member, members=members, about=about, language=language, persona=persona,
            budget_tokens=budget_tokens,
        )  # fmt: skip
        opening = await in_thread(self._openings.open, asking, conversation=conversation)
        kept = Kept(opening)
        try:
            async with contextlib.aclosing(self._run(opening, kept)) as events:
                async for event in events:
                    yield event
        except SouvenanceError as error:
            await in_thread(self._keeping.save, kept, State.FAILED, error)
            yield Failed(error=error, text=kept.answer, conversation=conversation, turn=opening.turn)
        except BaseException:
            await in_thread(self._keeping.save, kept, State.STOPPED)
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
    ) -> tuple[Wrote, ...]:
        """Ask the model what of these messages is worth remembering in that vault, and keep it; nobody is answered.

        Nothing is asked where `where` forbids writing, nothing was said or no model is set. Raises what an endpoint
        that fails is told by.
        """
        heard = "\n".join(f"{one.by}: {one.text}" if one.by else one.text for one in said)
        if not heard.strip() or not (where or Where()).may_write:
            return ()
        asking = Asking(
            actor=actor, question=heard, vaults=vault, where=where or Where(), members=members, language=language,
            budget_tokens=BUDGET_TOKENS,
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

    # --- steps, which the proxy takes one by one ---------------------------------------------------------------

    async def open(self, asking: Asking) -> Opening:
        """A question that is kept in no conversation, ready to be answered."""
        return await in_thread(self._openings.open, asking)

    async def choose(self, opening: Opening, kept: Kept) -> Choice | None:
        """Auto's choice, where Auto is on (V10): one call, at most some seconds."""
        endpoint = opening.auto_endpoint
        if endpoint is None or not opening.offered:
            return None

        async def ask(prompt: auto_scope.Prompt) -> str:
            body: Message = {
                "model": endpoint.model,
                "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
                "temperature": 0,
            }
            if endpoint.takes_schema:
                body["response_format"] = {"type": "json_schema", "json_schema": _SCHEMA}
            whole = await self.chat.complete(endpoint, body)
            said = content_of(whole["choices"][0].get("message") if whole["choices"] else None)
            kept.auto.add(usage=whole.get("usage"), sent_text=prompt.tokens, received_text=said)
            return said

        choice = await auto_scope.choose(opening.question, opening.offered, ask)
        if not kept.auto.calls and choice.tokens:
            kept.auto.add(usage=None, sent_text=choice.tokens, received_text="")
        return choice

    async def gather(self, opening: Opening, kept: Kept, choice: Choice | None = None) -> Ready:
        """What the question is answered from; refused where a cap is reached."""
        return await in_thread(self._gather, opening, kept, choice)

    async def look_up(self, ready: Ready, request: LookUp) -> LookedUp | None:
        """What the look-up that opens a reply finds; None where it is not allowed: the audit says so, and the request
        is done with. Whatever comes of it, there is no other in this exchange."""
        if ready.occasion.has_looked_up:
            return None
        return await in_thread(self._look_up, ready, request)

    async def finish(self, ready: Ready) -> list[Wrote]:
        """Do what the whole reply asked and keep the exchange; done to the end once begun, whoever goes away."""
        return await in_thread(self._finish, ready)

    async def keep(self, ready: Ready, state: State) -> None:
        """Keep an exchange that did not come to its end: nothing it asked is done. One that did is kept already."""
        await in_thread(self._keeping.save, ready.kept, state)

    # --- the exchange itself -----------------------------------------------------------------------------------

    async def _run(self, opening: Opening, kept: Kept) -> AsyncGenerator[Event]:
        if opening.offered and opening.auto_endpoint is not None:
            tokens = auto_scope.build_prompt(opening.question, opening.offered).tokens
            yield Waiting(what=Wait.AUTO, route=opening.auto_endpoint.route, tokens=tokens)
        choice = await self.choose(opening, kept)
        ready = await self.gather(opening, kept, choice)
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
        messages = [*messages, *look_up_messages(found.query, ready.occasion.looked_up, ready.opening.language)]
        yield Waiting(what=Wait.LOOK_UP, route=endpoint.route, tokens=_tokens(messages))
        ready.reply = Reply()
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
        try:
            async with contextlib.aclosing(self.chat.stream(endpoint, body)) as chunks:
                async for chunk in chunks:
                    usage = chunk.get("usage") or usage
                    text = content_of(chunk["choices"][0].get("delta")) if chunk["choices"] else ""
                    if text:
                        said.append(text)
                        yield text
        finally:
            ready.kept.answers.add(usage=usage, sent_text=_tokens(messages), received_text="".join(said))

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

    # --- what touches the database, in worker threads ----------------------------------------------------------

    def _gather(self, opening: Opening, kept: Kept, choice: Choice | None) -> Ready:
        asking = opening.asking
        if not asking.with_memory:
            memory = self._gathering.nothing(
                language=opening.language,
                may_write=False,
                without_memory=True,
                withheld_turns=opening.withheld_turns,
            )
        else:
            memory = self._gathering.gather(
                Wish(
                    actor=opening.reader,
                    question=opening.question,
                    vaults=asking.vaults,
                    chosen=None if choice is None else choice.vaults,
                    where=asking.where,
                    about=asking.about,
                    language=opening.language,
                    budget_tokens=asking.budget_tokens,
                    may_write=opening.may_write,
                    may_look_up=asking.may_ask,
                    auto_why="" if choice is None or choice.vaults else choice.why,
                    withheld_turns=opening.withheld_turns,
                )
            )
        kept.gathered = memory.gathered
        kept.read = memory.read | opening.earlier
        if opening.endpoint is not None:
            member = member_of(asking.actor, asking.member.id if asking.member else None)
            kept.entered = self._counting.enter(vaults=list(memory.vaults.values()), member=member)
        occasion = Occasion(
            actor=asking.actor,
            memory=memory,
            where=replace(
                asking.where, may_write=opening.may_write, may_read=asking.where.may_read and asking.with_memory
            ),
            learnt_from=kept.read,
            language=opening.language,
            member=asking.member,
            members=asking.members,
            into=opening.into,
            inputs=[opening.question, *(one.text for one in opening.history), *memory.words, *_names(asking, opening)],
        )
        return Ready(opening=opening, memory=memory, occasion=occasion, kept=kept)

    def _look_up(self, ready: Ready, request: LookUp) -> LookedUp | None:
        slugs, why = self._applying.look_up(ready.occasion, request)
        if why:
            ready.reply.drop(request)
            return None
        ready.kept.read |= ready.occasion.learnt_from
        numbers = tuple(item.number for item in ready.occasion.looked_up)
        return LookedUp(query=request.query, vault=slugs, numbers=numbers)

    def _finish(self, ready: Ready) -> list[Wrote]:
        kept = ready.kept
        with kept.lock:
            if kept.is_saved:  # it was stopped before this began: nothing is done
                return []
            kept.wrote = self._applying.apply(ready.occasion, ready.reply)
            if not kept.answer:
                kept.text.append(_silence(ready.opening.language, kept.wrote))
            self._keeping.save(kept, State.DONE)
            return kept.wrote

    def _search(self, opening: Opening, ready: Ready) -> Answer:
        return self._retrieval.search(
            actor=opening.asking.actor,
            query=opening.question[:4000],
            vault=opening.asking.vaults,
            limit=MOST_QUOTED,
        )


def _names(asking: Asking, opening: Opening) -> list[str]:
    """The names that stand in a prompt: people choose their own."""
    members = [*asking.members, *([asking.member] if asking.member else [])]
    return [*(one.name for one in members), *(one.by for one in opening.history)]


def opening_look_up(reply: Reply) -> LookUp | None:
    """The look-up that opens a reply, if one does: nothing visible stood before it."""
    return next((one.request for one in reply.asked if isinstance(one.request, LookUp) and one.opens), None)


def look_up_messages(query: str, found: Sequence[Fact], language: str) -> list[Message]:
    """What goes on from a look-up: what the model asked, and what was found."""
    return [
        {"role": "assistant", "content": f"<<lookup {query}>>"},
        {"role": "user", "content": found_text(found, language)},
    ]


def _visible(ready: Ready, text: str) -> list[Text]:
    """What goes on to the reader, kept as it goes."""
    if not text:
        return []
    ready.kept.text.append(text)
    return [Text(text=text)]


async def in_thread(work: Callable[P, T], *args: P.args, **given: P.kwargs) -> T:
    """Run what blocks in a worker thread, to its end: whoever waits may go away, the work does not stop half way."""
    return await asyncio.shield(asyncio.create_task(asyncio.to_thread(work, *args, **given)))


def _tokens(messages: Sequence[Message]) -> int:
    return sum(estimate_tokens(str(one["content"])) + 4 for one in messages)


def content_of(message: Any) -> str:
    """The text of a message or of a part of one."""
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""


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


def _silence(language: str, wrote: Sequence[Wrote]) -> str:
    words = _SILENCE.get(language, _SILENCE["en"])
    return words["noted"] if any(one.can_undo for one in wrote) else words["nothing"]


_SILENCE = {
    "en": {"noted": "Noted.", "nothing": "(The model gave no answer.)"},
    "fr": {"noted": "C’est noté.", "nothing": "(Le modèle n’a pas répondu.)"},
}
_LISTEN = {
    "en": "You listen to a conversation and answer nobody. Write only requests to memory for what is worth keeping in "
    "the messages below, or nothing at all.",
    "fr": "Tu écoutes une conversation et ne réponds à personne. N’écris que des demandes à la mémoire pour ce qui "
    "mérite d’être retenu des messages ci-dessous, ou rien du tout.",
}
_SCHEMA = {
    "name": "vaults",
    "strict": True,
    "schema": {
        "type": "object",
        "properties": {"vaults": {"type": "array", "items": {"type": "integer"}}},
        "required": ["vaults"],
        "additionalProperties": False,
    },
}
