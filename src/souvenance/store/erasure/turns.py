"""Which turns of conversations an erasure takes, and what goes with them (F7, V7).

With a vault goes every turn that was made from it, and every turn that names a fact or note of it among what was put
before the model or what it wrote. With a member goes every turn that names a fact or page that goes; of the others that
have to do with the vault, those that name the member and those that hold a word (of the question) or a piece of text
which nothing that is left holds. A conversation that is left without a turn goes too; one that was called after a
question that goes is called after the first that is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, delete, func, or_, select, tuple_, update

from souvenance.domain.conversation import title_from
from souvenance.domain.fact import folded
from souvenance.store.database import Transaction
from souvenance.store.erasure.declared import Doomed
from souvenance.store.erasure.logs import gone, names_in
from souvenance.store.erasure.lost import betraying
from souvenance.store.erasure.traces import Traces
from souvenance.store.retrievals import source_of as source
from souvenance.store.tables import conversation, turn, turn_vault

AT_A_TIME = 100

Key = tuple[int, int]
"""A turn: its conversation and its ordinal."""
Row = Mapping[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """How much went, and every text that went with it; `questions` are among these, by the id of who asked."""

    turns: int
    conversations: int
    texts: tuple[Any, ...]
    questions: Mapping[int, set[str]]


class Turns:
    """The turns that have to do with one vault: `before` chooses by what they were made from and what they name,
    `after` by what they say."""

    def __init__(self, tx: Transaction, doomed: Doomed, *, names: Collection[str]) -> None:
        self._tx = tx
        self._doomed = doomed
        self._names = [folded(name) for name in names if name.strip()]
        here = turn_vault.c.vault_id == doomed.vault_id
        made = tx.execute(select(turn_vault.c.conversation_id, turn_vault.c.ordinal).where(here))
        self._made: set[Key] = {(row.conversation_id, row.ordinal) for row in made}

    def before(self) -> set[Key]:
        """Those made from the vault that goes, that name a fact or note which is about to go, or the member."""
        chosen: set[Key] = set()
        for batch in self._batches():
            doomed = gone(self._tx, self._doomed, [hit for row in batch for hit in _hits(row)])
            chosen |= {_key(row) for row in batch if any(source(hit) in doomed for hit in _hits(row))}
            chosen |= {_key(row) for row in batch if self._doomed.member is None or self._names_them(row)}
        return chosen

    def after(self, traces: Traces) -> set[Key]:
        """Those that hold what nothing holds any more."""
        if self._doomed.member is None:  # all that had to do with the vault are chosen
            return set()
        rows = (row for batch in self._batches() for row in batch)
        return betraying(self._tx, traces, ((_key(row), row["question"], _texts(row)) for row in rows))

    def _batches(self) -> Iterator[list[Row]]:
        """The turns that were made from the vault or name a fact or note of it."""
        here = Doomed(vault_id=self._doomed.vault_id)
        for batch in _every_turn(self._tx):
            theirs = gone(self._tx, here, [hit for row in batch for hit in _hits(row)])
            yield [row for row in batch if _key(row) in self._made or any(source(hit) in theirs for hit in _hits(row))]

    def _names_them(self, row: Row) -> bool:
        said = (folded(text) for text in _texts(row) if isinstance(text, str))
        return any(names_in(text, self._names) for text in said)


def count(tx: Transaction, keys: set[Key], *, counted: set[Key]) -> dict[str, int]:
    """How many turns, and conversations with them, would go once those that are `counted` already are gone."""
    emptied = _emptied(tx, keys | counted) - _emptied(tx, counted)
    return {"turns": len(keys - counted), "conversations": len(emptied)}


def remove_turns(tx: Transaction, keys: Collection[Key], *, names: Collection[str] = ()) -> Removed:
    """Remove those of these turns that are there, with the conversations that are left without one; titles that were
    made of a question that goes, or hold one of these names, are made anew."""
    rows = [kept for part in _parts(keys) for kept in tx.execute(select(turn).where(_among(part))).mappings()]
    asked: dict[int, set[str]] = defaultdict(set)
    for kept in rows:
        asked[kept["conversation_id"]].add(kept["question"])
    emptied = _emptied(tx, [_key(kept) for kept in rows])
    texts = [text for kept in rows for text in (kept["folded"], *_texts(kept))]
    for part in _parts(keys):
        tx.execute(delete(turn).where(_among(part)))
    wanted = [folded(name) for name in names if name.strip()]
    by_user: dict[int, set[str]] = defaultdict(set)
    for conversation_id, questions in asked.items():
        here = conversation.c.id == conversation_id
        row = tx.execute(select(conversation.c.user_id, conversation.c.title).where(here)).one()
        title = row.title
        by_user[row.user_id] |= questions
        if conversation_id in emptied:
            tx.execute(delete(conversation).where(here))
            texts.append(title)
        elif title in map(title_from, questions) or names_in(folded(title), wanted):
            tx.execute(update(conversation).where(here).values(title=title_from(_first_question(tx, conversation_id))))
            texts.append(title)
    return Removed(
        turns=len(rows),
        conversations=len(emptied),
        texts=tuple(texts),
        questions=by_user,
    )


def _every_turn(tx: Transaction) -> Iterator[list[Row]]:
    last: Key = (0, 0)
    while True:
        later = or_(turn.c.conversation_id > last[0], and_(turn.c.conversation_id == last[0], turn.c.ordinal > last[1]))
        statement = select(turn).where(later).order_by(turn.c.conversation_id, turn.c.ordinal).limit(AT_A_TIME)
        rows: list[Row] = list(tx.execute(statement).mappings())
        if not rows:
            return
        yield rows
        last = _key(rows[-1])


def _key(row: Row) -> Key:
    return row["conversation_id"], row["ordinal"]


def _put(row: Row) -> list[Any]:
    return list((row["trace"] or {}).get("put", ()))


def _wrote(row: Row) -> list[Any]:
    return list(row["wrote"] or ())


def _hits(row: Row) -> list[Any]:
    """The facts and notes a turn names: put before the model, or written, retired and replaced by it."""
    numbers = [wrote.get(name) for wrote in _wrote(row) for name in ("number", "successor")]
    return [*_put(row), *({"number": number} for number in numbers if number is not None)]


def _texts(row: Row) -> list[Any]:
    """What was said, written or named in a turn, as a person or a model worded it: not the program's own words."""
    wrote = [one.get(name, "") for one in _wrote(row) for name in ("key", "content")]
    # Why something was not done is the program's own sentence, and stands in the audit log for good.
    wrote += [one.get("why", "") for one in _wrote(row) if one.get("became") == "done"]
    return [row["question"], row["answer"], row["failure"], *wrote, *(one.get("title", "") for one in _put(row))]


def _parts(keys: Iterable[Key]) -> Iterator[list[Key]]:
    ordered = sorted(keys)
    for start in range(0, len(ordered), AT_A_TIME):
        yield ordered[start : start + AT_A_TIME]


def _among(keys: list[Key]) -> Any:
    return tuple_(turn.c.conversation_id, turn.c.ordinal).in_(keys)


def _emptied(tx: Transaction, keys: Collection[Key]) -> set[int]:
    """The conversations of which these turns are all."""
    going: dict[int, int] = defaultdict(int)
    for conversation_id, _ in keys:
        going[conversation_id] += 1
    emptied: set[int] = set()
    ids = sorted(going)
    for start in range(0, len(ids), AT_A_TIME):
        here = turn.c.conversation_id.in_(ids[start : start + AT_A_TIME])
        counted = (
            select(turn.c.conversation_id, func.count().label("there")).where(here).group_by(turn.c.conversation_id)
        )
        emptied |= {row.conversation_id for row in tx.execute(counted) if row.there == going[row.conversation_id]}
    return emptied


def _first_question(tx: Transaction, conversation_id: int) -> str:
    here = turn.c.conversation_id == conversation_id
    return str(tx.execute(select(turn.c.question).where(here).order_by(turn.c.ordinal).limit(1)).scalar_one())
