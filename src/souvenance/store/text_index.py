"""The index of words: FTS5 on SQLite, tsvector on PostgreSQL, both over the same normalised terms.

Each term is kept with its vault in front (`12_chat`): a query can only reach the vaults it names, and how rare a word
is can be asked of one vault. Only passages in force are in the index, so what is retired or trashed is gone before any
choice of the best (CASES 10).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import text

from souvenance.store.database import Transaction

Entry = tuple[int, int, str]
"""Vault id, passage id, and the passage's terms separated by spaces."""


def prefixed(vault_id: int, terms: Iterable[str]) -> list[str]:
    """Terms as they stand in the index of one vault."""
    return [f"{vault_id}_{term}" for term in terms]


def add(tx: Transaction, entries: Sequence[Entry]) -> None:
    """Put passages in the index."""
    if not entries:
        return
    if tx.is_sqlite:
        statement = "INSERT INTO passage_words (rowid, words) VALUES (?, ?)"
        rows = [(passage_id, " ".join(prefixed(vault, terms.split(" ")))) for vault, passage_id, terms in entries]
        tx.connection.exec_driver_sql(statement, rows)
        return
    tx.execute(
        text(
            "INSERT INTO passage_words (vault_id, passage_id, words) VALUES (:vault, :passage, "
            "array_to_tsvector(CAST(:words AS text[]))) "
            "ON CONFLICT (vault_id, passage_id) DO UPDATE SET words = excluded.words"
        ),
        [
            {"vault": vault, "passage": passage_id, "words": sorted(set(prefixed(vault, terms.split())))}
            for vault, passage_id, terms in entries
        ],
    )


def remove(tx: Transaction, entries: Sequence[Entry]) -> None:
    """Take passages out of the index; the terms must be those they were added with."""
    if not entries:
        return
    if tx.is_sqlite:
        statement = "INSERT INTO passage_words (passage_words, rowid, words) VALUES ('delete', ?, ?)"
        rows = [(passage_id, " ".join(prefixed(vault, terms.split(" ")))) for vault, passage_id, terms in entries]
        tx.connection.exec_driver_sql(statement, rows)
        return
    tx.execute(
        text("DELETE FROM passage_words WHERE vault_id = :vault AND passage_id = :passage"),
        [{"vault": vault, "passage": passage_id} for vault, passage_id, _ in entries],
    )
