"""Correcting facts: edit, retire, replace, restore, delete. Each leaves a revision; no wording is lost (F1, F9, T2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from souvenance.domain.access import Actor
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, StaleVersion
from souvenance.domain.fact import (
    Fact,
    State,
    checked_confidence,
    checked_content,
    checked_importance,
    checked_language,
    checked_line,
)
from souvenance.domain.vault import MemoryType, Vault
from souvenance.memory.guard import refuse_added_secrets, refuse_secrets
from souvenance.memory.remember import Observation, dated, prepare, write
from souvenance.memory.summaries import give_way, retold
from souvenance.memory.types import step_of
from souvenance.store import fact_lists, facts, history, links, notes, passages
from souvenance.store.database import Transaction
from souvenance.store.tables import vault as vault_table
from souvenance.store.vaults import find_vault

MAX_REASON = 500


def writable_fact(tx: Transaction, actor: Actor, number: int, *, version: int | None = None) -> tuple[Vault, Fact]:
    """A fact the actor may change, with its vault, at the version it read where it names one."""
    actor.require_write()
    found = facts.get_fact(tx, actor, number)
    tx.hold_vault(found.vault_id)
    found = facts.get_fact(tx, actor, number)  # as those who wrote while this one waited left it
    vault = find_vault(tx, actor, vault_table.c.id == found.vault_id)
    if vault is None or not vault.can_configure:
        raise NotAllowed("You may read this fact but not change it.", hint="Ask its team for the configure permission.")
    if version is not None and version != found.version:
        raise StaleVersion(
            f"Fact #{number} is at version {found.version}, not {version}; nothing was written.",
            hint="Read it again, then retry with its version.",
            number=number,
            version=found.version,
        )
    return vault, found


def stored(
    tx: Transaction, actor: Actor, *, changes: Sequence[tuple[Fact, Fact, str]], at: datetime
) -> list[tuple[Fact, history.Written]]:
    """Store changed facts (before, after, operation) with passages and links; page and history are the caller's."""
    saved = []
    for before, after, operation in changes:
        raised = replace(redated(tx, actor, before, after, at=at), version=before.version + 1, updated_at=at)
        facts.save_fact(tx, before, raised)
        passages.save_fact_passage(tx, before, raised)
        links.follow_fact(tx, before, raised)
        saved.append((raised, history.fact_written(raised, operation)))
    return saved


def apply(
    tx: Transaction,
    actor: Actor,
    *,
    changes: Sequence[tuple[Fact, Fact, str]],
    verb: str,
    at: datetime,
    also: Sequence[history.Written] = (),
) -> list[Fact]:
    """Store changed facts (before, after, operation), with their pages and revisions, as one change with `also`.

    A summary that comes into force by it takes the place of the one that stood there (F6).
    """
    saved = stored(tx, actor, changes=changes, at=at)
    raised = {item.note_id for pair in changes for item in pair[:2]}
    ended = give_way(tx, actor, entered=[after for after, _ in saved], raised=raised, at=at)
    for vault_id in {item.vault_id for pair in changes for item in pair[:2]}:
        touched = {item.note_id for pair in changes for item in pair[:2] if item.vault_id == vault_id}
        notes.touch_notes(tx, vault_id=vault_id, note_ids=touched, at=at)
    if saved or also:
        written = retold([*also, *(one for _, one in saved)], ended)
        history.record_change(tx, actor, verb=verb, at=at, written=written)
    gone = {item.number: item for item in ended}
    return [gone.get(after.number, after) for after, _ in saved]


def redated(tx: Transaction, actor: Actor, before: Fact, after: Fact, *, at: datetime) -> Fact:
    """A reworded fact with its dates resolved again; a date that was said before still means what it meant then."""
    if after.content == before.content or after.said_dates != before.said_dates:
        return after
    fresh = dated(tx, actor, after, at=at)
    meant = {item.said: item for item in before.said_dates}
    return replace(fresh, said_dates=tuple(meant.get(item.said, item) for item in fresh.said_dates))


def edited(
    actor: Actor,
    found: Fact,
    *,
    content: str | None = None,
    key: str | None = None,
    confidence: float | None = None,
    importance: int | None = None,
    no_importance: bool = False,
    channel: str | None = None,
    author: str | None = None,
    language: str | None = None,
    said_at: str | None = None,
) -> Fact:
    """The fact with what is given changed, checked; `no_importance` takes its importance away."""
    if found.state is State.TRASHED:
        raise Conflict(f"Fact #{found.number} is in the trash.", hint="Restore it first.")
    after = replace(
        found,
        content=found.content if content is None else checked_content(content),
        key=found.key if key is None else checked_line(key, what="key"),
        confidence=found.confidence if confidence is None else checked_confidence(confidence),
        importance=found.importance if importance is None else checked_importance(importance),
        channel=found.channel if channel is None else checked_line(channel, what="channel"),
        author=found.author if author is None else checked_line(author, what="author"),
        language=found.language if language is None else checked_language(language),
        said_at=found.said_at if said_at is None else checked_line(said_at, what="date"),
    )
    refuse_added_secrets(actor, before=_words(found), after=_words(after))
    return replace(after, importance=None) if no_importance else after


def _words(item: Fact) -> str:
    return "\n".join((item.key, item.content, item.author))


def retire(
    tx: Transaction,
    actor: Actor,
    *,
    vault: Vault,
    found: Fact,
    reason: str,
    replacement: str | None = None,
    replaced_by: int | None = None,
    at: datetime,
) -> tuple[Fact, Fact | None]:
    """End a fact's validity, with the reason and, where given, what holds instead: a new wording, which becomes a fact
    of its own, or a fact that is there already (T2).

    On a Classic vault a fact that a model retires is deleted instead (T1); the trash keeps it.
    """
    if found.state is not State.IN_FORCE:
        raise Conflict(f"Fact #{found.number} is not in force.", hint="It was retired or deleted already.")
    refuse_secrets(actor, reason)
    successor: Fact | None = None
    if replacement is not None and replaced_by is not None:
        raise InvalidInput("A wording and a fact were given as replacement.", hint="Give one of the two.")
    if replaced_by is not None:
        successor = _successor(tx, actor, found, replaced_by)
    if replacement is not None:
        observation = Observation(
            content=replacement,
            key=found.key,
            category=found.category,
            importance=found.importance,
            subject_kind=found.subject_kind,
            subject_id=found.subject_id,
            channel=found.channel,
            author=found.author,
            language=found.language,
        )
        (remembered,) = write(
            tx, actor, vault=vault, prepared=[prepare(actor, observation)], at=at, replacing=[found.number]
        )
        successor = remembered.fact
        if successor.number == found.number:
            raise Conflict("The replacement says what the fact already says.", hint="Nothing needs to be retired.")
    after = ended(found, actor=actor, vault=vault, reason=reason, at=at)
    after = replace(after, replaced_by=successor.number if successor else None)
    (saved,) = apply(tx, actor, changes=[(found, after, "retire")], verb="retire", at=at)
    if saved.state is State.TRASHED:
        history.record_audit(tx, actor, verb="fact.delete", at=at, vault_id=vault.id, number=saved.number)
    return saved, successor


def ended(found: Fact, *, actor: Actor, vault: Vault, reason: str, at: datetime) -> Fact:
    """The fact as this vault's type ends it: its validity over, or in the trash where a model ends it on Classic."""
    line = checked_line(reason, what="reason", limit=MAX_REASON)
    if not line:
        raise InvalidInput("No reason is given.", hint="Say in a few words why it no longer holds.")
    # A person's gesture on any step is the journal's: only what a model ends is up to the step.
    return step_of(vault.memory_type if actor.is_model else MemoryType.JOURNAL).ended(found, reason=line, at=at)


def without_circle(tx: Transaction, item: Fact) -> Fact:
    """The fact, no longer pointing at what took its place where that was itself replaced by it since.

    Two gestures cannot make such a circle, since what replaces must be in force; going back to an older state could.
    """
    seen, number = {item.number}, item.replaced_by
    while number is not None and number not in seen:
        seen.add(number)
        following = fact_lists.read_facts(tx, vault_id=item.vault_id, numbers=[number])
        number = following[0].replaced_by if following else None
    return replace(item, replaced_by=None) if number == item.number else item


def _successor(tx: Transaction, actor: Actor, found: Fact, number: int) -> Fact:
    """The fact of the same vault that takes the place of another; refused where that makes no sense."""
    if number == found.number:
        raise Conflict("A fact does not replace itself.", hint="Name another fact, or say the new wording.")
    successor = facts.get_fact(tx, actor, number)
    if successor.vault_id != found.vault_id:
        raise Conflict(
            f"Fact #{number} stands in another vault and replaces nothing here.",
            hint="Move it here first, or say the new wording.",
        )
    if successor.state is not State.IN_FORCE:
        raise Conflict(f"Fact #{number} is not in force itself.", hint="Restore it first, or name another.")
    return successor


def on_a_page(tx: Transaction, item: Fact, *, at: datetime) -> tuple[Fact, list[history.Written]]:
    """The fact on a page that stands, with what that took: its category's page, brought back from the trash if need be.

    A fact that comes back may find its page in the trash, or another one made for its category meanwhile.
    """
    if item.state is State.TRASHED:
        return item, []
    standing = notes.category_note(
        tx,
        vault_id=item.vault_id,
        category=item.category,
        subject_kind=item.subject_kind,
        subject_id=item.subject_id,
    )
    if standing is not None:
        return replace(item, note_id=standing.id), []
    trashed = notes.note_at(tx, vault_id=item.vault_id, note_id=item.note_id)
    back = replace(trashed, deleted_at=None, version=trashed.version + 1, updated_at=at)
    notes.save_note(tx, trashed, back)
    links.adopt(tx, back)
    return item, [history.note_written(back, "restore")]


def restored(found: Fact) -> Fact:
    """The fact back in force: out of the trash first, else out of the journal; its replacement is left alone (T2)."""
    if found.state is State.TRASHED:
        back = replace(found, deleted_at=None)
        # What ended it in the journal stands again (T2); what a model ended on Classic leaves no trace (T1).
        return back if back.state is State.RETIRED else replace(back, reason="", replaced_by=None)
    if found.state is State.RETIRED:
        return replace(found, valid_to=None, reason="", replaced_by=None)
    raise Conflict(f"Fact #{found.number} is in force already.", hint="There is nothing to restore.")


def restore(tx: Transaction, actor: Actor, found: Fact, *, at: datetime) -> Fact:
    """Bring a fact back from the trash or from the journal, onto a page that stands."""
    after, page = on_a_page(tx, restored(found), at=at)
    (saved,) = apply(tx, actor, changes=[(found, after, "restore")], verb="restore", at=at, also=page)
    return saved


def delete(tx: Transaction, actor: Actor, found: Fact, *, at: datetime) -> Fact:
    """Put a fact in the trash, audited."""
    (saved,) = apply(tx, actor, changes=[(found, deleted(found, at=at), "delete")], verb="delete", at=at)
    history.record_audit(tx, actor, verb="fact.delete", at=at, vault_id=found.vault_id, number=found.number)
    return saved


def deleted(found: Fact, *, at: datetime) -> Fact:
    """The fact in the trash, retired or not (F9)."""
    if found.state is State.TRASHED:
        raise Conflict(f"Fact #{found.number} is in the trash already.", hint="Purge it to remove it for good.")
    return replace(found, deleted_at=at)
