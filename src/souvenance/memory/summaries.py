"""At most one summary in force per vault (F6): whoever puts one in force, the one that stood there goes to the journal.

Whatever the way: written, edited, restored, moved, undone, taken over from a draft. Gestures on all of a vault or of a
page keep the present one instead, and leave in the journal those they would bring back beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from souvenance.domain.access import Actor
from souvenance.domain.errors import Conflict
from souvenance.domain.fact import Fact, State
from souvenance.store import fact_lists, facts, history, links, notes, passages
from souvenance.store.database import Transaction
from souvenance.store.history import Written

REASON = "another summary took its place"


def give_way(
    tx: Transaction,
    actor: Actor,
    *,
    entered: Sequence[Fact],
    at: datetime,
    spared: Collection[int] = (),
    raised: Collection[str] = (),
) -> list[Fact]:
    """Retire the summaries in force that stand beside the last of those which `entered`; as they are stored now.

    `spared` are ended by the caller, who raises the version of the pages `raised`. A model replaces only what it was
    shown, by its number (F4): it is refused.
    """
    crowned = {item.vault_id: item for item in entered if item.is_summary and item.state is State.IN_FORCE}
    ended: list[Fact] = []
    for vault_id, summary in crowned.items():
        standing = fact_lists.summaries(tx, vault_id=vault_id, state=State.IN_FORCE)
        for item in standing:
            if item.number == summary.number or item.number in spared:
                continue
            if actor.is_model:
                raise Conflict(
                    f"The vault has a summary already, #{item.number}.",
                    hint="Replace that one by its number, or give this fact another key.",
                    number=item.number,
                )
            after = replace(superseded(item, by=summary, at=at), version=item.version + 1, updated_at=at)
            facts.save_fact(tx, item, after)
            passages.save_fact_passage(tx, item, after)
            links.follow_fact(tx, item, after)
            ended.append(after)
        touched = {item.note_id for item in ended if item.vault_id == vault_id}.difference(raised)
        notes.touch_notes(tx, vault_id=vault_id, note_ids=touched, at=at)
    return ended


def retold(written: Sequence[Written], ended: Sequence[Fact]) -> list[Written]:
    """The revisions of a change with those of the summaries it `ended`: one of each fact, as it stands in the end."""
    gone = {item.number: item for item in ended}
    known = [history.fact_written(gone.pop(number), one.operation) if (number := _number(one)) in gone else one
             for one in written]  # fmt: skip
    return [*known, *(history.fact_written(item, "retire") for item in gone.values())]


def _number(one: Written) -> int | None:
    return int(one.reference) if one.kind == "fact" else None


def superseded(item: Fact, *, by: Fact, at: datetime) -> Fact:
    """A summary as the journal keeps it beside the one that stands."""
    return replace(item, deleted_at=None, valid_to=at, reason=REASON, replaced_by=by.number)


def left_retired(tx: Transaction, *, vault_id: int) -> list[int]:
    """Of a vault's retired summaries, those that stay so when all else comes back: all where one stands, else all but
    the last that did."""
    retired = fact_lists.summaries(tx, vault_id=vault_id, state=State.RETIRED)
    stands = fact_lists.standing_summary(tx, vault_id=vault_id) is not None
    return sorted(item.number for item in retired[0 if stands else 1 :])


def beside(tx: Transaction, items: Iterable[Fact], *, at: datetime) -> list[Fact]:
    """Facts of one page as they come back together: a summary to the journal where another stands by now."""
    back: list[Fact] = []
    standing: dict[int, Fact | None] = {}
    for item in items:
        present = None
        if item.is_summary and item.state is State.IN_FORCE:
            if item.vault_id not in standing:
                standing[item.vault_id] = fact_lists.standing_summary(tx, vault_id=item.vault_id)
            present = standing[item.vault_id]
            standing[item.vault_id] = present or item
        gives_way = present is not None and present.number != item.number
        back.append(superseded(item, by=present, at=at) if present is not None and gives_way else item)
    return back
