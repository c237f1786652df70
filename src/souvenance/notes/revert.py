"""All that one writer wrote since a moment: reviewed, and taken back together (N9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock, isoformat
from souvenance.domain.errors import NotAllowed
from souvenance.domain.fact import State
from souvenance.domain.note import Note, NoteClass
from souvenance.domain.vault import Vault
from souvenance.notes.diff import fact_diff, note_diff
from souvenance.notes.former import (
    fact_as,
    facts_of,
    is_same_fact,
    is_same_note,
    note_as,
    pages_of,
    place_is_taken,
    put_facts,
    put_note,
)
from souvenance.store import history, notes
from souvenance.store import revisions as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.revisions import FACT, NOTE, Revision, Writer
from souvenance.store.tables import note as note_table

BATCH = 300
"""Things taken back under one hold of the write lock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One thing of a review or a revert: a fact by its number, a note by its id.

    `did` is what was or would be done to it, `diff` what that changes; `conflict` says why it was left alone.
    """

    kind: str
    reference: str
    vault: str
    title: str
    did: str
    diff: str
    conflict: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The thing as every interface sends it."""
        shown = {"kind": self.kind, "ref": self.reference, "vault": self.vault, "title": self.title, "did": self.did,
                 "diff": self.diff}  # fmt: skip
        return shown | ({"conflict": self.conflict} if self.conflict else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """One change and the things it touched."""

    change_id: int
    at: datetime
    who: str
    source: str
    verb: str
    things: tuple[Thing, ...]

    def as_dict(self) -> dict[str, Any]:
        """The change as every interface sends it."""
        return {"change": self.change_id, "at": isoformat(self.at), "who": self.who, "through": self.source,
                "did": self.verb, "things": [thing.as_dict() for thing in self.things]}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a writer wrote, the newest change first; `withheld` counts things in protected vaults (V8)."""

    changes: tuple[ChangeView, ...]
    withheld: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverted:
    """What was taken back, what was left alone and why, and what could not be looked at (V8)."""

    reverted: tuple[Thing, ...]
    conflicts: tuple[Thing, ...]
    withheld: int = 0
    dry_run: bool = False


def require_configure(tx: Transaction, actor: Actor, vault_id: int) -> Vault:
    """The vault, where the actor may change what stands in it."""
    actor.require_write()
    for item in vault_rows.list_vaults(tx, actor):
        if item.id == vault_id and item.can_configure:
            return item
    raise NotAllowed("You may read this vault but not change it.", hint="Ask its team for the configure permission.")


def review(tx: Transaction, actor: Actor, writer: Writer, *, since: datetime, limit: int, offset: int) -> Review:
    """The changes of a writer with what each did to each thing."""
    listed = rows.changes_by(tx, actor, writer, since=since, limit=limit, offset=offset)
    names = {item.id: item.slug for item in vault_rows.list_vaults(tx, actor)}
    former = _former(tx, listed)
    changes: dict[int, list[Revision]] = {}
    for item in listed:
        changes.setdefault(item.change_id, []).append(item)
    return Review(
        changes=tuple(
            ChangeView(
                change_id=change_id,
                at=group[0].at,
                who=group[0].who,
                source=group[0].source,
                verb=group[0].verb,
                things=tuple(_reviewed(item, former.get((*_key(item), change_id)), names) for item in group),
            )
            for change_id, group in changes.items()
        ),
        withheld=rows.count_withheld(tx, actor, writer, since=since),
    )


def revert(
    database: Database, clock: Clock, actor: Actor, writer: Writer, *, since: datetime, dry_run: bool
) -> Reverted:
    """Take back what a writer wrote, or say what that would do."""
    actor.require_write()
    if actor.is_model:
        raise NotAllowed("Only a person takes back what was written.", hint="The owner does it in the panel.")
    with database.read() as tx:
        things = rows.things_written_by(tx, actor, writer, since=since)
        withheld = rows.count_withheld(tx, actor, writer, since=since)
    done: list[Thing] = []
    left: list[Thing] = []
    counts: Counter[int] = Counter()
    for vault_id, kind in sorted({thing[:2] for thing in things}, key=lambda place: (place[0], place[1] == FACT)):
        references = [thing[2] for thing in things if thing[:2] == (vault_id, kind)]
        for start in range(0, len(references), BATCH):
            batch = references[start : start + BATCH]
            with database.read() if dry_run else database.write() as tx:
                if not dry_run:
                    tx.hold_vault(vault_id)
                work = _Batch(tx, actor, writer, vault_id=vault_id, since=since, at=clock(), dry_run=dry_run)
                work.take_back(kind, batch)
            done += work.done
            left += work.left
            counts[vault_id] += len(work.done)
    if done and not dry_run:
        with database.write() as tx:
            for vault_id, count in sorted(counts.items()):
                if count:
                    history.record_audit(tx, actor, verb="history.revert", at=clock(), vault_id=vault_id,
                                         agent=writer.agent, token=writer.token, user=writer.user,
                                         since=isoformat(since), reverted=count)  # fmt: skip
    return Reverted(reverted=tuple(done), conflicts=tuple(left), withheld=withheld, dry_run=dry_run)


class _Batch:
    """Some things of one vault, decided and taken back in one transaction."""

    def __init__(
        self, tx: Transaction, actor: Actor, writer: Writer, *, vault_id: int, since: datetime, at: datetime,
        dry_run: bool,
    ) -> None:  # fmt: skip
        self._tx, self._actor, self._writer, self._since, self._at = tx, actor, writer, since, at
        self._dry_run = dry_run
        self._vault = next(item for item in vault_rows.list_vaults(tx, actor) if item.id == vault_id)
        self.done: list[Thing] = []
        self.left: list[Thing] = []

    def take_back(self, kind: str, references: Sequence[str]) -> None:
        """Decide on each thing by its revisions, then write."""
        kept = rows.revisions_of(self._tx, vault_id=self._vault.id, kind=kind, references=references)
        if kind == FACT:
            self._facts(kept)
        else:
            self._notes(kept)

    def _facts(self, kept: dict[str, list[Revision]]) -> None:
        befores = {reference: self._before(revisions) for reference, revisions in kept.items()}
        wanted = [former for former, _ in befores.values() if former is not None]
        pages = pages_of(self._tx, self._actor, self._vault.id, wanted)
        pairs = []
        for found in facts_of(self._tx, self._vault.id, sorted(int(reference) for reference in kept)):
            former, conflict = befores[str(found.number)]
            if former is not None:
                after = fact_as(found, former.after, pages=pages)
            else:
                after = found if found.state is State.TRASHED else replace(found, deleted_at=self._at)
            if is_same_fact(found, after):
                continue
            now, then = history.fact_written(found, "").after, history.fact_written(after, "").after
            did = _did(
                new=former is None, was_there=found.state is State.IN_FORCE, is_there=after.state is State.IN_FORCE
            )
            thing = Thing(kind=FACT, reference=str(found.number), vault=self._vault.slug, title=found.category,
                          did=did, diff=fact_diff(now, then), conflict=conflict)  # fmt: skip
            (self.left if conflict else self.done).append(thing)
            if not conflict:
                pairs.append((found, after))
        if pairs and not self._dry_run:
            put_facts(self._tx, self._actor, pairs, verb="revert", at=self._at)

    def _notes(self, kept: dict[str, list[Revision]]) -> None:
        chosen = (note_table.c.vault_id == self._vault.id) & note_table.c.id.in_(sorted(kept))
        for found in notes.find_notes(self._tx, self._actor, chosen, trashed=None):
            former, conflict = self._before(kept[found.id])
            after = self._former_note(found, former)
            if is_same_note(found, after):
                continue
            if not conflict and after.deleted_at is None and place_is_taken(self._tx, after):
                conflict = "another note has its place now"
            now, then = history.note_written(found, "").after, history.note_written(after, "").after
            is_new = former is None and found.note_class is not NoteClass.AGENT_MEMORY
            did = _did(new=is_new, was_there=not found.deleted_at, is_there=not after.deleted_at)
            thing = Thing(kind=NOTE, reference=found.id, vault=self._vault.slug, title=found.path, did=did,
                          diff=note_diff(now, then), conflict=conflict)  # fmt: skip
            (self.left if conflict else self.done).append(thing)
            if not conflict and not self._dry_run:
                put_note(self._tx, self._actor, found, after, verb="revert", at=self._at)

    def _former_note(self, found: Note, former: Revision | None) -> Note:
        if former is not None:
            return note_as(found, former.after)
        if found.note_class is NoteClass.AGENT_MEMORY:
            # The page may hold facts of others by now, and an empty one is shown nowhere: only its words go.
            return replace(found, digest="")
        return found if found.deleted_at else replace(found, deleted_at=self._at)

    def _before(self, revisions: Sequence[Revision]) -> tuple[Revision | None, str]:
        """The last revision before the writer's first of the window (None: they made it), and what stands against."""
        first = next(
            index for index, item in enumerate(revisions) if item.at >= self._since and self._writer.wrote(item)
        )
        others = [item for item in revisions[first:] if not self._writer.wrote(item)]
        conflict = "" if self._vault.can_configure else "you may not change this vault"
        if others:
            conflict = f"changed since by {others[-1].who or 'someone else'}, {isoformat(others[-1].at)}"
        return (revisions[first - 1] if first else None), conflict


def _did(*, new: bool, was_there: bool, is_there: bool) -> str:
    if new:
        return "trash"
    if not was_there and is_there:
        return "back in force"
    return "former wording" if was_there == is_there else "out of force again"


def _key(item: Revision) -> tuple[int, str, str]:
    return item.vault_id, item.kind, item.reference


def _former(tx: Transaction, listed: Sequence[Revision]) -> dict[tuple[int, str, str, int], Revision]:
    """For each revision of the list the one before it of the same thing, by vault, kind, reference and change."""
    found: dict[tuple[int, str, str, int], Revision] = {}
    for vault_id, kind in {(item.vault_id, item.kind) for item in listed}:
        references = [item.reference for item in listed if (item.vault_id, item.kind) == (vault_id, kind)]
        for revisions in rows.revisions_of(tx, vault_id=vault_id, kind=kind, references=references).values():
            for before, after in pairwise(revisions):
                found[(*_key(after), after.change_id)] = before
    return found


def _reviewed(item: Revision, before: Revision | None, names: dict[int, str]) -> Thing:
    was = None if before is None else before.after
    is_fact = item.kind == FACT
    title = item.after["category"] if is_fact else "/".join(
        part for part in (item.after.get("folder"), item.after["title"]) if part
    )  # fmt: skip
    return Thing(
        kind=item.kind,
        reference=item.reference,
        vault=names.get(item.vault_id, ""),
        title=title,
        did=item.operation,
        diff=fact_diff(was, item.after) if is_fact else note_diff(was, item.after),
    )
