"""Before a model is asked anything: the question checked, the endpoint found, what was said before read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from souvenance.domain.access import Actor, Route
from souvenance.domain.clock import Clock
from souvenance.domain.conversation import UNTITLED, title_from
from souvenance.domain.endpoint import Reached, Use
from souvenance.domain.errors import Conflict, InvalidInput
from souvenance.domain.fact import readable_text
from souvenance.domain.protection import may_leave
from souvenance.domain.tokens import estimate_tokens
from souvenance.domain.vault import Protection, Vault
from souvenance.domain.vault_settings import settings_of
from souvenance.exchange import auto_scope
from souvenance.exchange.auto_scope import Offered
from souvenance.exchange.conversations import place_in, stop_name, wrote_of
from souvenance.exchange.events import Member, Said
from souvenance.exchange.language import language_of
from souvenance.exchange.lapsed import LEASE, broken_off
from souvenance.exchange.quoting import without_memory
from souvenance.exchange.spending import Limits
from souvenance.memory.shown import Where
from souvenance.models.endpoints import Endpoints
from souvenance.store import claims, people, scope_settings, spending
from souvenance.store import conversations as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.erasure import receipts
from souvenance.store.fact_lists import Subject
from souvenance.store.replies import Sealer, read_for
from souvenance.vaults.protection import protection_of

MAX_QUESTION_BYTES = 512 * 1024
HISTORY_TOKENS = 6000
"""What was said before takes at most so many tokens of a prompt; the oldest is left out first."""
MOST_TURNS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question as an interface puts it; see `engine.Exchange.answer` for what each part means.

    For a caller that makes the prompt itself: `sends_all` where all of `history` goes into it, whatever its length;
    `beside` what else does, such as what tools answered, so that no request hides in it. `charged` is the id of a
    vault whose limits hold whatever is read, and that pays where nothing is.
    """

    actor: Actor
    question: str
    history: Sequence[Said] = ()
    vaults: str | Sequence[str] | None = None
    with_memory: bool = True
    where: Where = field(default_factory=Where)
    member: Member | None = None
    members: Sequence[Member] = ()
    about: Collection[Subject] | None = None
    language: str | None = None
    persona: str = ""
    budget_tokens: int
    may_ask: bool = True
    may_look_up: bool = True
    beside: Sequence[str] = ()
    sends_all: bool = False
    charged: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A question ready to be answered. `reader` is the actor as the prompt's reader: over a cloud route as soon as the
    answer or the prompt goes over one. `offered` is what Auto may choose among, where it is on. `withheld_texts` are
    what was said before and may not go over that route. `receipt` is the newest receipt of an erasure before anything
    was read: what a later one is of was before the model perhaps, whatever any machine's clock says."""

    asking: Asking
    reader: Actor
    question: str
    language: str
    endpoint: Reached | None
    history: tuple[Said, ...] = ()
    withheld_turns: int = 0
    withheld_texts: frozenset[str] = frozenset()
    auto_endpoint: Reached | None = None
    offered: tuple[Offered, ...] = ()
    into: Vault | None = None
    charged: Limits | None = None
    conversation: int | None = None
    turn: int | None = None
    began: datetime
    receipt: int

    @property
    def may_write(self) -> bool:
        """Whether anything may be written to memory in this exchange."""
        asking = self.asking
        return asking.with_memory and asking.may_ask and asking.where.may_write and asking.actor.can_write

    @property
    def tokens(self) -> int:
        """About what the prompt takes beside what memory puts into it."""
        said = [self.question, self.asking.persona, *(one.text for one in self.history), *self.asking.beside]
        return sum(map(estimate_tokens, said))

    @property
    def earlier(self) -> frozenset[int]:
        """Ids of the vaults that what was said before was made from."""
        return frozenset().union(*(one.read for one in self.history))


class Openings:
    """Opens exchanges. Synchronous."""

    def __init__(self, database: Database, clock: Clock, endpoints: Endpoints, sealer: Sealer) -> None:
        self._database = database
        self._clock = clock
        self._endpoints = endpoints
        self._sealer = sealer

    def open(self, asking: Asking, *, conversation: int | None = None, instead_of: int | None = None) -> Opening:
        """Check and prepare a question; in a conversation, it is kept before anything is asked of a model, and refused
        while an answer is under way there.

        `instead_of` is the conversation's last turn, stopped or failed: this one takes its place, unless that one wrote
        what may still be undone there.
        """
        question = readable_text(asking.question, what="question", limit=MAX_QUESTION_BYTES).strip()
        if not question:
            raise InvalidInput("The question is empty.", hint="Say something.")
        if asking.budget_tokens < 1:
            raise InvalidInput("budget_tokens is at least 1.")
        actor = asking.actor
        endpoint = self._endpoints.reached(user_id=actor.user_id, use=Use.ANSWERS)
        reader = replace(actor, route=Route.CLOUD) if endpoint and endpoint.route is Route.CLOUD else actor
        history: Sequence[Said] = asking.history
        now = self._clock()
        with self._database.read() as tx:
            receipt = receipts.newest(tx)  # before anything else is read
            if conversation is not None:
                found = place_in(tx, actor, conversation)
                history = _said(rows.said_before(tx, conversation_id=conversation, last=MOST_TURNS, but=instead_of))
                if found.without_memory:
                    asking = replace(asking, with_memory=False)
            else:
                history = _known(tx, actor, history, self._sealer)
            history, gone = _leaving(tx, history, reader)
            charged = None if asking.charged is None else spending.limits(tx, vault_id=asking.charged)
            into = _single(tx, actor, asking.vaults)
            auto_on = _may_choose(asking) and scope_settings.read_setting(tx, user_id=actor.user_id).auto
            own = people.language_of(tx, actor.user_id)
            offered = tuple(auto_scope.offer(tx, actor)) if auto_on else ()
        auto_endpoint = self._endpoints.reached(user_id=actor.user_id, use=Use.AUTO) if offered else None
        opening = Opening(
            asking=asking,
            reader=reader,
            question=without_memory(question),
            language=language_of(question, said=asking.language, otherwise=own or "en"),
            endpoint=endpoint,
            history=tuple(history) if asking.sends_all else _within(history),
            withheld_turns=sum(one.by_model for one in gone) or len(gone),
            withheld_texts=frozenset(one.text for one in gone),
            auto_endpoint=auto_endpoint,
            offered=offered if auto_endpoint else (),
            into=into,
            charged=None if charged is None else Limits(asking.charged or 0, charged[0], settings_of(charged[1])),
            conversation=conversation,
            began=now,
            receipt=receipt,
        )
        return opening if conversation is None else self._kept(opening, conversation, question, now, instead_of)

    def _kept(
        self, opening: Opening, conversation: int, question: str, now: datetime, instead_of: int | None
    ) -> Opening:
        with self._database.write() as tx:
            found = place_in(tx, opening.asking.actor, conversation)
            tx.mark("conversations", opening.asking.actor.user_id)
            _require_none_under_way(tx, conversation, at=self._clock())
            if instead_of is not None:
                _give_up(tx, conversation, instead_of)
            ordinal = rows.add_turn(
                tx, conversation_id=conversation, question=question, at=opening.began, until=self._clock() + LEASE
            )
            # The wish that stopped the turn it stands instead of is not meant for it.
            claims.end(tx, name=stop_name(conversation, ordinal))
            title = title_from(question) if found.title == UNTITLED else found.title
            rows.save_conversation(tx, conversation_id=conversation, values={"updated_at": now, "title": title})
        return replace(opening, turn=ordinal)


def _require_none_under_way(tx: Transaction, conversation: int, *, at: datetime) -> None:
    """Refuse while an answer is under way, whichever process makes it: what it says belongs before the next question.
    One that gave no sign of life in time is given up."""
    rows.hold_turns(tx, conversation_id=conversation)
    until = rows.under_way_until(tx, conversation_id=conversation)
    if until is None:
        return
    if until > at:
        raise Conflict(
            "An answer is under way in this conversation.",
            hint="Wait for it, or stop it first; one that nobody makes any more ends by itself within two minutes.",
        )
    for user_id in rows.settle_lapsed(tx, at=at, failure=broken_off().as_dict()):
        tx.mark("conversations", user_id)


def _give_up(tx: Transaction, conversation: int, ordinal: int) -> None:
    """Take away the last turn, which came to no answer, so that its question is put again. One that wrote something to
    memory before its end could be kept stays beside the new one: there it is undone (C5)."""
    last = rows.list_turns(tx, conversation_id=conversation, last=1)
    if not last or last[0].ordinal != ordinal or last[0].state not in {"stopped", "failed"}:
        raise Conflict(
            "Only the last question is asked again in its place, once its answer was stopped or failed.",
            hint="Read the conversation again, or put the question anew.",
        )
    if not any(wrote_of(one).can_undo for one in last[0].wrote):
        rows.remove_turn(tx, conversation_id=conversation, ordinal=ordinal)


def _may_choose(asking: Asking) -> bool:
    return asking.vaults is None and asking.with_memory and asking.where.may_read


def _single(tx: Transaction, actor: Actor, vaults: str | Sequence[str] | None) -> Vault | None:
    """The one vault that was named, where one was: what is learnt of it and its members goes there."""
    names = [vaults] if isinstance(vaults, str) else list(vaults or ())
    return vault_rows.named_vault(tx, actor, names[0]) if len(names) == 1 else None


def _said(turns: Sequence[rows.Before]) -> list[Said]:
    """Turns as what was said."""
    said = []
    for turn in turns:
        said.append(Said(text=turn.question, read=turn.read))
        said.append(Said(text=turn.answer, by_model=True, read=turn.read))
    return said


def _known(tx: Transaction, actor: Actor, history: Sequence[Said], sealer: Sealer) -> list[Said]:
    """What a program says was said, with the vaults that replies among it were made from where that is known: those of
    a reply are those of what was said just before it as well."""
    texts = {one.text for one in history if one.by_model}
    if not texts:
        return list(history)
    read = read_for(tx, user_id=actor.user_id, texts=texts, sealer=sealer)
    said = list(history)
    for place, one in enumerate(said):
        ids = read.get(one.text) if one.by_model else None
        if ids:
            said[place] = replace(one, read=one.read | ids)
            if place and not said[place - 1].by_model:
                said[place - 1] = replace(said[place - 1], read=said[place - 1].read | ids)
    return said


def _leaving(tx: Transaction, history: Sequence[Said], reader: Actor) -> tuple[list[Said], list[Said]]:
    """What was said that may go into a prompt over this route, and what may not (V8)."""
    if may_leave(Protection.MAXIMUM, reader.route):
        return list(history), []
    guarded = {ids: protection_of(tx, ids) is Protection.MAXIMUM for ids in {one.read for one in history} if ids}
    kept = [one for one in history if not guarded.get(one.read, False)]
    return kept, [one for one in history if guarded.get(one.read, False)]


def _within(history: Sequence[Said]) -> tuple[Said, ...]:
    """The last of what was said, within the budget of tokens, beginning with what was not said by a model."""
    budget, kept = HISTORY_TOKENS, list[Said]()
    for one in reversed(history):
        budget -= estimate_tokens(one.text)
        if budget < 0:
            break
        kept.append(replace(one, text=without_memory(one.text)))
    while kept and kept[-1].by_model:
        kept.pop()
    return tuple(reversed(kept))
