"""Reading what was written down: revisions of things, and the audit log (N9, A4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, false, func, literal, or_, select, update

from souvenance.domain.access import ASKED_BY, CHAT_MODEL, Actor, Route
from souvenance.domain.audit import AuditEntry
from souvenance.store.access import configured, configured_teams, readable, withheld
from souvenance.store.database import Transaction
from souvenance.store.tables import audit, change, revision, user, vault

FACT, NOTE = "fact", "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What one thing was after one change, and whose change it was. `who` is a name a person knows."""

    vault_id: int
    kind: str
    reference: str
    note_id: str
    operation: str
    version: int
    after: Mapping[str, Any]
    change_id: int
    at: datetime
    who: str
    user_id: int
    token_id: int | None
    actor: str
    source: str
    verb: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Whose changes are meant: an agent by its name, a token or a user by its id; several given must all hold."""

    agent: str | None = None
    token: int | None = None
    user: int | None = None

    def condition(self) -> ColumnElement[bool]:
        """The changes that are this writer's."""
        wanted = ((change.c.actor, self.agent), (change.c.token_id, self.token), (change.c.user_id, self.user))
        return and_(*(column == value for column, value in wanted if value is not None))

    def wrote(self, item: Revision) -> bool:
        """Whether a revision is this writer's."""
        wanted = ((item.actor, self.agent), (item.token_id, self.token), (item.user_id, self.user))
        return all(found == value for found, value in wanted if value is not None)


def who_of(actor: ColumnElement[str]) -> ColumnElement[str]:
    """The name a person knows; of a model that somebody asked, whose it was."""
    person = func.coalesce(user.c.display_name, "")
    asked = literal(CHAT_MODEL + ASKED_BY) + person
    return case((actor == CHAT_MODEL, asked), else_=func.coalesce(func.nullif(actor, ""), person)).label("who")


def _revisions() -> Select[Any]:
    columns = [item for item in change.c if item.name != "id"]
    joined = revision.join(change, change.c.id == revision.c.change_id)
    return select(revision, *columns, who_of(change.c.actor)).select_from(
        joined.outerjoin(user, user.c.id == change.c.user_id)
    )


def _revision(row: Mapping[Any, Any]) -> Revision:
    same = ("vault_id", "kind", "note_id", "operation", "version", "after", "change_id", "at", "who", "user_id",
            "token_id", "actor", "source", "verb")  # fmt: skip
    return Revision(reference=row["subject_ref"], **{name: row[name] for name in same})


def newest_revisions(
    tx: Transaction, *, vault_ids: Sequence[int], kind: str, reference: str, limit: int, offset: int
) -> list[Revision]:
    """Revisions of one thing, the newest first, in vaults the caller was granted."""
    statement = _revisions().where(
        revision.c.vault_id.in_(vault_ids), revision.c.kind == kind, revision.c.subject_ref == reference
    )
    statement = statement.order_by(revision.c.change_id.desc()).limit(limit).offset(offset)
    return [_revision(row) for row in tx.execute(statement).mappings()]


def last_revisions(tx: Transaction, *, things: Sequence[tuple[int, str]], kind: str) -> dict[str, Revision]:
    """The newest revision of each thing (vault, reference), by reference. The caller was granted the vaults."""
    found: dict[str, Revision] = {}
    for vault_id in sorted({thing[0] for thing in things}):
        references = sorted({thing[1] for thing in things if thing[0] == vault_id})
        here = (revision.c.vault_id == vault_id) & (revision.c.kind == kind) & revision.c.subject_ref.in_(references)
        newest = (
            select(revision.c.subject_ref, func.max(revision.c.change_id).label("change_id"))
            .where(here)
            .group_by(revision.c.subject_ref)
            .subquery()
        )
        last = (newest.c.subject_ref == revision.c.subject_ref) & (newest.c.change_id == revision.c.change_id)
        for row in tx.execute(_revisions().join(newest, last).where(here)).mappings():
            found[row["subject_ref"]] = _revision(row)
    return found


def revision_at(
    tx: Transaction, *, vault_ids: Sequence[int], kind: str, reference: str, change_id: int
) -> Revision | None:
    """What a thing was once that change was made; None where it did not exist yet."""
    statement = _revisions().where(
        revision.c.vault_id.in_(vault_ids),
        revision.c.kind == kind,
        revision.c.subject_ref == reference,
        revision.c.change_id <= change_id,
    )
    row = tx.execute(statement.order_by(revision.c.change_id.desc()).limit(1)).mappings().first()
    return None if row is None else _revision(row)


def page_revisions(tx: Transaction, *, vault_id: int, note_id: str) -> list[Revision]:
    """Every revision of a memory page and of all facts that ever stood on it, the oldest first."""
    stood = select(revision.c.subject_ref).where(
        revision.c.vault_id == vault_id, revision.c.note_id == note_id, revision.c.kind == FACT
    )
    statement = _revisions().where(
        revision.c.vault_id == vault_id,
        or_(
            and_(revision.c.kind == FACT, revision.c.subject_ref.in_(stood)),
            and_(revision.c.kind == NOTE, revision.c.subject_ref == note_id),
        ),
    )
    return [_revision(row) for row in tx.execute(statement.order_by(revision.c.change_id)).mappings()]


def revisions_of(tx: Transaction, *, vault_id: int, kind: str, references: Iterable[str]) -> dict[str, list[Revision]]:
    """All revisions of these things, the oldest first, by reference."""
    found: dict[str, list[Revision]] = {}
    wanted = sorted(set(references))
    for start in range(0, len(wanted), 500):
        statement = _revisions().where(
            revision.c.vault_id == vault_id,
            revision.c.kind == kind,
            revision.c.subject_ref.in_(wanted[start : start + 500]),
        )
        # By the thing first: by the change alone SQLite would walk all revisions of the vault in their order.
        for row in tx.execute(statement.order_by(revision.c.subject_ref, revision.c.change_id)).mappings():
            found.setdefault(row["subject_ref"], []).append(_revision(row))
    return found


def changes_by(
    tx: Transaction, actor: Actor, writer: Writer, *, since: datetime, limit: int, offset: int
) -> list[Revision]:
    """What a writer wrote since a moment where the actor may read: the revisions of `limit` changes, newest first."""
    theirs = and_(writer.condition(), change.c.at >= since)
    ids = (
        select(revision.c.change_id)
        .join(change, change.c.id == revision.c.change_id)
        .where(revision.c.vault_id.in_(readable(actor)), theirs)
        .distinct()
        .order_by(revision.c.change_id.desc())
        .limit(limit)
        .offset(offset)
    )
    chosen = list(tx.execute(ids).scalars())
    statement = _revisions().where(revision.c.vault_id.in_(readable(actor)), revision.c.change_id.in_(chosen))
    statement = statement.order_by(revision.c.change_id.desc(), revision.c.kind.desc(), revision.c.subject_ref)
    return [_revision(row) for row in tx.execute(statement).mappings()]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterSeen:
    """An agent (by its name) or a token (by its id and name) that wrote: how many changes, and when the last."""

    agent: str
    token: int | None
    changes: int
    last: datetime


def list_writers(tx: Transaction, actor: Actor, *, since: datetime, limit: int) -> list[WriterSeen]:
    """The agents and tokens that wrote since a moment where the actor may read, the last to write first."""
    here = select(revision.c.change_id).where(
        revision.c.change_id == change.c.id, revision.c.vault_id.in_(readable(actor))
    )
    named = or_(change.c.actor != "", change.c.token_id.is_not(None))
    last = func.max(change.c.at).label("last")
    statement = (
        select(change.c.actor, change.c.token_id, func.count().label("changes"), last)
        .where(change.c.at >= since, named, here.exists())
        .group_by(change.c.actor, change.c.token_id)
        .order_by(last.desc(), change.c.actor)
        .limit(limit)
    )
    return [
        WriterSeen(agent=row.actor, token=row.token_id, changes=int(row.changes), last=row.last)
        for row in tx.execute(statement)
    ]


def things_written_by(tx: Transaction, actor: Actor, writer: Writer, *, since: datetime) -> list[tuple[int, str, str]]:
    """Vault, kind and reference of each thing a writer wrote since a moment; pages and notes before facts."""
    statement = (
        select(revision.c.vault_id, revision.c.kind, revision.c.subject_ref)
        .join(change, change.c.id == revision.c.change_id)
        .where(revision.c.vault_id.in_(readable(actor)), writer.condition(), change.c.at >= since)
        .distinct()
        .order_by(revision.c.vault_id, revision.c.kind.desc(), revision.c.subject_ref)
    )
    return [(row.vault_id, row.kind, row.subject_ref) for row in tx.execute(statement)]


def count_withheld(tx: Transaction, actor: Actor, writer: Writer, *, since: datetime) -> int:
    """How many things the writer wrote stand in vaults withheld on the actor's route (V8)."""
    things = (
        select(revision.c.vault_id, revision.c.kind, revision.c.subject_ref)
        .join(change, change.c.id == revision.c.change_id)
        .where(revision.c.vault_id.in_(withheld(actor)), writer.condition(), change.c.at >= since)
        .distinct()
    )
    return int(tx.execute(select(func.count()).select_from(things.subquery())).scalar_one())


def list_audit(tx: Transaction, actor: Actor, *, limit: int, offset: int) -> list[AuditEntry]:
    """The audit log, newest first: of vaults and teams the actor configures, and what a person did outside any vault,
    or had done to them.

    What was done to a vault that is gone is told to who did it, on a local route only, since it may name the vault.
    Nothing outside vaults (tokens, memberships) is told through a token or to a model.
    """
    own: ColumnElement[bool] = audit.c.vault_id.is_(None)
    concerns = or_(
        audit.c.user_id == actor.user_id,
        audit.c.about_user == actor.user_id,
        audit.c.team_id.in_(configured_teams(actor)),
    )
    if actor.token_id is not None or actor.is_model:
        own = false()
    elif actor.route is Route.LOCAL:
        own = or_(own, audit.c.vault_id.not_in(select(vault.c.id)))
    joined = audit.outerjoin(user, user.c.id == audit.c.user_id).outerjoin(vault, vault.c.id == audit.c.vault_id)
    statement = (
        select(audit, who_of(audit.c.actor), func.coalesce(vault.c.slug, "").label("slug"))
        .select_from(joined)
        .where(or_(audit.c.vault_id.in_(configured(actor)), and_(own, concerns)))
        .order_by(audit.c.id.desc())
        .limit(limit)
        .offset(offset)
    )
    return [
        AuditEntry(
            id=row["id"],
            at=row["at"],
            who=row["who"],
            source=row["source"],
            verb=row["verb"],
            vault=row["slug"],
            token=row["token_id"],
            details=dict(row["details"]),
        )
        for row in tx.execute(statement).mappings()
    ]


def move_fact_revisions(tx: Transaction, *, number: int, before: int, after: int) -> None:
    """Keep a fact's revisions with the vault it moved to."""
    here = (revision.c.vault_id == before) & (revision.c.kind == FACT) & (revision.c.subject_ref == str(number))
    tx.execute(update(revision).where(here).values(vault_id=after))


def facts_at(tx: Transaction, *, vault_id: int, at: datetime) -> dict[int, tuple[int, Mapping[str, Any]]]:
    """Every fact of a vault as it stood at a moment: its version and what its revision kept, by number.

    Facts that came later are not in it; those in the trash or retired by then are, as such.
    """
    here = (revision.c.vault_id == vault_id) & (revision.c.kind == FACT)
    latest = (
        select(revision.c.subject_ref, func.max(revision.c.change_id).label("change_id"))
        .join(change, change.c.id == revision.c.change_id)
        .where(here, change.c.at <= at)
        .group_by(revision.c.subject_ref)
        .subquery()
    )
    statement = select(revision.c.subject_ref, revision.c.version, revision.c.after).join(
        latest,
        and_(revision.c.subject_ref == latest.c.subject_ref, revision.c.change_id == latest.c.change_id),
    )
    return {int(row.subject_ref): (row.version, row.after) for row in tx.execute(statement.where(here))}
