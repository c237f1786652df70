"""`souvenance discord` as a process: it starts, refuses in words, keeps its token to itself, and stops."""

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from discord_server import DiscordServer
from souvenance.domain.errors import InvalidInput
from souvenance.serving.discord import run
from souvenance.settings import Settings

pytestmark = pytest.mark.anyio

# What `connected` does in this process, in that one.
START = """
import sys, discord.http, discord.gateway, yarl
discord.http.Route.BASE, gateway = sys.argv[1], sys.argv[2]
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
sys.argv[1:] = sys.argv[3:]
from souvenance.__main__ import main
main()
"""


@contextlib.asynccontextmanager
async def started(server: DiscordServer, folder: Path, *, token: str | None) -> AsyncIterator[Process]:
    variables = os.environ | {"SOUVENANCE_EMBEDDER": "none", "SOUVENANCE_LOG_LEVEL": "debug"}
    variables |= {} if token is None else {"SOUVENANCE_DISCORD_TOKEN": token}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", START, server.api_url, server.gateway_url, "discord", "--data", str(folder),
        env=variables, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_it_runs_until_it_is_told_to_stop_and_keeps_its_token_to_itself(tmp_path: Path) -> None:
    async with DiscordServer() as server:
        guild = server.world.new_guild("Harbour")
        hall, ana = guild.new_channel("general"), guild.new_member("ana")
        async with started(server, tmp_path, token=server.token) as process:
            await server.wait_for(lambda: bool(server.rest.commands and server.gateway.sessions))
            asked = await server.command(hall, ana, "memory about-me", locale="fr")
            assert asked.text == "Rien n’est retenu à ton sujet ici."
            await server.tell_bot(hall, ana, "the word is swordfish")
            await server.answer(hall)
            process.send_signal(signal.SIGTERM)
            out, err = await asyncio.wait_for(process.communicate(), timeout=20)
    said = (out + err).decode()
    assert process.returncode == 0, said
    assert "stopped" in said
    assert "ana" not in said
    assert "swordfish" not in said
    assert server.token not in said
    assert server.token.split(".")[-1] not in said


@pytest.mark.parametrize(
    ("token", "granted", "told"),
    [
        (None, 1 << 15, "There is no token for the bot."),
        ("wrong", 1 << 15, "Discord does not know the bot's token."),
        ("right", 0, "The bot may not read what messages say."),
    ],
)
async def test_what_keeps_it_from_starting_is_said_with_the_way_out(
    tmp_path: Path, token: str | None, granted: int, told: str
) -> None:
    async with DiscordServer(granted=granted) as server:
        given = server.token if token == "right" else token
        async with started(server, tmp_path, token=given) as process:
            out, err = await asyncio.wait_for(process.communicate(), timeout=20)
    said = (out + err).decode()
    assert process.returncode == 1, said
    assert f"Error: {told}" in said
    assert "Traceback" not in said


def test_what_is_not_installed_is_said_before_what_is_not_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.delenv("SOUVENANCE_DISCORD_TOKEN", raising=False)
    with pytest.raises(InvalidInput, match=r"discord\.py is not installed"):
        run(Settings(data=tmp_path))


async def test_a_discord_that_is_away_is_said(tmp_path: Path) -> None:
    async with DiscordServer() as server:
        pass  # nothing listens there any more
    async with started(server, tmp_path, token=server.token) as process:
        out, err = await asyncio.wait_for(process.communicate(), timeout=30)
    assert process.returncode == 1
    assert "Error: Discord cannot be reached" in (out + err).decode()
