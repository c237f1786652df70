"""A Discord, a memory, a scripted model, and the bot between them."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from discord_server import DiscordServer, Guild
from discord_server.payloads import Payload
from scripted import Handler, Raw
from scripted import Server as ModelServer
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.fact import Fact, SubjectKind
from souvenance.domain.server import Server
from souvenance.interfaces.discord.bot import Bot
from souvenance.memory.remember import Observation


class Model:
    """The scripted model of a test: what it says to a prompt, and what it was asked."""

    def __init__(self, server: ModelServer) -> None:
        self.prompts: list[str] = []
        """All texts of each call, joined."""
        self.hold = threading.Event()
        """While cleared, replies wait."""
        self.hold.set()
        self.status = 200
        self._script: Callable[[str, str], str] = lambda _prompt, _question: "Understood."
        server.otherwise = self._reply

    def says(self, text: str) -> None:
        """Reply with this from now on."""
        self._script = lambda _prompt, _question: text

    def does(self, script: Callable[[str, str], str]) -> None:
        """Reply from now on with what this makes of the whole prompt and of the last thing a person said."""
        self._script = script

    def _reply(self, handler: Handler, body: dict[str, Any]) -> None:
        prompt = "\n".join(message["content"] for message in body["messages"])
        self.prompts.append(prompt)
        self.hold.wait(timeout=30)
        if self.status != 200:
            handler.send_raw(Raw(b'{"error": {"message": "no"}}', status=self.status))
        else:
            handler.send_stream(self._script(prompt, body["messages"][-1]["content"]))


@dataclass
class Bench:
    """What a test of the bot works with."""

    discord: DiscordServer
    memory: Application
    model: Model
    bot: Bot
    guild: Guild
    hall: Payload
    """Its first channel."""

    @property
    def owner(self) -> Actor:
        return self.memory.owner_through(Source.PANEL, name="owner")

    def server(self, guild: Guild | None = None) -> Server:
        found = self.memory.servers.find(guild_id=(guild or self.guild).id)
        assert found is not None
        return found

    def facts(self, guild: Guild | None = None) -> list[Fact]:
        """The facts in force of a server, oldest first."""
        return self.memory.facts.list(actor=self.owner, vault=self.server(guild).vault)[::-1]

    def know(self, content: str, *, about: Payload | None = None, guild: Guild | None = None) -> Fact:
        """Let the memory of a server hold a fact."""
        kind = SubjectKind.VAULT if about is None else SubjectKind.MEMBER
        item = Observation(content=content, subject_kind=kind, subject_id="" if about is None else about["id"])
        vault = self.server(guild).vault
        return self.memory.facts.remember(actor=self.owner, vault=vault, observations=[item])[0].fact

    def set(self, guild: Guild | None = None, **changes: Any) -> None:
        """Change settings of a server, as the owner."""
        self.memory.servers.change_settings(actor=self.owner, vault=self.server(guild).vault, changes=changes)

    async def settled(self) -> None:
        """Wait until the bot has taken all that was said, and done what it had to."""
        await self.discord.gateway.settle()
        await self.bot.settled()

    async def let_in(self, name: str, *, with_role: bool = False) -> tuple[Guild, Payload]:
        """Let the bot into one more server, with a channel; with a role of its own, where its invitation makes one."""
        guild = self.discord.world.new_guild(name)
        if with_role:
            guild.give_bot_role(self.discord.world.bot)
        channel = guild.new_channel("general")
        await self.discord.join(guild)
        await self.discord.wait_for(lambda: self.memory.servers.find(guild_id=guild.id) is not None)
        return guild, channel
