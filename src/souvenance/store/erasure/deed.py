"""The deed: counting what would go, and taking it away, within one transaction (F7)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import ColumnElement, String, and_, cast, delete, func, insert, select, text

from souvenance.domain.fact import State
from souvenance.domain.folder import Condition, FolderStatus
from souvenance.store import proposals, text_index
from souvenance.store.database import Transaction
from souvenance.store.erasure.declared import HELD, Doomed, Held
from souvenance.store.erasure.traces import Traces
from souvenance.store.facts import in_state
from souvenance.store.tables import (
    fact,
    link,
    passage,
    passage_vector,
    revision,
    server,
    vector_change,
    watched_folder,
)
from souvenance.store.terms import analyse

AT_A_TIME = 1000


def count(tx: Transaction, doomed: Doomed) -> dict[str, int]:
    """How many of each kind would go. Facts count by where they stand; `words` are entries of the text index."""
    found: dict[str, int] = {}
    for held in HELD:
        here = held.condition(doomed)
        if held.table is fact:
            for state, name in _STATES.items():
                found[name] = _number(tx, held, and_(here, in_state(state)))
        else:
            found[held.kind] = _number(tx, held, here)
        if held.table is passage:
            found["words"] = _number(tx, held, and_(here, passage.c.active, passage.c.terms != ""))
    return found


_STATES = {State.IN_FORCE: "facts", State.RETIRED: "facts_retired", State.TRASHED: "facts_trashed"}


def _number(tx: Transaction, held: Held, condition: object) -> int:
    return int(tx.execute(select(func.count()).select_from(held.table).where(condition)).scalar_one())  # type: ignore[arg-type]


def remember_traces(tx: Transaction, doomed: Doomed, traces: Traces) -> None:
    """Take note of every text that is about to go, and close what was drafted of it."""
    for held in HELD:
        # PostgreSQL writes vectors in a form of its own, and nobody reads its files.
        if not held.words or (held.table is passage_vector and not tx.is_sqlite):
            continue
        columns = [held.table.c[name] for name in held.words]
        statement = select(*columns).where(held.condition(doomed)).execution_options(yield_per=AT_A_TIME)
        for row in tx.execute(statement):
            for name, value in zip(held.words, row, strict=True):
                if name == "terms":
                    traces.add_terms(value)
                else:
                    traces.add(value)

    (facts,) = (held for held in HELD if held.table is fact)
    numbers = tx.execute(select(fact.c.number).where(facts.condition(doomed))).scalars()
    for draft in proposals.close_drafts(tx, numbers):  # also where a fact stood before it moved here
        traces.add(draft)
    (revisions,) = (held for held in HELD if held.table is revision)
    past = select(revision.c.after).where(revisions.condition(doomed)).execution_options(yield_per=AT_A_TIME)
    # Analysing is most of the work. What a fact says now stands in its passage with its terms, which are noted already.
    analysed = _said_now(tx, facts.condition(doomed))
    for after in tx.execute(past).scalars():  # words that the text index holds no more; a query may
        told = after or {}
        said, language = str(told.get("content") or ""), told.get("language")
        once = hash((said, language))
        if once not in analysed:
            analysed.add(once)
            traces.add_terms(" ".join(analyse(said, language)))


def _said_now(tx: Transaction, condition: ColumnElement[bool]) -> set[int]:
    """Hashes of the contents, each with its language, that stand in the passages of these facts."""
    told = and_(passage.c.vault_id == fact.c.vault_id, passage.c.fact_number == fact.c.number)
    statement = select(fact.c.content, fact.c.language).join(passage, told).where(condition)
    statement = statement.where(passage.c.text == fact.c.content)
    return {hash((row.content, row.language)) for row in tx.execute(statement.execution_options(yield_per=AT_A_TIME))}


def take_away(tx: Transaction, doomed: Doomed) -> None:
    """Delete every row that goes, what is indexed of it, and what others hold of it in a vector."""
    if tx.is_sqlite:
        gone = select(passage_vector.c.vault_id, passage_vector.c.passage_id).distinct()
        (vectors,) = (held for held in HELD if held.table is passage_vector)
        # The indexes that processes hold in memory follow this log, and let go of what is in it.
        tx.execute(insert(vector_change).from_select(["vault_id", "passage_id"], gone.where(vectors.condition(doomed))))
        _take_words(tx, doomed)
    if doomed.member is not None:  # a link of others to a page that goes waits for another of that name
        lost = and_(link.c.vault_id == doomed.vault_id, link.c.target_note_id.in_(doomed.notes()))
        tx.execute(link.update().where(lost).values(target_note_id=None))
    for held in HELD:
        tx.execute(delete(held.table).where(held.condition(doomed)))


def _take_words(tx: Transaction, doomed: Doomed) -> None:
    """Take words out of FTS5, and then out of its segments.

    Deleting an entry only writes another that cancels it; both go when all segments are merged into one.
    """
    for batch in _indexed(tx, doomed):
        text_index.remove(tx, batch)
    tx.execute(text("INSERT INTO passage_words (passage_words) VALUES ('optimize')"))


def _indexed(tx: Transaction, doomed: Doomed) -> Iterator[list[text_index.Entry]]:
    (held,) = (held for held in HELD if held.table is passage)
    last = -1
    while True:
        statement = (
            select(passage.c.vault_id, passage.c.id, passage.c.terms)
            .where(held.condition(doomed), passage.c.active, passage.c.terms != "", passage.c.id > last)
            .order_by(passage.c.id)
            .limit(AT_A_TIME)
        )
        rows = [tuple(row) for row in tx.execute(statement)]
        if not rows:
            return
        yield rows
        last = rows[-1][1]


def suspend_folders(tx: Transaction, *, vault_id: int) -> int:
    """Suspend the watched folders of a vault; how many were watched. What stood in their reports goes too."""
    here = watched_folder.c.vault_id == vault_id
    watched = select(func.count()).where(here, watched_folder.c.status == FolderStatus.WATCHED)
    many = int(tx.execute(watched).scalar_one())
    tx.execute(
        watched_folder.update()
        .where(here, watched_folder.c.status == FolderStatus.WATCHED)
        .values(status=FolderStatus.SUSPENDED)
    )
    blank = {"reason": "", "condition": Condition.NEW, "done": 0, "total": 0, "scanned_at": None}
    tx.execute(watched_folder.update().where(here).values(blank))
    return many


def hear_from(tx: Transaction, *, vault_id: int, at: datetime) -> None:
    """What was said in a Discord server before this moment is not put before a model again, nor learnt from."""
    tx.execute(server.update().where(server.c.vault_id == vault_id).values(heard_from=at, updated_at=at))


def count_watched(tx: Transaction, *, vault_id: int) -> int:
    """How many watched folders of a vault would be suspended."""
    here = and_(watched_folder.c.vault_id == vault_id, watched_folder.c.status == FolderStatus.WATCHED)
    return int(tx.execute(select(func.count()).select_from(watched_folder).where(here)).scalar_one())


def strays(tx: Transaction, *, vault_id: int) -> int:
    """Passages, revisions and links of a vault whose fact is not there: as many after a deed as before, or it was not
    whole."""
    numbers = select(fact.c.number).where(fact.c.vault_id == vault_id)
    named = select(cast(fact.c.number, String)).where(fact.c.vault_id == vault_id)
    conditions = (
        (passage, and_(passage.c.fact_number.is_not(None), passage.c.fact_number.not_in(numbers))),
        (revision, and_(revision.c.kind == "fact", revision.c.subject_ref.not_in(named))),
        (link, and_(link.c.source_kind == "fact", link.c.source_id.not_in(named))),
    )
    return sum(
        int(tx.execute(select(func.count()).select_from(table).where(table.c.vault_id == vault_id, lost)).scalar_one())
        for table, lost in conditions
    )
