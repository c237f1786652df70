"""The real discord.py client as the bot, on a memory of its own, connected to a Discord on loopback."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from discord_bench import Bench, Model
from discord_server import DiscordServer, connected
from scripted import Server, model_server
from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.domain.endpoint import Use
from souvenance.interfaces.discord.bot import Bot
from souvenance.settings import Settings
from souvenance.wiring import open_application


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@contextlib.contextmanager
def opened(settings: Settings) -> Iterator[Application]:
    memory = open_application(settings)
    try:
        yield memory
    finally:
        memory.close()


@pytest.fixture
def bot_options() -> dict[str, Any]:
    """What a test sets of the bot, by overriding this fixture or parametrizing it."""
    return {}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, embedder="none")


@pytest.fixture
async def bench(settings: Settings, bot_options: dict[str, Any]) -> AsyncIterator[Bench]:
    async with DiscordServer() as server:
        guild = server.world.new_guild("Harbour")
        hall = guild.new_channel("general")
        with model_server() as answering, opened(settings) as memory, connected(server):
            answer_with(memory, answering)
            model = Model(answering)
            bot = Bot(memory, **({"guild_ready_timeout": 0.05} | bot_options))
            running = asyncio.create_task(bot.start(server.token))
            try:
                await server.wait_for(lambda: memory.servers.find(guild_id=guild.id) is not None or running.done())
                yield Bench(server, memory, model, bot, guild, hall)
            finally:
                model.hold.set()
                await bot.close()
                await running


def answer_with(memory: Application, model: Server) -> None:
    """Let the scripted model answer."""
    owner = memory.owner_through(Source.PANEL)
    memory.endpoints.add(actor=owner, name="scripted", base_url=model.url, model="scripted", uses=[Use.ANSWERS])
