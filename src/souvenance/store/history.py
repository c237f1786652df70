"""Changes and revisions: append-only, who did what through what, and what each thing was afterwards (N9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert

from souvenance.domain.access import Actor
from souvenance.domain.fact import Fact
from souvenance.domain.note import Note
from souvenance.store.database import Transaction
from souvenance.store.facts import values_of
from souvenance.store.tables import audit, change, revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One thing as it stands after a change."""

    vault_id: int
    kind: str
    reference: str
    note_id: str
    operation: str
    version: int
    after: dict[str, Any]


def fact_written(item: Fact, operation: str) -> Written:
    """A fact as its revision keeps it: every value that can change, so that any revision can be read and restored."""
    values = values_of(item)
    del values["updated_at"]
    for name in ("valid_from", "valid_to", "deleted_at"):
        values[name] = values[name].isoformat() if values[name] else None
    defaults: dict[str, Any] = {"confidence": 1.0, "disabled": False}
    kept = {name: value for name, value in values.items() if value not in (None, "") and value != defaults.get(name)}
    return Written(
        vault_id=item.vault_id,
        kind="fact",
        reference=str(item.number),
        note_id=item.note_id,
        operation=operation,
        version=item.version,
        after=kept,
    )


def note_written(item: Note, operation: str) -> Written:
    """A note as its revision keeps it. Of agent memory, whose text is its facts, only the page's own values."""
    kept: dict[str, Any] = {
        "folder": item.folder,
        "title": item.title,
        "content": item.content,
        "category": item.category,
        "digest": item.digest,
        "muted": item.muted,
        "disabled": item.disabled,
        "front_matter": item.front_matter,
        "deleted_at": item.deleted_at.isoformat() if item.deleted_at else None,
    }
    return Written(
        vault_id=item.vault_id,
        kind="note",
        reference=item.id,
        note_id=item.id,
        operation=operation,
        version=item.version,
        after={name: value for name, value in kept.items() if value not in (None, "", False, {})},
    )


def record_change(tx: Transaction, actor: Actor, *, verb: str, at: datetime, written: Sequence[Written]) -> int:
    """Write down one use case's change with a revision per thing it touched; the change's id."""
    statement = insert(change).values(
        at=at, user_id=actor.user_id, token_id=actor.token_id, actor=actor.name, source=actor.source, verb=verb
    )
    change_id = int(tx.execute(statement.returning(change.c.id)).scalar_one())
    rows = [
        {
            "vault_id": item.vault_id,
            "change_id": change_id,
            "kind": item.kind,
            "subject_ref": item.reference,
            "note_id": item.note_id,
            "operation": item.operation,
            "version": item.version,
            "after": item.after,
        }
        for item in written
    ]
    if rows:
        tx.add_rows(revision, rows)
    for vault_id in {item.vault_id for item in written}:
        tx.mark("knowledge", vault_id)
    return change_id


def record_audit(
    tx: Transaction,
    actor: Actor,
    *,
    verb: str,
    at: datetime,
    vault_id: int | None = None,
    team_id: int | None = None,
    about_user: int | None = None,
    **details: Any,
) -> None:
    """Write down an act that someone may have to answer for; counts and names, never contents (A4).

    Those who configure the vault or the team read it, and so does the user whom it was done to.
    """
    if vault_id is not None:
        room = verb.partition(".")[0]
        if room in {"vault", "erase"}:
            tx.mark("vault", vault_id)
        if room != "vault":
            tx.mark("knowledge", vault_id)
    tx.execute(
        insert(audit).values(
            at=at,
            user_id=actor.user_id,
            token_id=actor.token_id,
            actor=actor.name,
            source=actor.source,
            verb=verb,
            vault_id=vault_id,
            team_id=team_id,
            about_user=about_user,
            details=details,
        )
    )
