"""Erasing (F7): a dry run, the deed, confirmed by name, and the receipts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from souvenance.domain import erasure as domain
from souvenance.interfaces.rest.caller import Caller, Memory
from souvenance.interfaces.rest.fields import Given, Limit, Offset, Shown, Text, VaultName, page

router = APIRouter(tags=["erasure"])

Id = Annotated[Text, Field(min_length=1, max_length=200, description="The id that facts about the member carry.")]
Names = Annotated[list[Annotated[Text, Field(max_length=200)]], Field(max_length=50)]


class InVault(Given):
    """Everything of the vault, or what is about one member of it."""

    member: Id | None = None
    names: Names = Field(default=[], description="Names by which others may mention the member.")


class OfMember(Given):
    """What is about one member, in every vault this caller configures."""

    member: Id
    names: Names = Field(default=[])


class ConfirmedInVault(InVault):
    """What to erase, and the vault's name or slug (or the member's id) typed again."""

    confirm: Text


class ConfirmedOfMember(OfMember):
    """Whom to erase, and the id typed again."""

    confirm: Text


class MentionShown(Shown):
    """A fact or note of others that names the member."""

    vault: str
    fact: int | None
    note: str
    title: str
    says: str
    name: str


class VaultCountsShown(Shown):
    """What would go of one vault, by kind, and how many of its folders would be suspended."""

    vault: str
    counts: dict[str, int]
    folders: int


class PreviewShown(Shown):
    """A dry run; nothing was changed. `beyond_reach` names what may hold it all the same."""

    kind: domain.ErasureKind
    vaults: list[VaultCountsShown]
    total: dict[str, int]
    names: list[str]
    mentions: list[MentionShown]
    beyond_reach: list[str]
    left_out: int
    mentions_cut: bool = Field(description="Whether there are more mentions than are listed.")


class ReceiptShown(Shown):
    """Who erased what when, how many by kind, and how far the purge is; never a content."""

    receipt: int
    at: datetime
    who: str
    vault: str
    kind: domain.ErasureKind
    member: str
    counts: dict[str, int]
    folders_suspended: int
    mentions: int
    state: domain.PurgeState
    why: str
    proof: domain.Proof
    beyond_reach: list[str]
    completed_at: datetime | None


class ErasedShown(Shown):
    """A receipt per vault, and what others still say of the member, to be decided about."""

    receipts: list[ReceiptShown]
    mentions: list[MentionShown]
    left_out: int
    mentions_cut: bool = Field(description="Whether there are more mentions than are listed.")


class ReceiptList(Shown):
    """One page of receipts, the newest first."""

    receipts: list[ReceiptShown]
    more: bool


def _preview(found: domain.Preview) -> PreviewShown:
    return PreviewShown(
        kind=found.kind,
        vaults=[VaultCountsShown.model_validate(item) for item in found.vaults],
        total=found.total,
        names=list(found.names),
        mentions=[MentionShown.model_validate(item) for item in found.mentions],
        beyond_reach=list(found.beyond),
        left_out=found.left_out,
        mentions_cut=found.mentions_cut,
    )


def _erased(done: domain.Erased) -> ErasedShown:
    return ErasedShown(
        receipts=[ReceiptShown.model_validate(item.as_dict()) for item in done.receipts],
        mentions=[MentionShown.model_validate(item) for item in done.mentions],
        left_out=done.left_out,
        mentions_cut=done.mentions_cut,
    )


@router.post("/vaults/{vault}/erasure/preview", summary="Say what erasing would take")
def preview_vault(memory: Memory, actor: Caller, vault: VaultName, given: InVault) -> PreviewShown:
    """A dry run: counts by kind, and who else mentions the member. Nothing changes."""
    found = memory.erasures.preview(actor=actor, vault=vault, member=given.member, names=given.names)
    return _preview(found)


@router.post("/vaults/{vault}/erasure", summary="Erase a vault's contents, or a member's in it")
def erase_vault(memory: Memory, actor: Caller, vault: VaultName, given: ConfirmedInVault) -> ErasedShown:
    """At once and for good. The vault stays and learns again; its watched folders are suspended."""
    done = memory.erasures.erase(
        actor=actor, vault=vault, member=given.member, names=given.names, confirm=given.confirm
    )
    return _erased(done)


@router.delete("/vaults/{vault}", summary="Delete a vault with all it holds", tags=["vaults"])
def delete_vault(
    memory: Memory,
    actor: Caller,
    vault: VaultName,
    confirm: Annotated[str, Query(max_length=200, description="The vault's name or slug, typed again.")],
) -> ReceiptShown:
    """Erase everything of the vault and take it away, at once and for good. Files of watched folders stay on the disk.

    A token that is bound to certain vaults deletes none.
    """
    done = memory.erasures.delete_vault(actor=actor, vault=vault, confirm=confirm)
    return ReceiptShown.model_validate(done.as_dict())


@router.post("/erasures/preview", summary="Say what erasing a member would take")
def preview_member(memory: Memory, actor: Caller, given: OfMember) -> PreviewShown:
    """A dry run over every vault this caller configures."""
    return _preview(memory.erasures.preview(actor=actor, member=given.member, names=given.names))


@router.post("/erasures", summary="Erase a member everywhere")
def erase_member(memory: Memory, actor: Caller, given: ConfirmedOfMember) -> ErasedShown:
    """Everything about one member in every vault this caller configures, at once and for good."""
    done = memory.erasures.erase(actor=actor, member=given.member, names=given.names, confirm=given.confirm)
    return _erased(done)


@router.get("/erasures", summary="List receipts of erasures")
def list_receipts(
    memory: Memory,
    actor: Caller,
    vault: Annotated[str | None, Query(max_length=200, description="Only of this vault.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> ReceiptList:
    """What was erased of the vaults this caller configures, the newest first."""
    found = memory.erasures.receipts(actor=actor, vault=vault, limit=limit + 1, offset=offset)
    kept, more = page(found, limit)
    return ReceiptList(receipts=[ReceiptShown.model_validate(item.as_dict()) for item in kept], more=more)
