"""Opening the store and running transactions on it, the same way on SQLite and on PostgreSQL."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    CursorResult,
    Engine,
    Executable,
    Table,
    create_engine,
    event,
    exc,
    insert,
    text,
    update,
)
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import URL, make_url

from souvenance.domain.clock import SharedClock
from souvenance.domain.errors import (
    Conflict,
    InvalidInput,
    SouvenanceError,
    StoreDamaged,
    StoreTooNew,
    StoreUnavailable,
)
from souvenance.store import tables

SCHEMA_REVISION = "0007"
BUSY_SECONDS = 60.0
CHANGE_CHANNEL = "souvenance_change"
EVERYTHING = "*"
"""Said in place of what changed when it is too much to list."""
LONGEST_NOTICE = 7000
"""PostgreSQL carries just under 8000 bytes."""
_WRITE = "souvenance_write"
_WRITERS = 7_046_903  # any constant: what every PostgreSQL writer shares and an erasure holds alone


def sqlite_url(data: Path) -> str:
    """The URL of the embedded store in a data folder, whatever characters its name holds."""
    return URL.create("sqlite", database=str(data / "souvenance.db")).render_as_string()


class Transaction:
    """One open transaction, as every query of the store takes it."""

    __slots__ = ("connection", "is_sqlite", "is_write", "marks")

    def __init__(self, connection: Connection, *, is_sqlite: bool, is_write: bool) -> None:
        self.connection = connection
        self.is_sqlite = is_sqlite
        self.is_write = is_write
        self.marks: set[str] = set()

    def mark(self, kind: str, name: int) -> None:
        """Say what this transaction changes (see change_feed), for whoever follows changes; told when it is durable."""
        self.marks.add(f"{kind}:{name}")

    def execute(
        self, statement: Executable, values: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    ) -> CursorResult[Any]:
        """Run one statement, once per mapping where several are given."""
        return self.connection.execute(statement, values)

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of a read in SQLite's own language, as tuples: for what every search asks, where the layers between
        would take longer than SQLite does. Errors are those of `execute`.
        """
        driver = self.connection.connection.driver_connection
        if driver is None:
            raise RuntimeError("the connection was given back")
        try:
            found: list[Any] = driver.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise exc.DBAPIError.instance(statement, None, error, sqlite3.Error) from error
        return found

    def add_rows(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows that all name the same columns: what bulk writes spend their time on, straight to SQLite."""
        if not rows:
            return
        if not self.is_sqlite:
            self.execute(insert(table), rows)
            return
        names = list(rows[0])
        dialect = self.connection.dialect
        kept_as = {name: table.c[name].type.dialect_impl(dialect).bind_processor(dialect) for name in names}
        columns = [
            [row[name] for row in rows] if process is None else [process(row[name]) for row in rows]
            for name, process in kept_as.items()
        ]
        named = ", ".join(table.c[name].name for name in names)
        statement = f"INSERT INTO {table.name} ({named}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608
        self.connection.exec_driver_sql(statement, list(zip(*columns, strict=True)))

    def hold(self, *names: object) -> None:
        """Make others who would do the same thing at once wait until this transaction ends.

        For what is looked up first and made where it is missing. Writers to SQLite wait for each other anyway.
        """
        if not self.is_sqlite:
            statement = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
            self.execute(statement, {"name": ":".join(map(str, names))})

    def hold_vault(self, *vault_ids: int) -> None:
        """Make other writers of what these vaults hold wait until this transaction ends, as all writers to SQLite do.

        To be held before what is to be changed is read: what was read earlier may have changed meanwhile. Vaults are
        held by rising id, so that two who hold several do not wait for each other.
        """
        for vault_id in sorted(set(vault_ids)):
            self.hold("vault", vault_id)

    def next_numbers(self, series: str, count: int = 1) -> Sequence[int]:
        """Reserve `count` rising numbers of a series (`fact_number`, `passage_id`).

        A number is never given twice; on PostgreSQL a rolled-back or concurrent transaction leaves gaps.
        """
        if count < 1:
            return ()
        if self.is_sqlite:
            return self._next_counted(series, count)
        statement = text("SELECT nextval(CAST(:series AS regclass)) FROM generate_series(1, :count)")
        return self.execute(statement, {"series": series, "count": count}).scalars().all()

    def _next_counted(self, name: str, count: int) -> range:
        column = tables.counter.c
        raised = update(tables.counter).where(column.name == name).values(value=column.value + count)
        last = self.execute(raised.returning(column.value)).scalar_one_or_none()
        if last is None:
            self.execute(insert(tables.counter).values(name=name, value=count))
            last = count
        return range(last - count + 1, last + 1)

    def table_exists(self, name: str) -> bool:
        """Whether the store has that table."""
        if self.is_sqlite:
            query = text("SELECT count(*) FROM sqlite_master WHERE name = :name")
        else:
            query = text("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = :name")
        return bool(self.execute(query, {"name": name}).scalar())


class Database:
    """One store. `read()` and `write()` are its only doors; neither may stay open across a model or network call.

    `clock` is the time that all who share it go by: PostgreSQL's own, which it tells with every write; on SQLite this
    machine's.
    """

    def __init__(self, url: str) -> None:
        try:
            self.url: URL = make_url(url)
        except exc.ArgumentError:
            raise InvalidInput(
                "The database URL cannot be read.", hint="Write it as postgresql://user:password@host/name."
            ) from None
        if self.url.drivername in {"postgresql", "postgres"}:
            self.url = self.url.set(drivername="postgresql+psycopg")
        if self.url.get_backend_name() not in {"sqlite", "postgresql"}:
            raise InvalidInput("Souvenance stores in SQLite or PostgreSQL.", hint="Use a postgresql:// URL.")
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        # Threads of this process wait for each other here, not on the file as other processes do.
        self._writer = threading.Lock() if self.is_sqlite else contextlib.nullcontext()
        self.clock = SharedClock()
        self._engine = self._create_engine()

    # --- transactions ------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def read(self) -> Iterator[Transaction]:
        """A consistent view: what others write meanwhile is not in it, and nothing written through it is kept."""
        with self._transaction(write=False) as transaction:
            yield transaction

    @contextlib.contextmanager
    def write(self, *, alone: bool = False) -> Iterator[Transaction]:
        """A transaction that is durable when the block ends, and leaves no trace when it raises.

        `alone`: it begins when no other write transaction is under way, and none begins until it ends. On SQLite all
        are so.
        """
        with self._writer, self._transaction(write=True) as transaction:
            if not self.is_sqlite:
                kind = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
                since = self.clock.process()
                told = transaction.execute(text(f"SELECT {kind}(:lock), clock_timestamp()"), {"lock": _WRITERS})
                self.clock.heard(told.scalars(1).one(), since=since)
            yield transaction

    @contextlib.contextmanager
    def maintenance(self) -> Iterator[Any]:
        """A driver's connection outside any transaction, while no other thread of this process writes: for what is
        done to the store as a whole."""
        with self._writer:
            connection = self.private_connection()
            try:
                yield connection
            finally:
                connection.close()

    @contextlib.contextmanager
    def _transaction(self, *, write: bool) -> Iterator[Transaction]:
        committing = False
        try:
            with self._engine.connect() as connection:
                connection.execution_options(**{_WRITE: write})
                if not (write or self.is_sqlite):
                    connection.execution_options(isolation_level="REPEATABLE READ")
                with connection.begin():
                    transaction = Transaction(connection, is_sqlite=self.is_sqlite, is_write=write)
                    yield transaction
                    if write:
                        _tell(transaction)
                        committing = True
        except exc.DBAPIError as error:
            raise translated(error, committing=committing) from error
        except OverflowError as error:
            if "SQLite INTEGER" not in str(error):
                raise
            raise _too_large() from error
        except exc.TimeoutError as error:
            raise StoreUnavailable(
                "Too much is asked of the database at once; nothing was written.", hint="Try again in a moment."
            ) from error

    def private_connection(self) -> Any:
        """A driver's connection outside the pool and outside any transaction, for a listener; its caller closes it."""
        pooled = self._engine.raw_connection()
        connection = pooled.driver_connection
        pooled.detach()
        return connection

    # --- opening -----------------------------------------------------------------------------------------------

    def open(self) -> Database:
        """Make the schema current, waiting for another process that is doing so. Idempotent and cheap when current."""
        if self.is_sqlite and self.url.database not in {None, "", ":memory:"}:
            self._prepare_folder(Path(str(self.url.database)))
        found = self._schema_revision()
        if found != SCHEMA_REVISION:
            from souvenance.store.migrate import upgrade

            upgrade(self, found)
        return self

    def require_current(self) -> str:
        """The schema's revision; StoreUnavailable when the store cannot be reached or has another one."""
        found = self._schema_revision()
        if found != SCHEMA_REVISION:
            raise StoreUnavailable(
                f"The store has schema {found}; this program works with {SCHEMA_REVISION}.",
                hint="Restart Souvenance: it upgrades the store when it opens it.",
            )
        return found

    def close(self) -> None:
        """Give every connection back."""
        self._engine.dispose()

    def _schema_revision(self) -> str | None:
        """The revision in the store, None for an empty one; a clear refusal when it is not one of ours or too new."""
        with self.read() as tx:
            if not self.is_sqlite:
                since = self.clock.process()
                self.clock.heard(tx.execute(text("SELECT clock_timestamp()")).scalar_one(), since=since)
            exists = tx.table_exists("alembic_version")
            found = tx.execute(text("SELECT version_num FROM alembic_version")).scalar() if exists else None
            if found is None and tx.table_exists("fact"):
                raise StoreDamaged("This database holds tables of another program.", hint="Choose another data folder.")
        if found is not None and str(found) > SCHEMA_REVISION:
            raise StoreTooNew(
                f"This memory was written by a newer Souvenance (schema {found}; this one knows {SCHEMA_REVISION}).",
                hint="Upgrade Souvenance, or point --data at another folder. Nothing was changed.",
            )
        return None if found is None else str(found)

    def _prepare_folder(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not path.exists():
                # Made by hand first so that nobody else can ever read it, whatever the umask.
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise StoreUnavailable(
                f"The data folder {path.parent} cannot be used: {error.strerror}.",
                hint="Choose a folder you may write to with --data or SOUVENANCE_DATA.",
            ) from error

    def _create_engine(self) -> Engine:
        if not self.is_sqlite:
            return create_engine(self.url, pool_pre_ping=True, pool_size=5, max_overflow=30)
        pool = {"pool_size": 10, "max_overflow": 40} if self.url.database not in {None, "", ":memory:"} else {}
        engine = create_engine(self.url, connect_args={"timeout": BUSY_SECONDS, "cached_statements": 512}, **pool)
        event.listen(engine, "do_connect", _connect_unchanging)
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine


def _connect_unchanging(_dialect: Any, _record: Any, arguments: Any, options: Any) -> sqlite3.Connection | None:
    """A file on a disk that is mounted read-only, opened as one that nobody changes: SQLite reads it in no other way.

    None, which is the usual way, everywhere else, and where another process has it open through a mount of its own.
    """
    path = Path(str(arguments[0]))
    if not hasattr(os, "statvfs") or not path.is_file() or not os.statvfs(path).f_flag & os.ST_RDONLY:
        return None
    beside = [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm")]
    if any(file.exists() and file.stat().st_size for file in beside):
        return None
    connection: sqlite3.Connection = sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True, **options)
    return connection


def _configure_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun by us, so that writers take the lock at once
    cursor = connection.cursor()
    try:
        if cursor.execute("PRAGMA journal_mode").fetchone()[0].lower() != "wal":
            _enter_wal(cursor)
        cursor.execute("PRAGMA synchronous=FULL")  # acknowledged means durable, also through a power cut
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA secure_delete=ON")
        cursor.execute("PRAGMA cache_size=-32768")
        # 16 MiB of log before it is carried over: writes in a row touch the same pages, which are then carried once.
        cursor.execute("PRAGMA wal_autocheckpoint=4000")
        cursor.execute("PRAGMA temp_store=MEMORY")
    finally:
        cursor.close()


def _enter_wal(cursor: sqlite3.Cursor) -> None:
    """Switch to write-ahead logging; the busy timeout does not cover this statement, so wait for others by hand."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                if "readonly" in str(error):
                    return  # a read-only file can still be read
                raise
            time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get(_WRITE, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _tell(tx: Transaction) -> None:
    """Leave word of what a write transaction changed: PostgreSQL carries it, on SQLite it waits in a table."""
    marks = sorted(tx.marks)
    if not tx.is_sqlite:
        said = ",".join(marks)
        said = said if len(said) < LONGEST_NOTICE else EVERYTHING
        notice = text("SELECT pg_notify(:channel, pg_current_xact_id()::text || ' ' || :said)")
        tx.execute(notice, {"channel": CHANGE_CHANNEL, "said": said})
    elif marks:
        (seq,) = tx.next_numbers("change_mark")
        statement = sqlite_insert(tables.change_mark)
        statement = statement.on_conflict_do_update(index_elements=["name"], set_={"seq": statement.excluded.seq})
        tx.execute(statement, [{"name": name, "seq": seq} for name in marks])


def translated(error: exc.DBAPIError, *, committing: bool = False) -> SouvenanceError:
    """What went wrong in the database, in words a person can act on; never the statement or its values.

    `committing`: it was asked to make the transaction durable, and nobody knows whether it did before it was lost.
    Told by the code of the engine alone: its message may quote what somebody wrote.
    """
    code = _code(error)
    if code in {"SQLITE_CORRUPT", "SQLITE_NOTADB"}:
        return StoreDamaged(
            "The database file is damaged or is not a Souvenance database.",
            hint="Run `souvenance doctor`; restore the newest file of the backups folder if it confirms it.",
        )
    if code in {"SQLITE_READONLY", "25006"}:
        return StoreUnavailable("The database is read-only.", hint="Make its file and folder writable, or use another.")
    if code in {"SQLITE_FULL", "53100"}:
        return StoreUnavailable(
            "The disk is full; this was not written.", hint="Free some space and send the same request again."
        )
    if code in {"SQLITE_BUSY", "SQLITE_LOCKED"}:
        return StoreUnavailable(
            f"The database stayed locked for {BUSY_SECONDS:.0f} seconds; this was not written.",
            hint="Another program holds it open in a transaction; close it and try again.",
        )
    if code in {"40P01", "40001", "55P03"}:
        return StoreUnavailable(
            "Two writers waited for each other; this was not written.", hint="Send the same request again."
        )
    if code in {"SQLITE_CONSTRAINT", "23505"}:
        return Conflict(
            "Something of that name or place was written at the same moment; this was not written.",
            hint="Look at what is there now, then try again.",
        )
    if code == "22003":
        return _too_large()
    if code in {"SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH", "42501"}:
        return StoreUnavailable(
            "The database cannot be opened.",
            hint="Its folder must be one that can be written to, also for reading, unless the whole disk is read-only. "
            "`souvenance doctor` says what is wrong with it.",
        )
    if isinstance(error, exc.OperationalError) or error.connection_invalidated:
        if committing:
            return StoreUnavailable(
                "The database was lost just as this was written: all of it was kept, or none.",
                hint="When it runs again, look whether it is there; if not, send the same request again.",
            )
        return StoreUnavailable(
            "The database cannot be reached; this was not written.", hint="Check that it is running."
        )
    return StoreUnavailable(f"The database refused the request ({type(error.orig).__name__}); this was not written.")


def _code(error: exc.DBAPIError) -> str:
    """PostgreSQL's SQLSTATE, or SQLite's primary result code by name; empty where the driver gives none."""
    state = getattr(error.orig, "sqlstate", None)
    if state:
        return str(state)
    name = str(getattr(error.orig, "sqlite_errorname", None) or "")
    return "_".join(name.split("_")[:2])


def _too_large() -> InvalidInput:
    return InvalidInput("A number is too large for anything this memory holds.", hint="Give a smaller one.")
