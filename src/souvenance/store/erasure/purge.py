"""The purge: what deleting leaves in the database's own files is taken out of them, and the files are read (F7).

Deleting with `secure_delete` is not enough. When a page is split, SQLite moves cells to another page and may leave
their bytes behind in the first one's free space, where no later deletion finds them (seen at once under a few thousand
random writes). So the file is written anew from the rows that are left (VACUUM), and the write-ahead log cut to no
byte. Both need that nobody holds an older state open; who does is waited for in the background.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from souvenance.domain.erasure import WITH_THE_ADMINISTRATOR, Hindrance
from souvenance.domain.errors import SouvenanceError
from souvenance.store.database import Database
from souvenance.store.erasure.declared import HELD, LOGS
from souvenance.store.erasure.file_reader import search_files
from souvenance.store.erasure.remaining import in_kept_rows, rightful
from souvenance.store.erasure.traces import Windows

PATIENCE = 2.0
"""Seconds for which a reader of an older state is waited for before the purge is left pending."""
IN_MEMORY = 256 * 1024 * 1024
"""Bytes of a database above which it is rebuilt through a temporary file instead of memory."""


def rewrite(database: Database, *, patience: float = PATIENCE) -> Hindrance | None:
    """Write the store anew without what was deleted; None when that is done, else what stands against it."""
    try:
        return _rewrite_sqlite(database, patience) if database.is_sqlite else _vacuum_postgresql(database)
    except (sqlite3.Error, SouvenanceError, OSError):
        return Hindrance.STORE


def _rewrite_sqlite(database: Database, patience: float) -> Hindrance | None:
    with database.maintenance() as connection:
        connection.execute(f"PRAGMA busy_timeout={int(patience * 1000)}")
        # First, so that a reader in the way costs no rewriting that has to be done again.
        if not _cut_log(connection):
            return Hindrance.READER
        pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        connection.execute(f"PRAGMA temp_store={'FILE' if pages * size > IN_MEMORY else 'MEMORY'}")
        connection.execute("VACUUM")
        return None if _cut_log(connection) else Hindrance.READER


def _cut_log(connection: Any) -> bool:
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _vacuum_postgresql(database: Database) -> Hindrance | None:
    """Let PostgreSQL reuse the space of dead rows. It overwrites nothing at once, which the receipt says.

    An inverted index keeps every word it ever held, so that of words is made anew.
    """
    import psycopg

    with database.maintenance() as connection:
        connection.autocommit = True
        try:
            for table in (*(held.table for held in HELD), *LOGS):
                connection.execute(f'VACUUM "{table.name}"')
            connection.execute("VACUUM passage_words")
            connection.execute("REINDEX INDEX ix_passage_words")
        except psycopg.Error:  # without the right to do so it is left to autovacuum
            return None
    return None


def find_traces(database: Database, windows: Windows) -> Windows:
    """What of these windows stands where it should not: in the files (SQLite), in rows (PostgreSQL)."""
    if database.is_sqlite:
        found = search_files(files(database), windows)
    else:
        with database.read() as tx:
            found = in_kept_rows(tx, windows)
    if not len(found):
        return found
    with database.read() as tx:
        return found.without(rightful(tx, found, with_logs=True))


def files(database: Database) -> list[Path]:
    """The files of a SQLite store: the database, its write-ahead log, and the index of that."""
    path = str(database.url.database)
    return [Path(path), Path(f"{path}-wal"), Path(f"{path}-shm")]


def beyond_reach(database: Database) -> list[str]:
    """What may still hold what was erased, and is not the database's own files: backups by name (R4)."""
    if not database.is_sqlite:
        return list(WITH_THE_ADMINISTRATOR)
    folder = Path(str(database.url.database)).parent / "backups"
    return sorted(f"backups/{path.name}" for path in folder.glob("*") if path.is_file())
