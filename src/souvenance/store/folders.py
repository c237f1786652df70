"""Watched folders as rows (V13). The caller was granted the vault, or is the machine's own background work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, insert, or_, select, update

from souvenance.domain.access import Actor
from souvenance.domain.folder import Condition, FolderStatus, WatchedFolder
from souvenance.store.access import readable
from souvenance.store.database import Transaction
from souvenance.store.tables import watched_folder as table


def _folder(row: Mapping[Any, Any]) -> WatchedFolder:
    values = dict(row)
    return WatchedFolder(
        **values
        | {
            "include": tuple(values["include"]),
            "exclude": tuple(values["exclude"]),
            "status": FolderStatus(values["status"]),
            "condition": Condition(values["condition"]),
            "wanted": bool(values["wanted"]),
        }
    )


def add_folder(tx: Transaction, item: WatchedFolder) -> None:
    """Write a new folder."""
    values = {column.name: getattr(item, column.name) for column in table.c}
    tx.execute(insert(table).values(values | {"include": list(item.include), "exclude": list(item.exclude)}))


def change_folder(tx: Transaction, item: WatchedFolder, **values: Any) -> None:
    """Change columns of one folder."""
    tx.execute(update(table).where(table.c.vault_id == item.vault_id, table.c.id == item.id).values(values))


def get_folder(tx: Transaction, *, vault_id: int, folder_id: str) -> WatchedFolder | None:
    """One folder as it stands now."""
    row = tx.execute(select(table).where(table.c.vault_id == vault_id, table.c.id == folder_id)).mappings().first()
    return None if row is None else _folder(row)


def find_folders(
    tx: Transaction, actor: Actor, condition: ColumnElement[bool] | None = None, *, unwatched: bool = False
) -> list[WatchedFolder]:
    """Folders of the vaults the actor may read, by path; those no longer watched only when asked."""
    statement = select(table).where(table.c.vault_id.in_(readable(actor)))
    if condition is not None:
        statement = statement.where(condition)
    if not unwatched:
        statement = statement.where(table.c.status != FolderStatus.UNWATCHED)
    return [_folder(row) for row in tx.execute(statement.order_by(table.c.path, table.c.id)).mappings()]


def vault_folders(tx: Transaction, *, vault_id: int) -> list[WatchedFolder]:
    """Every folder of a vault that was ever watched, by path."""
    statement = select(table).where(table.c.vault_id == vault_id).order_by(table.c.path)
    return [_folder(row) for row in tx.execute(statement).mappings()]


def all_watched(tx: Transaction) -> list[WatchedFolder]:
    """What the background keeps current, of every vault; attention is not asked (V3)."""
    statement = select(table).where(table.c.status == FolderStatus.WATCHED).order_by(table.c.path, table.c.id)
    return [_folder(row) for row in tx.execute(statement).mappings()]


def matches(ref: str) -> ColumnElement[bool]:
    """The condition that a folder is the one of this id or this path."""
    return or_(table.c.id == ref, table.c.path == ref)
