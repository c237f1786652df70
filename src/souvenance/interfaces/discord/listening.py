"""What is said without the bot: kept for a while, then the model is asked what of it is worth remembering (D1).

Nothing of it is stored; what waits is in this process alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import structlog

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import CapReached, ModelUnavailable, SouvenanceError, StoreUnavailable
from souvenance.domain.server import Place, ServerMember, permitted
from souvenance.exchange.events import Member, Said
from souvenance.interfaces.discord.places import told_apart
from souvenance.memory.shown import Where
from souvenance.servers.members import acting

QUIET_SECONDS = 120.0
"""A conversation that rests this long is learnt from."""
MOST_MESSAGES = 30
"""One that goes on is learnt from each so many messages."""

LATER = (ModelUnavailable, CapReached, StoreUnavailable)
"""What passes by itself: what was heard is asked about again with what is said next."""

log = structlog.get_logger("souvenance.discord")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Something someone said, and when; `message` is its id."""

    message: int
    member: ServerMember
    text: str
    at: datetime


@dataclass(slots=True)
class Conversation:
    """What was heard in one place and not yet learnt from."""

    guild_id: str
    place: Place
    heard: dict[int, Heard] = field(default_factory=dict)
    timer: asyncio.TimerHandle | None = None


class Listening:
    """Learns from conversations the bot takes no part in. `start` runs a coroutine as work of the bot."""

    def __init__(
        self,
        memory: Application,
        actor: Actor,
        start: Callable[[str, Coroutine[Any, Any, None]], object],
        *,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        self._memory = memory
        self._actor = actor
        self._start = start
        self._quiet_seconds = quiet_seconds
        self._conversations: dict[str, Conversation] = {}

    def hear(self, guild_id: str, place: Place, heard: Heard) -> None:
        """Keep what was said until the conversation rests or has grown long."""
        there = self._conversations.setdefault(place.channel, Conversation(guild_id, place))
        there.heard[heard.message] = heard
        if there.timer is not None:
            there.timer.cancel()
        wait = 0.0 if len(there.heard) >= MOST_MESSAGES else self._quiet_seconds
        there.timer = asyncio.get_running_loop().call_later(wait, self._rest, place.channel)

    def correct(self, channel: str, message: int, text: str | None) -> None:
        """Follow what became of a message that waits: other words, or none where it was deleted."""
        there = self._conversations.get(channel)
        heard = None if there is None else there.heard.pop(message, None)
        if there is not None and heard is not None and text:
            there.heard[message] = replace(heard, text=text)

    def forget(self, guild_id: str, member_id: str | None = None) -> None:
        """Drop what waits of a server, or what one member said there."""
        for there in self._conversations.values():
            if there.guild_id == guild_id:
                kept = [one for one in there.heard.values() if member_id is not None and one.member.id != member_id]
                there.heard = {one.message: one for one in kept}

    async def finish(self) -> None:
        """Learn from all that waits, now."""
        for channel in list(self._conversations):
            await self._learn(channel)

    def _rest(self, channel: str) -> None:
        there = self._conversations.get(channel)
        if there is not None:
            self._start(there.guild_id, self._learn(channel))

    async def _learn(self, channel: str) -> None:
        """Ask once what is worth keeping of what was said, where that is still allowed and wanted."""
        there = self._conversations.pop(channel, None)
        if there is None:
            return
        if there.timer is not None:
            there.timer.cancel()
        server = await asyncio.to_thread(self._memory.servers.find, guild_id=there.guild_id)
        if server is None:
            return
        allowed = permitted(server.settings, there.place)
        if not server.settings.listens or not allowed.write:
            return
        speakers = {one.member.id: one.member for one in there.heard.values()}
        met = await asyncio.to_thread(self._memory.servers.meet, server=server, members=speakers.values())
        out, named = met.opted_out, told_apart({id: one.name for id, one in speakers.items()})
        said = [there.heard[id] for id in sorted(there.heard)]
        kept = [one for one in said if one.member.id not in out and one.at >= server.heard_from]
        if not kept:
            return
        try:
            await self._memory.exchange.learn(
                actor=acting(self._actor, server, None),
                said=[Said(text=one.text, by=named[one.member.id]) for one in kept],
                vault=server.vault,
                charged=server.vault_id,
                where=Where(channel=there.place.channel, may_read=allowed.read, may_write=True),
                members=[Member(id=id, name=name, kept=id not in out) for id, name in named.items()],
            )
        except SouvenanceError as error:
            log.warning("nothing was learnt from a conversation", code=error.code)
            if isinstance(error, LATER):
                self._wait_on(channel, there)

    def _wait_on(self, channel: str, there: Conversation) -> None:
        """What could not be asked about now is asked about with what is said next; the last of it."""
        now = self._conversations.setdefault(channel, Conversation(there.guild_id, there.place))
        held = list(there.heard.items())[-MOST_MESSAGES // 2 :]
        now.heard = dict(held) | now.heard
