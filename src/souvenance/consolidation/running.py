"""One pass over one vault: read, compare, ask, and only then write, all of it or nothing (T5).

No transaction is open while facts are compared or a model speaks. A pass that is killed has written nothing, and the
next one finds the same; one that lost its claim writes nothing either.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from souvenance.consolidation.finding import Findings, Found, find_pairs
from souvenance.consolidation.giving_way import giving_way
from souvenance.consolidation.meaning import vectors_of
from souvenance.consolidation.model import Asking, Model
from souvenance.consolidation.nearest import Vectors
from souvenance.consolidation.reading import forget_readings
from souvenance.consolidation.second_look import looked_at
from souvenance.consolidation.standing import VaultStanding, overtaken, standing_of
from souvenance.consolidation.summary import Draft, draft
from souvenance.consolidation.when import Decision, Reason, decide
from souvenance.domain.clock import Clock
from souvenance.domain.consolidation import Pass
from souvenance.domain.note import new_note_id
from souvenance.domain.proposal import Kind, Pair, Proposal
from souvenance.domain.protection import may_leave
from souvenance.ingest import claimed
from souvenance.memory.types import step_of
from souvenance.retrieval.embedding import Embedding
from souvenance.store import claims, fact_lists, passes, proposals
from souvenance.store.database import Database, Transaction
from souvenance.store.said import Said, read_said, said_of

CLAIM = "consolidate:"
LEASE = 300.0
"""Seconds a pass holds its vault without being renewed; a process of this machine that died is not waited for."""
RENEW = 10.0
MOST_FACTS = 20_000
"""Facts that one pass compares, the last updated first: a minute or two of one core, and some 250 MB."""
MOST_PROPOSED = 500
"""Proposals of one pass; what is left over is for the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a vault's turn: whether a pass ran and why; the pass where one ended."""

    vault_id: int
    decision: Decision
    made: Pass | None = None


@dataclass(slots=True)
class Hold:
    """This pass's claim on its vault, and whether it may go on."""

    database: Database
    clock: Clock
    name: str
    holder: str
    stop: threading.Event | None
    is_over: bool = False
    _renew_at: float = 0.0

    def take(self, tx: Transaction) -> bool:
        """Take the claim, or keep it; False where another has it."""
        self._renew_at = time.monotonic() + RENEW
        taken = claimed.claim_in(tx, self.clock, name=self.name, holder=self.holder, seconds=LEASE)
        self.is_over = self.is_over or not taken
        return taken

    def go_on(self) -> bool:
        """Whether to go on: nobody stopped this process or took the claim."""
        if self.stop is not None and self.stop.is_set():
            self.is_over = True
        if not self.is_over and time.monotonic() >= self._renew_at:
            with self.database.write() as tx:
                self.take(tx)
        return not self.is_over

    def release(self) -> None:
        """Give the vault back."""
        with self.database.write() as tx:
            claims.release(tx, name=self.name, holder=self.holder)


class Runner:
    """Runs passes. Any number of processes may; one at a time has a vault."""

    def __init__(
        self, database: Database, clock: Clock, embedding: Embedding, model: Callable[[int], Model | None]
    ) -> None:
        self._database = database
        self._clock = clock
        self._embedding = embedding
        self._model = model

    def run(
        self, *, vault_id: int, anyway: bool = False, asked_by: str = "", stop: threading.Event | None = None
    ) -> Outcome:
        """Run a pass over a vault if it is time for one (`when.decide`); whatever it declines for is in the outcome."""
        hold = Hold(self._database, self._clock, f"{CLAIM}{vault_id}", claimed.new_holder(), stop)
        with self._database.write() as tx:
            if not hold.take(tx):
                return _declined(vault_id, Reason.RUNNING)
            now = self._clock()
            decision = self._decide(tx, vault_id, now, anyway=anyway)
            if not decision.runs:
                claims.release(tx, name=hold.name, holder=hold.holder)
                return Outcome(vault_id=vault_id, decision=decision)
        try:
            with giving_way():
                made = self._pass(vault_id, decision, started=now, asked_by=asked_by, hold=hold)
        finally:
            forget_readings()
            hold.release()
        if made is None:
            return _declined(vault_id, Reason.RUNNING)
        return Outcome(vault_id=vault_id, decision=decision, made=made)

    def _decide(self, tx: Transaction, vault_id: int, now: datetime, *, anyway: bool) -> Decision:
        there = passes.step_and_protection(tx, vault_id=vault_id)
        if there is None:
            return Decision(runs=False, reason=Reason.STEP)
        standing = standing_of(tx, vault_id=vault_id, memory_type=there[0])
        decision = decide(standing.situation, now=now, anyway=anyway)
        if decision.runs:
            for item, gone in standing.stale:
                proposals.overtake(tx, item, by=gone.what, at=now)
        return decision

    def _pass(self, vault_id: int, decision: Decision, *, started: datetime, asked_by: str, hold: Hold) -> Pass | None:
        read = self._read(vault_id)
        if read is None:
            return None
        findings = find_pairs(read.facts, vectors=read.vectors, kept_apart=read.kept_apart, go_on=hold.go_on)
        model = self._model(vault_id)
        asking = Asking(model, lambda: hold.go_on() and self._may_ask(vault_id, model))
        chosen, demoted = looked_at(findings.pairs[:MOST_PROPOSED], asking)
        new_summary = draft(read.facts, decided=read.decided, asking=asking)
        if not hold.go_on():
            return None
        return self._write(
            read,
            chosen,
            new_summary,
            hold=hold,
            made=Pass(
                vault_id=vault_id,
                ordinal=1 if read.standing.last is None else read.standing.last.ordinal + 1,
                started_at=started,
                ended_at=started,
                reason=decision.reason,
                asked_by=asked_by,
                facts=len(read.facts),
                compared=findings.compared,
                duplicates=0,
                contradictions=0,
                summaries=0,
                answered_before=findings.answered_before,
                left_over=_left_over(findings),
                demoted=demoted,
                model="" if model is None else model.name,
                model_state=asking.state,
                seen_at=read.standing.present.changed_at,
                seen_facts=read.standing.present.facts,
                seen_change=read.standing.present.change,
            ),
        )

    def _read(self, vault_id: int) -> _Read | None:
        with self._database.read() as tx:
            there = passes.step_and_protection(tx, vault_id=vault_id)
            if there is None:
                return None
            # First, so that what changes while the facts are read counts as changed since.
            standing = standing_of(tx, vault_id=vault_id, memory_type=there[0])
            facts = read_said(tx, vault_id=vault_id, limit=MOST_FACTS)
            summary = fact_lists.standing_summary(tx, vault_id=vault_id)
            present = None if summary is None else said_of(summary)
            if present is not None and present not in facts:
                facts.append(present)
            return _Read(
                standing=standing,
                facts=facts,
                summary=present,
                vectors=vectors_of(
                    tx,
                    self._embedding,
                    vault_id=vault_id,
                    numbers=[item.number for item in facts if not item.is_summary],
                    limit=MOST_FACTS,
                ),
                kept_apart=proposals.kept_apart(tx, vault_id=vault_id),
                decided=proposals.answered_bases(tx, vault_id=vault_id),
            )

    def _may_ask(self, vault_id: int, model: Model | None) -> bool:
        """Whether this vault's facts may go to the model now (V8)."""
        with self._database.read() as tx:
            there = passes.step_and_protection(tx, vault_id=vault_id)
        return there is not None and model is not None and may_leave(there[1], model.route)

    def _write(
        self, read: _Read, chosen: Sequence[Found], new_summary: Draft | None, *, hold: Hold, made: Pass
    ) -> Pass | None:
        """Keep what was found, as far as it still holds; None where the vault is another's or not there any more."""
        with self._database.write() as tx:
            tx.hold_vault(made.vault_id)
            there = passes.step_and_protection(tx, vault_id=made.vault_id)
            if there is None or not step_of(there[0]).proposes or not hold.take(tx):
                return None
            now = self._clock()
            items = [_pair_proposal(made.vault_id, found, made.model, at=now) for found in chosen]
            if new_summary is not None:
                items.append(_summary_proposal(made.vault_id, read, new_summary, at=now))
            proposals.hold_facts(
                tx, vault_id=made.vault_id, numbers=[number for item in items for number, _ in item.wordings]
            )
            gone = overtaken(tx, items)
            items = [item for item in items if item.id not in gone]
            proposals.add_proposals(tx, items)
            kinds = [item.kind for item in items]
            ended = replace(
                made,
                ended_at=now,
                duplicates=kinds.count(Kind.DUPLICATE),
                contradictions=kinds.count(Kind.CONTRADICTION),
                summaries=kinds.count(Kind.SUMMARY),
            )
            passes.add_pass(tx, ended)
            return ended


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """All that a pass reads of a vault, at one moment."""

    standing: VaultStanding
    facts: Sequence[Said]
    summary: Said | None
    vectors: Vectors | None
    kept_apart: set[Pair]
    decided: set[str]


def _declined(vault_id: int, reason: Reason) -> Outcome:
    return Outcome(vault_id=vault_id, decision=Decision(runs=False, reason=reason))


def _left_over(findings: Findings) -> int:
    return max(0, len(findings.pairs) - MOST_PROPOSED)


def _pair_proposal(vault_id: int, found: Found, model: str, *, at: datetime) -> Proposal:
    codes = tuple(dict.fromkeys(why.code for why in found.verdict.why))
    return Proposal(
        id=new_note_id(),
        vault_id=vault_id,
        kind=Kind(found.verdict.label),
        this=found.this.number,
        that=found.that.number,
        this_wording=found.this.wording,
        that_wording=found.that.wording,
        score=found.verdict.score,
        similarity=found.similarity,
        codes=codes,
        model=model if found.is_demoted else "",
        created_at=at,
    )


def _summary_proposal(vault_id: int, read: _Read, made: Draft, *, at: datetime) -> Proposal:
    present = read.summary
    return Proposal(
        id=new_note_id(),
        vault_id=vault_id,
        kind=Kind.SUMMARY,
        this=None if present is None else present.number,
        that=None,
        this_wording="" if present is None else present.wording,
        that_wording=made.basis,
        score=1.0,
        draft=made.text,
        sources=tuple((item.number, item.wording) for item in made.sources),
        model=made.model,
        created_at=at,
    )
