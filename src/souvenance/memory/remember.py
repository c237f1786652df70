"""Writing facts: one path for people, models, imports and the library (F1, N4, F8).

Work is done in two steps: `prepare` checks and analyses what was said, `write` stores it in a transaction that others
wait for, so that the lock is held for as little as possible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from rapidfuzz import fuzz

from souvenance.domain.access import Actor
from souvenance.domain.fact import (
    DEFAULT_CATEGORY,
    Fact,
    SubjectKind,
    checked_confidence,
    checked_content,
    checked_importance,
    checked_language,
    checked_line,
    checked_subject,
)
from souvenance.domain.note import Note, NoteClass, new_note_id
from souvenance.domain.vault import Vault
from souvenance.memory.dates import Saying, dates_said, sayings_in
from souvenance.memory.guard import refuse_secrets
from souvenance.memory.summaries import give_way, retold
from souvenance.store import facts, history, links, notes, passages, people
from souvenance.store.database import Transaction
from souvenance.store.vaults import is_withheld, zone_in

Check = Callable[[Transaction, int], None]
"""Asked, with the vault that is written to, in the transaction that writes and before it does; raises where nothing may
be written."""

POSITION_STEP = 1 << 20
"""Room left between two neighbours on a page, so that an item can move between them without touching others."""

CLOSE_LABEL = 80.0
"""From 0 to 100, how alike two category labels must be for the new one's author to be told (rapidfuzz WRatio)."""


class Outcome(StrEnum):
    """What became of an observation (N4)."""

    CREATED = "created"
    APPENDED = "appended"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Something to remember, as the caller says it. `said_at` is when it was said, in the caller's own words."""

    content: str
    key: str = ""
    category: str = DEFAULT_CATEGORY
    confidence: float = 1.0
    importance: int | None = None
    subject_kind: SubjectKind = SubjectKind.VAULT
    subject_id: str = ""
    channel: str = ""
    author: str = ""
    language: str | None = None
    said_at: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An observation that was found fit to keep, with the words of its passage and those that say dates."""

    observation: Observation
    words: passages.Words
    hashed: str
    secrets: tuple[str, ...] = ()
    sayings: tuple[Saying, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What became of an observation: its fact, its page, and whether the page, the fact or nothing is new."""

    outcome: Outcome
    fact: Fact
    note_id: str
    similar_categories: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    """Kinds of secrets it seems to hold, for a warning (F8)."""


def checked_category(label: str) -> str:
    """A category is a label, never a path: one line, slashes kept as plain characters."""
    return checked_line(label, what="category", limit=80) or DEFAULT_CATEGORY


def page_title(category: str) -> str:
    """The title of a category's page: its label, but for what would make a path of it (N4)."""
    title = re.sub(r"[/\\]+", "-", category)
    return "_" if title in {".", ".."} else title


def prepare(actor: Actor, observation: Observation) -> Prepared:
    """Check and analyse one observation; refuses what could not be kept as it is, and a model's secrets (F8)."""
    subject_kind, subject_id = checked_subject(observation.subject_kind, observation.subject_id)
    checked = replace(
        observation,
        content=checked_content(observation.content),
        key=checked_line(observation.key, what="key"),
        category=checked_category(observation.category),
        confidence=checked_confidence(observation.confidence),
        importance=checked_importance(observation.importance),
        subject_kind=subject_kind,
        subject_id=subject_id,
        channel=checked_line(observation.channel, what="channel"),
        author=checked_line(observation.author, what="author"),
        language=checked_language(observation.language),
        said_at=checked_line(observation.said_at, what="date"),
    )
    secrets = refuse_secrets(actor, checked.key, checked.content, checked.category, checked.author)
    return Prepared(
        checked,
        passages.words_of(heading=checked.key, text=checked.content, speaker=checked.author, language=checked.language),
        facts.content_hash(
            key=checked.key,
            content=checked.content,
            category=checked.category,
            subject_kind=checked.subject_kind,
            subject_id=checked.subject_id,
        ),
        secrets,
        sayings_in(checked.content, checked.language),
    )


def place_of(observation: Observation) -> notes.Place:
    """The page an observation belongs on."""
    return (observation.category, observation.subject_kind, observation.subject_id)


class Pages:
    """The category pages that one write touches: found, or made on first use (N2)."""

    def __init__(
        self,
        tx: Transaction,
        *,
        vault: Vault,
        observations: Iterable[Observation],
        at: datetime,
        digest: str | None = None,
    ) -> None:
        self._tx = tx
        self._vault = vault
        self._at = at
        self._digest = None if digest is None else checked_line(digest, what="digest", limit=300)
        self.made: dict[str, Note] = {}
        places = dict.fromkeys(map(place_of, observations))
        self._pages = notes.category_notes(tx, vault_id=vault.id, places=places)
        for place in places:
            if place not in self._pages:
                self._pages[place] = self._make(place)

    def of(self, observation: Observation) -> Note:
        """The page an observation belongs on."""
        return self._pages[place_of(observation)]

    def _make(self, place: notes.Place) -> Note:
        category, subject_kind, subject_id = place
        note = Note(
            id=new_note_id(),
            vault_id=self._vault.id,
            note_class=NoteClass.AGENT_MEMORY,
            folder="memory",
            title=page_title(category),
            category=category,
            subject_kind=subject_kind,
            subject_id=subject_id,
            digest=self._digest or "",
            created_at=self._at,
            updated_at=self._at,
        )
        notes.add_note(self._tx, note)
        self.made[note.id] = note
        return note

    def close(self, touched: set[str]) -> list[history.Written]:
        """Raise the version of the older pages whose facts or digest changed; the pages' own revisions."""
        older = [note for note in self._pages.values() if note.id not in self.made]
        redigested = [note for note in older if self._digest is not None and note.digest != self._digest]
        done = {note.id for note in redigested}
        notes.renew_pages(self._tx, redigested, at=self._at, digest=self._digest)
        notes.renew_pages(self._tx, [note for note in older if note.id in touched - done], at=self._at)
        return [
            *(history.note_written(note, "create") for note in self.made.values()),
            *(
                history.note_written(
                    replace(note, version=note.version + 1, updated_at=self._at, digest=self._digest or ""), "digest"
                )
                for note in redigested
            ),
        ]


def write(
    tx: Transaction,
    actor: Actor,
    *,
    vault: Vault,
    prepared: Sequence[Prepared],
    at: datetime,
    digest: str | None = None,
    replacing: Collection[int] = (),
) -> list[Remembered]:
    """Store prepared observations in a vault the actor may write to, in order, as one change.

    The same words about the same subject in the same category are skipped. `digest` becomes the page's index line. A
    summary takes the place of the one in force, unless that is among those that the caller is `replacing` (F6).
    Where the vault is withheld on the actor's route, each is answered alike, number 0 on no page: whether it was known
    would tell what stands there (V8).
    """
    refuse_secrets(actor, digest)
    tx.hold_vault(vault.id)
    known = facts.same_facts(tx, vault_id=vault.id, hashes=[item.hashed for item in prepared])
    fresh = list({item.hashed: item for item in prepared if item.hashed not in known}.values())
    observed = [item.observation for item in prepared]
    pages = Pages(tx, vault=vault, observations=observed, at=at, digest=digest)
    made: dict[str, Fact] = {}
    hidden = is_withheld(vault, actor)
    # As many numbers go whatever was known, or the next fact's number would tell (V8).
    numbers = tx.next_numbers("fact_number", len(prepared) if hidden else len(fresh))
    for number, item in zip(numbers, fresh, strict=False):
        note = pages.of(item.observation)
        made[item.hashed] = new_fact(item.observation, number=number, note=note, actor=actor, at=at)
    kept = keep(tx, actor, [(made[item.hashed], item) for item in fresh])
    raised = {item.note_id for item in kept}
    gone = give_way(tx, actor, entered=kept, spared=replacing, raised=raised, at=at)
    written = pages.close(raised)
    written.extend(history.fact_written(fact, "remember") for fact in kept)
    ended = {item.number: item for item in gone}
    made = {item.hashed: ended.get(fact.number, fact) for item, fact in zip(fresh, kept, strict=True)}
    if written:
        history.record_change(tx, actor, verb="remember", at=at, written=retold(written, gone))
    if hidden:
        return [_untold(item, vault, actor, at) for item in prepared]
    labels = notes.list_categories(tx, vault_id=vault.id) if pages.made else []
    return _outcomes(prepared, made=made, known=known, new_pages=set(pages.made), labels=labels)


def dated(tx: Transaction, actor: Actor, fact: Fact, *, at: datetime, sayings: Sequence[Saying] | None = None) -> Fact:
    """The fact with the dates its wording says, resolved as its speaker meant them (F10).

    `sayings` are those of its wording where they were looked for already.
    """
    dates = dates_said(
        sayings_in(fact.content, fact.language) if sayings is None else sayings,
        said_at=fact.said_at,
        written_at=at,
        time_zone=lambda: zone_in(tx, fact.vault_id) or people.time_zone_of(tx, actor.user_id),
    )
    return fact if dates == fact.said_dates else replace(fact, said_dates=dates)


def keep(tx: Transaction, actor: Actor, items: Sequence[tuple[Fact, Prepared]]) -> list[Fact]:
    """Store new facts of one vault with the dates they say, passages and links; page and history are the caller's.

    Returns the facts as they were stored.
    """
    kept = [
        (dated(tx, actor, item, at=item.created_at, sayings=prepared.sayings), prepared) for item, prepared in items
    ]
    facts.add_facts(tx, [(prepared.hashed, item) for item, prepared in kept])
    passages.add_fact_passages(tx, [(item, prepared.words) for item, prepared in kept])
    for item, _ in kept:
        links.follow_fact(tx, None, item)
    return [item for item, _ in kept]


def new_fact(observation: Observation, *, number: int, note: Note, actor: Actor, at: datetime) -> Fact:
    """The fact an observation becomes, at the end of its page."""
    return Fact(
        number=number,
        vault_id=note.vault_id,
        note_id=note.id,
        content=observation.content,
        key=observation.key,
        confidence=observation.confidence,
        importance=observation.importance,
        category=observation.category,
        subject_kind=observation.subject_kind,
        subject_id=observation.subject_id,
        channel=observation.channel,
        author=observation.author,
        language=observation.language,
        said_at=observation.said_at,
        source=actor.source,
        disabled=note.disabled,
        position=number * POSITION_STEP,
        created_at=at,
        updated_at=at,
        valid_from=at,
    )


def _untold(item: Prepared, vault: Vault, actor: Actor, at: datetime) -> Remembered:
    nowhere = Note(
        id="", vault_id=vault.id, note_class=NoteClass.AGENT_MEMORY, folder="", title="", created_at=at, updated_at=at
    )
    told = new_fact(item.observation, number=0, note=nowhere, actor=actor, at=at)
    return Remembered(outcome=Outcome.APPENDED, fact=told, note_id="", secrets=item.secrets)


def _outcomes(
    prepared: Sequence[Prepared],
    *,
    made: dict[str, Fact],
    known: dict[str, Fact],
    new_pages: set[str],
    labels: Sequence[str],
) -> list[Remembered]:
    results: list[Remembered] = []
    seen: set[str] = set()
    for item in prepared:
        fact = known.get(item.hashed) or made[item.hashed]
        if item.hashed in known or item.hashed in seen:
            results.append(Remembered(outcome=Outcome.SKIPPED, fact=fact, note_id=fact.note_id, secrets=item.secrets))
            continue
        seen.add(item.hashed)
        opens = fact.note_id in new_pages
        new_pages.discard(fact.note_id)
        results.append(
            Remembered(
                outcome=Outcome.CREATED if opens else Outcome.APPENDED,
                fact=fact,
                note_id=fact.note_id,
                similar_categories=close_categories(fact.category, labels) if opens else (),
                secrets=item.secrets,
            )
        )
    return results


def close_categories(label: str, existing: Sequence[str]) -> tuple[str, ...]:
    """Labels already in use that look like a new one, the closest first, at most three."""
    scored = [(fuzz.WRatio(label.casefold(), other.casefold()), other) for other in existing if other != label]
    return tuple(other for score, other in sorted(scored, reverse=True)[:3] if score >= CLOSE_LABEL)
