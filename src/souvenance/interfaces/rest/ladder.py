"""`/vaults/{vault}/type`, `settings`, `simulation`, `given`: the six memory types (section 3)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from souvenance.domain.fact import SubjectKind
from souvenance.domain.vault import MemoryType
from souvenance.domain.vault_settings import MOST_LIMIT, settings_of
from souvenance.interfaces.rest.caller import Caller, Memory
from souvenance.interfaces.rest.fields import Given, Shown, Text, VaultName
from souvenance.interfaces.rest.vaults import VaultShown, shown
from souvenance.retrieval.matching import Matching

router = APIRouter(prefix="/vaults/{vault}", tags=["ladder"])

MOST_TOKENS = 200_000
Step = Annotated[MemoryType, Field(strict=False)]
Limit = Annotated[int, Field(ge=0, le=MOST_LIMIT)]
Weight = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]


class TypeGiven(Given):
    """A step of the ladder."""

    memory_type: Step


class SettingsShown(Shown):
    """A vault's settings, those that were never set at their defaults."""

    max_injected: int
    recency: float
    importance: float
    relevance: float
    time_zone: str
    daily_tokens: int
    member_rate: int


class SettingsGiven(Given):
    """What to set; what is left out stays, null brings a default back."""

    max_injected: Annotated[int, Field(ge=1, le=1000)] | None = None
    recency: Weight | None = None
    importance: Weight | None = None
    relevance: Weight | None = None
    time_zone: Annotated[Text, Field(max_length=60)] | None = None
    daily_tokens: Limit | None = None
    member_rate: Limit | None = None


class SimulationShown(Shown):
    """What moving to another step would mean; `moves` counts facts moved, rewritten or deleted: none, ever."""

    vault: str
    before: MemoryType
    after: MemoryType
    gained: list[MemoryType]
    lost: list[MemoryType]
    moves: int
    figures: dict[str, dict[str, Any]]
    milliseconds: float


class SubjectGiven(Given):
    """Whom facts may be about."""

    kind: Annotated[SubjectKind, Field(strict=False)]
    id: Annotated[Text, Field(max_length=200)] = ""


class MessageGiven(Given):
    """What is being said, and of whom facts are wanted besides the vault itself; of everyone when left out."""

    message: Text
    about: Annotated[list[SubjectGiven], Field(max_length=1000)] | None = None
    budget_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS)] = 4000
    memory_type: Step | None = None


class WhyShown(Shown):
    """Why a fact stands where it does: three parts that add up, and the confidence they are multiplied by."""

    recency: float
    importance: float
    relevance: float
    confidence: float


class GivenFactShown(Shown):
    """One fact as a prompt would hold it."""

    number: int
    version: int
    line: str
    is_summary: bool
    outdated: str = Field(description="Of the summary: what it was drawn from and is no longer so; else empty.")
    score: float | None
    why: WhyShown | None


class GivenShown(Shown):
    """What a prompt would be given; `matching` says whether words or meaning decided and `why` why."""

    memory_type: MemoryType
    matching: Matching
    why: str
    considered: int
    left_out: int
    tokens: int
    told: list[str]
    text: str
    facts: list[GivenFactShown]


class Restored(Shown):
    """How many facts are in force again. `summaries_left`: summaries that stay retired, since a vault has one."""

    restored: int
    summaries_left: list[int]


class Purged(Shown):
    """How many facts are gone for good."""

    purged: int


@router.put("/type", summary="Choose a memory type")
def change_type(memory: Memory, actor: Caller, vault: VaultName, given: TypeGiven) -> VaultShown:
    """Put the vault on another step, at once; nothing is moved, rewritten or deleted."""
    found = memory.vaults.change_type(actor=actor, vault=vault, memory_type=given.memory_type)
    return shown(found, facts=memory.vaults.count_facts(actor=actor).get(found.id, 0))


@router.get("/settings", summary="Show a vault's settings")
def get_settings(memory: Memory, actor: Caller, vault: VaultName) -> SettingsShown:
    """How many facts a prompt is given, the three weights, the time zone."""
    return SettingsShown.model_validate(settings_of(memory.vaults.get(actor=actor, vault=vault).settings))


@router.patch("/settings", summary="Change a vault's settings")
def change_settings(memory: Memory, actor: Caller, vault: VaultName, given: SettingsGiven) -> SettingsShown:
    """Change what is given; nothing is deleted, whichever the values."""
    changes = given.model_dump(exclude_unset=True)
    return SettingsShown.model_validate(
        settings_of(memory.vaults.change_settings(actor=actor, vault=vault, changes=changes).settings)
    )


@router.get("/simulation", summary="Simulate a memory type")
def simulate(
    memory: Memory,
    actor: Caller,
    vault: VaultName,
    to: Annotated[MemoryType, Query(description="The step to move to.")],
) -> SimulationShown:
    """Figures of this vault's own before a change of step; nothing changes. Never a price."""
    found = memory.simulations.simulate(actor=actor, vault=vault, to=to)
    return SimulationShown.model_validate(found.as_dict())


@router.post("/given", summary="Show what a prompt would be given")
def given_to_prompt(memory: Memory, actor: Caller, vault: VaultName, given: MessageGiven) -> GivenShown:
    """The facts a prompt about this message would hold, in order, with the four numbers of each place."""
    found = memory.ladder.given_to_prompt(
        actor=actor,
        vault=vault,
        message=given.message,
        about=None if given.about is None else [(item.kind, item.id) for item in given.about],
        budget_tokens=given.budget_tokens,
        memory_type=given.memory_type,
    )
    return GivenShown(
        memory_type=found.memory_type,
        matching=found.matching,
        why=found.why,
        considered=found.considered,
        left_out=found.left_out,
        tokens=found.tokens,
        told=list(found.told),
        text=found.text,
        facts=[
            GivenFactShown(
                number=item.fact.number,
                version=item.fact.version,
                line=item.line,
                is_summary=item.is_summary,
                outdated=item.outdated,
                score=None if item.why is None else item.why.total,
                why=None if item.why is None else WhyShown.model_validate(item.why),
            )
            for item in found.facts
        ],
    )


@router.post("/restore-all", summary="Restore every retired fact")
def restore_all(memory: Memory, actor: Caller, vault: VaultName) -> Restored:
    """Put every retired fact of the vault back in force, but summaries that another took the place of; their
    replacements are left alone."""
    return Restored.model_validate(memory.bulk.restore_all(actor=actor, vault=vault))


@router.post("/empty-trash", summary="Remove every trashed fact for good")
def empty_trash(memory: Memory, actor: Caller, vault: VaultName) -> Purged:
    """Remove the vault's trashed facts with their revisions. This cannot be undone."""
    return Purged(purged=memory.bulk.empty_trash(actor=actor, vault=vault))
