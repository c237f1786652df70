"""Writing the records of a file as facts of a vault, one batch in one transaction (R4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.fact import Fact
from souvenance.domain.note import Note
from souvenance.domain.vault import Vault
from souvenance.imports.facts.known import Known
from souvenance.imports.facts.records import Record
from souvenance.memory.remember import POSITION_STEP, Observation, Pages, dated
from souvenance.memory.summaries import beside
from souvenance.store import facts, history, links, passages
from souvenance.store.database import Database, Transaction
from souvenance.store.imported import OPERATION


@dataclass(slots=True)
class Numbers:
    """What the numbers of a file are in this memory, and the numbers of its new facts by their lines.

    What is new is told by its line, since whose number it has may change until it is written: `new` leads from a number
    of the file to the line that is, or repeats, it. `loose` are the lines whose replacement is not to be linked.
    """

    of_file: dict[int, int] = field(default_factory=dict)
    new: dict[int, int] = field(default_factory=dict)
    of_line: dict[int, int] = field(default_factory=dict)
    loose: set[int] = field(default_factory=set)

    def here(self, number: int) -> int | None:
        """What a number of the file is in this memory."""
        return self.of_line[self.new[number]] if number in self.new else self.of_file.get(number)


def keep(
    database: Database,
    clock: Clock,
    actor: Actor,
    *,
    vault: Vault,
    records: Sequence[Record],
    known: Known,
    numbers: Numbers,
    audit: Callable[[Transaction], None],
) -> list[Record]:
    """Store those of these records that are still new, as one change with their pages; which they were.

    `audit` is called within that change where it has any.
    A summary goes to the journal where another stands: reading a file in replaces nobody's.
    """
    words = [
        passages.words_of(heading=item.key, text=item.content, speaker=item.author, language=item.language)
        for item in records
    ]
    with database.write() as tx:
        tx.hold_vault(vault.id)
        at = clock()
        known.look_up(tx, records)
        fresh = [(item, said) for item, said in zip(records, words, strict=True) if not _is_known(item, known, numbers)]
        places = [_place(item) for item, _ in fresh]
        pages = Pages(tx, vault=vault, observations=places, at=at)
        made = [
            _fact(tx, actor, item, page=pages.of(place), numbers=numbers, at=at)
            for (item, _), place in zip(fresh, places, strict=True)
        ]
        made = beside(tx, made, at=at)
        facts.add_facts(tx, [(item.hashed, one) for (item, _), one in zip(fresh, made, strict=True)])
        passages.add_fact_passages(tx, [(one, said) for (_, said), one in zip(fresh, made, strict=True)])
        for one in made:
            links.follow_fact(tx, None, one)
        written = pages.close({one.note_id for one in made})
        written += (history.fact_written(one, OPERATION) for one in made)
        if written:
            history.record_change(tx, actor, verb=OPERATION, at=at, written=written)
        if fresh:
            audit(tx)
    known.wrote([one.number for one in made])
    return [item for item, _ in fresh]


def _is_known(item: Record, known: Known, numbers: Numbers) -> bool:
    """Whether somebody else wrote it since it was planned; links to it then lead to theirs."""
    number = known.find(item)
    if number is not None:
        numbers.of_line[item.line] = number
    return number is not None


def _place(item: Record) -> Observation:
    return Observation(
        content=item.content, category=item.category, subject_kind=item.subject_kind, subject_id=item.subject_id
    )


def _fact(tx: Transaction, actor: Actor, item: Record, *, page: Note, numbers: Numbers, at: datetime) -> Fact:
    number = numbers.of_line[item.line]
    linked = None if item.replaced_by is None or item.line in numbers.loose else numbers.here(item.replaced_by)
    created = item.created_at or at
    fact = Fact(
        number=number,
        vault_id=page.vault_id,
        note_id=page.id,
        content=item.content,
        key=item.key,
        confidence=item.confidence,
        importance=item.importance,
        category=item.category,
        subject_kind=item.subject_kind,
        subject_id=item.subject_id,
        channel=item.channel,
        author=item.author,
        language=item.language,
        said_at=item.said_at,
        said_dates=item.said_dates or (),
        source=item.source,
        position=number * POSITION_STEP,
        created_at=created,
        updated_at=item.updated_at or created,
        valid_from=item.valid_from or (None if item.is_whole else created),
        valid_to=item.valid_to,
        reason=item.reason,
        replaced_by=linked,
        disabled=item.disabled or page.disabled,
        deleted_at=item.deleted_at,
    )
    return fact if item.said_dates is not None else dated(tx, actor, fact, at=created)
