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

COUNTED = 2000
"""How many passages of a word are counted at each query; a word in more is frequent, and is counted seldom."""


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
        return [row[0] for row in tx.connection.exec_driver_sql(statement, (query, limit))]
    # The newest first would make PostgreSQL read and sort every match; within one query any `limit` of them do.
    statement = (
        "SELECT passage_id FROM passage_words WHERE vault_id = ANY(:vaults) "
        "AND words @@ CAST(:query AS tsquery) LIMIT :limit"
    )
    found = tx.execute(text(statement), {"query": query, "vaults": list(vault_ids), "limit": limit})
    return [row[0] for row in found]


def count_holding(tx: Transaction, *, vault_ids: Sequence[int], forms: Forms) -> int:
    """In how many passages of these vaults a word stands, counted up to `COUNTED`."""
    query = _any_of(tx, vault_ids, forms)
    if tx.is_sqlite:
        statement = "SELECT count(*) FROM (SELECT 1 FROM passage_words WHERE passage_words MATCH ? LIMIT ?)"
        return int(tx.connection.exec_driver_sql(statement, (query, COUNTED)).scalar_one())
    statement = (
        "SELECT count(*) FROM (SELECT 1 FROM passage_words WHERE vault_id = ANY(:vaults) "
        "AND words @@ CAST(:query AS tsquery) LIMIT :limit) AS counted"
    )
    values = {"query": query, "vaults": list(vault_ids), "limit": COUNTED}
    return int(tx.execute(text(statement), values).scalar_one())


def count_frequent(tx: Transaction, *, vault_ids: Sequence[int], forms: Forms) -> int:
    """In how many passages a frequent word stands: exact for each of its forms, of which the most frequent counts.

    Takes milliseconds on a large vault, so remember the answer for a while.
    """
    if tx.is_sqlite:
        statement = "SELECT doc FROM passage_words_vocabulary WHERE term = ?"
        counts = [
            sum(
                tx.connection.exec_driver_sql(statement, (term,)).scalar() or 0
                for vault in vault_ids
                for term in prefixed(vault, [form])
            )
            for form in forms
        ]
        return max(counts)
    statement = "SELECT count(*) FROM passage_words WHERE vault_id = ANY(:vaults) AND words @@ CAST(:query AS tsquery)"
    values = {"query": _any_of(tx, vault_ids, forms), "vaults": list(vault_ids)}
    return int(tx.execute(text(statement), values).scalar_one())


def find(
    tx: Transaction, *, vault_ids: Sequence[int], words: Sequence[Forms], frequencies: Sequence[int], limit: int
) -> list[int]:
    """Ids of passages worth scoring for a query, without repeats: about `limit` at most.

    Rare words come first, each with all its passages, until the limit is spent: what holds a rare word outranks what
    holds only frequent ones. What is left is spent on passages that hold several of the frequent words at once. A plain
    OR of frequent words would score nearly every passage of the vault.
    """
    order = sorted((count, place) for place, count in enumerate(frequencies) if count)
    found: dict[int, None] = {}
    common = []
    for count, place in order:
        if count >= COUNTED or len(found) + count > limit:
            common.append(words[place])
            continue
        query = _any_of(tx, vault_ids, words[place])
        found |= dict.fromkeys(_holding(tx, query, vault_ids=vault_ids, limit=limit))
    both = " AND " if tx.is_sqlite else " & "
    for kept in range(len(common), 0, -1):
        if len(found) >= limit:
            break
        query = both.join(f"({_any_of(tx, vault_ids, forms)})" for forms in common[:kept])
        found |= dict.fromkeys(_holding(tx, query, vault_ids=vault_ids, limit=limit - len(found)))
    return list(found)
