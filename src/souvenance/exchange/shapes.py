"""What an exchange tells, as interfaces send it: a name and a JSON object for each event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from souvenance.domain.conversation import Turn
from souvenance.exchange.events import Ended, Event, Failed, Gathered, LookedUp, Text, Waiting, Wrote
from souvenance.store.conversations import Conversation

Shape = dict[str, Any]


def event_shape(event: Event, language: str = "en") -> tuple[str, Shape]:
    """The name of an event and its values."""
    match event:
        case Text():
            return "text", {"text": event.text}
        case Waiting():
            return "waiting", {"what": event.what, "route": event.route, "tokens": event.tokens}
        case Gathered():
            return "gathered", gathered_shape(event, language)
        case LookedUp():
            return "looked_up", {"query": event.query, "vault": event.vault, "numbers": list(event.numbers)}
        case Wrote():
            return "wrote", event.as_dict()
        case Failed():
            return "failed", {
                "error": event.error.as_dict(),
                "text": event.text,
                "conversation": event.conversation,
                "turn": event.turn,
            }
        case Ended():
            return "ended", ended_shape(event, language)


def gathered_shape(event: Gathered, language: str = "en") -> Shape:
    """What was read, with the badge and what was withheld in words."""
    return event.as_dict() | {
        "badge": event.badge.label(language),
        "withheld_sentence": event.withheld_sentence(language),
    }


def ended_shape(event: Ended, language: str = "en") -> Shape:
    """A whole answer."""
    return {
        "answer": event.text,
        "by_model": event.by_model,
        "read": gathered_shape(event.gathered, language),
        "wrote": [one.as_dict() for one in event.wrote],
        "spent": {
            "sent": event.spent.sent,
            "received": event.spent.received,
            "calls": event.spent.calls,
            "is_estimate": event.spent.is_estimate,
        },
        "conversation": event.conversation,
        "turn": event.turn,
    }


def conversation_shape(found: Conversation) -> Shape:
    """A conversation without its turns."""
    return {
        "conversation": found.id,
        "title": found.title,
        "without_memory": found.without_memory,
        "turns": found.turns,
        "is_protected": found.is_protected,
        "created_at": found.created_at,
        "updated_at": found.updated_at,
    }


def _read_shape(trace: Mapping[str, Any]) -> Shape:
    """What was read for an answer, without the ids of vaults."""
    return {
        **trace,
        "vaults": [_without(one, "id") for one in trace["vaults"]],
        "put": [_without(one, "vault_id") for one in trace["put"]],
    }


def _without(one: Mapping[str, Any], left_out: str) -> Shape:
    return {name: value for name, value in one.items() if name != left_out}


def turn_shape(found: Turn) -> Shape:
    """A question and what came of it."""
    return {
        "turn": found.ordinal,
        "state": found.state,
        "question": found.question,
        "answer": found.answer,
        "failure": found.failure,
        "model": found.model,
        "read": None if found.trace is None else _read_shape(found.trace),
        "wrote": [_without(one, "vault_id") for one in found.wrote],
        "is_protected": found.is_protected,
        "asked_at": found.asked_at,
        "answered_at": found.answered_at,
    }
