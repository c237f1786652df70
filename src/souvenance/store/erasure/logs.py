"""Which entries of the retrieval log an erasure takes (F7, N11).

An entry that queried the vault, or found what stands in it by now, goes when it found something that is erased, when
it queried nothing else, when its query names the member, or when it holds a word or a piece of text that nothing which
is left holds. The others stay: what someone asked of all their vaults and found elsewhere says nothing of what is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import delete, select

from souvenance.domain.fact import folded
from souvenance.store.database import Transaction
from souvenance.store.erasure.declared import Doomed
from souvenance.store.erasure.lost import betraying
from souvenance.store.erasure.traces import Traces
from souvenance.store.retrievals import source_of as source
from souvenance.store.retrievals import vaults_in
from souvenance.store.tables import fact, membership, note, retrieval, vault

AT_A_TIME = 500
LONGEST = 4000
"""Characters of a question that are looked for, and logged, at most."""


class LogEntries:
    """The entries that queried one vault, or found something that has moved there since: `before` chooses by what they
    found, `after` by what they say."""

    def __init__(self, tx: Transaction, doomed: Doomed, *, names: Collection[str]) -> None:
        self._tx = tx
        self._doomed = doomed
        self._names = [folded(name) for name in names if name.strip()]
        row = tx.execute(select(vault.c.slug, vault.c.team_id).where(vault.c.id == doomed.vault_id)).one()
        self._slug = row.slug
        # Entries of before ids were kept name slugs, which are unique in a team: another's vault may have the same one.
        members = select(membership.c.user_id).where(membership.c.team_id == row.team_id)
        self._members = set(tx.execute(members).scalars())

    def before(self) -> set[int]:
        """Ids of those that found something which is about to go, or queried nothing else."""
        chosen: set[int] = set()
        for batch in self._batches():
            tops = {row["id"]: list(row["top"] or ()) for row in batch}
            doomed = gone(self._tx, self._doomed, [hit for hits in tops.values() for hit in hits])
            for row in batch:
                alone = self._doomed.member is None and self._queried(row)[1]
                if alone or any(source(hit) in doomed for hit in tops[row["id"]]) or self._names_them(row["query"]):
                    chosen.add(row["id"])
        return chosen

    def after(self, traces: Traces) -> set[int]:
        """Ids of those whose query holds words or pieces of text that nothing holds any more."""
        rows = (row for batch in self._batches() for row in batch)
        held = ((row["id"], row["query"], [row["query"], row["scope"], row["top"]]) for row in rows)
        return betraying(self._tx, traces, held)

    def asking(self, questions: Mapping[int, Collection[str]]) -> set[int]:
        """Ids of those with which these people (by id) asked these questions, to the letter, of whichever vaults."""
        chosen: set[int] = set()
        for user_id, asked in questions.items():
            queries = sorted({question[:LONGEST] for question in asked})
            for start in range(0, len(queries), AT_A_TIME):
                here = retrieval.c.query.in_(queries[start : start + AT_A_TIME])
                chosen |= set(
                    self._tx.execute(select(retrieval.c.id).where(retrieval.c.user_id == user_id, here)).scalars()
                )
        return chosen

    def remove(self, ids: Iterable[int], traces: Traces) -> None:
        """Delete these entries, and take note of what they asked."""
        numbers = sorted(ids)
        for start in range(0, len(numbers), AT_A_TIME):
            here = retrieval.c.id.in_(numbers[start : start + AT_A_TIME])
            for query in self._tx.execute(select(retrieval.c.query).where(here)).scalars():
                traces.add(query)
            self._tx.execute(delete(retrieval).where(here))

    def _batches(self) -> Iterable[list[Mapping[Any, Any]]]:
        here, last = Doomed(vault_id=self._doomed.vault_id), 0
        while True:
            statement = select(retrieval).where(retrieval.c.id > last).order_by(retrieval.c.id)
            rows = list(self._tx.execute(statement.limit(AT_A_TIME)).mappings())
            if not rows:
                return
            theirs = gone(self._tx, here, [hit for row in rows for hit in row["top"] or ()])
            yield [
                row for row in rows if self._queried(row)[0] or any(source(hit) in theirs for hit in row["top"] or ())
            ]
            last = rows[-1]["id"]

    def _queried(self, row: Mapping[Any, Any]) -> tuple[bool, bool]:
        """Whether an entry queried the vault, and whether it read no other."""
        ids = vaults_in(row["scope"])
        if ids is not None:
            read, asked = ids
            vault_id = self._doomed.vault_id
            return vault_id in (*read, *asked), (read or asked) == [vault_id]
        slugs = list(row["scope"].get("queried", ())) if row["user_id"] in self._members else []
        return self._slug in slugs, slugs == [self._slug]

    def _names_them(self, query: str) -> bool:
        return any(names_in(folded(query), [name]) for name in self._names)


def gone(tx: Transaction, doomed: Doomed, hits: Iterable[Mapping[str, Any]]) -> set[tuple[str, Any]]:
    """Of these hits (`number` of a fact, or `note`), the facts and notes that are about to go; see `source`."""
    given = list(hits)
    numbers = sorted({hit["number"] for hit in given if hit.get("number") is not None})
    ids = sorted({hit["note"] for hit in given if hit.get("note")})
    here_facts = [fact.c.vault_id == doomed.vault_id]
    here_notes = [note.c.vault_id == doomed.vault_id]
    if doomed.member is not None:
        here_facts.append(fact.c.number.in_(doomed.facts()))
        here_notes.append(note.c.id.in_(doomed.notes()))
    facts = tx.execute(select(fact.c.number).where(fact.c.number.in_(numbers), *here_facts)).scalars()
    notes = tx.execute(select(note.c.id).where(note.c.id.in_(ids), *here_notes)).scalars()
    return {("fact", number) for number in facts} | {("note", note_id) for note_id in notes}


def names_in(text: str, names: Iterable[str]) -> str:
    """The first of these folded names that stands in a folded text as whole words; empty where none does.

    Chinese, Japanese, Korean and Thai put no space around a name: there it is found anywhere.
    """
    for name in names:
        is_spaced = name.isascii() or not any(c > "\u0e00" for c in name)
        start = text.find(name)
        while start >= 0:
            around = text[max(start - 1, 0) : start] + text[start + len(name) : start + len(name) + 1]
            if not is_spaced or not any(c.isalnum() for c in around):
                return name
            start = text.find(name, start + 1)
    return ""
