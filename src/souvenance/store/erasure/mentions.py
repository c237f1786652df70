"""What the facts and notes of others say of a member by name (F7): listed, for a person to decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from sqlalchemy import Row, and_, or_, select

from souvenance.domain.erasure import Mention
from souvenance.domain.fact import SubjectKind, folded
from souvenance.store import text_index
from souvenance.store.database import Transaction
from souvenance.store.erasure.declared import Doomed
from souvenance.store.erasure.logs import names_in
from souvenance.store.tables import fact, note, passage
from souvenance.store.terms import analyse_query

MOST = 1000
"""Mentions listed at most."""
AT_A_TIME = 1000
"""Facts and passages looked into at a time: what holds the letters of a name may hold it in another word."""
AROUND = 60
NAME_KEYS = ("name", "nom", "first_name", "prenom", "nickname", "surnom", "pseudo")


def known_names(tx: Transaction, doomed: Doomed) -> list[str]:
    """What a member is called, as far as the facts about them say.

    The author of more than half of the facts about them that have one (people mostly speak of themselves), and what
    stands under keys such as « nom ».
    """
    statement = select(fact.c.author, fact.c.key, fact.c.content).where(
        fact.c.vault_id == doomed.vault_id, fact.c.number.in_(doomed.facts())
    )
    authors: Counter[str] = Counter()
    names: dict[str, None] = {}
    for row in tx.execute(statement):
        authors[row.author] += bool(row.author)
        if folded(row.key).replace(" ", "_") in NAME_KEYS and len(row.content) <= 80:
            names[row.content] = None
    said = sum(authors.values())
    return [*names, *(name for name, times in authors.items() if name and 2 * times > said and name not in names)]


def find_mentions(
    tx: Transaction, *, vaults: Collection[tuple[int, str]], member: str, names: Sequence[str]
) -> tuple[list[Mention], bool]:
    """Facts in any state, and notes, of these vaults (id, slug) that name the member and are not about them; and
    whether there are more than `MOST`, which are left out."""
    wanted = {folded(name): name for name in (*names, member) if len(folded(name)) > 1}
    every = chain.from_iterable(
        chain(_in_facts(tx, vault_id, slug, member, wanted), _in_notes(tx, vault_id, slug, wanted))
        for vault_id, slug in vaults
    )
    found = list(islice(every, MOST + 1))
    return found[:MOST], len(found) > MOST


def _in_facts(tx: Transaction, vault_id: int, slug: str, member: str, wanted: dict[str, str]) -> Iterator[Mention]:
    about = and_(fact.c.subject_kind == SubjectKind.MEMBER, fact.c.subject_id == member)
    says = or_(
        *(fact.c.folded.contains(name, autoescape=True) for name in wanted),
        *(fact.c.reason.icontains(name, autoescape=True) for name in {*wanted, *wanted.values()}),
    )
    columns = (fact.c.number, fact.c.note_id, fact.c.key, fact.c.content, fact.c.reason)
    last = 0
    while True:
        here = and_(fact.c.vault_id == vault_id, fact.c.number > last, ~about, says)
        rows = tx.execute(select(*columns).where(here).order_by(fact.c.number).limit(AT_A_TIME)).all()
        for row in rows:
            told = next((told for told in (row.content, row.key, row.reason) if names_in(folded(told), wanted)), None)
            if told is not None:
                name = names_in(folded(told), wanted)
                yield Mention(
                    vault=slug, fact=row.number, note=row.note_id, title=row.key, says=_around(told, name),
                    name=wanted[name],
                )  # fmt: skip
        if len(rows) < AT_A_TIME:
            return
        last = rows[-1].number


def _in_notes(tx: Transaction, vault_id: int, slug: str, wanted: dict[str, str]) -> Iterator[Mention]:
    seen: set[str] = set()
    for name, said in wanted.items():
        for row in _passages(tx, vault_id, said):
            if row.note_id not in seen and names_in(folded(f"{row.title} {row.text}"), [name]):
                seen.add(row.note_id)
                says = _around(row.text, name)
                yield Mention(vault=slug, fact=None, note=row.note_id, title=row.title, says=says, name=said)


def _passages(tx: Transaction, vault_id: int, said: str) -> Iterator[Row[Any]]:
    """The passages of notes that hold a word of a name. The index gives its first so many: asked for more until it has
    no more to give."""
    words = [(word.forms, 1) for word in analyse_query(said)]
    looked_into: set[int] = set()
    limit = AT_A_TIME
    while words:
        ids = text_index.find(tx, vault_ids=[vault_id], words=words, limit=limit)
        fresh = [one for one in ids if one not in looked_into]
        looked_into.update(fresh)
        for start in range(0, len(fresh), 500):
            here = and_(
                passage.c.vault_id == vault_id,
                passage.c.id.in_(fresh[start : start + 500]),
                passage.c.fact_number.is_(None),
            )
            joined = passage.join(note, and_(note.c.vault_id == passage.c.vault_id, note.c.id == passage.c.note_id))
            statement = select(passage.c.note_id, passage.c.text, note.c.title).select_from(joined).where(here)
            yield from tx.execute(statement).all()
        if len(ids) < limit:
            return
        limit *= 4


def _around(text: str, name: str) -> str:
    """The words around a name, on one line."""
    line = " ".join(text.split())
    at = max(folded(line).find(name), 0)
    start, end = max(0, at - AROUND), at + len(name) + AROUND
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"
