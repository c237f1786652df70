"""Proposals as rows. Access is the caller's: by vault id it was granted, or by `readable` here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, insert, or_, select, update

from souvenance.domain.access import Actor
from souvenance.domain.errors import NotFound, Withheld
from souvenance.domain.fact import Fact
from souvenance.domain.proposal import (
    Answer,
    Kind,
    Overtaken,
    Pair,
    Proposal,
    Standing,
    basis_of,
    pair_of,
    wording_of_fact,
)
from souvenance.store.access import readable, withheld
from souvenance.store.database import Transaction
from souvenance.store.tables import fact, proposal

ANSWERED_ALIKE = (Answer.KEEP_BOTH,)
"""Answers after which a pair is not asked of again."""


def add_proposals(tx: Transaction, items: Sequence[Proposal]) -> None:
    """Write new proposals."""
    if items:
        tx.execute(insert(proposal), [_row(item) for item in items])


def hold_facts(tx: Transaction, *, vault_id: int, numbers: Iterable[int]) -> None:
    """Make whoever would change or remove these facts wait until this transaction ends, so that what is written of them
    here rests on what they say, and is removed with them. Writers to SQLite wait for each other anyway.
    """
    wanted = sorted(set(numbers))
    for start in range(0, 0 if tx.is_sqlite else len(wanted), 500):
        here = (fact.c.vault_id == vault_id) & fact.c.number.in_(wanted[start : start + 500])
        tx.execute(select(fact.c.number).where(here).order_by(fact.c.number).with_for_update())


def list_waiting(tx: Transaction, *, vault_id: int) -> list[Proposal]:
    """Every proposal of a vault that waits: contradictions, then duplicates, the surest first; the summary last."""
    here = (proposal.c.vault_id == vault_id) & (proposal.c.standing == Standing.WAITING)
    order = case((proposal.c.kind == Kind.CONTRADICTION, 0), (proposal.c.kind == Kind.DUPLICATE, 1), else_=2)
    rows = tx.execute(select(proposal).where(here).order_by(order, proposal.c.score.desc(), proposal.c.id))
    return [_proposal(row) for row in rows.mappings()]


def contradictions_of(tx: Transaction, *, vault_id: int, numbers: Sequence[int]) -> list[Proposal]:
    """The contradictions of a vault that wait and in which one of these facts stands."""
    named = or_(proposal.c.this_number.in_(numbers), proposal.c.that_number.in_(numbers))
    here = (proposal.c.vault_id == vault_id) & (proposal.c.standing == Standing.WAITING) & named
    rows = tx.execute(select(proposal).where(here, proposal.c.kind == Kind.CONTRADICTION).order_by(proposal.c.id))
    return [_proposal(row) for row in rows.mappings()]


def list_closed(tx: Transaction, *, vault_id: int, standing: Standing, limit: int, offset: int = 0) -> list[Proposal]:
    """Proposals of a vault that were answered, or overtaken, the latest first."""
    here = (proposal.c.vault_id == vault_id) & (proposal.c.standing == standing)
    order = (proposal.c.answered_at.desc(), proposal.c.created_at.desc(), proposal.c.id)
    statement = select(proposal).where(here).order_by(*order).limit(limit).offset(offset)
    return [_proposal(row) for row in tx.execute(statement).mappings()]


def get_proposal(tx: Transaction, actor: Actor, proposal_id: str) -> Proposal:
    """The proposal with that id, if the actor may read its vault over its route."""
    named = proposal.c.id == proposal_id
    row = tx.execute(select(proposal).where(named, proposal.c.vault_id.in_(readable(actor)))).mappings().first()
    if row is not None:
        return _proposal(row)
    kept_back = select(func.count()).select_from(proposal).where(named, proposal.c.vault_id.in_(withheld(actor)))
    if tx.execute(kept_back).scalar():
        raise Withheld(
            "This proposal stands in a protected vault and is withheld on a cloud route.",
            hint="Read it on this machine, or have the owner declare your route local.",
        )
    raise NotFound("There is no such proposal that you can read.", hint="The list of proposals shows those there are.")


def answer_once(tx: Transaction, item: Proposal, *, answer: Answer, at: datetime, by: str, through: str) -> bool:
    """Mark a waiting proposal as answered; False where somebody answered it, or something overtook it, meanwhile."""
    values = {
        "standing": Standing.ANSWERED,
        "answer": answer,
        "answered_at": at,
        "answered_by": by,
        "answered_through": through,
        "draft": "",  # what was accepted is a fact now, what was refused is nobody's words
    }
    here = _one(item) & (proposal.c.standing == Standing.WAITING)
    return tx.execute(update(proposal).where(here).values(**values)).rowcount == 1


def overtake(tx: Transaction, item: Proposal, *, by: Overtaken, at: datetime) -> None:
    """Mark a proposal as overtaken, whoever was about to answer it."""
    values = {
        "standing": Standing.STALE, "overtaken": by, "draft": "", "answer": None, "answered_at": at,
        "answered_by": "", "answered_through": "",
    }  # fmt: skip
    tx.execute(update(proposal).where(_one(item)).values(**values))


def kept_apart(tx: Transaction, *, vault_id: int) -> set[Pair]:
    """The pairs of wordings of which someone said that both stay."""
    here = (proposal.c.vault_id == vault_id) & proposal.c.answer.in_(ANSWERED_ALIKE)
    rows = tx.execute(select(proposal.c.this_wording, proposal.c.that_wording).where(here))
    return {pair_of(row.this_wording, row.that_wording) for row in rows}


def answered_bases(tx: Transaction, *, vault_id: int) -> set[str]:
    """What summaries were drawn from of which someone decided already, whatever they said."""
    here = and_(
        proposal.c.vault_id == vault_id,
        proposal.c.standing == Standing.ANSWERED,
        proposal.c.kind == Kind.SUMMARY,
    )
    rows = tx.execute(select(proposal.c.that_number, proposal.c.that_wording, proposal.c.sources).where(here))
    return {row.that_wording if row.that_number is None else basis_of(one for _, one in row.sources) for row in rows}


def accepted_as(tx: Transaction, item: Proposal, *, summary: Fact) -> None:
    """Keep of an accepted draft which fact it became, and the hash of what that says: its sources go on being known."""
    values = {"that_number": summary.number, "that_wording": wording_of_fact(summary)}
    tx.execute(update(proposal).where(_one(item)).values(**values))


def forget_facts(tx: Transaction, *, vault_id: int, numbers: Sequence[int]) -> None:
    """Leave nothing in proposals of facts that are removed for good: no hash of what they said, and no draft.

    Called after the facts are gone (see `hold_facts`).
    """
    named = or_(proposal.c.this_number.in_(numbers), proposal.c.that_number.in_(numbers))
    gone: dict[str, Any] = {"this_wording": "", "that_wording": "", "codes": [], "similarity": None}
    here = (proposal.c.vault_id == vault_id) & named
    tx.execute(update(proposal).where(here).values(**gone))
    # A draft may be drawn from any of them; it is made again by the next pass.
    touched = or_(named, proposal.c.draft != "")
    waiting = (proposal.c.vault_id == vault_id) & touched & (proposal.c.standing == Standing.WAITING)
    closed: dict[str, Any] = {"standing": Standing.STALE, "overtaken": Overtaken.GONE, "draft": "", "sources": []}
    tx.execute(update(proposal).where(waiting).values(**closed))
    kept = (proposal.c.vault_id == vault_id) & (proposal.c.kind == Kind.SUMMARY) & (proposal.c.that_number.is_not(None))
    for row in tx.execute(select(proposal.c.id, proposal.c.sources).where(kept)).all():
        left = [[number, "" if number in numbers else wording] for number, wording in row.sources]
        if left != [list(source) for source in row.sources]:
            here = (proposal.c.vault_id == vault_id) & (proposal.c.id == row.id)
            tx.execute(update(proposal).where(here).values(sources=left))
    close_drafts(tx, numbers)


def close_drafts(tx: Transaction, numbers: Iterable[int]) -> list[str]:
    """Leave nothing of the drafts that wait, in whatever vault, and were drawn from one of these facts; what they said.

    A fact keeps its number when it moves, so what was drawn from it may stand where it no longer does.
    """
    wanted = set(numbers)
    rows = tx.execute(
        select(proposal.c.vault_id, proposal.c.id, proposal.c.draft, proposal.c.sources).where(
            proposal.c.standing == Standing.WAITING, proposal.c.draft != ""
        )
    ).all()
    drawn = [row for row in rows if not wanted.isdisjoint(number for number, _ in row.sources)]
    closed: dict[str, Any] = {"standing": Standing.STALE, "overtaken": Overtaken.GONE, "draft": "", "sources": []}
    for row in drawn:
        here = (proposal.c.vault_id == row.vault_id) & (proposal.c.id == row.id)
        tx.execute(update(proposal).where(here).values(**closed))
    return [row.draft for row in drawn]


def _one(item: Proposal) -> ColumnElement[bool]:
    return and_(proposal.c.vault_id == item.vault_id, proposal.c.id == item.id)


def _row(item: Proposal) -> dict[str, Any]:
    return {
        "vault_id": item.vault_id,
        "id": item.id,
        "kind": item.kind,
        "this_number": item.this,
        "that_number": item.that,
        "this_wording": item.this_wording,
        "that_wording": item.that_wording,
        "score": item.score,
        "similarity": item.similarity,
        "codes": list(item.codes),
        "model": item.model,
        "draft": item.draft,
        "sources": [list(source) for source in item.sources],
        "created_at": item.created_at,
        "standing": item.standing,
    }


def _proposal(row: Mapping[Any, Any]) -> Proposal:
    return Proposal(
        id=row["id"],
        vault_id=row["vault_id"],
        kind=Kind(row["kind"]),
        this=row["this_number"],
        that=row["that_number"],
        this_wording=row["this_wording"],
        that_wording=row["that_wording"],
        score=row["score"],
        similarity=row["similarity"],
        codes=tuple(row["codes"]),
        model=row["model"],
        draft=row["draft"],
        sources=tuple((number, wording) for number, wording in row["sources"]),
        created_at=row["created_at"],
        standing=Standing(row["standing"]),
        overtaken=None if row["overtaken"] is None else Overtaken(row["overtaken"]),
        answer=None if row["answer"] is None else Answer(row["answer"]),
        answered_at=row["answered_at"],
        answered_by=row["answered_by"],
        answered_through=row["answered_through"],
    )
