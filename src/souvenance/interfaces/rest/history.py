"""Histories of facts and notes, and what one writer wrote, reviewed and taken back together (N9)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, Field

from souvenance.domain.errors import InvalidInput
from souvenance.interfaces.rest.caller import Caller, Memory, slugs
from souvenance.interfaces.rest.facts import FactShown
from souvenance.interfaces.rest.facts import shown as shown_fact
from souvenance.interfaces.rest.fields import (
    LARGEST,
    ChangeId,
    FactNumber,
    Given,
    Limit,
    NoteId,
    Offset,
    Shown,
    Text,
    page,
)
from souvenance.interfaces.rest.notes import NoteShown
from souvenance.interfaces.rest.notes import shown as shown_note

router = APIRouter(tags=["history"])


class RevisionShown(Shown):
    """One revision: who, through what, when, and a readable diff. `change` names it."""

    change: int
    at: datetime
    who: str
    through: str
    operation: str
    version: int | None
    diff: str


class RevisionList(Shown):
    """One page of revisions, the newest first."""

    revisions: list[RevisionShown]
    more: bool


class TextShown(Shown):
    """The text as it stood after a change."""

    change: int
    text: str


class ThingShown(Shown):
    """A fact or note that a writer changed; `conflict` says why it was left alone."""

    kind: str
    ref: str
    vault: str
    title: str
    did: str
    diff: str
    conflict: str = ""


class ChangeShown(Shown):
    """One change and what it touched."""

    change: int
    at: str
    who: str
    through: str
    did: str
    things: list[ThingShown]


class ReviewShown(Shown):
    """One page of what a writer wrote, the newest first; `withheld` counts things of protected vaults."""

    changes: list[ChangeShown]
    withheld: int
    more: bool


class RevertGiven(Given):
    """Whose writing to take back, and since when. Name an agent or a token."""

    agent: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    token: Annotated[int, Field(ge=1, le=LARGEST)] | None = None
    since: Annotated[AwareDatetime, Field(strict=False)]
    dry_run: bool = Field(default=True, description="Only say what would be taken back.")


class RevertedShown(Shown):
    """What was, or would be, taken back; what others changed since is left alone and listed."""

    dry_run: bool
    reverted: list[ThingShown]
    conflicts: list[ThingShown]
    withheld: int


@router.get("/facts/{number}/history", summary="Show a fact's history")
def fact_history(
    memory: Memory, actor: Caller, number: FactNumber, limit: Limit = 20, offset: Offset = 0
) -> RevisionList:
    """Revisions of a fact, the newest first."""
    return _revisions(memory.history.of_fact(actor=actor, number=number, limit=limit + 1, offset=offset), limit)


@router.get("/facts/{number}/history/{change}", summary="Show a fact as it was")
def fact_at(memory: Memory, actor: Caller, number: FactNumber, change: ChangeId) -> TextShown:
    """The wording a fact had once that change was made."""
    return TextShown(change=change, text=memory.history.text_at(actor=actor, ref=number, change_id=change))


@router.post("/facts/{number}/history/{change}/restore", summary="Bring back a fact as it was")
def restore_fact_at(memory: Memory, actor: Caller, number: FactNumber, change: ChangeId) -> FactShown:
    """What stood there after that change, as a new revision; nothing in between is lost."""
    memory.history.restore(actor=actor, ref=number, change_id=change)
    return shown_fact(memory.facts.get(actor=actor, number=number), slugs(memory, actor))


@router.get("/notes/{note}/history", summary="Show a note's history")
def note_history(memory: Memory, actor: Caller, note: NoteId, limit: Limit = 20, offset: Offset = 0) -> RevisionList:
    """Revisions of a note, the newest first; of a memory page, the changes of its facts."""
    return _revisions(memory.history.of_note(actor=actor, ref=note, limit=limit + 1, offset=offset), limit)


@router.get("/notes/{note}/history/{change}", summary="Show a note as it was")
def note_at(memory: Memory, actor: Caller, note: NoteId, change: ChangeId) -> TextShown:
    """The text a note had once that change was made."""
    return TextShown(change=change, text=memory.history.text_at(actor=actor, ref=note, change_id=change))


@router.post("/notes/{note}/history/{change}/restore", summary="Bring back a note as it was")
def restore_note_at(memory: Memory, actor: Caller, note: NoteId, change: ChangeId) -> NoteShown:
    """What stood there after that change, as a new revision; a memory page gets its facts of that moment back."""
    memory.history.restore(actor=actor, ref=note, change_id=change)
    return shown_note(memory.notes.get(actor=actor, ref=f"/n/{note}", limit=0).note, slugs(memory, actor))


@router.get("/history/review", summary="Review what a writer wrote")
def review(
    memory: Memory,
    actor: Caller,
    since: Annotated[AwareDatetime, Query(description="An instant with its zone: 2026-05-08T00:00:00Z.")],
    agent: Annotated[str | None, Query(min_length=1, max_length=200, description="Name of an agent or token.")] = None,
    token: Annotated[int | None, Query(ge=1, le=LARGEST, description="Number of a token.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> ReviewShown:
    """All that an agent or a token wrote since a moment."""
    _require_one(agent, token)
    found = memory.history.review(actor=actor, since=since, agent=agent, token=token, limit=limit + 1, offset=offset)
    kept, more = page(found.changes, limit)
    return ReviewShown.model_validate(
        {"changes": [change.as_dict() for change in kept], "withheld": found.withheld, "more": more}
    )


@router.post("/history/revert", summary="Take back what a writer wrote")
def revert(memory: Memory, actor: Caller, given: RevertGiven) -> RevertedShown:
    """Take back together all that an agent or a token wrote since a moment. A dry run unless told otherwise."""
    _require_one(given.agent, given.token)
    found = memory.history.revert(actor=actor, **given.model_dump())
    return RevertedShown.model_validate(
        {
            "dry_run": given.dry_run,
            "reverted": [thing.as_dict() for thing in found.reverted],
            "conflicts": [thing.as_dict() for thing in found.conflicts],
            "withheld": found.withheld,
        }
    )


def _require_one(agent: str | None, token: int | None) -> None:
    if (agent is None) == (token is None):
        raise InvalidInput("Whose changes?", hint="Name an agent or a token, one of them.")


def _revisions(found: list[Any], limit: int) -> RevisionList:
    kept, more = page(found, limit)
    return RevisionList(
        revisions=[
            RevisionShown(
                change=item.change_id,
                at=item.at,
                who=item.who,
                through=item.source,
                operation=item.operation,
                version=item.version,
                diff=item.diff,
            )
            for item in kept
        ],
        more=more,
    )
