"""What an exchange leaves: its turn in the conversation, and what it spent, however it ended (C1, C6)."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from souvenance.domain.clock import Clock
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import NotFound, SouvenanceError, Withheld
from souvenance.domain.tokens import estimate_tokens
from souvenance.domain.vault import Protection
from souvenance.exchange.events import Became, Gathered, Spent, Wrote
from souvenance.exchange.opening import Opening
from souvenance.exchange.spending import Counting, Entered, hour_of, member_of
from souvenance.store import conversations as rows
from souvenance.store import facts
from souvenance.store.database import Database, Transaction
from souvenance.store.erasure import receipts, turns
from souvenance.store.spending import NO_VAULT
from souvenance.vaults.protection import protection_of

MOST_COUNTED = 10**9
"""Tokens of one call above which an endpoint's own count is not believed."""


class State(StrEnum):
    """How a turn ended."""

    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(slots=True)
class Meter:
    """Tokens of one exchange: what endpoints said they counted, estimated where they did not say."""

    sent: int = 0
    received: int = 0
    calls: int = 0
    is_estimate: bool = False

    def add(self, *, usage: Any, sent_text: int, received_text: str) -> None:
        """Add one call. `usage` is the endpoint's own count, None where it gave none."""
        told = usage if isinstance(usage, dict) else {}
        counts = [told.get(name) for name in ("prompt_tokens", "completion_tokens")]
        whole = [value for value in counts if type(value) is int and 0 <= value < MOST_COUNTED]
        is_told = len(whole) == len(counts)
        sent, received = whole if is_told else (sent_text, estimate_tokens(received_text))
        self.calls += 1
        self.sent += sent
        self.received += received
        self.is_estimate = self.is_estimate or not is_told

    @property
    def spent(self) -> Spent:
        """The total."""
        return Spent(sent=self.sent, received=self.received, calls=self.calls, is_estimate=self.is_estimate)


@dataclass(slots=True)
class Kept:
    """What is known of an exchange while it runs."""

    opening: Opening
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
    entered: Entered | None = None
    is_saved: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Held while it is finished or saved, so that one of the two happens, once."""

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
        )


class Keeping:
    """Keeps exchanges. Synchronous; saving the same one twice changes nothing."""

    def __init__(self, database: Database, clock: Clock, counting: Counting) -> None:
        self._database = database
        self._clock = clock
        self._counting = counting

    def save(self, kept: Kept, state: State, error: SouvenanceError | None = None) -> None:
        """Write down how it ended and what it spent. Where that fails it is not saved, and may be tried again."""
        with kept.lock:
            if not kept.is_saved:
                self._save(kept, state, error)
                kept.is_saved = True

    def _save(self, kept: Kept, state: State, error: SouvenanceError | None) -> None:
        """All of it in one transaction: each has its price."""
        opening, asking = kept.opening, kept.opening.asking
        is_stored = opening.conversation is not None and opening.turn is not None
        spent = {Use.ANSWERS: kept.answers.spent, Use.AUTO: kept.auto.spent}
        entered = kept.entered or Entered(hour=hour_of(self._clock()), charged=asking.charged or NO_VAULT)
        has_spent = bool(entered.reserved) or any(one.calls for one in spent.values())
        has_said = bool(kept.read) and bool(kept.text or kept.others or kept.calls)
        if not (is_stored or has_spent or has_said):
            return
        with self._database.write() as tx:
            if is_stored:
                tx.mark("conversations", asking.actor.user_id)
                self._keep_turn(tx, kept, state, error)
            elif has_said:
                self._note_protected(tx, kept)
            if has_spent:
                member = member_of(asking.actor, asking.member.id if asking.member else None)
                self._counting.count(tx, gathered=kept.gathered, spent=spent, member=member, entered=entered)

    def _keep_turn(self, tx: Transaction, kept: Kept, state: State, error: SouvenanceError | None) -> None:
        opening = kept.opening
        if opening.conversation is None or opening.turn is None:
            return
        if receipts.is_erased_since(tx, vault_ids=kept.read, at=opening.began) or _is_gone(tx, kept):
            # What was made from it meanwhile would bring it back.
            turns.remove_turns(tx, {(opening.conversation, opening.turn)})
            return
        values = {
            "state": state,
            "answer": kept.answer,
            "failure": None if error is None else error.as_dict(),
            "model": opening.endpoint.model if opening.endpoint else "",
            "trace": None if kept.gathered is None else kept.gathered.as_dict() | {"spent": asdict(kept.spent)},
            "wrote": [one.as_dict() for one in kept.wrote],
            "folded": rows.folded_turn(opening.asking.question, kept.answer),
            "answered_at": self._clock(),
        }
        rows.save_turn(tx, conversation_id=opening.conversation, ordinal=opening.turn, values=values, read=kept.read)

    def _note_protected(self, tx: Transaction, kept: Kept) -> None:
        """So that a reply made from a protected vault is known when its program sends it again over another route."""
        if protection_of(tx, kept.read) is not Protection.MAXIMUM:
            return
        actor, now = kept.opening.asking.actor, self._clock()
        called = ("\n".join("".join(pieces) for _, pieces in sorted(one.items())) for one in kept.calls.values())
        replies = [kept.answer, *map("".join, kept.others.values()), *called]
        for hashed in {rows.hash_of_reply(one) for one in replies if one.strip()}:
            rows.note_reply(tx, user_id=actor.user_id, hashed=hashed, read=kept.read, at=now)


def _is_gone(tx: Transaction, kept: Kept) -> bool:
    """Whether something it wrote was erased before it could be kept, which its words would bring back (F7)."""
    opening = kept.opening
    done = [one for one in kept.wrote if one.became is Became.DONE]
    numbers = {number for one in done for number in (one.number, one.successor) if number is not None}
    if not numbers or not receipts.erased_since(tx, opening.began):
        return False
    for number in numbers:
        try:
            facts.get_fact(tx, opening.asking.actor, number)
        except Withheld:  # it is there
            continue
        except NotFound:
            return True
    return False
