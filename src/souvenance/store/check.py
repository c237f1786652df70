"""What can be wrong inside a store, as counts and lists: asked of the data itself, never of a book kept beside it.

Facts and notes are the truth; passages, their words and their vectors are derived and can be made again from them.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, exists, func, or_, select, text, update

from souvenance.domain.fact import State
from souvenance.domain.note import Note, NoteClass
from souvenance.store import passages, text_index
from souvenance.store.database import Transaction
from souvenance.store.facts import fact_of, in_state
from souvenance.store.notes import note_of
from souvenance.store.passages import fact_words, is_active
from souvenance.store.tables import (
    embedding_model,
    fact,
    link,
    note,
    passage,
    passage_vector,
    retrieval,
    revision,
    vault,
)

BATCH = 2000
DOCUMENTS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One thing of one vault."""

    vault_id: int
    id: int | str


def counts(tx: Transaction, *, only: Collection[str] | None = None) -> dict[str, int]:
    """How much there is of everything, or of what `only` names."""
    questions = {
        "vaults": select(func.count()).select_from(vault),
        "facts": select(func.count()).select_from(fact).where(in_state(State.IN_FORCE)),
        "facts_retired": select(func.count()).select_from(fact).where(in_state(State.RETIRED)),
        "facts_trashed": select(func.count()).select_from(fact).where(in_state(State.TRASHED)),
        "notes": select(func.count()).select_from(note).where(note.c.deleted_at.is_(None)),
        "notes_trashed": select(func.count()).select_from(note).where(note.c.deleted_at.is_not(None)),
        "passages": select(func.count()).select_from(passage).where(passage.c.active),
        "vectors": select(func.count()).select_from(passage_vector),
        "revisions": select(func.count()).select_from(revision),
        "retrievals": select(func.count()).select_from(retrieval),
    }
    asked = {name: question for name, question in questions.items() if only is None or name in only}
    return {name: int(tx.execute(question).scalar_one()) for name, question in asked.items()}


def integrity(tx: Transaction) -> list[str]:
    """What the engine itself finds wrong with its file; PostgreSQL looks after its own."""
    if not tx.is_sqlite:
        return []
    said = [str(row[0]) for row in tx.execute(text("PRAGMA integrity_check(20)"))]
    said = [] if said == ["ok"] else said
    orphans = len(tx.execute(text("PRAGMA foreign_key_check")).all())
    return said + ([f"{orphans} rows point at rows that are not there"] if orphans else [])


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What search finds of a note: one of its passages."""

    heading: str
    text: str
    active: bool


# --- passages --------------------------------------------------------------------------------------------------


def facts_to_index(tx: Transaction) -> list[Key]:
    """Facts whose passage is missing, double, or says something else than the fact."""
    here = and_(passage.c.vault_id == fact.c.vault_id, passage.c.fact_number == fact.c.number)
    said = [passage.c[name].label(f"said_{name}") for name in ("text", "heading", "speaker", "active", "note_id")]
    statement = select(fact, *said).outerjoin(passage, here).order_by(fact.c.vault_id, fact.c.number)
    found: dict[Key, None] = {}
    last: Key | None = None
    for row in tx.execute(statement).mappings():
        item = fact_of(row)
        key = Key(vault_id=item.vault_id, id=item.number)
        meant = (item.content, item.key, item.author, is_active(item), item.note_id)
        if key == last or tuple(row[column.name] for column in said) != meant:
            found[key] = None
        last = key
    return list(found)


def passages_of_nothing(tx: Transaction) -> list[Key]:
    """Passages whose fact or note is not there."""
    its_fact = exists().where(fact.c.vault_id == passage.c.vault_id, fact.c.number == passage.c.fact_number)
    its_note = exists().where(note.c.vault_id == passage.c.vault_id, note.c.id == passage.c.note_id)
    lost = or_(and_(passage.c.fact_number.is_not(None), ~its_fact), and_(passage.c.fact_number.is_(None), ~its_note))
    return _keys(tx, select(passage.c.vault_id, passage.c.id).where(lost))


def documents(tx: Transaction) -> Iterator[tuple[Note, list[Found]]]:
    """Every note that has a text of its own, with the passages search has of it, in order."""
    own = passage.c.fact_number.is_(None)
    last = ""
    while True:
        statement = select(note).where(note.c.note_class != NoteClass.AGENT_MEMORY, note.c.id > last)
        some = [note_of(row) for row in tx.execute(statement.order_by(note.c.id).limit(DOCUMENTS)).mappings()]
        held: dict[tuple[int, str], list[Found]] = {}
        ids = [item.id for item in some]
        for row in tx.execute(select(passage).where(own, passage.c.note_id.in_(ids)).order_by(passage.c.ordinal)):
            found = Found(heading=row.heading, text=row.text, active=bool(row.active))
            held.setdefault((row.vault_id, row.note_id), []).append(found)
        for item in some:
            yield item, held.get((item.vault_id, item.id), [])
        if len(some) < DOCUMENTS:
            return
        last = some[-1].id


def outdated_terms(tx: Transaction) -> list[Key]:
    """Passages of facts whose words are not those this program would look for."""
    here = and_(passage.c.vault_id == fact.c.vault_id, passage.c.fact_number == fact.c.number)
    statement = select(fact, passage.c.id.label("passage_id"), passage.c.terms).join(passage, here)
    return [
        Key(vault_id=row["vault_id"], id=row["passage_id"])
        for row in tx.execute(statement).mappings()
        if fact_words(fact_of(row)).terms != row["terms"]
    ]


def _keys(tx: Transaction, statement: Select[Any]) -> list[Key]:
    return [Key(**row) for row in tx.execute(statement).mappings()]


def index_facts(tx: Transaction, keys: Sequence[Key]) -> None:
    """Make the passages of these facts again; their place among what was said around them is the last."""
    for key in keys:
        here = (passage.c.vault_id == key.vault_id) & (passage.c.fact_number == key.id)
        ids = list(tx.execute(select(passage.c.id).where(here)).scalars())
        passages.remove_passages(tx, vault_id=key.vault_id, ids=ids)
        statement = select(fact).where(fact.c.vault_id == key.vault_id, fact.c.number == key.id)
        row = tx.execute(statement).mappings().first()
        if row is not None:
            item = fact_of(row)
            passages.add_fact_passages(tx, [(item, fact_words(item))])


def remove(tx: Transaction, keys: Sequence[Key]) -> None:
    """Take these passages away."""
    for vault_id in sorted({key.vault_id for key in keys}):
        passages.remove_passages(tx, vault_id=vault_id, ids=[int(key.id) for key in keys if key.vault_id == vault_id])


def renew_terms(tx: Transaction, keys: Sequence[Key]) -> None:
    """Analyse these passages of facts again; the text index is to be rebuilt after it."""
    for key in keys:
        here = and_(passage.c.vault_id == key.vault_id, passage.c.id == key.id)
        joined = and_(passage.c.vault_id == fact.c.vault_id, passage.c.fact_number == fact.c.number)
        row = tx.execute(select(fact).join(passage, joined).where(here)).mappings().first()
        if row is not None:
            words = fact_words(fact_of(row))
            tx.execute(update(passage).where(here).values(terms=words.terms, length=words.length))


# --- words -----------------------------------------------------------------------------------------------------


def index_against_passages(tx: Transaction) -> tuple[int, int]:
    """How many active passages the text index does not hold as they are, and how many entries belong to none."""
    return _compare_sqlite(tx) if tx.is_sqlite else _compare_postgresql(tx)


def _compare_sqlite(tx: Transaction) -> tuple[int, int]:
    """FTS5 keeps no copy of what it indexed, so each side is summed per passage: its terms and their checksums."""
    connection: Any = tx.connection.connection.driver_connection
    connection.create_function("souvenance_crc", 1, _checksum, deterministic=True)
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.held USING fts5vocab(main, passage_words, instance)")
    sums = connection.execute("SELECT doc, count(*), sum(souvenance_crc(term)) FROM held GROUP BY doc")
    held = {row[0]: (row[1], row[2]) for row in sums}
    wrong = 0
    for row in _active(tx):
        terms = set(text_index.prefixed(row["vault_id"], row["terms"].split(" ")))
        if held.pop(row["id"], None) != (len(terms), sum(map(_checksum, terms))):
            wrong += 1
    return wrong, len(held)


def _checksum(term: str) -> int:
    return zlib.crc32(term.encode())


def _compare_postgresql(tx: Transaction) -> tuple[int, int]:
    wrong = text(
        "SELECT count(*) FROM passage p LEFT JOIN passage_words w ON w.vault_id = p.vault_id AND w.passage_id = p.id "
        "WHERE p.active AND p.terms <> '' AND (w.passage_id IS NULL OR tsvector_to_array(w.words) IS DISTINCT FROM "
        "tsvector_to_array(array_to_tsvector(ARRAY(SELECT DISTINCT p.vault_id || '_' || term "
        "FROM unnest(string_to_array(p.terms, ' ')) AS term WHERE term <> ''))))"
    )
    stale = text(
        "SELECT count(*) FROM passage_words w LEFT JOIN passage p ON w.vault_id = p.vault_id AND w.passage_id = p.id "
        "WHERE p.id IS NULL OR NOT p.active OR p.terms = ''"
    )
    return int(tx.execute(wrong).scalar_one()), int(tx.execute(stale).scalar_one())


def _active(tx: Transaction) -> Iterator[Mapping[Any, Any]]:
    """Every passage that must be in the index, a batch at a time."""
    last = (-1, -1)
    while True:
        statement = (
            select(passage.c.vault_id, passage.c.id, passage.c.terms)
            .where(
                passage.c.active,
                passage.c.terms != "",
                or_(passage.c.vault_id > last[0], and_(passage.c.vault_id == last[0], passage.c.id > last[1])),
            )
            .order_by(passage.c.vault_id, passage.c.id)
            .limit(BATCH)
        )
        rows = tx.execute(statement).mappings().all()
        yield from rows
        if len(rows) < BATCH:
            return
        last = (rows[-1]["vault_id"], rows[-1]["id"])


def rebuild_index(tx: Transaction) -> int:
    """Make the whole text index again from the passages; how many it holds."""
    if tx.is_sqlite:
        tx.execute(text("INSERT INTO passage_words (passage_words) VALUES ('delete-all')"))
    else:
        tx.execute(text("DELETE FROM passage_words"))
    total, batch = 0, []
    for row in _active(tx):
        batch.append((row["vault_id"], row["id"], row["terms"]))
        if len(batch) == BATCH:
            text_index.add(tx, batch)
            total, batch = total + len(batch), []
    text_index.add(tx, batch)
    return total + len(batch)


# --- links and models -----------------------------------------------------------------------------------------


def links_to_nothing(tx: Transaction) -> list[Key]:
    """Ids of notes that links hold and that are not there."""
    there = exists().where(note.c.vault_id == link.c.vault_id, note.c.id == link.c.target_note_id)
    held = link.c.target_note_id.is_not(None)
    return _keys(tx, select(link.c.vault_id, link.c.target_note_id).where(held, ~there).distinct())


def loosen_links(tx: Transaction, keys: Sequence[Key]) -> None:
    """Let links to these notes wait for one of that title again."""
    for key in keys:
        here = and_(link.c.vault_id == key.vault_id, link.c.target_note_id == key.id)
        tx.execute(update(link).where(here).values(target_note_id=None))


def models(tx: Transaction) -> dict[str, int]:
    """Embedding models that have vectors here, and how many."""
    statement = (
        select(embedding_model.c.name, func.count().label("vectors"))
        .join(passage_vector, passage_vector.c.model_id == embedding_model.c.id)
        .group_by(embedding_model.c.name)
    )
    return {row.name: row.vectors for row in tx.execute(statement)}
