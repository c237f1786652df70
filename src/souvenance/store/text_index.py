"""The index of words: FTS5 on SQLite, tsvector on PostgreSQL, both over the same normalised terms.

Each term is kept with its vault in front (`12_chat`): a query can only reach the vaults it names, and how rare a word
is can be asked of one vault. Only passages in force are in the index, so what is retired or trashed is gone before any
choice of the best (CASES 10). The index proposes; scores are computed from the passages themselves, alike on both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import text

from souvenance.store.database import Transaction

Entry = tuple[int, int, str]
"""Vault id, passage id, and the passage's terms separated by spaces."""

Forms = tuple[str, ...]
"""One word of a query, as the terms it may be stored as."""

COUNTED = 500
"""How many passages of a word are counted at each query; a word in more is frequent, and its count is remembered."""


def prefixed(vault_id: int, terms: Iterable[str]) -> list[str]:
    """Terms as they stand in the index of one vault."""
    return [f"{vault_id}_{term}" for term in terms]


# --- writing ---------------------------------------------------------------------------------------------------


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


# --- asking ----------------------------------------------------------------------------------------------------


def _any_of(tx: Transaction, vault_ids: Sequence[int], forms: Forms) -> str:
    """A query for passages of these vaults that hold a word. Terms are letters and digits only, so nothing to escape
    but the quotes that keep the engine from reading them as operators."""
    quote = '"' if tx.is_sqlite else "'"
    either = " OR " if tx.is_sqlite else " | "
    return either.join(f"{quote}{term}{quote}" for vault in vault_ids for term in prefixed(vault, forms))


def _holding(tx: Transaction, query: str, *, vault_ids: Sequence[int], limit: int) -> list[int]:
    """Ids of at most `limit` passages, the newest first, that meet a query in the engine's own language."""
    if tx.is_sqlite:
        statement = "SELECT rowid FROM passage_words WHERE passage_words MATCH ? ORDER BY rowid DESC LIMIT ?"
        return [row[0] for row in tx.rows(statement, (query, limit))]
    # The newest first would make PostgreSQL read and sort every match; within one query any `limit` of them do.
    statement = (
        "SELECT passage_id FROM passage_words WHERE vault_id = ANY(:vaults) "
        "AND words @@ CAST(:query AS tsquery) LIMIT :limit"
    )
    found = tx.execute(text(statement), {"query": query, "vaults": list(vault_ids), "limit": limit})
    return [row[0] for row in found]


def count_holding(tx: Transaction, *, vault_ids: Sequence[int], forms: Forms, limit: int | None) -> int:
    """In how many passages of these vaults a word stands, counted up to `limit`.

    Without a limit it takes milliseconds for a frequent word of a large vault: remember the answer for a while.
    """
    query = _any_of(tx, vault_ids, forms)
    if not query:
        return 0  # no vault to ask: a memory that is still empty, or one whose vaults are all out of scope
    some = "" if limit is None else f" LIMIT {int(limit)}"
    if tx.is_sqlite:
        statement = f"SELECT count(*) FROM (SELECT 1 FROM passage_words WHERE passage_words MATCH ?{some})"  # noqa: S608
        return int(tx.rows(statement, (query,))[0][0])
    statement = (
        "SELECT count(*) FROM (SELECT 1 FROM passage_words WHERE vault_id = ANY(:vaults) "  # noqa: S608
        f"AND words @@ CAST(:query AS tsquery){some}) AS counted"
    )
    return int(tx.execute(text(statement), {"query": query, "vaults": list(vault_ids)}).scalar_one())


def find(tx: Transaction, *, vault_ids: Sequence[int], words: Sequence[tuple[Forms, int]], limit: int) -> list[int]:
    """Ids of passages worth scoring for a query, without repeats: about `limit` at most, in one to four queries.

    `words` come with their counts, the most telling first. Words that are rare enough bring all their passages, until
    the limit is spent: what holds a rare word outranks what holds only frequent ones. What is left is spent on the
    newest passages that hold the three, two or one most telling of the frequent words at once. A plain OR of frequent
    words would read nearly every passage of the vault.
    """
    known = [(forms, count) for forms, count in words if count]
    rare: list[Forms] = []
    frequent: list[Forms] = []
    left = limit
    for forms, count in known:
        if count <= left:
            rare.append(forms)
            left -= count
        else:
            frequent.append(forms)
    either, both = (" OR ", " AND ") if tx.is_sqlite else (" | ", " & ")
    found: dict[int, None] = {}
    if rare:
        query = either.join(_any_of(tx, vault_ids, forms) for forms in rare)
        found |= dict.fromkeys(_holding(tx, query, vault_ids=vault_ids, limit=limit))
    for kept in range(min(3, len(frequent)), 0, -1):
        left = limit - len(found)
        if left <= 0:
            break
        query = both.join(f"({_any_of(tx, vault_ids, forms)})" for forms in frequent[:kept])
        found |= dict.fromkeys(_holding(tx, query, vault_ids=vault_ids, limit=left if kept == 1 else left // 2 + 1))
    return list(found)
