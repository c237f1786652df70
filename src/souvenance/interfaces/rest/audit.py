"""`/audit` and `/retrievals`: who did what, and what was asked; for the owner at this machine (A4, N11)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query

from souvenance.interfaces.rest.caller import Memory, Owner
from souvenance.interfaces.rest.fields import Limit, Offset, Shown, page

router = APIRouter(tags=["audit"])


class AuditShown(Shown):
    """An act that someone may have to answer for: counts and names, never contents."""

    at: datetime
    who: str
    source: str
    verb: str
    vault: str | None
    details: dict[str, Any]


class AuditList(Shown):
    """One page of the audit log, the newest first."""

    entries: list[AuditShown]
    more: bool


class RetrievalShown(Shown):
    """One search, recall or look-up: who asked what through what, and what was found."""

    at: datetime
    actor: str
    source: str
    verb: str
    query: str
    scope: dict[str, Any]
    found: int
    best_score: float | None
    confidence: str
    top: list[dict[str, Any]]
    matcher: str
    milliseconds: float


class RetrievalList(Shown):
    """One page of retrievals, the newest first."""

    retrievals: list[RetrievalShown]
    more: bool


class QueryShown(Shown):
    """A query, how often it came, how often it found nothing, and when it last came."""

    query: str
    times: int
    misses: int
    last: datetime


class QueryList(Shown):
    """Queries, the most frequent first."""

    queries: list[QueryShown]


@router.get("/audit", summary="Read the audit log")
def read_audit(memory: Memory, actor: Owner, limit: Limit = 50, offset: Offset = 0) -> AuditList:
    """Deletions, settings, tokens and other acts, the latest first."""
    kept, more = page(memory.history.audit(actor=actor, limit=limit + 1, offset=offset), limit)
    return AuditList.model_validate({"entries": kept, "more": more})


@router.get("/retrievals", summary="List retrievals")
def list_retrievals(
    memory: Memory,
    actor: Owner,
    misses: Annotated[bool, Query(description="Only those that found nothing.")] = False,
    limit: Limit = 50,
    offset: Offset = 0,
) -> RetrievalList:
    """What was asked of this memory, through whatever it came."""
    found = memory.retrievals.list(actor=actor, limit=limit + 1, offset=offset, misses_only=misses)
    kept, more = page(found, limit)
    return RetrievalList.model_validate({"retrievals": kept, "more": more})


@router.get("/retrievals/frequent", summary="List frequent queries")
def frequent_queries(memory: Memory, actor: Owner, limit: Limit = 20) -> QueryList:
    """Queries that came more than once."""
    return QueryList.model_validate({"queries": list(memory.retrievals.frequent(actor=actor, limit=limit))})


@router.get("/retrievals/blind-spots", summary="List blind spots")
def blind_spots(memory: Memory, actor: Owner, limit: Limit = 20) -> QueryList:
    """Queries that never found anything relevant: what this memory should perhaps be told."""
    return QueryList.model_validate({"queries": list(memory.retrievals.blind_spots(actor=actor, limit=limit))})
