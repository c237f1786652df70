"""What an exchange leaves: its turn in the conversation, and what it spent, however it ended (C1, C6)."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from souvenance.domain.clock import Clock
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import NotFound, SouvenanceError, StoreUnavailable, Withheld
from souvenance.domain.tokens import estimate_tokens
from souvenance.domain.vault import Protection
from souvenance.exchange.conversations import stop_name
from souvenance.exchange.events import Became, Gathered, Spent, Wrote
from souvenance.exchange.lapsed import LEASE
from souvenance.exchange.meter import Meter
from souvenance.exchange.opening import Opening
from souvenance.exchange.spending import Counting, Entered, hour_of, member_of, portions
from souvenance.store import claims, facts
from souvenance.store import conversations as rows
from souvenance.store.database import Database, Transaction
from souvenance.store.erasure import receipts, turns
from souvenance.store.replies import Sealer, has_lost, note_reply, note_unprotected, seal_replies
from souvenance.store.spending import NO_VAULT
from souvenance.vaults.protection import protection_of

log = logging.getLogger(__name__)


class State(StrEnum):
    """How a turn ended."""

    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(slots=True, weakref_slot=True, eq=False)
class Kept:
    """What is known of an exchange while it runs."""

    opening: Opening
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    text: list[str] = field(default_factory=list)
    others: dict[int, list[str]] = field(default_factory=dict)
    """Further replies to the same question, by their index, where a program asked for several."""
    calls: dict[int, dict[int, list[str]]] = field(default_factory=dict)
    """What the model called of a program's tools, by the index of the reply and of the call, in the pieces it came."""
    gathered: Gathered | None = None
    read: frozenset[int] = frozenset()
    wrote: list[Wrote] = field(default_factory=list)
    answers: Meter = field(default_factory=Meter)
    auto: Meter = field(default_factory=Meter)
    sending: int = 0
    """About how many tokens the call under way sent; its answer is counted when it ends."""
    entered: Entered | None = None
    until: datetime | None = None
    """When it is given up by others, where no sign of life comes."""
    is_ending: bool = False
    """Its reply is whole, and what it asked is being done."""
    is_saved: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Held while it is finished or saved, so that one of the two happens, once."""

    def answered(self, *, usage: Any, received_text: str) -> None:
        """Count the call that was `sending`, as the endpoint did, else by estimate."""
        self.answers.add(usage=usage, sent_text=self.sending, received_text=received_text)
        self.sending = 0

    @property
    def answer(self) -> str:
        """The visible reply so far."""
        return "".join(self.text)

    @property
    def spent(self) -> Spent:
        """Tokens of all its calls, Auto's choice included."""
        answers, auto = self.answers.spent, self.auto.spent
        return Spent(
            sent=answers.sent + auto.sent,
            received=answers.received + auto.received,
            calls=answers.calls + auto.calls,
            is_estimate=answers.is_estimate or auto.is_estimate,
            estimated=answers.estimated + auto.estimated,
        )


class Keeping:
    """Keeps exchanges. Synchronous; saving the same one twice changes nothing."""

    def __init__(self, database: Database, clock: Clock, counting: Counting, sealer: Sealer) -> None:
        self._database = database
        self._clock = clock
        self._counting = counting
        self._sealer = sealer

    def save(self, kept: Kept, state: State, error: SouvenanceError | None = None) -> None:
        """Write down how it ended and what it spent. Where that fails it is not saved, and may be tried again."""
        with kept.lock:
            if not kept.is_saved:
                self._save(kept, state, error)
                kept.is_saved = True

    def renew(self, living: Iterable[Kept]) -> None:
        """Say of exchanges under way that they go on, and keep what was said and spent by now: it is what is left of
        them should this process end before they do."""
        held = [kept for kept in living if kept.lock.acquire(blocking=False)]  # others are being finished
        try:
            self._renew_all([kept for kept in held if not kept.is_saved])
        finally:
            for kept in held:
                kept.lock.release()

    def _renew_all(self, going: Sequence[Kept]) -> None:
        """In one transaction; where it cannot be, each by itself, so that one which cannot be kept lets no other
        lapse."""
        if not going:
            return
        until = self._clock() + LEASE
        try:
            with self._database.write() as tx:
                entered = [self._renew(tx, kept, until) for kept in going]
        except StoreUnavailable:  # it is away for all of them
            raise
        except Exception:
            if len(going) == 1:
                raise
            for kept in going:
                try:
                    self._renew_all([kept])
                except Exception as error:
                    log.error("the sign of life of one answer failed with %s", type(error).__name__)
            return
        for kept, now_entered in zip(going, entered, strict=True):  # now that it is durable
            kept.entered, kept.until = now_entered, until

    def is_asked_again(self, kept: Kept) -> bool:
        """Whether somebody gave it up and asked again in its place: then nothing of it is done. Looked at even while
        its lease runs here, for the clock of whoever gave it up may be ahead of ours."""
        opening, now = kept.opening, self._clock()
        if opening.conversation is None or opening.turn is None:
            return False
        if kept.until is not None and now >= kept.until:
            kept.until = now + LEASE
            with self._database.write() as tx:
                self._change_turn(tx, kept, {"state": "asked", "failure": None, "until": kept.until})
        with self._database.read() as tx:
            return rows.is_asked_again(
                tx, conversation_id=opening.conversation, ordinal=opening.turn, asked_at=opening.began
            )

    def is_wished_stopped(self, kept: Kept) -> bool:
        """Whether somebody who may wished it stopped, through this process or another."""
        opening = kept.opening
        if opening.conversation is None or opening.turn is None:
            return False
        name = stop_name(opening.conversation, opening.turn)
        with self._database.read() as tx:
            return claims.holder_of(tx, name=name, at=self._clock()) is not None

    def _renew(self, tx: Transaction, kept: Kept, until: datetime) -> Entered | None:
        opening, text = kept.opening, kept.answer
        reads = {one.id for one in kept.gathered.badge.vaults} if kept.gathered else set()
        if receipts.is_erased_after(tx, opening.receipt, vault_ids=kept.read | reads):
            return kept.entered  # nothing of it is kept any more; what becomes of it is for the end
        if opening.turn is not None:
            values = {"state": "asked", "failure": None, "until": until} | self._said(kept, text)
            self._change_turn(tx, kept, values)
        elif kept.read:
            self._note_said(tx, kept, is_whole=False)
        entered = kept.entered or Entered(hour=hour_of(self._clock()), charged=opening.asking.charged or NO_VAULT)
        spent = {Use.ANSWERS: _with_call(kept, text), Use.AUTO: kept.auto.spent}
        parts = portions(kept.gathered, spent, charged=entered.charged, asked=entered.asked)
        return self._counting.renew(
            tx, exchange=kept.id, parts=parts, member=_member(kept), entered=entered, until=until
        )

    def _save(self, kept: Kept, state: State, error: SouvenanceError | None) -> None:
        """All of it in one transaction: each has its price."""
        opening, asking = kept.opening, kept.opening.asking
        is_stored = opening.conversation is not None and opening.turn is not None
        spent = {Use.ANSWERS: kept.answers.spent, Use.AUTO: kept.auto.spent}
        entered = kept.entered or Entered(hour=hour_of(self._clock()), charged=asking.charged or NO_VAULT)
        has_spent = bool(entered.asked or entered.leased) or any(one.calls for one in spent.values())
        has_said = bool(kept.text or kept.others or kept.calls)
        if not (is_stored or has_spent or has_said):
            return
        with self._database.write() as tx:
            if is_stored:
                tx.mark("conversations", asking.actor.user_id)
                self._keep_turn(tx, kept, state, error)
            elif has_said:
                self._note_said(tx, kept)
            if has_spent:
                self._counting.count(
                    tx,
                    exchange=kept.id,
                    parts=portions(kept.gathered, spent, charged=entered.charged, asked=entered.asked),
                    member=_member(kept),
                    entered=entered,
                    receipt=opening.receipt,
                )

    def _keep_turn(self, tx: Transaction, kept: Kept, state: State, error: SouvenanceError | None) -> None:
        opening = kept.opening
        if opening.conversation is None or opening.turn is None:
            return
        if receipts.is_erased_after(tx, opening.receipt, vault_ids=kept.read) or _is_gone(tx, kept):
            # What was made from it meanwhile would bring it back.
            turns.remove_turns(tx, {(opening.conversation, opening.turn)})
            return
        values = {
            "state": state,
            "failure": None if error is None else error.as_dict(),
            "wrote": [one.kept() for one in kept.wrote],
            "answered_at": self._clock(),
            "until": None,
        } | self._said(kept, kept.answer)
        self._change_turn(tx, kept, values)

    def _change_turn(self, tx: Transaction, kept: Kept, values: Mapping[str, Any]) -> bool:
        """Its own turn, not one that was asked again in its place; False where it is gone."""
        opening = kept.opening
        if opening.conversation is None or opening.turn is None:
            return False
        return rows.save_turn(
            tx,
            conversation_id=opening.conversation,
            ordinal=opening.turn,
            values=values,
            read=kept.read,
            asked_at=opening.began,
        )

    def _said(self, kept: Kept, text: str) -> dict[str, Any]:
        opening = kept.opening
        return {
            "answer": text,
            "model": opening.endpoint.model if opening.endpoint else "",
            "trace": None if kept.gathered is None else kept.gathered.kept() | {"spent": asdict(kept.spent)},
            "folded": rows.folded_turn(opening.asking.question, text),
        }

    def _note_said(self, tx: Transaction, kept: Kept, *, is_whole: bool = True) -> None:
        """So that a reply made from a protected vault is known when its program sends it again over another route, all
        of it or as far as it came. Where that was erased meanwhile, only what nobody can tell it from is kept.

        Another is noted where else it could not be told from one whose hashes were sealed with a key that is lost.
        """
        actor, began = kept.opening.asking.actor, kept.opening.began
        is_protected = protection_of(tx, kept.read) is Protection.MAXIMUM
        if not is_protected and not (is_whole and has_lost(tx, user_id=actor.user_id, sealer=self._sealer)):
            return
        called = ("\n".join("".join(pieces) for _, pieces in sorted([*one.items()])) for one in [*kept.calls.values()])
        texts = {kept.answer, *map("".join, [*kept.others.values()]), *called}
        for text in filter(str.strip, texts):
            if is_protected:
                note_reply(tx, user_id=actor.user_id, text=text, read=kept.read, at=began, is_whole=is_whole)
            else:
                note_unprotected(tx, user_id=actor.user_id, text=text, read=kept.read, at=began)
        for vault_id in kept.read.intersection(receipts.vaults_after(tx, kept.opening.receipt)):
            seal_replies(tx, vault_id=vault_id, sealer=self._sealer)


def _member(kept: Kept) -> str:
    asking = kept.opening.asking
    return member_of(asking.actor, asking.member.id if asking.member else None)


def _with_call(kept: Kept, text: str) -> Spent:
    """What was spent by now: calls that ended, and, by estimate, the one under way."""
    spent = kept.answers.spent
    if not kept.sending:
        return spent
    received = estimate_tokens(text)
    return Spent(
        sent=spent.sent + kept.sending, received=spent.received + received, calls=spent.calls + 1, is_estimate=True
    )


def _is_gone(tx: Transaction, kept: Kept) -> bool:
    """Whether something it wrote was erased before it could be kept, which its words would bring back (F7)."""
    opening = kept.opening
    done = [one for one in kept.wrote if one.became is Became.DONE]
    numbers = {number for one in done for number in (one.number, one.successor) if number is not None}
    if not numbers or not receipts.vaults_after(tx, opening.receipt):
        return False
    for number in numbers:
        try:
            facts.get_fact(tx, opening.asking.actor, number)
        except Withheld:  # it is there
            continue
        except NotFound:
            return True
    return False
