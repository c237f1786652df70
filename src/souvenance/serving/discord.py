"""The process of `souvenance discord`: one bot on one memory, until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import signal
from typing import TYPE_CHECKING

import structlog

from souvenance.domain.errors import InvalidInput, NotAllowed, SouvenanceError
from souvenance.serving import logs
from souvenance.settings import Settings
from souvenance.wiring import open_application

if TYPE_CHECKING:
    from souvenance.interfaces.discord.bot import Bot

log = structlog.get_logger("souvenance.discord")


class DiscordUnreachable(SouvenanceError):
    """Discord does not answer."""

    code = "discord_unreachable"


def run(settings: Settings) -> None:
    """Run the bot until SIGTERM or Ctrl-C. Raises what keeps it from starting."""
    if importlib.util.find_spec("discord") is None:
        raise InvalidInput(
            "discord.py is not installed.", hint="In Souvenance's folder: .venv/bin/python -m pip install '.[discord]'."
        )
    if settings.discord_token is None:
        raise InvalidInput(
            "There is no token for the bot.",
            hint="Make a bot at https://discord.com/developers/applications and set SOUVENANCE_DISCORD_TOKEN.",
        )
    from souvenance.interfaces.discord.bot import Bot

    logs.configure(form=settings.log_format, level=settings.log_level)
    # Below this level discord.py logs whole events: what people say, and the token.
    logging.getLogger("discord").setLevel(max(logging.INFO, logging.getLogger().level))
    logging.getLogger("discord.client").addFilter(lambda record: "voice will NOT" not in record.getMessage())
    memory = open_application(settings)
    try:
        memory.embedding.start_background()
        memory.purging.start()
        bot = Bot(memory, direct_messages=settings.discord_direct_messages)
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_run(bot, settings.discord_token.get_secret_value()))
        log.info("stopped")
    finally:
        memory.close()


async def _run(bot: Bot, token: str) -> None:
    """Stay connected until a signal; then let answers under way finish."""
    import discord

    running = asyncio.ensure_future(bot.start(token))
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # where a platform has none, Ctrl-C cancels
            loop.add_signal_handler(number, lambda: stopping.append(loop.create_task(bot.close())))
    try:
        await running
    except discord.LoginFailure:
        raise NotAllowed(
            "Discord does not know the bot's token.",
            hint="Copy it again from the bot's page (Reset Token) and set SOUVENANCE_DISCORD_TOKEN.",
        ) from None
    except discord.PrivilegedIntentsRequired:
        raise NotAllowed(
            "The bot may not read what messages say.",
            hint="Switch on Message Content Intent on the bot's page at https://discord.com/developers/applications.",
        ) from None
    except (discord.DiscordException, OSError) as error:
        raise DiscordUnreachable(
            f"Discord cannot be reached ({type(error).__name__}).", hint="Check the network and try again."
        ) from error
    finally:
        await asyncio.gather(*stopping)
        await bot.close()
