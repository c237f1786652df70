"""The bot as Discord sees it: it reads what is said, decides what is for it, and answers, each channel in its turn."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Coroutine
from typing import Any
from weakref import WeakValueDictionary

import discord
import structlog
from discord import app_commands

from souvenance.application import Application
from souvenance.domain.access import Route, Source
from souvenance.domain.errors import SouvenanceError
from souvenance.domain.server import Server, permitted
from souvenance.interfaces.discord.answering import NOBODY, Answering, Question
from souvenance.interfaces.discord.around import text_of
from souvenance.interfaces.discord.catching_up import missed
from souvenance.interfaces.discord.commands import MemoryCommands
from souvenance.interfaces.discord.listening import QUIET_SECONDS, Heard, Listening
from souvenance.interfaces.discord.places import member_of, place_of
from souvenance.interfaces.discord.undo import Undo
from souvenance.interfaces.discord.words import InFrench

MOST_SEEN = 10_000
"""Ids of messages that are remembered so that none is taken twice."""
GRACE_SECONDS = 10.0
"""How long answers under way may take to finish once the bot is told to stop."""
SETTLE_SECONDS = 60.0
"""How long an erasure waits for answers under way, so that none writes after it what it erased."""
WRITTEN_BY_PEOPLE = {discord.MessageType.default, discord.MessageType.reply}

log = structlog.get_logger("souvenance.discord")


class Bot(discord.Client):
    """One bot on one memory. Discord is a place elsewhere, so its route is always `cloud` (V8)."""

    def __init__(
        self,
        memory: Application,
        *,
        direct_messages: bool = False,
        quiet_seconds: float = QUIET_SECONDS,
        **options: Any,
    ) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, message_content=True, dm_messages=direct_messages)
        super().__init__(
            intents=intents,
            allowed_mentions=NOBODY,
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            **options,
        )
        self.memory = memory
        self.actor = memory.owner_through(Source.BOT, route=Route.CLOUD, name="Discord bot")
        self.tree = app_commands.CommandTree(self)
        self.tree.add_command(MemoryCommands())
        self.add_dynamic_items(Undo)
        self._takes_direct = direct_messages
        self._answering = Answering(memory, self.actor)
        self._listening = Listening(memory, self.actor, self.start_work, quiet_seconds=quiet_seconds)
        self._seen: OrderedDict[int, None] = OrderedDict()
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._work: defaultdict[str, set[asyncio.Task[None]]] = defaultdict(set)
        self._connected_from: int | None = None

    # --- connecting ----------------------------------------------------------------------------------------------

    async def setup_hook(self) -> None:
        """Register the commands, in both languages."""
        await self.tree.set_translator(InFrench())
        await self.tree.sync()

    async def on_ready(self) -> None:
        """Meet every server; after a session that could not be resumed, take what was said meanwhile."""
        for guild in self.guilds:
            try:
                await self.server_of(guild)
            except SouvenanceError as error:  # the others are met all the same, and this one when it speaks
                log.warning("a server was not met", guild=guild.id, code=error.code)
        since, self._connected_from = self._connected_from, discord.utils.time_snowflake(discord.utils.utcnow())
        log.info("the bot is ready", servers=len(self.guilds))
        if since is not None:
            latest = next(reversed(self._seen), 0)
            async for message in missed(self.guilds, since=max(since, latest)):
                await self.on_message(message)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Make the vault of a server that let the bot in."""
        await self.server_of(guild)

    async def on_guild_update(self, _before: discord.Guild, after: discord.Guild) -> None:
        """Follow a server's name."""
        await self.server_of(after)

    async def server_of(self, guild: discord.Guild) -> Server:
        """The server as it is set now."""
        return await asyncio.to_thread(
            self.memory.servers.join, actor=self.actor, guild_id=str(guild.id), name=guild.name
        )

    def shown_name(self, guild: discord.Guild | None) -> str:
        """What the bot is called there."""
        if guild is not None and guild.me is not None:
            return guild.me.display_name
        return "" if self.user is None else self.user.display_name

    async def close(self) -> None:
        """Let answers under way finish, learn from what was heard, and leave."""
        if not self.is_closed():
            try:
                async with asyncio.timeout(GRACE_SECONDS):
                    await self.rest()
            except TimeoutError:
                log.warning("answers under way were cut short")
            for task in [task for tasks in self._work.values() for task in tasks]:
                task.cancel()
        await super().close()

    # --- work ----------------------------------------------------------------------------------------------------

    def start_work(self, guild_id: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something for a server; `settled` waits for it."""
        task = asyncio.get_running_loop().create_task(work)
        tasks = self._work[guild_id]
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return task

    async def settled(self, guild_id: str | None = None) -> None:
        """Wait until nothing is under way, in one server or in all."""
        while tasks := [task for id, tasks in self._work.items() for task in tasks if guild_id in (None, id)]:
            await asyncio.wait(tasks)

    async def rest(self) -> None:
        """Learn now from what was heard, rather than once the conversations rest."""
        await self.settled()
        await self._listening.finish()

    async def before_forgetting(self, guild_id: str, member_id: str | None) -> None:
        """Drop what was heard of a member, or of all, and wait for answers under way, which may still write."""
        self._listening.forget(guild_id, member_id)
        try:
            async with asyncio.timeout(SETTLE_SECONDS):
                await self.settled(guild_id)
        except TimeoutError:
            log.warning("an erasure did not wait for an answer any longer", guild=guild_id)

    # --- messages ------------------------------------------------------------------------------------------------

    async def on_message(self, message: discord.Message) -> None:
        """Take what a person wrote, once, after what was written before it in that channel."""
        if message.author.bot or message.webhook_id or message.type not in WRITTEN_BY_PEOPLE:
            return
        if message.id in self._seen:
            return
        self._seen[message.id] = None
        if len(self._seen) > MOST_SEEN:
            self._seen.popitem(last=False)
        await self.start_work(str(message.guild.id) if message.guild else "", self._in_turn(message))

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """What was corrected before it was learnt from is learnt as it was corrected."""
        if self.user is not None:
            text = text_of(payload.message, self.user)
            self._listening.correct(str(payload.channel_id), payload.message_id, text)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """What was deleted before it was learnt from is not learnt."""
        self._listening.correct(str(payload.channel_id), payload.message_id, None)

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """The same, for many."""
        for message_id in payload.message_ids:
            self._listening.correct(str(payload.channel_id), message_id, None)

    async def _in_turn(self, message: discord.Message) -> None:
        turn = self._turns.setdefault(message.channel.id, asyncio.Lock())
        async with turn:
            try:
                await self._take(message)
            except Exception:
                log.exception("a message was not taken", channel=message.channel.id)

    async def _take(self, message: discord.Message) -> None:
        """Answer a message that is for the bot; listen to others where memory may be written."""
        if self.user is None:
            return
        place = place_of(message.channel)
        if message.guild is None:
            if self._takes_direct:
                await self._answering.answer(Question(message=message, bot=self.user, place=place))
            return
        server = await self.server_of(message.guild)
        allowed = permitted(server.settings, place)
        if allowed.answers or self._is_addressed(message):
            await self._answering.answer(Question(message=message, bot=self.user, place=place, server=server))
        elif allowed.write and server.settings.listens:
            member = member_of(message.author)
            met = await asyncio.to_thread(self.memory.servers.meet, server=server, members=[member])
            text = text_of(message, self.user)
            if member.id not in met.opted_out and text:
                heard = Heard(message=message.id, member=member, text=text, at=message.created_at)
                self._listening.hear(server.guild_id, place, heard)

    def _is_addressed(self, message: discord.Message) -> bool:
        """Whether a message mentions the bot, by itself or by the role it was invited with, or replies to it."""
        own_role = message.guild.self_role if message.guild is not None else None
        if self.user in message.mentions or (own_role is not None and own_role in message.role_mentions):
            return True
        original = message.reference.resolved if message.reference is not None else None
        return isinstance(original, discord.Message) and original.author == self.user
