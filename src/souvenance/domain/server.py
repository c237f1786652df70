"""A Discord server: where its memory may be read and written, and where the bot answers (D1 to D3).

Channels and members are known by their Discord ids, as text. `permitted` decides; nothing else does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from souvenance.domain.errors import InvalidInput

MOST_CHANNELS = 500


class Reach(StrEnum):
    """How far a list of channels reaches."""

    ALL = "all"
    NONE = "none"
    CHOSEN = "chosen"


@dataclass(frozen=True, slots=True)
class Channels:
    """A list of channels: every ordinary one, none, or a chosen set (D2)."""

    reach: Reach = Reach.ALL
    chosen: frozenset[str] = frozenset()

    def holds(self, channel: str) -> bool:
        """Whether an ordinary channel is in the list."""
        return self.reach is Reach.ALL or channel in self.chosen

    @classmethod
    def parse(cls, given: object, *, what: str = "list of channels") -> Self:
        """A list as it is written: `all`, `none`, or the ids of channels. No id is the same as `none`."""
        if given in (Reach.ALL, Reach.NONE):
            return cls(Reach(str(given)))
        ids = channel_ids(given, what=what)
        return cls(Reach.CHOSEN, ids) if ids else cls(Reach.NONE)

    def plain(self) -> str | list[str]:
        """The list as it is written and kept."""
        return sorted(self.chosen, key=int) if self.reach is Reach.CHOSEN else self.reach.value


def channel_ids(given: object, *, what: str) -> frozenset[str]:
    """Ids of channels, checked."""
    if isinstance(given, str) or not isinstance(given, Sequence | frozenset | set):
        raise InvalidInput(f"The {what} is not a list of channels.", hint="Write all, none, or ids of channels.")
    if len(given) > MOST_CHANNELS:
        raise InvalidInput(f"The {what} names over {MOST_CHANNELS} channels.", hint="Use all, or fewer of them.")
    return frozenset(discord_id(one, what="channel") for one in given)


def discord_id(given: object, *, what: str) -> str:
    """An id as Discord writes it: up to 20 digits."""
    text = str(given).strip() if isinstance(given, str | int) and not isinstance(given, bool) else ""
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise InvalidInput(
            f"That is not the id of a {what}.",
            hint="In Discord, switch on developer mode, then right-click it and copy its id: digits only.",
        )
    return text.lstrip("0") or "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """What is set for one server.

    read, write: where memory may be read, and where written. include_threads: threads follow their channel; else memory
    is neither read nor written in any. answer_channels: where the bot answers every message, not only those that
    mention it. listens: it also learns from conversations it takes no part in, which costs calls of the model.
    """

    read: Channels = Channels()
    write: Channels = Channels()
    include_threads: bool = False
    answer_channels: frozenset[str] = frozenset()
    listens: bool = True

    def plain(self) -> dict[str, Any]:
        """The settings as they are written and kept."""
        return {
            "read": self.read.plain(),
            "write": self.write.plain(),
            "include_threads": self.include_threads,
            "answer_channels": sorted(self.answer_channels, key=int),
            "listens": self.listens,
        }


NAMES = tuple(one.name for one in fields(ServerSettings))


def settings_of(kept: Mapping[str, Any]) -> ServerSettings:
    """Settings from what is written or kept; what is not there has its default. Refuses what cannot be set."""
    unknown = sorted(set(kept) - set(NAMES))
    if unknown:
        raise InvalidInput(f"There is no setting {', '.join(unknown)}.", hint=f"There are {', '.join(NAMES)}.")
    for name in ("include_threads", "listens"):
        if not isinstance(kept.get(name, False), bool):
            raise InvalidInput(f"{name} is true or false.")
    first = ServerSettings()
    return ServerSettings(
        read=Channels.parse(kept.get("read", first.read.plain()), what="list of channels to read"),
        write=Channels.parse(kept.get("write", first.write.plain()), what="list of channels to write"),
        include_threads=kept.get("include_threads", first.include_threads),
        answer_channels=channel_ids(kept.get("answer_channels", ()), what="list of channels to answer in"),
        listens=kept.get("listens", first.listens),
    )


class PlaceKind(StrEnum):
    """What a message was written in. A post of a forum is a thread."""

    ORDINARY = "ordinary"
    THREAD = "thread"
    DIRECT = "direct"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said. `parent` is the channel of a thread, empty where the bot does not know that channel."""

    kind: PlaceKind
    channel: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Permitted:
    """What may be done in a place: read memory, write it, answer messages that do not mention the bot."""

    read: bool = False
    write: bool = False
    answers: bool = False


def permitted(settings: ServerSettings, place: Place) -> Permitted:
    """What a server's settings allow in a place. A thread is none of the channels, unless threads follow theirs; an
    unknown channel, or the thread of one, denies (D2, D3).
    """
    governing = ""
    if place.kind is PlaceKind.ORDINARY:
        governing = place.channel
    elif place.kind is PlaceKind.THREAD and settings.include_threads:
        governing = place.parent
    if not governing:
        return Permitted()
    return Permitted(
        read=settings.read.holds(governing),
        write=settings.write.holds(governing),
        answers=governing in settings.answer_channels,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerMember:
    """Someone of a server. `manages`: their Discord rights allow managing it, which is this program's `configure`."""

    id: str
    name: str
    manages: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server the bot was let into, and the vault that is its memory.

    `heard_from`: nothing said before it is put before a model; an erasure sets it, so that what was erased is not
    learnt again from old messages.
    """

    guild_id: str
    vault_id: int
    vault: str
    name: str
    settings: ServerSettings = field(default_factory=ServerSettings)
    heard_from: datetime
    joined_at: datetime
    updated_at: datetime
