"""`/facts`: remembering, reading and correcting facts (F1 to F9, N4)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.fact import DEFAULT_CATEGORY, Action, Fact, Sort, State, SubjectKind
from souvenance.interfaces.rest.caller import Caller, Memory, slugs
from souvenance.interfaces.rest.fields import (
    LARGEST,
    FactNumber,
    Given,
    Limit,
    Offset,
    Shown,
    Text,
    Vault,
    VaultName,
    Version,
    page,
)
from souvenance.memory.remember import Observation, Outcome, Remembered

router = APIRouter(tags=["facts"])

AT_ONCE = 1000
"""Observations of one request at most."""

Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Importance = Annotated[int, Field(ge=1, le=10)]
Digest = Annotated[Text | None, Field(description="One line about the category, for the index of memory.")]


class ObservationGiven(Given):
    """Something to remember, understandable on its own."""

    content: Annotated[Text, Field(min_length=1, description="One fact, in a sentence.")]
    key: Text = ""
    category: Annotated[Text, Field(description="A label, never a path.")] = DEFAULT_CATEGORY
    confidence: Confidence = 1.0
    importance: Importance | None = None
    subject_kind: Annotated[SubjectKind, Field(strict=False)] = SubjectKind.VAULT
    subject_id: Text = ""
    channel: Text = ""
    author: Text = ""
    language: Annotated[Text, Field(max_length=20)] | None = None
    said_at: Annotated[Text, Field(description="When it was said, in the speaker's words or as a date.")] = ""

    def observation(self) -> Observation:
        """What the use case takes."""
        return Observation(**self.model_dump(include=set(ObservationGiven.model_fields)))


class AboutUser(ObservationGiven):
    """An observation about the user."""

    digest: Digest = None


class AboutProject(ObservationGiven):
    """An observation about a project, whose vault is made on first use."""

    project: Vault
    digest: Digest = None


class Observations(Given):
    """Observations for one vault, kept in order."""

    observations: Annotated[list[ObservationGiven], Field(min_length=1, max_length=AT_ONCE)]
    digest: Digest = None


class RememberedShown(Shown):
    """What became of an observation; over a route that withholds its vault, always `appended`, number 0 and no note."""

    outcome: Outcome
    number: int
    version: int
    note: str
    vault: str | None = Field(description="Slug; null when the vault is protected and this route is cloud.")
    similar_categories: list[str]
    warnings: list[str] = Field(description="Kinds of secrets it seems to hold; it was kept all the same.")


class RememberedList(Shown):
    """What became of each observation, in order."""

    remembered: list[RememberedShown]


class SaidDateShown(Shown):
    """A date as it was said, and what it meant then."""

    said: str
    resolved: str


class FactShown(Shown):
    """A fact. `note` is the id of its page; send `version` back with an edit."""

    number: int
    version: int
    vault: str | None
    note: str
    state: State
    content: str
    key: str
    category: str
    confidence: float
    importance: int | None
    subject_kind: SubjectKind
    subject_id: str
    channel: str
    author: str
    language: str | None
    said_at: str
    said_dates: list[SaidDateShown]
    source: Source
    created_at: datetime
    updated_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    reason: str
    replaced_by: int | None
    disabled: bool
    deleted_at: datetime | None
    outdated: str = Field(
        default="", description="Of a summary that is read: what it was drawn from and is no longer so, in words."
    )


class FactWritten(FactShown):
    """A fact as it was written. `warnings`: kinds of secrets it seems to hold; it was kept all the same."""

    warnings: list[str]


class FactList(Shown):
    """One page of facts; `more` says whether a next one is there. `total` counts those asked for, `by_state` all that
    hold the text."""

    facts: list[FactShown]
    more: bool
    total: int
    by_state: dict[State, int]


class FactChange(Given):
    """What to change of a fact; what is left out stays."""

    version: Version = None
    content: Annotated[Text, Field(min_length=1)] | None = None
    key: Text | None = None
    confidence: Confidence | None = None
    importance: Annotated[Importance | None, Field(description="Null takes it away.")] = None
    category: Text | None = None
    subject_kind: Annotated[SubjectKind, Field(strict=False)] | None = None
    subject_id: Text | None = None
    channel: Text | None = None
    author: Text | None = None
    language: Annotated[Text, Field(max_length=20)] | None = None
    said_at: Text | None = None


class Moving(Given):
    """Where a fact goes."""

    version: Version = None
    vault: Vault


class BulkGiven(Given):
    """One thing to do to many facts. `reason` goes with retire, `vault` with move, the rest with edit."""

    action: Annotated[Action, Field(strict=False)]
    numbers: Annotated[list[Annotated[int, Field(ge=1, le=LARGEST)]], Field(min_length=1, max_length=AT_ONCE)]
    reason: Text = ""
    vault: Vault | None = None
    confidence: Confidence | None = None
    importance: Importance | None = None


class RefusedShown(Shown):
    """A fact that was left as it is, and why."""

    number: int
    code: str
    message: str


class BulkDone(Shown):
    """The facts it was done to, and those it was not."""

    done: list[int]
    refused: list[RefusedShown]


class Retirement(Given):
    """Why a fact no longer holds, and what holds instead where something does."""

    version: Version = None
    reason: Text
    replacement: Annotated[Text, Field(min_length=1)] | None = None
    replaced_by: Annotated[int, Field(ge=1, le=LARGEST, description="A fact of the vault instead.")] | None = None


class Retired(Shown):
    """The fact that was retired, and the one that took its place."""

    retired: FactShown
    replacement: FactShown | None


def shown(fact: Fact, names: dict[int, str], outdated: str = "") -> FactShown:
    """A fact as it is answered."""
    return FactShown.model_validate(
        {name: getattr(fact, name) for name in FactShown.model_fields if name not in {"vault", "note", "outdated"}}
        | {"vault": names.get(fact.vault_id), "note": fact.note_id, "outdated": outdated}
    )


def _remembered(found: Remembered, names: dict[int, str]) -> RememberedShown:
    """Of a protected vault, nothing but what the caller needs to go on."""
    may_name = found.fact.vault_id in names
    return RememberedShown(
        outcome=found.outcome,
        number=found.fact.number,
        version=found.fact.version,
        note=found.note_id,
        vault=names.get(found.fact.vault_id),
        similar_categories=list(found.similar_categories) if may_name else [],
        warnings=list(found.secrets),
    )


def _one(memory: Application, actor: Actor, fact: Fact) -> FactShown:
    return shown(fact, slugs(memory, actor), _outdated(memory, [fact]).get(fact.number, ""))


def _outdated(memory: Application, facts: Sequence[Fact]) -> dict[int, str]:
    return {number: old.sentence() for number, old in memory.facts.outdated(facts=facts).items()}


@router.get("/vaults/{vault}/facts", summary="List the facts of a vault")
def list_facts(
    memory: Memory,
    actor: Caller,
    vault: VaultName,
    q: Annotated[str, Query(max_length=1000, description="Part of a key or content; case and accents aside.")] = "",
    state: Annotated[list[State] | None, Query(description="Only these states; in force when left out.")] = None,
    sort: Annotated[Sort, Query(description="By what they are ordered.")] = Sort.UPDATED,
    ascending: Annotated[bool, Query(description="The smallest or oldest first.")] = False,
    as_of: Annotated[datetime | None, Query(description="As they stood at this past moment, zone included.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> FactList:
    """Facts of a vault, the most recently updated first when not said otherwise."""
    found = memory.facts.browse(
        actor=actor,
        vault=vault,
        query=q,
        states=state or [State.IN_FORCE],
        sort=sort,
        descending=not ascending,
        as_of=as_of,
        limit=limit + 1,
        offset=offset,
    )
    kept, more = page(found.facts, limit)
    names, old = slugs(memory, actor), {} if as_of is not None else _outdated(memory, kept)
    return FactList(
        facts=[shown(fact, names, old.get(fact.number, "")) for fact in kept],
        more=more,
        total=found.total,
        by_state=dict(found.by_state),
    )


@router.post("/facts/bulk", summary="Do one thing to many facts")
def bulk(memory: Memory, actor: Caller, given: BulkGiven) -> BulkDone:
    """Retire, restore, delete, purge, move or edit many; those it cannot be done to are named and left as they are."""
    return BulkDone.model_validate(memory.bulk.apply(actor=actor, **given.model_dump()))


@router.post("/vaults/{vault}/facts", status_code=201, summary="Remember in a vault")
def remember(memory: Memory, actor: Caller, vault: VaultName, given: Observations) -> RememberedList:
    """Keep observations in a vault; durable when this answers. The same observation again is skipped."""
    observations = [item.observation() for item in given.observations]
    kept = memory.facts.remember(actor=actor, vault=vault, observations=observations, digest=given.digest)
    names = slugs(memory, actor)
    return RememberedList(remembered=[_remembered(item, names) for item in kept])


@router.post("/facts/about-user", status_code=201, summary="Remember about the user")
def remember_about_user(memory: Memory, actor: Caller, given: AboutUser) -> RememberedShown:
    """Keep an observation in the user's personal vault. A bound token needs that vault in its list."""
    kept = memory.facts.remember_about_user(actor=actor, observation=given.observation(), digest=given.digest)
    return _remembered(kept, slugs(memory, actor))


@router.post("/facts/about-project", status_code=201, summary="Remember about a project")
def remember_about_project(memory: Memory, actor: Caller, given: AboutProject) -> RememberedShown:
    """Keep an observation in a project's vault."""
    kept = memory.facts.remember_about_project(
        actor=actor, project=given.project, observation=given.observation(), digest=given.digest
    )
    return _remembered(kept, slugs(memory, actor))


@router.get("/facts/{number}", summary="Show a fact")
def get_fact(memory: Memory, actor: Caller, number: FactNumber) -> FactShown:
    """One fact, whatever its state."""
    return _one(memory, actor, memory.facts.get(actor=actor, number=number))


@router.patch("/facts/{number}", summary="Edit a fact")
def edit_fact(memory: Memory, actor: Caller, number: FactNumber, given: FactChange) -> FactWritten:
    """Change what is given; refused when the fact is no longer at the `version` named."""
    cleared = "importance" in given.model_fields_set and given.importance is None
    fact = memory.facts.edit(actor=actor, number=number, no_importance=cleared, **given.model_dump())
    seen = _one(memory, actor, fact).model_dump()
    return FactWritten(**seen, warnings=list(memory.facts.secrets_in(fact)))


@router.post("/facts/{number}/move", summary="Move a fact to another vault")
def move_fact(memory: Memory, actor: Caller, number: FactNumber, given: Moving) -> FactShown:
    """Put a fact in another vault with its history; it keeps its number."""
    return _one(memory, actor, memory.facts.move(actor=actor, number=number, vault=given.vault, version=given.version))


@router.post("/facts/{number}/retire", summary="Retire a fact")
def retire_fact(memory: Memory, actor: Caller, number: FactNumber, given: Retirement) -> Retired:
    """End a fact's validity: its wording is kept, with the reason and, where given, the new wording as a fact."""
    retired, successor = memory.facts.retire(actor=actor, number=number, **given.model_dump())
    names = slugs(memory, actor)
    return Retired(retired=shown(retired, names), replacement=shown(successor, names) if successor else None)


@router.post("/facts/{number}/restore", summary="Restore a fact")
def restore_fact(memory: Memory, actor: Caller, number: FactNumber) -> FactShown:
    """Bring a fact back from the trash or from the journal."""
    return _one(memory, actor, memory.facts.restore(actor=actor, number=number))


@router.delete("/facts/{number}", summary="Put a fact in the trash")
def delete_fact(memory: Memory, actor: Caller, number: FactNumber) -> FactShown:
    """Out of every read at once; it can be restored."""
    return _one(memory, actor, memory.facts.delete(actor=actor, number=number))


@router.post("/facts/{number}/purge", status_code=204, summary="Remove a trashed fact for good")
def purge_fact(memory: Memory, actor: Caller, number: FactNumber) -> None:
    """Remove a fact that is in the trash, with its revisions. This cannot be undone."""
    memory.facts.purge(actor=actor, number=number)
