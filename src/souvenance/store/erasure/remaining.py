"""What is left in the rows: what still holds a window rightfully, and what should not (F7, CASES 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import LargeBinary, Table, Text, select, text
from sqlalchemy.sql.sqltypes import JSON

from souvenance.store import text_index
from souvenance.store.columns import Vector
from souvenance.store.database import Transaction
from souvenance.store.erasure.declared import HELD, KEPT, LOGS
from souvenance.store.erasure.traces import NOTHING, Finder, Windows
from souvenance.store.tables import passage, passage_vector

AT_A_TIME = 1000


def texts_of(table: Table) -> list[str]:
    """The columns of a table that may hold words: text, JSON and bytes."""
    kinds = (Text, JSON, LargeBinary, Vector)
    return [column.key for column in table.c if isinstance(column.type, kinds)]


def _values(tx: Transaction, table: Table, names: list[str]) -> Iterator[Any]:
    """What stands in these columns, the texts of a row as one: in the file they stand side by side."""
    if names:
        columns = [column for column in table.c if column.key in names]
        for row in tx.execute(select(*columns).execution_options(yield_per=AT_A_TIME)):
            yield "".join(value for value in row if isinstance(value, str))
            yield from (value for value in row if value is not None and not isinstance(value, str))


def rightful(tx: Transaction, windows: Windows, *, with_logs: bool, with_vectors: bool = True) -> Windows:
    """Those of the windows that rows hold which an erasure leaves: another's fact may say the same (CASES 1).

    A short window is told by any row of any table, and by the schema itself: it may be a word of the program's.
    """
    left = windows
    for names_only_short, values in _sources(tx, with_logs=with_logs, with_vectors=with_vectors):
        looked_for = Windows(NOTHING.long, left.short) if names_only_short else left
        if len(looked_for):
            left = left.without(Finder(looked_for).found_in_values(values))
        if not len(left):
            break
    return windows.without(left)


def _sources(tx: Transaction, *, with_logs: bool, with_vectors: bool) -> Iterator[tuple[bool, Iterable[Any]]]:
    """What holds windows rightfully, the likeliest first, and whether it may be told by for short ones only."""
    for held in reversed(HELD):
        if held.table is not passage_vector:
            yield False, _values(tx, held.table, texts_of(held.table))
    for log in LOGS if with_logs else ():
        yield False, _values(tx, log, texts_of(log))
    for kept in KEPT:
        yield False, _values(tx, kept.table, list(kept.names))
    for kept in KEPT:
        yield True, _values(tx, kept.table, texts_of(kept.table))
    if tx.is_sqlite:
        yield True, tx.execute(text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")).scalars()
        yield False, _index_terms(tx)
        if with_vectors:
            yield False, _values(tx, passage_vector, texts_of(passage_vector))


def _index_terms(tx: Transaction) -> Iterator[str]:
    """What stands in the index of words, each term with its vault in front: `2_chat` is a trace of no `bot_chat`."""
    statement = select(passage.c.vault_id, passage.c.terms).where(passage.c.active, passage.c.terms != "")
    for row in tx.execute(statement.execution_options(yield_per=AT_A_TIME)):
        yield " ".join(text_index.prefixed(row.vault_id, row.terms.split()))


def in_kept_rows(tx: Transaction, windows: Windows) -> Windows:
    """Those of the windows that rows hold in which no content should ever stand, apart from people's own names."""
    finder, found = Finder(windows), NOTHING
    for kept in KEPT:
        names = [name for name in texts_of(kept.table) if name not in kept.names]
        found = found.also(finder.found_in_values(_values(tx, kept.table, names)))
    for log in LOGS:
        found = found.also(finder.found_in_values(_values(tx, log, texts_of(log))))
    return found
