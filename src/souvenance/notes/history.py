"""The history of notes and facts: what changed, what stood there, and the way back (N9, A4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any

from souvenance.domain.access import Actor
from souvenance.domain.audit import AuditEntry
from souvenance.domain.clock import Clock, isoformat
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from souvenance.domain.fact import Fact, State
from souvenance.domain.note import Note, NoteClass
from souvenance.memory import correct
from souvenance.notes import revert
from souvenance.notes.diff import fact_diff, note_diff
from souvenance.notes.find import find_note, shown_note
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
from souvenance.notes.page_history import newest_by_fact, page_changes, page_text, stands, without_trashed
from souvenance.store import facts as fact_rows
from souvenance.store import notes as note_rows
from souvenance.store import people
from souvenance.store import revisions as rows
from souvenance.store.database import Database, Transaction
from souvenance.store.revisions import FACT, NOTE, Revision, Writer

MOST = 500
"""Entries one call lists at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionView:
    """One revision as it is shown. `change_id` names it; `version` is None for a page that changed by its facts."""

    change_id: int
    at: datetime
    who: str
    source: str
    verb: str
    operation: str
    version: int | None
    diff: str

    def as_dict(self) -> dict[str, Any]:
        """The revision as every interface sends it."""
        return {
            "change": self.change_id,
            "at": isoformat(self.at),
            "who": self.who,
            "through": self.source,
            "did": self.operation,
            "version": self.version,
            "diff": self.diff,
        }


class History:
    """Reading revisions and going back to one."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def of_fact(self, *, actor: Actor, number: int, limit: int = 20, offset: int = 0) -> list[RevisionView]:
        """Revisions of a fact, the newest first, each with what it changed."""
        _checked_page(limit, offset)
        with self._database.read() as tx:
            found = fact_rows.shown_fact(tx, actor, number)
            listed = rows.newest_revisions(
                tx, vault_ids=[found.vault_id], kind=FACT, reference=str(number), limit=limit + 1, offset=offset
            )
        return _views(listed, limit)

    def of_note(self, *, actor: Actor, ref: str, limit: int = 20, offset: int = 0) -> list[RevisionView]:
        """Revisions of a note, the newest first; those of a memory page are the changes of its facts (N2)."""
        _checked_page(limit, offset)
        with self._database.read() as tx:
            found = shown_note(tx, actor, ref)
            if found.note_class is NoteClass.AGENT_MEMORY:
                kept = _page_revisions(tx, actor, found)
            else:
                kept = rows.newest_revisions(
                    tx, vault_ids=[found.vault_id], kind=NOTE, reference=found.id, limit=limit + 1, offset=offset
                )
        if found.note_class is not NoteClass.AGENT_MEMORY:
            return _views(kept, limit)
        changes = page_changes(found.id, kept)[::-1][offset : offset + limit]
        return [_view(item.first, item.diff, item.operation, item.version) for item in changes]

    def text_at(self, *, actor: Actor, ref: str | int, change_id: int) -> str:
        """The text a note, a memory page or a fact (`12` or `#12`) had once that change was made."""
        number = fact_number(ref)
        with self._database.read() as tx:
            if number is not None:
                vault_id = fact_rows.shown_fact(tx, actor, number).vault_id
                return str(_at(tx, vault_id, FACT, str(number), change_id).after["content"])
            found = shown_note(tx, actor, str(ref))
            own = _at(tx, found.vault_id, NOTE, found.id, change_id)
            if found.note_class is not NoteClass.AGENT_MEMORY:
                return str(own.after.get("content", ""))
            kept = _page_revisions(tx, actor, found)
        return page_text(found.id, newest_by_fact(kept, change_id))

    # --- going back --------------------------------------------------------------------------------------------

    def restore(self, *, actor: Actor, ref: str | int, change_id: int) -> Fact | Note:
        """Bring back what stood there after that change, as a new revision; nothing in between is lost.

        A memory page gets its facts of that moment back: reworded ones their former words, removed ones in force
        again, later ones to the trash.
        """
        number = fact_number(ref)
        with self._database.write() as tx:
            now = self._clock()
            if number is not None:
                return _restore_fact(tx, actor, number, change_id, now)
            found = find_note(tx, actor, str(ref))
            revert.require_configure(tx, actor, found.vault_id)
            tx.hold_vault(found.vault_id)
            found = note_rows.get_note(tx, actor, found.id)
            if found.note_class is NoteClass.SOURCE:
                raise NotAllowed("This note is an ingested file.", hint="Bring back the file it comes from.")
            then = _at(tx, found.vault_id, NOTE, found.id, change_id)
            if found.note_class is not NoteClass.AGENT_MEMORY:
                _of_change(then, change_id)
            then = _living(then)
            after = note_as(found, then.after)
            if place_is_taken(tx, after):
                raise Conflict("Another note has its place now.", hint="Move or rename that one first.")
            if not is_same_note(found, after):
                put_note(tx, actor, found, after, verb="restore", at=now)
            if found.note_class is NoteClass.AGENT_MEMORY:
                _restore_page_facts(tx, actor, found, change_id, now)
            return note_rows.get_note(tx, actor, found.id)

    # --- what one writer wrote ---------------------------------------------------------------------------------

    def review(
        self,
        *,
        actor: Actor,
        since: datetime,
        agent: str | None = None,
        token: int | None = None,
        user: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> revert.Review:
        """All that an agent (by name), a token or a user wrote since a moment, the newest change first."""
        _checked_page(limit, offset)
        writer = self._writer(actor, agent, token, user, since)
        with self._database.read() as tx:
            return revert.review(tx, actor, writer, since=since, limit=limit, offset=offset)

    def revert(
        self,
        *,
        actor: Actor,
        since: datetime,
        agent: str | None = None,
        token: int | None = None,
        user: int | None = None,
        dry_run: bool = False,
    ) -> revert.Reverted:
        """Take back together all that a writer wrote since a moment; only a person does this.

        Each thing that nobody else changed since goes back to what it was before the writer's first change: new ones
        to the trash, reworded ones to their former words, retired or deleted ones in force again. What others changed
        since is listed as a conflict and left alone. With `dry_run` nothing is written. Many things are taken back
        in several transactions; after a failure the same call takes back the rest.
        """
        writer = self._writer(actor, agent, token, user, since)
        return revert.revert(self._database, self._clock, actor, writer, since=since, dry_run=dry_run)

    def writers(self, *, actor: Actor, since: datetime) -> list[rows.WriterSeen]:
        """The agents and tokens that wrote since a moment, the last to write first; a token is told none."""
        actor.require_person("reviews what others wrote")
        with self._database.read() as tx:
            return rows.list_writers(tx, actor, since=since, limit=MOST)

    def _writer(self, actor: Actor, agent: str | None, token: int | None, user: int | None, since: datetime) -> Writer:
        """Whose changes are meant; a name that is nobody's is told from one that wrote nothing since."""
        if agent is None and token is None and user is None:
            raise InvalidInput("Whose changes?", hint="Name an agent or a token.")
        if since.tzinfo is None:
            raise InvalidInput("The date has no time zone.", hint="Write it as 2023-05-08T00:00:00Z.")
        writer = Writer(agent=agent, token=token, user=user)
        if user is not None or actor.token_id is not None or actor.is_model:
            return writer  # which names there are is the owner's to know
        with self._database.read() as tx:
            tokens = people.list_tokens(tx, user_id=actor.user_id)
            if any(one.id == token or one.name == agent for one in tokens):
                return writer
            ever = datetime.min.replace(tzinfo=UTC)
            if rows.changes_by(tx, actor, writer, since=ever, limit=1, offset=0):
                return writer
            if rows.count_withheld(tx, actor, writer, since=ever):
                return writer
        called = f"called “{agent}”" if agent is not None else f"number {token}"
        close = get_close_matches(agent or "", [one.name for one in tokens], n=3)
        raise NotFound(
            f"No agent or token {called} ever wrote here.",
            hint=f"Did you mean {', '.join(close)}?" if close else "The history of a fact or note says who wrote it.",
        )

    def audit(self, *, actor: Actor, limit: int = 50, offset: int = 0) -> list[AuditEntry]:
        """The audit log, newest first: only of vaults the actor configures, and never contents (A4)."""
        _checked_page(limit, offset)
        with self._database.read() as tx:
            return rows.list_audit(tx, actor, limit=limit, offset=offset)


def fact_number(ref: str | int) -> int | None:
    """The number where a reference names a fact: `12`, `#12`; None where it names a note."""
    if isinstance(ref, int):
        return ref
    plain = ref.strip()
    return int(plain[1:]) if plain.startswith("#") and plain[1:].isdecimal() else None


def _restore_fact(tx: Transaction, actor: Actor, number: int, change_id: int, now: datetime) -> Fact:
    _, found = correct.writable_fact(tx, actor, number)
    then = _living(_of_change(_at(tx, found.vault_id, FACT, str(number), change_id), change_id))
    after = fact_as(found, then.after, pages=pages_of(tx, actor, found.vault_id, [then]))
    if is_same_fact(found, after):
        return found
    (saved,) = put_facts(tx, actor, [(found, after)], verb="restore", at=now)
    return saved


def _restore_page_facts(tx: Transaction, actor: Actor, page: Note, change_id: int, now: datetime) -> None:
    kept = rows.page_revisions(tx, vault_id=page.vault_id, note_id=page.id)
    if all(item.change_id != change_id for item in kept):
        raise _no_such_change(change_id)
    then = newest_by_fact(kept, change_id)
    pages = pages_of(tx, actor, page.vault_id, then.values())
    pairs = []
    for found in facts_of(tx, page.vault_id, sorted({int(item.reference) for item in kept if item.kind == FACT})):
        former = then.get(str(found.number))
        is_there = found.note_id == page.id and found.state is State.IN_FORCE
        if former is not None and (is_there or stands(former, page.id)):
            after = fact_as(found, former.after, pages=pages)
        elif former is None and is_there:
            after = correct.deleted(found, at=now)
        else:
            continue
        if not is_same_fact(found, after):
            pairs.append((found, after))
    put_facts(tx, actor, pairs, verb="restore", at=now)


def _page_revisions(tx: Transaction, actor: Actor, page: Note) -> list[Revision]:
    kept = rows.page_revisions(tx, vault_id=page.vault_id, note_id=page.id)
    return without_trashed(kept) if actor.is_model else kept


def _at(tx: Transaction, vault_id: int, kind: str, reference: str, change_id: int) -> Revision:
    found = rows.revision_at(tx, vault_ids=[vault_id], kind=kind, reference=reference, change_id=change_id)
    if found is None:
        raise NotFound("It did not exist at that change.", hint="Its history lists its changes.", change=change_id)
    return found


def _of_change(then: Revision, change_id: int) -> Revision:
    """The revision, where that very change made it: going back names a change of its history, not just any."""
    if then.change_id != change_id:
        raise _no_such_change(change_id)
    return then


def _no_such_change(change_id: int) -> NotFound:
    return NotFound("That change is not in its history.", hint="Its history lists its changes.", change=change_id)


def _living(then: Revision) -> Revision:
    if then.after.get("deleted_at"):
        raise Conflict("At that revision it was in the trash.", hint="Choose the one before it.")
    return then


def _views(newest: Sequence[Revision], limit: int) -> list[RevisionView]:
    """Each revision against the one before it; one more than `limit` is given where there is one."""
    shown = []
    for index, item in enumerate(newest[:limit]):
        before = newest[index + 1].after if index + 1 < len(newest) else None
        diff = fact_diff(before, item.after) if item.kind == FACT else note_diff(before, item.after)
        shown.append(_view(item, diff, item.operation, item.version))
    return shown


def _view(item: Revision, diff: str, operation: str, version: int | None) -> RevisionView:
    return RevisionView(
        change_id=item.change_id,
        at=item.at,
        who=item.who,
        source=item.source,
        verb=item.verb,
        operation=operation,
        version=version,
        diff=diff,
    )


def _checked_page(limit: int, offset: int) -> None:
    if not 1 <= limit <= MOST or offset < 0:
        raise InvalidInput(f"A page has 1 to {MOST} entries and starts at 0 or later.", hint="Ask for fewer at once.")
