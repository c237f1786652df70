"""Facts, notes and vaults as the command line's JSON shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from souvenance.domain.fact import Fact
from souvenance.domain.note import Note
from souvenance.domain.vault import Vault

if TYPE_CHECKING:
    from souvenance.interfaces.cli.session import Session
    from souvenance.memory.ladder import Given


def fact_shapes(session: Session, facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Facts that are read, each with what it says no longer rightly where it is an accepted summary."""
    old = session.memory.facts.outdated(facts=facts)
    return [
        fact_shape(session, item) | {"outdated": old[item.number].sentence() if item.number in old else ""}
        for item in facts
    ]


def fact_shape(session: Session, fact: Fact) -> dict[str, Any]:
    """A fact with its vault by slug and its page by id."""
    return {
        "number": fact.number,
        "version": fact.version,
        "vault": session.slugs.get(fact.vault_id, ""),
        "note": fact.note_id,
        "state": fact.state,
        "content": fact.content,
        "key": fact.key,
        "category": fact.category,
        "confidence": fact.confidence,
        "importance": fact.importance,
        "subject_kind": fact.subject_kind,
        "subject_id": fact.subject_id,
        "channel": fact.channel,
        "author": fact.author,
        "language": fact.language,
        "said_at": fact.said_at,
        "said_dates": fact.said_dates,
        "source": fact.source,
        "created_at": fact.created_at,
        "updated_at": fact.updated_at,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "reason": fact.reason,
        "replaced_by": fact.replaced_by,
        "disabled": fact.disabled,
        "deleted_at": fact.deleted_at,
    }


def note_shape(session: Session, note: Note, *, content: bool = False) -> dict[str, Any]:
    """A note with its vault by slug; with its text where asked."""
    shape: dict[str, Any] = {
        "note": note.id,
        "version": note.version,
        "vault": session.slugs.get(note.vault_id, ""),
        "class": note.note_class,
        "folder": note.folder,
        "title": note.title,
        "path": note.path,
        "category": note.category,
        "digest": note.digest,
        "muted": note.muted,
        "front_matter": note.front_matter,
        "created_at": note.created_at,
        "updated_at": note.updated_at,
        "deleted_at": note.deleted_at,
    }
    return shape | {"content": note.content} if content else shape


def given_shape(given: Given) -> dict[str, Any]:
    """What a prompt is given: each fact by number with the four numbers of its place, and what decided."""
    return {
        "vault": given.vault.slug,
        "memory_type": given.memory_type,
        "matching": given.matching,
        "why": given.why,
        "considered": given.considered,
        "left_out": given.left_out,
        "tokens": given.tokens,
        "told": given.told,
        "text": given.text,
        "facts": [
            {
                "number": item.fact.number,
                "version": item.fact.version,
                "line": item.line,
                "is_summary": item.is_summary,
                "outdated": item.outdated,
                "score": None if item.why is None else item.why.total,
                "why": item.why,
            }
            for item in given.facts
        ],
    }


def vault_shape(vault: Vault, *, facts: int) -> dict[str, Any]:
    """A vault with its number of facts in force."""
    return {
        "slug": vault.slug,
        "name": vault.name,
        "kind": vault.kind,
        "attention": vault.attention,
        "protection": vault.protection,
        "memory_type": vault.memory_type,
        "description": vault.description,
        "colour": vault.colour,
        "facts": facts,
        "created_at": vault.created_at,
        "updated_at": vault.updated_at,
    }
