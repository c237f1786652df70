"""What an import finds already there: facts of the same words, and facts that an import brought with them (R4)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, select

from souvenance.domain.fact import State, SubjectKind
from souvenance.store.database import Transaction
from souvenance.store.facts import content_hash
from souvenance.store.revisions import FACT
from souvenance.store.tables import fact, revision

OPERATION = "import"
"""What the revision of an imported fact says was done."""
_CHUNK = 500


class Standing(NamedTuple):
    """A fact of the vault as an import compares it."""

    number: int
    state: State
    created_at: datetime


_COLUMNS = (fact.c.number, fact.c.created_at, fact.c.valid_to, fact.c.deleted_at)


def same_words(tx: Transaction, *, vault_id: int, hashes: Sequence[str]) -> dict[str, list[Standing]]:
    """The facts of a vault with these content hashes, whatever their state, by hash and number."""
    found: dict[str, list[Standing]] = {}
    for start in range(0, len(hashes), _CHUNK):
        here = (fact.c.vault_id == vault_id) & fact.c.content_hash.in_(hashes[start : start + _CHUNK])
        # Asked for an order as well, SQLite walks the whole vault by number.
        for row in tx.execute(select(fact.c.content_hash, *_COLUMNS).where(here)):
            found.setdefault(row.content_hash, []).append(_standing(row))
    return {hashed: sorted(standing) for hashed, standing in found.items()}


def first_words(tx: Transaction, *, vault_id: int) -> dict[str, list[Standing]]:
    """The facts of a vault that were imported and have changed since, by the content hash they came with."""
    changed = select(*_COLUMNS).where(fact.c.vault_id == vault_id, fact.c.version > 1)
    standing = {str(row.number): _standing(row) for row in tx.execute(changed)}
    found: dict[str, list[Standing]] = {}
    references = sorted(standing)
    for start in range(0, len(references), _CHUNK):
        here = (revision.c.vault_id == vault_id) & (revision.c.kind == FACT) & (revision.c.operation == OPERATION)
        statement = select(revision.c.subject_ref, revision.c.after).where(
            here, revision.c.subject_ref.in_(references[start : start + _CHUNK])
        )
        # By change alone, SQLite walks all revisions there are instead of those of these facts.
        for row in tx.execute(statement.order_by(revision.c.subject_ref, revision.c.change_id)):
            kept = row.after
            hashed = content_hash(
                key=kept.get("key", ""),
                content=kept["content"],
                category=kept["category"],
                subject_kind=kept.get("subject_kind", SubjectKind.VAULT),
                subject_id=kept.get("subject_id", ""),
            )
            found.setdefault(hashed, []).append(standing[row.subject_ref])
    return found


def _standing(row: Row[Any]) -> Standing:
    state = State.TRASHED if row.deleted_at else State.RETIRED if row.valid_to else State.IN_FORCE
    return Standing(row.number, state, row.created_at)
