"""What the facts and notes of others say of a member by name (F7): listed, for a person to decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from sqlalchemy import and_, or_, select

from souvenance.domain.erasure import Mention
from souvenance.domain.fact import SubjectKind, folded
from souvenance.store import text_index
from souvenance.store.database import Transaction
from souvenance.store.erasure.declared import Doomed
from souvenance.store.erasure.logs import names_in
from souvenance.store.tables import fact, note, passage
from souvenance.store.terms import analyse_query

MOST = 1000
"""Mentions listed at most, and passages looked into for each name."""
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
) -> list[Mention]:
    """Facts in any state, and notes, of these vaults (id, slug) that name the member and are not about them."""
    wanted = {folded(name): name for name in (*names, member) if len(folded(name)) > 1}
    found: list[Mention] = []
    for vault_id, slug in vaults:
        found += _in_facts(tx, vault_id, slug, member, wanted)
        found += _in_notes(tx, vault_id, slug, wanted)
    return found[:MOST]


def _in_facts(tx: Transaction, vault_id: int, slug: str, member: str, wanted: dict[str, str]) -> list[Mention]:
    about = and_(fact.c.subject_kind == SubjectKind.MEMBER, fact.c.subject_id == member)
    says = or_(
        *(fact.c.folded.contains(name, autoescape=True) for name in wanted),
        *(fact.c.reason.icontains(name, autoescape=True) for name in {*wanted, *wanted.values()}),
    )
    columns = (fact.c.number, fact.c.note_id, fact.c.key, fact.c.content, fact.c.reason)
    statement = select(*columns).where(fact.c.vault_id == vault_id, ~about, says).order_by(fact.c.number).limit(MOST)
    found = []
    for row in tx.execute(statement):
        for text in (row.content, row.key, row.reason):
            name = names_in(folded(text), wanted)
            if name:
                says_so = _around(text, name)
                found.append(
                    Mention(
                        vault=slug, fact=row.number, note=row.note_id, title=row.key, says=says_so, name=wanted[name]
                    )
                )
                break
    return found


def _in_notes(tx: Transaction, vault_id: int, slug: str, wanted: dict[str, str]) -> list[Mention]:
    found: dict[str, Mention] = {}
    for name, said in wanted.items():
        words = [(word.forms, 1) for word in analyse_query(said)]
        ids = text_index.find(tx, vault_ids=[vault_id], words=words, limit=MOST)
        for start in range(0, len(ids), 500):
            here = and_(
                passage.c.vault_id == vault_id,
                passage.c.id.in_(ids[start : start + 500]),
                passage.c.fact_number.is_(None),
            )
            joined = passage.join(note, and_(note.c.vault_id == passage.c.vault_id, note.c.id == passage.c.note_id))
            statement = select(passage.c.note_id, passage.c.text, note.c.title).select_from(joined).where(here)
            for row in tx.execute(statement):
                if row.note_id not in found and names_in(folded(f"{row.title} {row.text}"), [name]):
                    says = _around(row.text, name)
                    found[row.note_id] = Mention(
                        vault=slug, fact=None, note=row.note_id, title=row.title, says=says, name=said
                    )
    return list(found.values())


def _around(text: str, name: str) -> str:
    """The words around a name, on one line."""
    line = " ".join(text.split())
    at = max(folded(line).find(name), 0)
    start, end = max(0, at - AROUND), at + len(name) + AROUND
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"
