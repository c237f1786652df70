"""What was said while the bot could not hear: Discord repeats it when a session is resumed, not when it is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import timedelta

import discord

MARGIN = timedelta(minutes=1)
"""Messages this much older are looked at again: channels do not arrive in one order. None is taken twice."""
MOST_MISSED = 100
"""Messages of one channel that are taken afterwards."""


async def missed(guilds: Iterable[discord.Guild], *, since: int) -> AsyncIterator[discord.Message]:
    """The messages after that one, by its id, of every channel that has newer ones; each channel's oldest first."""
    from_moment = discord.utils.snowflake_time(since) - MARGIN
    for guild in guilds:
        channels: list[discord.TextChannel | discord.VoiceChannel | discord.Thread]
        channels = [*guild.text_channels, *guild.voice_channels, *guild.threads]
        for channel in channels:
            if channel.last_message_id is None or channel.last_message_id <= discord.utils.time_snowflake(from_moment):
                continue
            try:
                async for message in channel.history(limit=MOST_MISSED, after=from_moment, oldest_first=True):
                    yield message
            except discord.HTTPException:
                continue  # a channel whose history the bot may not read
