"""Bringing a store to this program's schema, in one transaction, after a backup. Imported only when there is work."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from sqlalchemy import text

if TYPE_CHECKING:
    from souvenance.store.database import Database

_LOCK = 7_046_902  # any constant: PostgreSQL processes that migrate at once queue on it


def alembic_config() -> Config:
    """Alembic pointed at the migrations that stand beside this file."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config


def upgrade(database: Database, found: str | None) -> None:
    """Upgrade to the newest schema. All of it happens or nothing does; a second process waits for the first."""
    if found is not None and database.is_sqlite:
        back_up(Path(str(database.url.database)), label=f"before-schema-{found}")
    with database.write() as tx:
        if not database.is_sqlite:
            tx.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config = alembic_config()
        config.attributes["connection"] = tx.connection
        command.upgrade(config, "head")


def back_up(path: Path, *, label: str) -> Path:
    """A consistent copy of a live SQLite store in `backups/` beside it, made through SQLite itself."""
    folder = path.parent / "backups"
    folder.mkdir(exist_ok=True, mode=0o700)
    target = folder / f"{path.stem}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{label}.db"
    source, copy = sqlite3.connect(path), sqlite3.connect(target)
    try:
        source.backup(copy)
    finally:
        copy.close()
        source.close()
    target.chmod(0o600)
    return target
