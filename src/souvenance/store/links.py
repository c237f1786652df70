"""Links between notes, and from facts to notes: derived from their texts, within one vault (N1, CASES 18).

A row says what a text points at and, once there is such a note, which one: a link keeps its note through a rename. What
is in the trash links nowhere and is linked from nowhere: every read joins the notes that stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, and_, bindparam, delete, insert, or_, select, update

from souvenance.domain.access import Actor
from souvenance.domain.fact import Fact
from souvenance.domain.markdown import targets
from souvenance.domain.note import LinkView, Note, NoteClass, target_key
from souvenance.store.access import readable
from souvenance.store.database import Transaction
from souvenance.store.passages import is_active
from souvenance.store.tables import link, note

LONGEST_KEY = 2000
"""Bytes of a target over which it can be no note's path, and would not fit an index."""

Node = tuple[str, str | int]
"""("note", id) or ("fact", number)."""


def note_keys(item: Note) -> list[str]:
    """Every target that may mean this note: its id, its title, and its path from any folder down."""
    parts = target_key(item.path).split("/")
    return [item.id, *("/".join(parts[start:]) for start in range(len(parts)))]


# --- writing ---------------------------------------------------------------------------------------------------


def follow_note(tx: Transaction, item: Note, found: Sequence[str] | None = None) -> None:
    """Make a note's links those of its text; none where it is in the trash or disabled.

    `found` are the targets of its text where they were looked for already, before the transaction.
    """
    if item.deleted_at is not None or item.disabled:
        found = []
    elif found is None:
        found = targets(item.content, folder=item.folder)
    _save(tx, vault_id=item.vault_id, kind="note", source=item.id, page=item.id, folder=item.folder, found=found)


def follow_fact(tx: Transaction, before: Fact | None, after: Fact) -> None:
    """Make a fact's links those of its words; none where it is not in force."""
    found = targets(after.content) if is_active(after) else []
    had = before is not None and bool(targets(before.content))
    if before is not None and had and before.vault_id != after.vault_id:
        _save(tx, vault_id=before.vault_id, kind="fact", source=str(before.number), page="", folder="", found=[])
    if found or had:
        _save(
            tx,
            vault_id=after.vault_id,
            kind="fact",
            source=str(after.number),
            page=after.note_id,
            folder="",
            found=found,
        )


def _save(
    tx: Transaction, *, vault_id: int, kind: str, source: str, page: str, folder: str, found: Sequence[str]
) -> None:
    here = (link.c.vault_id == vault_id) & (link.c.source_kind == kind) & (link.c.source_id == source)
    old = {row["target_key"]: row for row in tx.execute(select(link).where(here)).mappings()}
    wanted = {key: target for target in found if 0 < len((key := target_key(target)).encode()) <= LONGEST_KEY}
    if old.keys() == wanted.keys() and all(row["source_note_id"] == page for row in old.values()):
        return
    fresh = {key: target for key, target in wanted.items() if key not in old}
    resolved = resolve(tx, vault_id=vault_id, keys=fresh, folder=folder)
    if old:
        tx.execute(delete(link).where(here))
    rows = [
        {
            "vault_id": vault_id,
            "source_kind": kind,
            "source_id": source,
            "source_note_id": page,
            "target_key": key,
            "target": target,
            "target_note_id": old[key]["target_note_id"] if key in old else resolved.get(key),
        }
        for key, target in wanted.items()
    ]
    if rows:
        tx.execute(insert(link), rows)


def resolve(tx: Transaction, *, vault_id: int, keys: Iterable[str], folder: str = "") -> dict[str, str]:
    """The notes of the vault that these target keys mean, by key.

    Where several would do: one in the same folder, then a document before a memory page, the shortest path, the oldest.
    """
    wanted = set(keys)
    last = sorted({key.rsplit("/", 1)[-1] for key in wanted})
    found: dict[str, tuple[Any, ...]] = {}
    for start in range(0, len(last), 400):
        chunk = last[start : start + 400]
        columns = (note.c.id, note.c.folder, note.c.title, note.c.note_class, note.c.created_at)
        here = (note.c.vault_id == vault_id) & note.c.deleted_at.is_(None)
        statement = select(*columns).where(here, or_(note.c.title_key.in_(chunk), note.c.id.in_(chunk)))
        for row in tx.execute(statement):
            path = target_key(f"{row.folder}/{row.title}").split("/")
            rank = (
                row.folder != folder,
                row.note_class == NoteClass.AGENT_MEMORY,
                len(path),
                row.created_at,
                row.id,
            )
            for key in {row.id, *("/".join(path[at:]) for at in range(len(path)))} & wanted:
                if key not in found or rank < found[key]:
                    found[key] = rank
    return {key: rank[-1] for key, rank in found.items()}


def adopt(tx: Transaction, item: Note) -> None:
    """Let links that wait for a note of this name, or whose note is in the trash, point at it."""
    trashed = select(note.c.id).where(note.c.vault_id == item.vault_id, note.c.deleted_at.is_not(None))
    waiting = or_(link.c.target_note_id.is_(None), link.c.target_note_id.in_(trashed))
    here = (link.c.vault_id == item.vault_id) & link.c.target_key.in_(note_keys(item))
    tx.execute(update(link).where(here, waiting).values(target_note_id=item.id))


def release(tx: Transaction, item: Note) -> None:
    """Let links to a note that went to the trash lead to another of the name they say, where one stands."""
    here = (link.c.vault_id == item.vault_id) & (link.c.target_note_id == item.id)
    _lead(tx, item.vault_id, here, lambda row, found: found if found != item.id else None)


def reclaim(tx: Transaction, item: Note) -> None:
    """Let a note that came back have the links to which it is the first of its name again, and those that wait.

    A link that leads to a note which has another name since keeps it.
    """
    adopt(tx, item)
    here = (link.c.vault_id == item.vault_id) & link.c.target_key.in_(note_keys(item))

    def by_name(row: Any, found: str) -> str | None:
        path = target_key(f"{row.target_folder}/{row.target_title}")
        is_named = f"/{path}".endswith(f"/{row.target_key}") or row.target_key == row.target_note_id
        return found if is_named else None

    _lead(tx, item.vault_id, here & (link.c.target_note_id != item.id), by_name)


def _lead(
    tx: Transaction, vault_id: int, condition: ColumnElement[bool], choose: Callable[[Any, str], str | None]
) -> None:
    """Resolve these links again, and let each lead to what `choose` makes of the note found; None leaves it."""
    source, target = note.alias("source"), note.alias("target")
    ends = ((source, link.c.source_note_id), (target, link.c.target_note_id))
    statement = select(
        link.c.source_kind, link.c.source_id, link.c.target_key, link.c.target_note_id,
        source.c.folder.label("source_folder"), target.c.folder.label("target_folder"),
        target.c.title.label("target_title"),
    )  # fmt: skip
    joined: FromClause = link
    for end, column in ends:
        joined = joined.outerjoin(end, (end.c.vault_id == link.c.vault_id) & (end.c.id == column))
    by_folder: dict[str, list[Any]] = {}
    for row in tx.execute(statement.select_from(joined).where(link.c.vault_id == vault_id, condition)):
        by_folder.setdefault(row.source_folder or "" if row.source_kind == "note" else "", []).append(row)
    moved = []
    for folder, rows in by_folder.items():
        found = resolve(tx, vault_id=vault_id, keys={row.target_key for row in rows}, folder=folder)
        for row in rows:
            chosen = choose(row, found[row.target_key]) if row.target_key in found else None
            if chosen is not None and chosen != row.target_note_id:
                moved.append(
                    {"kind": row.source_kind, "source": row.source_id, "key": row.target_key, "leads_to": chosen}
                )
    if moved:
        one = (
            (link.c.vault_id == vault_id)
            & (link.c.source_kind == bindparam("kind"))
            & (link.c.source_id == bindparam("source"))
            & (link.c.target_key == bindparam("key"))
        )
        tx.execute(update(link).where(one).values(target_note_id=bindparam("leads_to")), moved)


def purge(tx: Transaction, *, vault_id: int, note_id: str) -> None:
    """Forget a note's links; those to it wait for another of its name."""
    tx.execute(delete(link).where(link.c.vault_id == vault_id, link.c.source_note_id == note_id))
    here = (link.c.vault_id == vault_id) & (link.c.target_note_id == note_id)
    tx.execute(update(link).where(here).values(target_note_id=None))


# --- reading ---------------------------------------------------------------------------------------------------


def links_of(tx: Transaction, *, vault_id: int, note_id: str, limit: int = 200) -> tuple[LinkView, ...]:
    """What a note or the facts of a page link to, whether it exists yet or not. The caller was granted the vault."""
    standing = and_(note.c.vault_id == link.c.vault_id, note.c.id == link.c.target_note_id, note.c.deleted_at.is_(None))
    statement = (
        select(link.c.target, link.c.source_kind, link.c.source_id, *_OTHER_END)
        .outerjoin(note, standing)
        .where(link.c.vault_id == vault_id, link.c.source_note_id == note_id)
        .order_by(link.c.source_id, link.c.target_key)
    )
    return tuple(_view(row) for row in tx.execute(statement.limit(limit)).mappings())


def backlinks_of(tx: Transaction, *, vault_id: int, note_id: str, limit: int = 200) -> tuple[LinkView, ...]:
    """What links to a note. The caller was granted the vault."""
    standing = and_(note.c.vault_id == link.c.vault_id, note.c.id == link.c.source_note_id, note.c.deleted_at.is_(None))
    statement = (
        select(link.c.target, link.c.source_kind, link.c.source_id, *_OTHER_END)
        .join(note, standing)
        .where(link.c.vault_id == vault_id, link.c.target_note_id == note_id)
        .order_by(note.c.folder, note.c.title_key, link.c.source_id)
    )
    return tuple(_view(row) for row in tx.execute(statement.limit(limit)).mappings())


_OTHER_END = (note.c.id, note.c.title, note.c.folder, note.c.note_class)


def _view(row: Mapping[Any, Any]) -> LinkView:
    return LinkView(
        target=row["target"],
        note_id=row["id"],
        title=row["title"] or "",
        folder=row["folder"] or "",
        note_class=NoteClass(row["note_class"]) if row["note_class"] else None,
        fact=int(row["source_id"]) if row["source_kind"] == "fact" else None,
    )


def neighbours(tx: Transaction, actor: Actor, nodes: Sequence[Node]) -> dict[Node, list[Node]]:
    """What is one link away from each of these notes and facts, in either direction, among what the actor may read.

    A page's links are those of its facts too. Only notes that stand and are enabled, and facts in force, come back;
    a node without neighbours is left out.
    """
    found: dict[Node, dict[Node, None]] = {}
    note_ids = [str(name) for kind, name in nodes if kind == "note"]
    numbers = [str(name) for kind, name in nodes if kind == "fact"]
    for chunk in _chunks(note_ids):
        for row in tx.execute(_edges(actor, link.c.source_note_id.in_(chunk))):
            _add(found, ("note", row.source_note_id), ("note", row.target_note_id))
        for row in tx.execute(_edges(actor, link.c.target_note_id.in_(chunk))):
            is_fact = row.source_kind == "fact"
            other: Node = ("fact", int(row.source_id)) if is_fact else ("note", row.source_note_id)
            _add(found, ("note", row.target_note_id), other)
    for chunk in _chunks(numbers):
        for row in tx.execute(_edges(actor, (link.c.source_kind == "fact") & link.c.source_id.in_(chunk))):
            _add(found, ("fact", int(row.source_id)), ("note", row.target_note_id))
    return {node: list(others) for node, others in found.items()}


def _edges(actor: Actor, condition: ColumnElement[bool]) -> Select[Any]:
    source, target = note.alias("source"), note.alias("target")
    statement = select(link.c.source_kind, link.c.source_id, link.c.source_note_id, link.c.target_note_id)
    for end, column in ((source, link.c.source_note_id), (target, link.c.target_note_id)):
        joins = (end.c.vault_id == link.c.vault_id) & (end.c.id == column)
        statement = statement.join(end, joins).where(end.c.deleted_at.is_(None), end.c.disabled.is_(False))
    order = (link.c.source_note_id, link.c.source_id, link.c.target_key)
    return statement.where(condition, link.c.vault_id.in_(readable(actor))).order_by(*order)


def _add(found: dict[Node, dict[Node, None]], node: Node, other: Node) -> None:
    if node != other:
        found.setdefault(node, {}).setdefault(other)


def _chunks(names: Sequence[str]) -> Iterable[list[str]]:
    return (list(names[start : start + 400]) for start in range(0, len(names), 400))
