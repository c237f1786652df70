"""One slash command under way: who calls, where, and how its answer reaches them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar

import discord

from souvenance.application import Application
from souvenance.domain.errors import NotAllowed
from souvenance.domain.server import Place, Server, ServerMember
from souvenance.interfaces.discord.answering import NOBODY
from souvenance.interfaces.discord.places import member_of, place_of
from souvenance.interfaces.discord.splitting import split_reply
from souvenance.interfaces.discord.words import language_of, say

if TYPE_CHECKING:
    from souvenance.interfaces.discord.bot import Bot

    Asked = discord.Interaction[Bot]
else:
    Asked = discord.Interaction
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Call:
    """A command of someone in a server; it is acknowledged, and its answer is for `ephemeral` its caller alone."""

    asked: Asked
    server: Server
    ephemeral: bool

    @classmethod
    async def begin(cls, asked: Asked, *, ephemeral: bool = True) -> Self:
        """Tell Discord, which waits three seconds at most, that an answer is coming; then look the server up."""
        await asked.response.defer(ephemeral=ephemeral, thinking=True)
        if asked.guild is None:
            raise NotAllowed("Use this in a server.", why="guild_only")
        return cls(asked, await asked.client.server_of(asked.guild), ephemeral)

    @property
    def memory(self) -> Application:
        """The use cases."""
        return self.asked.client.memory

    @property
    def language(self) -> str:
        """The caller's."""
        return language_of(self.asked.locale)

    @property
    def place(self) -> Place:
        """Where it was called."""
        return place_of(self.asked.channel)

    @property
    def member(self) -> ServerMember:
        """The caller, with the rights Discord says they have there."""
        return member_of(self.asked.user, permissions=self.asked.permissions)

    async def do(self, use_case: Callable[..., R], **given: object) -> R:
        """Run a use case for the caller in this server."""
        return await asyncio.to_thread(
            use_case, actor=self.asked.client.actor, server=self.server, member=self.member, **given
        )

    async def say(self, key: str, **values: object) -> None:
        """Answer with one of the bot's sentences."""
        await self.tell(say(self.language, key, **values))

    async def tell(self, text: str, *, file: discord.File | None = None) -> None:
        """Answer, in as many parts as it takes; a file goes with the first."""
        for number, part in enumerate(split_reply(text)):
            attached = [file] if file is not None and number == 0 else []
            await self.asked.followup.send(part, files=attached, ephemeral=self.ephemeral, allowed_mentions=NOBODY)
