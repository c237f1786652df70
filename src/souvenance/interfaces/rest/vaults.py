"""`/vaults`: making, describing and weighing vaults (V1, V2, V8)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from souvenance.domain import vault as domain
from souvenance.domain.vault import MemoryType, Protection, VaultKind
from souvenance.interfaces.rest.caller import Caller, Memory
from souvenance.interfaces.rest.fields import LARGEST, Given, Shown, Text, VaultName

router = APIRouter(prefix="/vaults", tags=["vaults"])

Kind = Annotated[VaultKind, Field(strict=False)]
Protected = Annotated[Protection, Field(strict=False, description="`maximum`: nothing leaves over a cloud route.")]


class VaultShown(Shown):
    """A vault; `attention` is its owner's weight, 0 to 100, and `facts` counts those in force."""

    slug: str
    name: str
    kind: VaultKind
    description: str
    colour: str
    protection: Protection
    memory_type: MemoryType
    attention: int
    can_configure: bool
    facts: int
    created_at: datetime
    updated_at: datetime


class VaultList(Shown):
    """The vaults a caller may be answered from. `withheld` counts those its route keeps back (V8)."""

    vaults: list[VaultShown]
    withheld: int


class NewVault(Given):
    """A vault to make."""

    name: Annotated[Text, Field(min_length=1)]
    kind: Kind = VaultKind.PROJECT
    description: Text = ""
    colour: Annotated[Text, Field(max_length=40)] = ""
    protection: Protected = Protection.NORMAL
    team: Annotated[int, Field(ge=1, le=LARGEST, description="Number of a team to share it with.")] | None = None


class VaultChange(Given):
    """What to change of a vault; what is left out stays."""

    name: Annotated[Text, Field(min_length=1)] | None = None
    description: Text | None = None
    colour: Annotated[Text, Field(max_length=40)] | None = None
    protection: Protected | None = None


class Attention(Given):
    """How much a vault counts when memory is queried."""

    weight: Annotated[int, Field(ge=0, le=100)]


def shown(vault: domain.Vault, *, facts: int) -> VaultShown:
    """A vault as it is answered."""
    return VaultShown(
        slug=vault.slug,
        name=vault.name,
        kind=vault.kind,
        description=vault.description,
        colour=vault.colour,
        protection=vault.protection,
        memory_type=vault.memory_type,
        attention=vault.attention,
        can_configure=vault.can_configure,
        facts=facts,
        created_at=vault.created_at,
        updated_at=vault.updated_at,
    )


@router.get("", summary="List vaults")
def list_vaults(memory: Memory, actor: Caller) -> VaultList:
    """The vaults this caller may be answered from, by name; those at attention 0 too."""
    facts = memory.vaults.count_facts(actor=actor)
    vaults = [shown(vault, facts=facts.get(vault.id, 0)) for vault in memory.vaults.list(actor=actor)]
    return VaultList(vaults=vaults, withheld=memory.vaults.count_withheld(actor=actor))


@router.post("", status_code=201, summary="Make a vault")
def create_vault(memory: Memory, actor: Caller, given: NewVault) -> VaultShown:
    """A new vault at full attention. A token that is bound to certain vaults makes none."""
    made = memory.vaults.create(
        actor=actor,
        name=given.name,
        kind=given.kind,
        description=given.description,
        colour=given.colour,
        protection=given.protection,
        team=given.team,
    )
    return shown(made, facts=0)


@router.get("/{vault}", summary="Show a vault")
def get_vault(memory: Memory, actor: Caller, vault: VaultName) -> VaultShown:
    """The vault of that slug or name."""
    found = memory.vaults.get(actor=actor, vault=vault)
    return shown(found, facts=memory.vaults.count_facts(actor=actor).get(found.id, 0))


@router.patch("/{vault}", summary="Change a vault")
def change_vault(memory: Memory, actor: Caller, vault: VaultName, given: VaultChange) -> VaultShown:
    """Change what is given. The slug stays."""
    changed = memory.vaults.change(
        actor=actor,
        vault=vault,
        name=given.name,
        description=given.description,
        colour=given.colour,
        protection=given.protection,
    )
    return shown(changed, facts=memory.vaults.count_facts(actor=actor).get(changed.id, 0))


@router.put("/{vault}/attention", summary="Weigh a vault")
def set_attention(memory: Memory, actor: Caller, vault: VaultName, given: Attention) -> VaultShown:
    """Say how much the vault counts for its owner's queries, from 0 (not queried) to 100."""
    weighed = memory.vaults.set_attention(actor=actor, vault=vault, weight=given.weight)
    return shown(weighed, facts=memory.vaults.count_facts(actor=actor).get(weighed.id, 0))
