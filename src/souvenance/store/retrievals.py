"""The retrieval audit: every search, recall and look-up, as rows (N11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, insert, select

from souvenance.domain.access import Actor
from souvenance.store.backlog import every_vault
from souvenance.store.database import Transaction
from souvenance.store.erasure import receipts
from souvenance.store.revisions import who_of
from souvenance.store.tables import fact, note, retrieval, user

_READ, _ASKED = "vault_ids", "protected_ids"
"""Under which names the scope of an entry keeps the ids of its vaults, beside what is shown of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One read of the memory, as its owner may review it. `actor`: in what is recorded the name it goes by, in what is
    listed one that a person knows."""

    at: datetime
    actor: str
    source: str
    verb: str
    query: str
    scope: dict[str, Any]
    found: int
    best_score: float | None
    confidence: str
    top: list[dict[str, Any]]
    matcher: str
    milliseconds: float
    vaults: tuple[int, ...] = ()
    """Ids of the vaults that were read; kept for erasing, and shown to nobody."""
    protected: tuple[int, ...] = ()
    """Ids of those that were asked only to count what is withheld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOften:
    """A query that came more than once, how often it found nothing, and when it last came."""

    query: str
    times: int
    misses: int
    last: datetime


def add_retrievals(tx: Transaction, entries: Sequence[tuple[Actor, Retrieval]]) -> None:
    """Write reads down; not those of a vault of which something was erased since: they would bring back its traces."""
    erased = receipts.erased_since(tx, min(entry.at for _, entry in entries)) if entries else []
    if erased:
        there = _there(tx, [hit for _, entry in entries for hit in entry.top])
        entries = [
            (actor, entry)
            for actor, entry in entries
            if all(source_of(hit) in there for hit in entry.top)
            and not any(at >= entry.at and vault in (*entry.vaults, *entry.protected) for at, vault in erased)
        ]
    if entries:
        rows = [
            {
                "at": entry.at,
                "user_id": actor.user_id,
                "token_id": actor.token_id,
                "actor": entry.actor,
                "source": entry.source,
                "verb": entry.verb,
                "query": entry.query,
                "scope": entry.scope | {_READ: list(entry.vaults), _ASKED: list(entry.protected)},
                "found": entry.found,
                "best_score": entry.best_score,
                "confidence": entry.confidence,
                "top": entry.top,
                "matcher": entry.matcher,
                "milliseconds": entry.milliseconds,
            }
            for actor, entry in entries
        ]
        tx.execute(insert(retrieval), rows)


def _own(user_id: int, *, misses_only: bool) -> Select[Any]:
    columns = [column for column in retrieval.c if column.name != "actor"]
    statement = select(*columns, who_of(retrieval.c.actor)).outerjoin(user, user.c.id == retrieval.c.user_id)
    statement = statement.where(retrieval.c.user_id == user_id)
    return statement.where(retrieval.c.confidence == "none") if misses_only else statement


def list_retrievals(
    tx: Transaction, *, user_id: int, limit: int, offset: int = 0, misses_only: bool = False
) -> list[Retrieval]:
    """A user's reads, newest first."""
    statement = _own(user_id, misses_only=misses_only).order_by(retrieval.c.at.desc(), retrieval.c.id.desc())
    return [_retrieval(row) for row in tx.execute(statement.limit(limit).offset(offset)).mappings()]


def _retrieval(row: Mapping[Any, Any]) -> Retrieval:
    scope = dict(row["scope"])
    read, asked = scope.pop(_READ, ()), scope.pop(_ASKED, ())
    own = {"actor", "scope", "vaults", "protected"}
    kept = {name: row[name] for name in Retrieval.__dataclass_fields__ if name not in own}
    return Retrieval(**kept, actor=row["who"], scope=scope, vaults=tuple(read), protected=tuple(asked))


def vaults_in(scope: Mapping[str, Any]) -> tuple[list[int], list[int]] | None:
    """Ids of the vaults that an entry of the log read, and of those it asked only to count what is withheld; None for
    one of before they were kept."""
    return (list(scope[_READ]), list(scope.get(_ASKED, ()))) if _READ in scope else None


def source_of(hit: Mapping[str, Any]) -> tuple[str, Any]:
    """The fact or the note of a hit."""
    return ("fact", hit["number"]) if hit.get("number") is not None else ("note", hit.get("note"))


def _there(tx: Transaction, hits: Sequence[Mapping[str, Any]]) -> set[tuple[str, Any]]:
    """Of these hits, those whose fact or note is there."""
    numbers = sorted({hit["number"] for hit in hits if hit.get("number") is not None})
    ids = sorted({hit["note"] for hit in hits if hit.get("number") is None and hit.get("note")})
    vaults = every_vault(tx)
    facts = tx.execute(select(fact.c.number).where(fact.c.vault_id.in_(vaults), fact.c.number.in_(numbers))).scalars()
    notes = tx.execute(select(note.c.id).where(note.c.vault_id.in_(vaults), note.c.id.in_(ids))).scalars()
    return {("fact", number) for number in facts} | {("note", one) for one in notes}


def asked_often(tx: Transaction, *, user_id: int, limit: int, blind: bool) -> list[AskedOften]:
    """A user's queries by how often they came; with `blind`, only those that never found anything though some vault was
    asked: what is asked while all are muted says nothing of what is known."""
    key = func.lower(func.trim(retrieval.c.query)).label("key")
    misses = func.sum((retrieval.c.confidence == "none").cast(retrieval.c.found.type)).label("misses")
    times = func.count().label("times")
    last = func.max(retrieval.c.at).label("last")
    statement = select(key, times, misses, last).where(retrieval.c.user_id == user_id).group_by(key)
    if blind:
        statement = statement.where(func.coalesce(retrieval.c.scope["queried"].as_string(), "") != "[]")
    statement = statement.having(misses == times) if blind else statement.having(times > 1)
    rows = tx.execute(statement.order_by(times.desc(), last.desc()).limit(limit))
    return [AskedOften(query=row.key, times=row.times, misses=row.misses, last=row.last) for row in rows]
