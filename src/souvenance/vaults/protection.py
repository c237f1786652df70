"""What was learnt from a protected vault stays as protected (V8). For whoever turns what was read into facts."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select

from souvenance.domain.errors import NotAllowed
from souvenance.domain.protection import may_settle
from souvenance.domain.vault import Protection
from souvenance.store.database import Transaction
from souvenance.store.tables import vault


def protection_of(tx: Transaction, vault_ids: Collection[int]) -> Protection:
    """The protection of a text made from these vaults: maximum where any of them is, or is not there any more."""
    statement = select(vault.c.protection).where(vault.c.id.in_(list(vault_ids)))
    found = [Protection(one) for one in tx.execute(statement).scalars()]
    is_sure = len(found) == len(set(vault_ids))
    return Protection.MAXIMUM if Protection.MAXIMUM in found or not is_sure else Protection.NORMAL


def require_as_protected(tx: Transaction, *, learnt_from: Collection[int], into: int) -> None:
    """Refuse to keep what was learnt from these vaults in one that is less protected."""
    if not may_settle(protection_of(tx, learnt_from), protection_of(tx, [into])):
        raise NotAllowed(
            "This was learnt from a protected vault and may only be kept in one; nothing was written.",
            hint="Keep it in a protected vault, or have a person write it down.",
        )
