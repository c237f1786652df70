"""Receipts as rows (F7). Who may read one is who configures its vault."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, insert, or_, select, update

from souvenance.domain.access import Actor
from souvenance.domain.erasure import ErasureKind, Hindrance, Proof, PurgeState, Receipt
from souvenance.store.access import configured
from souvenance.store.database import Transaction
from souvenance.store.tables import erasure as table
from souvenance.store.tables import user, vault


def add_receipt(
    tx: Transaction,
    actor: Actor,
    *,
    at: datetime,
    vault_id: int,
    kind: ErasureKind,
    member: str,
    counts: Mapping[str, int],
    folders_suspended: int,
    mentions: int,
    beyond: Sequence[str],
) -> int:
    """A receipt of what was taken in this transaction, its proof still to come; its id."""
    statement = insert(table).values(
        at=at,
        user_id=actor.user_id,
        token_id=actor.token_id,
        actor=actor.name,
        vault_id=vault_id,
        kind=kind,
        member=member,
        counts=dict(counts),
        folders_suspended=folders_suspended,
        mentions=mentions,
        state=PurgeState.PENDING,
        hindrance=Hindrance.NOT_RUN,
        beyond=list(beyond),
    )
    return int(tx.execute(statement.returning(table.c.id)).scalar_one())


def list_receipts(
    tx: Transaction,
    actor: Actor,
    *,
    vault_id: int | None = None,
    ids: Collection[int] | None = None,
    limit: int = 50,
    offset: int = 0,
) -> list[Receipt]:
    """Receipts of the vaults the actor configures, and of vaults that are gone which they erased; the newest first."""
    who = func.coalesce(func.nullif(table.c.actor, ""), user.c.display_name, "").label("who")
    joined = table.outerjoin(vault, vault.c.id == table.c.vault_id).outerjoin(user, user.c.id == table.c.user_id)
    slug = func.coalesce(vault.c.slug, "").label("slug")
    gone = and_(vault.c.id.is_(None), table.c.user_id == actor.user_id)
    mine = table.c.vault_id.in_(configured(actor))
    may_see = or_(mine, gone) if actor.vaults is None else mine
    statement = select(table, who, slug).select_from(joined).where(may_see)
    if vault_id is not None:
        statement = statement.where(table.c.vault_id == vault_id)
    if ids is not None:
        statement = statement.where(table.c.id.in_(list(ids)))
    rows = tx.execute(statement.order_by(table.c.id.desc()).limit(limit).offset(offset)).mappings()
    return [_receipt(row) for row in rows]


def _receipt(row: Mapping[Any, Any]) -> Receipt:
    return Receipt(
        id=row["id"],
        at=row["at"],
        who=row["who"],
        vault_id=row["vault_id"],
        vault=row["slug"],
        kind=ErasureKind(row["kind"]),
        member=row["member"],
        counts=dict(row["counts"]),
        folders_suspended=row["folders_suspended"],
        mentions=row["mentions"],
        state=PurgeState(row["state"]),
        hindrance=Hindrance(row["hindrance"]) if row["hindrance"] else None,
        proof=Proof(row["proof"]),
        beyond=tuple(row["beyond"]),
        completed_at=row["completed_at"],
    )


def pending_ids(tx: Transaction) -> list[int]:
    """Ids of all receipts whose purge is pending."""
    return list(tx.execute(select(table.c.id).where(table.c.state == PurgeState.PENDING)).scalars())


def hinder(tx: Transaction, *, ids: Collection[int], hindrance: Hindrance) -> None:
    """Say why a purge is pending."""
    here = and_(table.c.id.in_(list(ids)), table.c.state == PurgeState.PENDING)
    tx.execute(update(table).where(here).values(hindrance=hindrance))


def complete(tx: Transaction, *, ids: Collection[int], proof: Proof, at: datetime, beyond: Sequence[str]) -> None:
    """Say that nothing of what was erased is left, what that rests on, and what is still out of reach."""
    here = and_(table.c.id.in_(list(ids)), table.c.state == PurgeState.PENDING)
    values = {"state": PurgeState.DONE, "hindrance": "", "proof": proof, "completed_at": at, "beyond": list(beyond)}
    tx.execute(update(table).where(here).values(values))


def erased_since(tx: Transaction, at: datetime) -> list[tuple[datetime, int]]:
    """When, and of which vault (its id), something was erased at or after a moment."""
    return [(row.at, row.vault_id) for row in tx.execute(select(table.c.at, table.c.vault_id).where(table.c.at >= at))]


def is_erased_after(tx: Transaction, receipt: int, *, vault_ids: Collection[int]) -> bool:
    """Whether something of one of these vaults was erased after a receipt."""
    here = select(table.c.id).where(table.c.vault_id.in_(list(vault_ids)), table.c.id > receipt)
    return bool(vault_ids) and tx.execute(here.limit(1)).first() is not None


def newest(tx: Transaction) -> int:
    """The id of the newest receipt, 0 where there is none."""
    return int(tx.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one())


def vaults_after(tx: Transaction, receipt: int) -> list[int]:
    """Ids of the vaults of which something was erased after a receipt."""
    return list(tx.execute(select(table.c.vault_id).where(table.c.id > receipt).distinct()).scalars())
