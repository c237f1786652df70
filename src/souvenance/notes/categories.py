"""A category of facts written to through its page: every edit of the page is an edit of its facts (N2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from souvenance.domain.access import Actor
from souvenance.domain.errors import AmbiguousEdit, Conflict
from souvenance.domain.fact import Fact, State
from souvenance.domain.note import Note, title_key
from souvenance.domain.vault import Vault
from souvenance.memory import correct
from souvenance.memory.remember import POSITION_STEP, Observation, Prepared, keep, new_fact, prepare
from souvenance.memory.summaries import give_way, retold
from souvenance.notes.edit import Edit, Operation, applied
from souvenance.notes.page import Item, parse, render
from souvenance.notes.plan import Place, Plan, placed, planned
from souvenance.store import facts, history, notes
from souvenance.store.database import Transaction

REMOVED = "removed from its page"
"""The reason kept with a fact that a model ended by leaving its line out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A note after an edit, and for a memory page the numbers of the facts it changed.

    `facts_skipped` are facts that already said what a line would have added: nothing was added for it.
    """

    note: Note
    version: int
    facts_added: tuple[int, ...] = ()
    facts_changed: tuple[int, ...] = ()
    facts_removed: tuple[int, ...] = ()
    facts_skipped: tuple[int, ...] = ()


def edit_page(tx: Transaction, actor: Actor, *, vault: Vault, note: Note, edit: Edit, at: datetime) -> Edited:
    """Apply an edit to a memory page; nothing is written when it is refused or changes nothing."""
    if edit.operation in {Operation.APPEND, Operation.PREPEND}:
        return _add_items(tx, actor, note=note, edit=edit, at=at)
    shown = facts.page_of(tx, vault_id=vault.id, note_id=note.id)
    items = parse(_edited_text(note, shown, edit), title=note.title)
    return _rearrange(tx, actor, vault=vault, note=note, shown=shown, plan=planned(shown, items), at=at)


def _edited_text(note: Note, shown: Sequence[Fact], edit: Edit) -> str:
    if edit.operation is Operation.REPLACE_SECTION:
        named = title_key(edit.section.lstrip("#"))
        if named not in {title_key(note.title), title_key(note.category)}:
            raise Conflict(
                "This page holds facts and has no sections but itself; nothing was written.",
                hint=f"Name the section “{note.title}” to replace all of it, or use find_replace.",
            )
        edit = replace(edit, operation=Operation.REPLACE, section="")
    return applied("" if edit.operation is Operation.REPLACE else render(shown), edit)


def _prepared(actor: Actor, note: Note, items: Iterable[Item]) -> list[Prepared]:
    return [
        prepare(
            actor,
            Observation(
                content=item.content,
                key=item.key,
                category=note.category,
                subject_kind=note.subject_kind,
                subject_id=note.subject_id,
            ),
        )
        for item in items
    ]


def _add_items(tx: Transaction, actor: Actor, *, note: Note, edit: Edit, at: datetime) -> Edited:
    """Put new facts at one end of the page without reading the rest of it."""
    items = parse(edit.content, title=note.title)
    for item in items:
        if item.anchor is not None:
            raise AmbiguousEdit(
                f"Line {item.line}: what is added is new and has no anchor yet, but this says ^{item.anchor}; "
                "nothing was written.",
                hint="Leave the anchor out, or use find_replace or replace to change a fact that is there.",
                line=item.line,
            )
    prepared = list({item.hashed: item for item in _prepared(actor, note, items)}.values())
    known = facts.same_facts(tx, vault_id=note.vault_id, hashes=[item.hashed for item in prepared])
    fresh = [item for item in prepared if item.hashed not in known]
    numbers = tx.next_numbers("fact_number", len(fresh))
    made = [
        new_fact(item.observation, number=number, note=note, actor=actor, at=at)
        for number, item in zip(numbers, fresh, strict=True)
    ]
    if edit.operation is Operation.PREPEND and made:
        first = facts.page_extent(tx, vault_id=note.vault_id, note_id=note.id).first
        above = first - len(made) * POSITION_STEP
        made = [replace(item, position=above + place * POSITION_STEP) for place, item in enumerate(made)]
    made = keep(tx, actor, list(zip(made, fresh, strict=True)))
    written = [history.fact_written(item, "add") for item in made]
    gone = give_way(tx, actor, entered=made, raised=[note.id], at=at)
    written = retold(written, gone)
    after = _close(tx, actor, note=note, written=written, at=at)
    return Edited(
        note=after,
        version=after.version,
        facts_added=tuple(item.number for item in made),
        facts_skipped=tuple(item.number for item in known.values()),
    )


def _rearrange(
    tx: Transaction, actor: Actor, *, vault: Vault, note: Note, shown: Sequence[Fact], plan: Plan, at: datetime
) -> Edited:
    new_items = [place for place in plan.order if isinstance(place, Item)]
    prepared = _prepared(actor, note, new_items)
    reserved = tx.next_numbers("fact_number", len(new_items))
    numbers = {item.line: number for item, number in zip(new_items, reserved, strict=True)}

    def number_of(place: Place) -> int:
        return place.number if isinstance(place, Fact) else numbers[place.line]

    last = max([*numbers.values(), *(item.number for item in shown)], default=0)
    layout = placed(plan.order, last_number=last, number_of=number_of)
    changes = [
        (item, _ended(item, actor, vault, at), "retire" if actor.is_model else "delete") for item in plan.removed
    ]
    settled: list[Fact] = []
    positions: dict[int, int] = {}
    for index, place in enumerate(plan.order):
        position = layout.positions[index]
        if isinstance(place, Item):
            positions[place.line] = position
            continue
        after = replace(place, position=position)
        if place.number in plan.reworded:
            key, content = plan.reworded[place.number]
            changes.append((place, correct.edited(actor, after, key=key, content=content), "edit"))
        elif index not in layout.stays:
            changes.append((place, after, "move"))
        elif position != place.position:
            settled.append(after)
    made = [
        replace(
            new_fact(item.observation, number=numbers[place.line], note=note, actor=actor, at=at),
            position=positions[place.line],
        )
        for place, item in zip(new_items, prepared, strict=True)
    ]
    saved = correct.stored(tx, actor, changes=changes, at=at)
    written = [revision for _, revision in saved]
    facts.place_facts(tx, settled)
    made = keep(tx, actor, list(zip(made, prepared, strict=True)))
    entered = [*(after for after, _ in saved), *made]
    written += [history.fact_written(item, "place") for item in settled]
    written += [history.fact_written(item, "add") for item in made]
    gone = give_way(tx, actor, entered=entered, raised=[note.id], at=at)
    written = retold(written, gone)
    after_note = _close(tx, actor, note=note, written=written, at=at)
    removed = tuple(item.number for item in plan.removed)
    # What a model removes is retired, or deleted where the vault's step says so (T1).
    deleted = [after.number for _, after, _ in changes if after.state is State.TRASHED]
    if deleted:
        history.record_audit(tx, actor, verb="fact.delete", at=at, vault_id=vault.id, numbers=deleted)
    return Edited(
        note=after_note,
        version=after_note.version,
        facts_added=tuple(item.number for item in made),
        facts_changed=tuple(before.number for before, _, operation in changes if operation in {"edit", "move"}),
        facts_removed=removed,
        facts_skipped=tuple(plan.skipped),
    )


def _ended(item: Fact, actor: Actor, vault: Vault, at: datetime) -> Fact:
    if actor.is_model:
        return correct.ended(item, actor=actor, vault=vault, reason=REMOVED, at=at)
    return correct.deleted(item, at=at)


def _close(tx: Transaction, actor: Actor, *, note: Note, written: Sequence[history.Written], at: datetime) -> Note:
    """Raise the page's version and write the change down, where there is one."""
    if not written:
        return note
    after = replace(note, version=note.version + 1, updated_at=at)
    notes.save_note(tx, note, after)
    history.record_change(tx, actor, verb="edit_note", at=at, written=written)
    return after
