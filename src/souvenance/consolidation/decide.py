"""What people answer to proposals. Each answer looks again at the facts first (CASES 25); nothing else applies any."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from souvenance.consolidation.finding import judge_pair
from souvenance.consolidation.pairs import Why
from souvenance.consolidation.second_look import MODEL_SAYS
from souvenance.consolidation.standing import Gone, overtaken
from souvenance.consolidation.words import evidence_label, stale_words
from souvenance.domain.access import Actor, Source
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, StaleProposal
from souvenance.domain.fact import SUMMARY_KEY, Fact, State, SubjectKind
from souvenance.domain.proposal import ANSWERS, Answer, Kind, Overtaken, Proposal, Standing, label
from souvenance.domain.vault import Vault
from souvenance.memory import correct
from souvenance.memory.remember import Observation, prepare, write
from souvenance.models.calibration import calibration_of
from souvenance.retrieval.embedding import Embedding
from souvenance.store import fact_lists as lists
from souvenance.store import history
from souvenance.store import proposals as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.drawn import Outdated, outdated
from souvenance.store.said import said_of
from souvenance.store.tables import vault as vault_table


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """A proposal with its facts as they are now, side by side; None where there is none, or it is not there any more.

    `why` is the evidence with the words it rests on; without words where the facts say something else by now. `gone`
    says what overtook a proposal that waited; `outdated` what the present summary was drawn from and holds no more.
    `answers` are what may be said to it, none once it is closed.
    """

    proposal: Proposal
    this: Fact | None
    that: Fact | None
    why: tuple[Why, ...]
    gone: Gone | None
    outdated: Outdated | None = None

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What a person may say."""
        is_open = self.proposal.standing is Standing.WAITING and self.gone is None
        return ANSWERS[self.proposal.kind] if is_open else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What an answer did: the proposal as it stands now, the fact that was retired and the one that stays or is new."""

    proposal: Proposal
    retired: Fact | None = None
    kept: Fact | None = None


class Proposals:
    """Reading proposals and answering them."""

    def __init__(self, database: Database, clock: Clock, embedding: Embedding) -> None:
        self._database = database
        self._clock = clock
        self._embedding = embedding

    # --- reading -----------------------------------------------------------------------------------------------

    def list(
        self,
        *,
        actor: Actor,
        vault: str,
        standing: Standing = Standing.WAITING,
        limit: int = 50,
        offset: int = 0,
    ) -> builtins.list[ProposalView]:
        """Proposals of a vault: those that wait and still hold, contradictions first; or those that were answered or
        overtaken, the latest first."""
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
            if standing is not Standing.WAITING:
                closed = rows.list_closed(tx, vault_id=found.id, standing=standing, limit=limit, offset=offset)
                return self._views(tx, closed, {})
            listed = rows.list_waiting(tx, vault_id=found.id)
            gone = overtaken(tx, listed)
            waiting = [item for item in listed if item.id not in gone]
            return self._views(tx, waiting[offset : offset + limit], {})

    def contradicted(self, *, actor: Actor, vault: str, numbers: Sequence[int]) -> Mapping[int, str]:
        """Which of these facts stand in a contradiction that waits and still holds, each with its proposal's id."""
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
            waiting = rows.contradictions_of(tx, vault_id=found.id, numbers=numbers) if numbers else []
            gone = overtaken(tx, waiting)
        pairs = [(item.id, number) for item in waiting for number in (item.this, item.that) if item.id not in gone]
        return {number: proposal for proposal, number in pairs if number is not None and number in numbers}

    def get(self, *, actor: Actor, proposal: str) -> ProposalView:
        """One proposal, whatever became of it."""
        with self._database.read() as tx:
            found = rows.get_proposal(tx, actor, proposal)
            gone = {} if found.standing is Standing.ANSWERED else overtaken(tx, [found])
            (view,) = self._views(tx, [found], gone)
            return view

    def _views(self, tx: Transaction, items: Sequence[Proposal], gone: dict[str, Gone]) -> builtins.list[ProposalView]:
        facts: dict[int, Fact] = {}
        for vault_id in {item.vault_id for item in items}:
            numbers = {number for item in items for number in (item.this, item.that) if number is not None}
            facts |= {one.number: one for one in lists.read_facts(tx, vault_id=vault_id, numbers=sorted(numbers))}
        drafts = [facts[item.this] for item in items if item.kind is Kind.SUMMARY and item.this in facts]
        old = outdated(tx, [one for one in drafts if one.state is State.IN_FORCE])
        return [self._view(item, facts, gone.get(item.id), old) for item in items]

    def _view(
        self, item: Proposal, facts: dict[int, Fact], gone: Gone | None, old: dict[int, Outdated]
    ) -> ProposalView:
        this = None if item.this is None else facts.get(item.this)
        that = None if item.that is None else facts.get(item.that)
        # A draft that no longer holds is not shown: a fact it was drawn from may have left the vault.
        shown = item if gone is None else replace(item, draft="")
        why = self._why(item, this, that)
        former = None if this is None else old.get(this.number)
        return ProposalView(proposal=shown, this=this, that=that, why=why, gone=gone, outdated=former)

    def _why(self, item: Proposal, this: Fact | None, that: Fact | None) -> tuple[Why, ...]:
        if this is not None and that is not None and item.kind is not Kind.SUMMARY:
            one, other = said_of(this), said_of(that)
            if (one.wording, other.wording) == (item.this_wording, item.that_wording):
                verdict = judge_pair(one, other, item.similarity, self._unrelated())
                said = [Why(MODEL_SAYS)] if MODEL_SAYS in item.codes else []
                return (*said, *verdict.why)
        return tuple(Why(code) for code in item.codes)

    def _unrelated(self) -> float | None:
        embedder = self._embedding.embedder
        calibration = None if embedder is None else calibration_of(embedder.name)
        return None if calibration is None else calibration.unrelated

    # --- answering ---------------------------------------------------------------------------------------------

    def answer(self, *, actor: Actor, proposal: str, answer: Answer) -> Decided:
        """Say what becomes of a proposal. Only a person who may configure the vault does; the audit log keeps it.

        Of two people who answer at once one is first, and the other is told (Conflict). Where a fact was rewritten,
        retired, deleted, moved or erased since it was proposed, nothing is applied and StaleProposal says which.
        """
        actor.require_write()
        if actor.is_model:
            raise NotAllowed("A model decides nothing about proposals.", hint="A person answers them.")
        with self._database.write() as tx:
            found = rows.get_proposal(tx, actor, proposal)
            vault = vault_rows.find_vault(tx, actor, vault_table.c.id == found.vault_id)
            if vault is None or not vault.can_configure:
                raise NotAllowed(
                    "You may read this proposal but not decide it.", hint="Ask its team for the configure permission."
                )
            if answer not in ANSWERS[found.kind]:
                raise InvalidInput(
                    f"“{answer}” is no answer to a {found.kind}.", hint=f"Say {', '.join(ANSWERS[found.kind])}."
                )
            tx.hold_vault(vault.id)  # before its facts: who changes them holds it first, and waits or is waited for
            now = self._clock()
            if not rows.answer_once(tx, found, answer=answer, at=now, by=actor.name or "owner", through=actor.source):
                closed = rows.get_proposal(tx, actor, proposal)
                raise _closed(closed, overtaken(tx, [closed]).get(closed.id))
            rows.hold_facts(tx, vault_id=vault.id, numbers=[number for number, _ in found.wordings])
            gone = overtaken(tx, [found]).get(found.id)
            if gone is None:
                retired, kept = self._apply(tx, actor, vault, found, answer, at=now)
                numbers = {"this": found.this, "that": found.that}
                history.record_audit(
                    tx, actor, verb="proposal.answer", at=now, vault_id=vault.id, proposal=found.id, kind=found.kind,
                    answer=answer, **{name: number for name, number in numbers.items() if number is not None},
                )  # fmt: skip
                return Decided(proposal=rows.get_proposal(tx, actor, proposal), retired=retired, kept=kept)
            rows.overtake(tx, found, by=gone.what, at=now)
        raise _stale(gone.number, gone.what)

    def _apply(
        self, tx: Transaction, actor: Actor, vault: Vault, found: Proposal, answer: Answer, *, at: datetime
    ) -> tuple[Fact | None, Fact | None]:
        """Do what was answered; the fact that was retired, and the one that took its place."""
        if answer in {Answer.KEEP_BOTH, Answer.REFUSE}:
            return None, None
        if found.kind is Kind.SUMMARY:
            return self._accept(tx, actor, vault, found, at=at)
        loses, stays = found.that, found.this
        if answer in {Answer.MERGE_OTHER_WAY, Answer.KEEP_THAT}:
            loses, stays = stays, loses
        assert loses is not None
        assert stays is not None
        (fact,) = lists.read_facts(tx, vault_id=vault.id, numbers=[loses])
        reason = f"merged with #{stays}" if found.kind is Kind.DUPLICATE else f"contradicts #{stays}, which holds"
        retired, kept = correct.retire(tx, actor, vault=vault, found=fact, reason=reason, replaced_by=stays, at=at)
        return retired, kept

    def _accept(
        self, tx: Transaction, actor: Actor, vault: Vault, found: Proposal, *, at: datetime
    ) -> tuple[Fact | None, Fact | None]:
        """The draft as the summary, and the old wording in the journal."""
        writer = replace(actor, source=Source.CONSOLIDATION)
        if found.this is not None:
            (present,) = lists.read_facts(tx, vault_id=vault.id, numbers=[found.this])
            retired, new = correct.retire(
                tx, writer, vault=vault, found=present, reason="the summary was redrafted", replacement=found.draft,
                at=at,
            )  # fmt: skip
            assert new is not None
            rows.accepted_as(tx, found, summary=new)
            return retired, new
        observation = Observation(content=found.draft, key=SUMMARY_KEY, subject_kind=SubjectKind.VAULT)
        (kept,) = write(tx, writer, vault=vault, prepared=[prepare(writer, observation)], at=at)
        rows.accepted_as(tx, found, summary=kept.fact)
        return None, kept.fact


def _closed(found: Proposal, gone: Gone | None) -> Conflict:
    if found.standing is Standing.STALE and found.overtaken is not None:
        return _stale(None if gone is None else gone.number, found.overtaken)
    said = "" if found.answer is None else label(found.answer)
    return Conflict(
        f"This proposal was answered already by {found.answered_by}: {said}. Nothing was changed.",
        hint="See the proposal for what was decided; a merge can be restored like any retired fact.",
        answer=found.answer,
        by=found.answered_by,
    )


def _stale(number: int | None, what: Overtaken) -> StaleProposal:
    return StaleProposal(
        f"{stale_words(number, what)}; nothing was changed.",
        hint="The next pass proposes again what still holds.",
        what=what,
        **({} if number is None else {"number": number}),
    )


def described(view: ProposalView, language: str = "en") -> dict[str, Any]:
    """What the interfaces say of a proposal besides its facts."""
    item = view.proposal
    what = item.overtaken or (None if view.gone is None else view.gone.what)
    return {
        "id": item.id,
        "kind": item.kind,
        "label": label(item.kind, language),
        "standing": item.standing if view.gone is None else Standing.STALE,
        "score": round(item.score, 3),
        "similarity": None if item.similarity is None else round(item.similarity, 3),
        "model": item.model,
        "draft": item.draft,
        "sources": [number for number, _ in item.sources],
        "why": [
            {"code": why.code, "label": evidence_label(why.code, language), "this": why.a, "that": why.b}
            for why in view.why
        ],
        "answers": [{"answer": one, "label": label(one, language)} for one in view.answers],
        "created_at": item.created_at,
        "overtaken": what,
        "outdated": None if view.outdated is None else view.outdated.sentence(language),
        "answer": item.answer,
        "answered_at": item.answered_at if item.answer is not None else None,
        "answered_by": item.answered_by,
        "answered_through": item.answered_through,
    }
