"""What an accepted summary was drawn from, and whether that still holds (F6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import select

from souvenance.domain.fact import Fact
from souvenance.domain.proposal import Answer, Kind, Overtaken, label, overtaken_by, wording_of_fact
from souvenance.store.database import Transaction
from souvenance.store.fact_lists import read_facts
from souvenance.store.tables import proposal


@dataclass(frozen=True, slots=True)
class Outdated:
    """A fact that a summary was drawn from, by number, and what became of it since."""

    number: int
    what: Overtaken

    def sentence(self, language: str = "en") -> str:
        """It in words: `drawn from a fact that was retired`."""
        drawn = "tiré d’un souvenir qui" if language == "fr" else "drawn from a fact that"
        return f"{drawn} {label(self.what, language)}"


def outdated(tx: Transaction, items: Iterable[Fact]) -> dict[int, Outdated]:
    """Of these facts, by number, the accepted summaries that were drawn from a fact which no longer says or does what
    it did. One that somebody reworded since is theirs, and is not among them."""
    found: dict[int, Outdated] = {}
    for item in items:
        if not item.is_summary:
            continue
        here = (proposal.c.vault_id == item.vault_id) & (proposal.c.that_number == item.number)
        accepted = here & (proposal.c.kind == Kind.SUMMARY) & (proposal.c.answer == Answer.ACCEPT)
        statement = select(proposal.c.that_wording, proposal.c.sources).where(accepted)
        row = tx.execute(statement.order_by(proposal.c.answered_at.desc()).limit(1)).first()
        if row is None or row.that_wording != wording_of_fact(item):
            continue
        facts = {one.number: one for one in read_facts(tx, vault_id=item.vault_id, numbers=[n for n, _ in row.sources])}
        for number, wording in row.sources:
            what = overtaken_by(facts.get(number), wording)
            if what is not None:
                found[item.number] = Outdated(number, what)
                break
    return found
