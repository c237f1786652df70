"""When each vault had its passes, what they found, and what has changed in it since (T5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select

from souvenance.domain.consolidation import Pass
from souvenance.domain.fact import State
from souvenance.domain.vault import MemoryType, Protection
from souvenance.store.database import Transaction
from souvenance.store.facts import in_state
from souvenance.store.tables import change, consolidation_pass, fact, revision, vault

_NAMES = tuple(field.name for field in fields(Pass))


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """How a vault stands now: facts in force, its latest change, the last change written down."""

    facts: int
    changed_at: datetime | None
    change: int


def add_pass(tx: Transaction, item: Pass) -> None:
    """Write down a pass that ended."""
    tx.mark("knowledge", item.vault_id)
    tx.execute(insert(consolidation_pass).values({name: getattr(item, name) for name in _NAMES}))


def list_passes(tx: Transaction, *, vault_id: int, limit: int) -> list[Pass]:
    """The last passes of a vault, the latest first."""
    here = consolidation_pass.c.vault_id == vault_id
    statement = select(consolidation_pass).where(here).order_by(consolidation_pass.c.ordinal.desc()).limit(limit)
    return [_pass(row) for row in tx.execute(statement).mappings()]


def present(tx: Transaction, *, vault_id: int) -> Present:
    """How a vault stands now; all of it from indexes."""
    here = fact.c.vault_id == vault_id
    facts = tx.execute(select(func.count()).select_from(fact).where(here, in_state(State.IN_FORCE))).scalar_one()
    changed_at = tx.execute(
        select(fact.c.updated_at).where(here).order_by(fact.c.updated_at.desc()).limit(1)
    ).scalar_one_or_none()
    last = tx.execute(select(func.max(revision.c.change_id)).where(revision.c.vault_id == vault_id)).scalar()
    return Present(facts=int(facts), changed_at=changed_at, change=last or 0)


def first_change_after(tx: Transaction, *, vault_id: int, change_id: int) -> datetime | None:
    """When a fact of the vault first changed after that change; None where none did."""
    here = (revision.c.vault_id == vault_id) & (revision.c.change_id > change_id) & (revision.c.kind == "fact")
    first = select(revision.c.change_id).where(here).order_by(revision.c.change_id).limit(1).scalar_subquery()
    return tx.execute(select(change.c.at).where(change.c.id == first)).scalar_one_or_none()


def vaults_on(tx: Transaction, steps: Collection[MemoryType]) -> list[int]:
    """Ids of every vault that stands on one of these steps."""
    return list(
        tx.execute(select(vault.c.id).where(vault.c.memory_type.in_(list(steps))).order_by(vault.c.id)).scalars()
    )


def step_and_protection(tx: Transaction, *, vault_id: int) -> tuple[MemoryType, Protection, str] | None:
    """On which step a vault stands, how it is protected and its name, for work nobody asked for; None if it is gone."""
    row = tx.execute(
        select(vault.c.memory_type, vault.c.protection, vault.c.name).where(vault.c.id == vault_id)
    ).one_or_none()
    return None if row is None else (MemoryType(row.memory_type), Protection(row.protection), row.name)


def _pass(row: Mapping[Any, Any]) -> Pass:
    return Pass(**{name: row[name] for name in _NAMES})
