"""Facts as they are compared with one another: what each says and of whom, light enough to hold a whole vault."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from souvenance.domain.fact import SUMMARY_KEY, Fact, State, SubjectKind
from souvenance.domain.proposal import wording_of
from souvenance.store.database import Transaction
from souvenance.store.facts import in_state
from souvenance.store.tables import fact

LONGEST = 4000
"""Characters held of a fact; of a longer one its hash stands for the rest, so that only its equal is the same."""

_COLUMNS = (
    fact.c.number, fact.c.key, fact.c.content, fact.c.language, fact.c.subject_kind, fact.c.subject_id,
    fact.c.said_dates, fact.c.confidence, fact.c.importance, fact.c.updated_at,
)  # fmt: skip
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Said:
    """One fact in force. In `content`, a day that was said relatively stands as the day it meant (F10): two facts that
    say "tomorrow" on two days say two things. `wording` is the hash of what was really said.
    """

    number: int
    key: str
    content: str
    language: str | None
    subject: tuple[str, str]
    wording: str
    confidence: float
    importance: int | None
    updated_at: datetime

    @property
    def is_summary(self) -> bool:
        """Whether it is a summary of its vault (F6)."""
        return self.key == SUMMARY_KEY and self.is_of_vault

    @property
    def is_of_vault(self) -> bool:
        """Whether it is about the vault itself."""
        return self.subject[0] == SubjectKind.VAULT


def read_said(tx: Transaction, *, vault_id: int, limit: int) -> list[Said]:
    """The facts of a vault that answer, as they are compared, the last updated first."""
    here = (fact.c.vault_id == vault_id) & in_state(State.IN_FORCE) & fact.c.disabled.is_(False)
    statement = select(*_COLUMNS).where(here).order_by(fact.c.updated_at.desc(), fact.c.number.desc()).limit(limit)
    return [_said(row) for row in tx.execute(statement).mappings()]


def said_by_number(tx: Transaction, *, vault_id: int, numbers: Sequence[int]) -> list[Said]:
    """These facts of a vault in the order asked for; those that do not answer are left out."""
    found: dict[int, Said] = {}
    for start in range(0, len(numbers), 500):
        chosen = fact.c.number.in_(list(numbers[start : start + 500]))
        here = (fact.c.vault_id == vault_id) & in_state(State.IN_FORCE) & fact.c.disabled.is_(False)
        found |= {row["number"]: _said(row) for row in tx.execute(select(*_COLUMNS).where(here, chosen)).mappings()}
    return [found[number] for number in numbers if number in found]


def said_of(item: Fact) -> Said:
    """A fact that was read whole, as it is compared."""
    dates = [[date.said, date.resolved] for date in item.said_dates]
    return _said({column.name: getattr(item, column.name) for column in _COLUMNS} | {"said_dates": dates})


def _said(row: Mapping[Any, Any]) -> Said:
    wording = wording_of(
        key=row["key"], content=row["content"], subject_kind=row["subject_kind"], subject_id=row["subject_id"]
    )
    content = row["content"]
    for said, meant in row["said_dates"] or ():
        if _DAY.fullmatch(meant) and meant[:4] not in said:
            content = content.replace(said, meant)
    if len(content) > LONGEST:
        content = f"{content[:LONGEST]} {wording}"
    return Said(
        number=row["number"],
        key=row["key"],
        content=content,
        language=row["language"],
        subject=(row["subject_kind"], row["subject_id"]),
        wording=wording,
        confidence=row["confidence"],
        importance=row["importance"],
        updated_at=row["updated_at"],
    )
