"""What is left in the rows: what still holds a window rightfully, and what should not (F7, CASES 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import LargeBinary, Table, Text, select, text
from sqlalchemy.sql.sqltypes import JSON

from souvenance.store.columns import Vector
from souvenance.store.database import Transaction
from souvenance.store.erasure.declared import HELD, KEPT, LOGS
from souvenance.store.erasure.traces import NOTHING, Finder, Windows
from souvenance.store.tables import passage_vector

AT_A_TIME = 1000


def texts_of(table: Table) -> list[str]:
    """The columns of a table that may hold words: text, JSON and bytes."""
    kinds = (Text, JSON, LargeBinary, Vector)
    return [column.key for column in table.c if isinstance(column.type, kinds)]


def _values(tx: Transaction, table: Table, names: list[str]) -> Iterator[Any]:
    if names:
        columns = [table.c[name] for name in names]
        for row in tx.execute(select(*columns).execution_options(yield_per=AT_A_TIME)):
            yield from row


def rightful(tx: Transaction, windows: Windows, *, with_logs: bool) -> Windows:
    """Those of the windows that rows hold which an erasure leaves: another's fact may say the same (CASES 1).

    A short window is told by any row of any table, and by the schema itself: it may be a word of the program's.
    """
    if not len(windows):
        return NOTHING
    finder, found = Finder(windows), NOTHING
    for held in HELD:
        if held.table is not passage_vector or tx.is_sqlite:
            found = found.also(finder.found_in_values(_values(tx, held.table, texts_of(held.table))))
    for log in LOGS if with_logs else ():
        found = found.also(finder.found_in_values(_values(tx, log, texts_of(log))))
    for kept in KEPT:
        found = found.also(finder.found_in_values(_values(tx, kept.table, list(kept.names))))
    if len(windows.short):
        only_short = Finder(Windows(NOTHING.long, windows.short))
        for kept in KEPT:
            found = found.also(only_short.found_in_values(_values(tx, kept.table, texts_of(kept.table))))
        if tx.is_sqlite:
            schema = tx.execute(text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")).scalars()
            found = found.also(only_short.found_in_values(iter(schema)))
    return found


def in_kept_rows(tx: Transaction, windows: Windows) -> Windows:
    """Those of the windows that rows hold in which no content should ever stand, apart from people's own names."""
    finder, found = Finder(windows), NOTHING
    for kept in KEPT:
        names = [name for name in texts_of(kept.table) if name not in kept.names]
        found = found.also(finder.found_in_values(_values(tx, kept.table, names)))
    for log in LOGS:
        found = found.also(finder.found_in_values(_values(tx, log, texts_of(log))))
    return found
