"""What is known of the files of watched folders, as rows (V13). The caller was granted the vault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.domain.folder import FileState, WatchedFile, WatchedFolder
from souvenance.store.database import Transaction
from souvenance.store.tables import watched_file as table
from souvenance.store.tables import watched_folder as folder_table

PROBLEMS = (FileState.FAILED, FileState.REFUSED)


def _file(row: Mapping[Any, Any]) -> WatchedFile:
    return WatchedFile(**dict(row) | {"path": bytes(row["path"]), "state": FileState(row["state"])})


def _of(folder: WatchedFolder) -> ColumnElement[bool]:
    return (table.c.vault_id == folder.vault_id) & (table.c.folder_id == folder.id)


def _below(path: bytes) -> ColumnElement[bool]:
    # From "a/" up to "a0": the byte after the slash, so that the key's own order answers.
    return or_(table.c.path == path, (table.c.path >= path + b"/") & (table.c.path < path + b"0"))


def known_files(tx: Transaction, folder: WatchedFolder, *, below: bytes = b"") -> list[WatchedFile]:
    """The files known of a folder, or of one path in it and what stands below, by path."""
    statement = select(table).where(_of(folder))
    if below:
        statement = statement.where(_below(below))
    return [_file(row) for row in tx.execute(statement.order_by(table.c.path)).mappings()]


def get_file(tx: Transaction, folder: WatchedFolder, path: bytes) -> WatchedFile | None:
    """One file as it is known now."""
    row = tx.execute(select(table).where(_of(folder), table.c.path == path)).mappings().first()
    return None if row is None else _file(row)


def put_file(tx: Transaction, item: WatchedFile) -> None:
    """Write what is known of a file now."""
    make = sqlite_insert if tx.is_sqlite else postgresql_insert
    values = {column.name: getattr(item, column.name) for column in table.c}
    keys = ("vault_id", "folder_id", "path")
    statement = make(table).values(values)
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=list(keys),
            set_={name: statement.excluded[name] for name in values if name not in keys},
        )
    )


def forget_file(tx: Transaction, item: WatchedFile) -> None:
    """Drop what is known of a file; its note is left alone."""
    here = (table.c.vault_id == item.vault_id) & (table.c.folder_id == item.folder_id) & (table.c.path == item.path)
    tx.execute(delete(table).where(here))


def same_content(tx: Transaction, *, vault_id: int, digest: str) -> list[WatchedFile]:
    """Files of a vault with that content that are, or were, a note."""
    statement = select(table).where(
        table.c.vault_id == vault_id,
        table.c.hash == digest,
        table.c.note_id.is_not(None),
        table.c.state.in_([FileState.TAKEN, FileState.GONE]),
    )
    return [_file(row) for row in tx.execute(statement.order_by(table.c.folder_id, table.c.path)).mappings()]


def count_states(tx: Transaction, folder: WatchedFolder) -> dict[FileState, int]:
    """How many files of a folder are in each state."""
    statement = select(table.c.state, func.count().label("many")).where(_of(folder)).group_by(table.c.state)
    return {FileState(row.state): int(row.many) for row in tx.execute(statement)}


def problem_files(tx: Transaction, folder: WatchedFolder, *, limit: int, offset: int) -> list[WatchedFile]:
    """The files that could not be read or were refused, by path."""
    statement = select(table).where(_of(folder), table.c.state.in_(PROBLEMS)).order_by(table.c.path)
    return [_file(row) for row in tx.execute(statement.limit(limit).offset(offset)).mappings()]


def taken_notes(tx: Transaction, folder: WatchedFolder, *, limit: int) -> list[WatchedFile]:
    """Some of the files that are notes."""
    statement = select(table).where(_of(folder), table.c.state == FileState.TAKEN).order_by(table.c.path).limit(limit)
    return [_file(row) for row in tx.execute(statement).mappings()]


def file_of(tx: Transaction, *, vault_id: int, note_id: str) -> tuple[str, WatchedFile] | None:
    """The file an ingested note was taken from, and the path of the folder it stands in."""
    joined = (folder_table.c.vault_id == table.c.vault_id) & (folder_table.c.id == table.c.folder_id)
    statement = select(table, folder_table.c.path.label("root")).join(folder_table, joined)
    here = (table.c.vault_id == vault_id) & (folder_table.c.vault_id == vault_id) & (table.c.note_id == note_id)
    row = tx.execute(statement.where(here).order_by(table.c.taken_at.desc()).limit(1)).mappings().first()
    if row is None:
        return None
    values = dict(row)
    return str(values.pop("root")), _file(values)


def set_state(tx: Transaction, item: WatchedFile, state: FileState) -> None:
    """Say that a file is in another state than before."""
    here = (table.c.vault_id == item.vault_id) & (table.c.folder_id == item.folder_id) & (table.c.path == item.path)
    tx.execute(update(table).where(here).values(state=state))
