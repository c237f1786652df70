"""The steps of an exchange, each by itself: what the engine takes in order and the proxy one by one.

The database is only touched in worker threads, and no transaction is open while a model speaks.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec, TypeVar

from souvenance.domain.errors import Conflict, SouvenanceError
from souvenance.domain.tokens import estimate_tokens
from souvenance.exchange import auto_scope
from souvenance.exchange.applying import Applying
from souvenance.exchange.at_once import AtOnce
from souvenance.exchange.auto_scope import Choice
from souvenance.exchange.events import LookedUp, Put, Spent, Wrote
from souvenance.exchange.extract import MOST as MOST_QUOTED
from souvenance.exchange.gathering import Gathering, Memory, Wish, found_text
from souvenance.exchange.heartbeat import Heartbeat
from souvenance.exchange.keeping import Keeping, Kept, State
from souvenance.exchange.lapsed import LEASE
from souvenance.exchange.occasion import Occasion
from souvenance.exchange.opening import Asking, Opening, Openings
from souvenance.exchange.reply import Reply
from souvenance.exchange.spending import REPLY_TOKENS, Counting, limits_of, member_of
from souvenance.exchange.stopping import Interrupted
from souvenance.memory.shown import LookUp
from souvenance.models.chat import Chat
from souvenance.retrieval.answer import Answer
from souvenance.retrieval.retrieval import Retrieval
from souvenance.store.spending import NO_VAULT

P = ParamSpec("P")
T = TypeVar("T")
Message = dict[str, Any]

LOOK_EVERY = 1.0
"""Seconds between two looks whether somebody wishes an answer stopped, in this process or another."""

log = logging.getLogger(__name__)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """An exchange that was opened. Without Auto it is `ready` too, or has the `error` that kept it from that."""

    opening: Opening
    kept: Kept
    ready: Ready | None = None
    error: SouvenanceError | None = None


class Steps:
    """What exchanges are made of. Any event loop may use it."""

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
        heartbeat: Heartbeat,
        at_once: AtOnce,
    ) -> None:
        self.chat = chat
        self.heartbeat = heartbeat
        self.at_once = at_once
        self._openings = openings
        self._gathering = gathering
        self._applying = applying
        self._keeping = keeping
        self._counting = counting
        self._retrieval = retrieval

    async def open(self, asking: Asking) -> Opening:
        """A question that is kept in no conversation, ready to be answered."""
        return await in_thread(self._openings.open, asking)

    async def choose(self, opening: Opening, kept: Kept) -> Choice | None:
        """Auto's choice, where Auto is on (V10): one call, at most some seconds."""
        endpoint = opening.auto_endpoint
        if endpoint is None or not opening.offered:
            return None

        await in_thread(self.chat.load)

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
        try:
            return await in_thread(self._gather, opening, kept, choice)
        except SouvenanceError as error:  # choosing may have cost tokens already
            await in_thread(self._keeping.save, kept, State.FAILED, error)
            raise

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

    async def stopped(self, kept: Kept) -> None:
        """Ends once somebody who may wished this answer of a conversation stopped; no more when it is being finished,
        which looks for itself."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                if await in_thread(self._keeping.is_wished_stopped, kept) and not kept.is_ending:
                    return
            except Exception as error:  # the store is away for a moment: the answer goes on, and so does the look
                log.warning("Whether an answer is stopped cannot be told now: %s", type(error).__name__)

    # --- what touches the database, in worker threads ----------------------------------------------------------

    def _begin(self, asking: Asking, conversation: int | None, instead_of: int | None) -> Begun:
        """Open and gather in one go: of many that begin at once the first then call the model before the last open."""
        opening = self._openings.open(asking, conversation=conversation, instead_of=instead_of)
        kept = Kept(opening, until=opening.began + LEASE)
        self.heartbeat.watch(kept)
        if opening.auto_endpoint is not None and opening.offered:
            return Begun(opening=opening, kept=kept)
        try:
            return Begun(opening=opening, kept=kept, ready=self._gather(opening, kept, None))
        except SouvenanceError as error:
            return Begun(opening=opening, kept=kept, error=error)

    def _gather(self, opening: Opening, kept: Kept, choice: Choice | None) -> Ready:
        asking = opening.asking
        self.heartbeat.watch(kept)
        if opening.endpoint is not None:
            self.chat.load()
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
                    may_look_up=asking.may_ask and asking.may_look_up,
                    auto_why="" if choice is None or choice.vaults else choice.why,
                    withheld_turns=opening.withheld_turns,
                )
            )
        kept.gathered = memory.gathered
        kept.read = memory.read | opening.earlier
        if opening.endpoint is not None:
            member = member_of(asking.actor, asking.member.id if asking.member else None)
            limits = {vault.id: limits_of(vault) for vault in memory.vaults.values()}
            if opening.charged is not None:
                limits.setdefault(opening.charged.vault_id, opening.charged)
            expected = Spent(sent=memory.gathered.tokens + opening.tokens, received=REPLY_TOKENS)
            with kept.lock:
                entered = self._counting.enter(
                    exchange=kept.id,
                    limits=list(limits.values()),
                    member=member,
                    expected=expected,
                    gathered=memory.gathered,
                    charged=NO_VAULT if opening.charged is None else opening.charged.vault_id,
                )
                before = kept.entered.leased if kept.entered else {}
                kept.entered = replace(entered, leased={**before, **entered.leased})
        occasion = Occasion(
            actor=asking.actor,
            reader=opening.reader,
            memory=memory,
            where=replace(
                asking.where, may_write=opening.may_write, may_read=asking.where.may_read and asking.with_memory
            ),
            learnt_from=kept.read,
            language=opening.language,
            member=asking.member,
            members=asking.members,
            into=opening.into,
            inputs=[
                opening.question,
                *(one.text for one in opening.history),
                *memory.words,
                *_names(opening),
                *asking.beside,
            ],
            receipt=opening.receipt,
        )
        return Ready(opening=opening, memory=memory, occasion=occasion, kept=kept)

    def _look_up(self, ready: Ready, request: LookUp) -> LookedUp | None:
        slugs, why = self._applying.look_up(ready.occasion, request)
        if why:
            ready.reply.drop(request)
            return None
        occasion, gathered = ready.occasion, ready.memory.gathered
        ready.kept.read |= occasion.learnt_from
        # What was found stands before the model from here on: the badge opens on it as well, once (V11).
        shown = {one.number for one in gathered.put if one.number is not None}
        ready.kept.gathered = ready.memory.gathered = replace(
            gathered,
            put=(*gathered.put, *(one for one in occasion.put if one.number not in shown)),
            tokens=gathered.tokens + estimate_tokens(found_text(occasion.put, ready.opening.language)),
        )
        numbers = tuple(one.number for one in occasion.put if one.number is not None)
        return LookedUp(query=request.query, vault=slugs, numbers=numbers)

    def _finish(self, ready: Ready) -> list[Wrote]:
        kept = ready.kept
        with kept.lock:
            if kept.is_saved:  # it was stopped before this began: nothing is done
                return []
            kept.is_ending = True  # before the look: who wishes it stopped from here on comes too late
            if self._keeping.is_wished_stopped(kept):
                raise Interrupted
            if self._keeping.is_asked_again(kept):
                raise Conflict(
                    "This took so long that it was given up, and the question was asked again; nothing was done.",
                    hint="Read the conversation again.",
                )
            for one in self._applying.apply(ready.occasion, ready.reply):
                kept.wrote.append(one)  # each as it is done: whatever fails later, it is known and can be undone
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
            is_logged=False,  # the gathering before it wrote the question down
        )


def opening_look_up(reply: Reply) -> LookUp | None:
    """The look-up that opens a reply, if one does: nothing visible stood before it."""
    return next((one.request for one in reply.asked if isinstance(one.request, LookUp) and one.opens), None)


def look_up_messages(query: str, found: Sequence[Put], language: str) -> list[Message]:
    """What goes on from a look-up: what the model asked, and what was found."""
    return [
        {"role": "assistant", "content": f"<<lookup {query}>>"},
        {"role": "user", "content": found_text(found, language)},
    ]


async def in_thread(work: Callable[P, T], *args: P.args, **given: P.kwargs) -> T:
    """Run what blocks in a worker thread, to its end: whoever waits may go away, the work does not stop half way."""
    return await asyncio.shield(asyncio.create_task(asyncio.to_thread(work, *args, **given)))


def content_of(message: Any) -> str:
    """The text of a message or of a part of one."""
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""


def _names(opening: Opening) -> list[str]:
    """The names that stand in a prompt: people choose their own."""
    asking = opening.asking
    members = [*asking.members, *([asking.member] if asking.member else [])]
    return [*(one.name for one in members), *(one.by for one in opening.history)]


def _silence(language: str, wrote: Sequence[Wrote]) -> str:
    words = SILENCE.get(language, SILENCE["en"])
    return words["noted"] if any(one.can_undo for one in wrote) else words["nothing"]


SILENCE = {
    "en": {"noted": "Noted.", "nothing": "(The model gave no answer.)"},
    "fr": {"noted": "C’est noté.", "nothing": "(Le modèle n’a pas répondu.)"},
}
"""What stands for the answer of a model that said nothing, in the language of the question."""
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
