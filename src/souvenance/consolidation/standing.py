"""How a vault stands towards its next pass, and which of its proposals still hold, both read from the data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from souvenance.consolidation.when import Situation
from souvenance.domain.consolidation import Pass
from souvenance.domain.fact import Fact
from souvenance.domain.proposal import Kind, Overtaken, Proposal, overtaken_by
from souvenance.domain.vault import MemoryType
from souvenance.memory.types import step_of
from souvenance.store import fact_lists, passes, proposals
from souvenance.store.database import Transaction
from souvenance.store.passes import Present


@dataclass(frozen=True, slots=True)
class Gone:
    """What overtook a proposal: what happened, and to which fact (None where a summary appeared that was not there)."""

    number: int | None
    what: Overtaken


def overtaken(tx: Transaction, items: Sequence[Proposal]) -> dict[str, Gone]:
    """Of these proposals, by id, those that no longer hold, by what became of a fact of theirs (`Overtaken`)."""
    by_vault: dict[int, list[Proposal]] = defaultdict(list)
    for item in items:
        by_vault[item.vault_id].append(item)
    found: dict[str, Gone] = {}
    for vault_id, own in by_vault.items():
        numbers = sorted({number for item in own for number, _ in item.wordings})
        facts = {one.number: one for one in fact_lists.read_facts(tx, vault_id=vault_id, numbers=numbers)}
        for item in own:
            gone = _overtaken(tx, item, facts)
            if gone is not None:
                found[item.id] = gone
    return found


def _overtaken(tx: Transaction, item: Proposal, facts: dict[int, Fact]) -> Gone | None:
    for number, wording in item.wordings:
        what = overtaken_by(facts.get(number), wording)
        # A present summary that was disabled is replaced all the same: it would come back beside the new one.
        if what is not None and not (what is Overtaken.DISABLED and number == item.this and item.kind is Kind.SUMMARY):
            return Gone(number, what)
    if item.kind is Kind.SUMMARY:
        now = fact_lists.standing_summary(tx, vault_id=item.vault_id)
        if (None if now is None else now.number) != item.this:
            return Gone(item.this, Overtaken.REWRITTEN)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultStanding:
    """What decides about a vault's next pass, with what it was read from."""

    situation: Situation
    present: Present
    last: Pass | None
    waiting: Sequence[Proposal]
    stale: Sequence[tuple[Proposal, Gone]]


def standing_of(tx: Transaction, *, vault_id: int, memory_type: MemoryType) -> VaultStanding:
    """How the vault stands."""
    present = passes.present(tx, vault_id=vault_id)
    last = next(iter(passes.list_passes(tx, vault_id=vault_id, limit=1)), None)
    listed = proposals.list_waiting(tx, vault_id=vault_id)
    gone = overtaken(tx, listed)
    waiting = [item for item in listed if item.id not in gone]
    is_unchanged = (
        last is not None
        and not last.left_over
        and (last.seen_at, last.seen_facts) == (present.changed_at, present.facts)
    )
    since = None
    if not is_unchanged:
        seen = 0 if last is None else last.seen_change
        since = passes.first_change_after(tx, vault_id=vault_id, change_id=seen)
    situation = Situation(
        proposes=step_of(memory_type).proposes,
        facts=present.facts,
        waiting=len(waiting),
        changed_at=present.changed_at,
        changing_since=since,
        passed_at=None if last is None else last.ended_at,
        is_unchanged=is_unchanged,
    )
    return VaultStanding(
        situation=situation,
        present=present,
        last=last,
        waiting=waiting,
        stale=[(item, gone[item.id]) for item in listed if item.id in gone],
    )
