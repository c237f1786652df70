"""Conversations as ChatGPT and Claude export them, made one kind of thing (R4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from souvenance.domain.clock import isoformat

CHATGPT, CLAUDE = "ChatGPT", "Claude"
USER = "User"
MOST_ID = 200
MOST_TITLE = 120
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_HIDDEN = "is_visually_hidden_from_conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one side said."""

    who: str
    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation of an export. `id` is its identity there, `place` the how-manieth of the file it is."""

    id: str
    place: int
    program: str
    title: str
    created: datetime | None
    updated: datetime | None
    model: str
    turns: tuple[Turn, ...]

    @property
    def name(self) -> str:
        """A title on one line that names no folder: its own, else how it begins."""
        said = self.title or next((turn.text for turn in self.turns), "")
        words = " ".join(_CONTROL.sub(" ", said[:1000]).split())
        words = words.replace("/", "-").replace("\\", "-")
        words = words if len(words) <= MOST_TITLE else words[: MOST_TITLE - 1].rstrip() + "…"
        return words if words.strip(".") else "Conversation"

    @property
    def day(self) -> str:
        """The day it began, as 2024-05-31; empty where that is not known."""
        return isoformat(self.created)[:10] if self.created else ""

    def front_matter(self) -> dict[str, Any]:
        """What is known of it besides its words; `conversation` is what it is found again by."""
        values = {
            "conversation": self.id,
            "from": self.program,
            "created": isoformat(self.created) if self.created else "",
            "updated": isoformat(self.updated) if self.updated else "",
            "model": self.model,
        }
        return {name: value for name, value in values.items() if value}

    def text(self) -> str:
        """Who said what, in Markdown: a heading for each turn."""
        return "\n\n".join(f"## {_heading(turn)}\n\n{turn.text}" for turn in self.turns) + "\n"


def conversation_of(entry: Any, place: int) -> Conversation | None:
    """The conversation of an entry, with no turns where nobody said anything; None where it is no such thing."""
    if not isinstance(entry, Mapping):
        return None
    if isinstance(entry.get("mapping"), Mapping):
        identity = entry.get("conversation_id") or entry.get("id")
        turns, program = tuple(_chatgpt_turns(entry)), CHATGPT
        names = ("title", "create_time", "update_time")
    elif isinstance(entry.get("chat_messages"), list):
        identity, turns, program = entry.get("uuid"), tuple(_claude_turns(entry)), CLAUDE
        names = ("name", "created_at", "updated_at")
    else:
        return None
    if not isinstance(identity, str) or not identity.strip() or len(identity) > MOST_ID:
        return None
    return Conversation(
        id=_clean(identity.strip()),
        place=place,
        program=program,
        title=_clean(_text(entry.get(names[0]))),
        created=_moment(entry.get(names[1])),
        updated=_moment(entry.get(names[2])),
        model=_clean(_text(entry.get("default_model_slug")))[:100],
        turns=turns,
    )


def _chatgpt_turns(entry: Mapping[str, Any]) -> Iterator[Turn]:
    """From the leaf that was last shown up to the root, turned round: what was written anew elsewhere is not shown."""
    nodes: Mapping[str, Any] = entry["mapping"]
    name = entry.get("current_node")
    if not isinstance(name, str) or name not in nodes:
        parents = {_text(_mapping(node).get("parent")) for node in nodes.values()}
        name = next((leaf for leaf in reversed(list(nodes)) if leaf not in parents), None)
    path: dict[str, Mapping[str, Any]] = {}
    while isinstance(name, str) and name not in path and isinstance(node := nodes.get(name), Mapping):
        path[name] = node
        name = node.get("parent")
    for node in reversed(path.values()):
        message = node.get("message")
        if isinstance(message, Mapping) and (turn := _chatgpt_turn(message)):
            yield turn


def _chatgpt_turn(message: Mapping[str, Any]) -> Turn | None:
    author, content, metadata = (_mapping(message.get(name)) for name in ("author", "content", "metadata"))
    role = _text(author.get("role"))
    said = role in {"user", "assistant"} and message.get("recipient", "all") in ("all", None)
    if not said or metadata.get(_HIDDEN) or _text(content.get("content_type")) not in {"text", "multimodal_text"}:
        return None
    parts = content.get("parts")
    words = [_part(part) for part in parts] if isinstance(parts, list) else []
    text = _clean("\n\n".join(word for word in words if word.strip())).strip()
    if not text:
        return None
    return Turn(who=USER if role == "user" else CHATGPT, text=text, at=_moment(message.get("create_time")))


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    kind = str(_mapping(part).get("content_type", ""))
    if kind == "audio_transcription":
        return _text(part.get("text"))
    return "*[image]*" if "image" in kind else ""


def _claude_turns(entry: Mapping[str, Any]) -> Iterator[Turn]:
    for message in entry["chat_messages"]:
        if not isinstance(message, Mapping):
            continue
        blocks = message.get("content")
        words = [
            _text(block.get("text")) for block in (blocks if isinstance(blocks, list) else ())
            if isinstance(block, Mapping) and block.get("type") == "text"
        ]  # fmt: skip
        words = [word for word in words if word.strip()] or [_text(message.get("text"))]
        for name in ("attachments", "files"):
            sent = message.get(name)
            words += [
                f"*[{_text(_mapping(one).get('file_name'))[:200] or 'file'}]*"
                for one in (sent if isinstance(sent, list) else ())
            ]
        text = _clean("\n\n".join(word for word in words if word.strip())).strip()
        if text:
            who = USER if message.get("sender") == "human" else CLAUDE
            yield Turn(who=who, text=text, at=_moment(message.get("created_at")))


def _heading(turn: Turn) -> str:
    return f"{turn.who}, {isoformat(turn.at)[:16].replace('T', ' ')}" if turn.at else turn.who


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _clean(text: str) -> str:
    """Text that any store can keep: halves of characters put together or replaced, no NUL, plain line ends."""
    whole = text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")


def _moment(value: Any) -> datetime | None:
    """Seconds since 1970, as ChatGPT says it, or ISO 8601, as Claude does; nothing where it is neither."""
    try:
        if isinstance(value, float):
            return datetime.fromtimestamp(value, UTC)
        found = datetime.fromisoformat(value)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
