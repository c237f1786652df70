"""`/vaults/{vault}/passes`, `/vaults/{vault}/proposals`, `/proposals`: consolidation (T5)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from souvenance.consolidation.decide import ProposalView, described
from souvenance.consolidation.passes import decision_dict, pass_dict
from souvenance.consolidation.when import Reason
from souvenance.domain.proposal import Answer, Kind, Overtaken, Standing
from souvenance.interfaces.rest.caller import Caller, Memory, slugs
from souvenance.interfaces.rest.facts import FactShown
from souvenance.interfaces.rest.facts import shown as shown_fact
from souvenance.interfaces.rest.fields import Given, In, Language, Limit, Offset, ProposalId, Shown, VaultName, page

router = APIRouter(tags=["consolidation"])


class DecisionShown(Shown):
    """Whether a pass runs, and `why` in words. `until`: from when that may be otherwise, where time decides."""

    runs: bool
    reason: Reason
    why: str
    until: datetime | None


class PassShown(Shown):
    """A pass that ran: why, what it read and what it proposed.

    `answered_before`: pairs left out because someone said that both stay; `left_over`: pairs for the next pass;
    `demoted`: duplicates that the model called contradictions; `model_state`: what became of the model.
    """

    ordinal: int
    started_at: datetime
    ended_at: datetime
    reason: Reason
    why: str
    asked_by: str
    facts: int
    compared: int
    proposed: int
    duplicates: int
    contradictions: int
    summaries: int
    answered_before: int
    left_over: int
    demoted: int
    model: str
    model_state: str


class PassesShown(Shown):
    """How a vault stands towards its next pass; `waiting` counts the proposals that wait, `passes` are the last."""

    vault: str
    now: DecisionShown
    waiting: int
    passes: list[PassShown]


class PassAsked(Given):
    """`anyway`: have it even where the vault is small, unchanged, busy, or had its pass today."""

    anyway: bool = False


class PassRun(Shown):
    """Why a pass ran or declined, and the pass where one ran."""

    now: DecisionShown
    made: PassShown | None


class EvidenceShown(Shown):
    """One piece of evidence, in words as `label`, and what each fact says there."""

    code: str
    label: str
    this: str
    that: str


class ChoiceShown(Shown):
    """An answer that may be given, and its words."""

    answer: Answer
    label: str


class ProposalShown(Shown):
    """A proposal with its two facts as they are now. Of a duplicate, `this` stays unless merged the other way.

    A new summary has the present one as `this` where there is one, its own wording as `draft`, and in `sources` the
    numbers of the facts it was drawn from. `answers` are those that may be given now. `overtaken` says what happened to
    a fact since it was proposed, which closes it.
    """

    id: str
    vault: str | None
    kind: Kind
    label: str
    standing: Standing
    score: float
    similarity: float | None
    why: list[EvidenceShown]
    model: str
    draft: str
    sources: list[int]
    this: FactShown | None
    that: FactShown | None
    answers: list[ChoiceShown]
    created_at: datetime
    overtaken: Overtaken | None
    outdated: str | None = Field(description="What the present summary was drawn from and is no longer so, in words.")
    answer: Answer | None
    answered_at: datetime | None
    answered_by: str
    answered_through: str


class ProposalList(Shown):
    """One page of proposals; `more` says whether a next one is there."""

    proposals: list[ProposalShown]
    more: bool


class AnswerGiven(Given):
    """What becomes of a proposal: one of its `answers`."""

    answer: Annotated[Answer, Field(strict=False)]


class DecidedShown(Shown):
    """The proposal as it stands, the fact that was retired, and the one that stays or is new."""

    proposal: ProposalShown
    retired: FactShown | None
    kept: FactShown | None


def _shown(view: ProposalView, known: dict[int, str], language: Language) -> ProposalShown:
    facts = {
        side: None if item is None else shown_fact(item, known)
        for side, item in (("this", view.this), ("that", view.that))
    }
    vault = {"vault": known.get(view.proposal.vault_id)}
    return ProposalShown.model_validate(described(view, language) | facts | vault)


@router.get("/vaults/{vault}/passes", summary="Show a vault's passes")
def list_passes(memory: Memory, actor: Caller, vault: VaultName, language: In = Language.ENGLISH) -> PassesShown:
    """Whether a pass would run now and why, and the last passes, the latest first."""
    return PassesShown.model_validate(memory.passes.status(actor=actor, vault=vault).as_dict(language))


@router.post("/vaults/{vault}/passes", summary="Have a pass now")
def run_pass(
    memory: Memory, actor: Caller, vault: VaultName, given: PassAsked, language: In = Language.ENGLISH
) -> PassRun:
    """Look for what the vault says twice or contradicts, and propose; answers when it is done, or why it declines."""
    outcome = memory.passes.run(actor=actor, vault=vault, anyway=given.anyway)
    made = None if outcome.made is None else pass_dict(outcome.made, language)
    return PassRun.model_validate({"now": decision_dict(outcome.decision, language), "made": made})


@router.get("/vaults/{vault}/proposals", summary="List proposals")
def list_proposals(
    memory: Memory,
    actor: Caller,
    vault: VaultName,
    standing: Annotated[Standing, Query(description="Those that wait; or were answered, or overtaken.")] = (
        Standing.WAITING
    ),
    limit: Limit = 50,
    offset: Offset = 0,
    language: In = Language.ENGLISH,
) -> ProposalList:
    """What waits for an answer, contradictions first; or what was answered or overtaken, the latest first."""
    found = memory.proposals.list(actor=actor, vault=vault, standing=standing, limit=limit + 1, offset=offset)
    views, more = page(found, limit)
    known = slugs(memory, actor)
    return ProposalList(proposals=[_shown(view, known, language) for view in views], more=more)


@router.get("/proposals/{proposal}", summary="Show a proposal")
def get_proposal(memory: Memory, actor: Caller, proposal: ProposalId, language: In = Language.ENGLISH) -> ProposalShown:
    """One proposal, whatever became of it."""
    return _shown(memory.proposals.get(actor=actor, proposal=proposal), slugs(memory, actor), language)


@router.post("/proposals/{proposal}/answer", summary="Answer a proposal")
def answer_proposal(
    memory: Memory, actor: Caller, proposal: ProposalId, given: AnswerGiven, language: In = Language.ENGLISH
) -> DecidedShown:
    """Decide it. 409 `stale_proposal` when a fact changed since, `conflict` when someone answered first: nothing is
    changed then."""
    done = memory.proposals.answer(actor=actor, proposal=proposal, answer=given.answer)
    known = slugs(memory, actor)
    return DecidedShown(
        proposal=_shown(memory.proposals.get(actor=actor, proposal=proposal), known, language),
        retired=None if done.retired is None else shown_fact(done.retired, known),
        kept=None if done.kept is None else shown_fact(done.kept, known),
    )
