"""The whole of it on a port of this machine, and what tests do with it."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Self

import discord.gateway
import discord.http
import yarl
from aiohttp import web

from discord_server import payloads
from discord_server.gateway import Gateway, Intent, Session
from discord_server.payloads import Payload
from discord_server.rest import Asked, Rest
from discord_server.world import Guild, Posted, World

TOKEN = "MTAwMDAwMDAwMDAwMDAwMDAwMA.GaBcDe.a-token-of-the-test-bench"
LONGEST_WAIT = 30.0
OPTION_USER = 6
"""Application Command Option Type."""


class DiscordServer:
    """A Discord on loopback: `async with DiscordServer() as server`."""

    def __init__(self, *, granted: int = Intent.MESSAGE_CONTENT) -> None:
        self.token = TOKEN
        self.world = World()
        self.rest = Rest(self.world, token=TOKEN, spread=self._spread)
        self.gateway = Gateway(
            token=TOKEN,
            granted=granted,
            ready=self._ready,
            joined=lambda: [guild.created(self.world.bot) for guild in self.world.guilds.values()],
        )
        self._runner: web.AppRunner | None = None
        self.port = 0

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.add_subapp("/api/v10", self.rest.application())
        app.router.add_get("/", self.gateway.handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        self.rest.url = self.gateway_url
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.gateway.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/v10"

    @property
    def gateway_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/"

    def _ready(self, session: Session) -> Payload:
        return {
            "v": 10,
            "user": self.world.bot | {"verified": True, "email": None, "mfa_enabled": False},
            "guilds": [{"id": guild.id, "unavailable": True} for guild in self.world.guilds.values()],
            "session_id": session.id,
            "resume_gateway_url": self.gateway_url,
            "application": {"id": self.world.application["id"], "flags": self.world.application["flags"]},
        }

    async def _spread(self, posted: Posted, event: str = "MESSAGE_CREATE") -> None:
        """Tell the gateway of a message, with the fields only its events have."""
        channel = self.world.find_channel(posted.payload["channel_id"])
        assert channel is not None
        data = posted.payload | {"channel_type": channel["type"]}
        guild = self.world.guild_of(channel)
        if guild is None:
            await self.gateway.dispatch(event, data, Intent.DIRECT_MESSAGES)
            return
        data["guild_id"] = guild.id
        if member := guild.members.get(data["author"]["id"]):
            data["member"] = _partial(member)
        data["mentions"] = [
            one | {"member": _partial(guild.members[one["id"]])} if one["id"] in guild.members else one
            for one in data["mentions"]
        ]
        await self.gateway.dispatch(event, data, Intent.GUILD_MESSAGES)

    # --- what people do ------------------------------------------------------------------------------------------

    async def join(self, guild: Guild) -> None:
        """Let the bot into a server while it runs."""
        created = guild.created(self.world.bot)
        del created["unavailable"]
        await self.gateway.dispatch("GUILD_CREATE", created, Intent.GUILDS)

    async def start_thread(self, guild: Guild, name: str, parent: Payload, *, private: bool = False) -> Payload:
        """Someone starts a thread, or a post in a forum."""
        made = guild.new_thread(name, parent["id"], private=private)
        await self.gateway.dispatch("THREAD_CREATE", made | {"newly_created": True}, Intent.GUILDS)
        return made

    async def say(self, channel: Payload, author: Payload, content: str, *, reply_to: str | None = None) -> Posted:
        """Someone writes."""
        posted = self.world.post(channel, author, content, reply_to=reply_to)
        await self._spread(posted)
        return posted

    async def edit(self, posted: Posted, content: str) -> None:
        """Someone corrects what they wrote."""
        posted.payload.update(content=content, edited_timestamp=payloads.now())
        await self._spread(posted, "MESSAGE_UPDATE")

    async def delete(self, posted: Posted) -> None:
        """Someone deletes a message."""
        self.world.posted.remove(posted)
        channel = self.world.find_channel(posted.payload["channel_id"])
        assert channel is not None
        data = {"id": posted.id, "channel_id": channel["id"], "guild_id": channel["guild_id"]}
        await self.gateway.dispatch("MESSAGE_DELETE", data, Intent.GUILD_MESSAGES)

    async def tell_bot(self, channel: Payload, author: Payload, content: str) -> Posted:
        """Someone mentions the bot and writes."""
        return await self.say(channel, author, f"<@{self.world.bot['id']}> {content}")

    async def write_directly(self, author: Payload, content: str) -> Posted:
        """Someone writes to the bot alone."""
        self.world.users[author["id"]] = author
        return await self.say(self.world.dm_with(author), author, content)

    async def command(
        self, channel: Payload, author: Payload, line: str, *, locale: str = "en-US", **options: Any
    ) -> Asked:
        """Someone uses a slash command, such as `memory search`, and waits for its answer."""
        data = self._command_data(line.split(), options, self.world.guild_of(channel))
        return await self._interact(data, channel, author, locale=locale)

    async def press(self, posted: Posted, author: Payload, label: str, *, locale: str = "en-US") -> Asked:
        """Someone presses a button under a message, and waits for its answer."""
        buttons = [one for row in posted.payload["components"] for one in row["components"]]
        (button,) = [one for one in buttons if one["label"] == label]
        channel = self.world.find_channel(posted.payload["channel_id"])
        assert channel is not None
        data = {"custom_id": button["custom_id"], "component_type": button["type"]}
        return await self._interact(data, channel, author, locale=locale, message=posted.payload)

    async def _interact(
        self, data: Payload, channel: Payload, author: Payload, *, locale: str, message: Payload | None = None
    ) -> Asked:
        guild = self.world.guild_of(channel)
        caller: Payload = author if guild is None else guild.members[author["id"]]
        asked = Asked(
            payloads.interaction(
                data,
                application_id=self.world.application["id"],
                channel=channel,
                caller=caller,
                permissions=0 if guild is None else guild.permissions[author["id"]],
                locale=locale,
                message=message,
            )
        )
        self.rest.asked[asked.payload["token"]] = asked
        await self.gateway.dispatch("INTERACTION_CREATE", asked.payload, ~0)
        await self.wait_for(lambda: asked.is_answered)
        return asked

    def _command_data(self, words: list[str], options: dict[str, Any], guild: Guild | None) -> Payload:
        """The command as its caller's client sends it: only what was registered can be sent."""
        name, *path = words
        registered = next(one for one in self.rest.commands if one["name"] == name)
        found = registered
        for word in path:
            found = next(one for one in found["options"] if one["name"] == word)
        known = {one["name"]: one for one in found.get("options") or []}
        sent = [{"name": key, "type": known[key]["type"], "value": value} for key, value in options.items()]
        missing = {key for key, one in known.items() if one.get("required")} - set(options)
        assert not missing, missing
        for word in reversed(path):
            kind = 1 if word == path[-1] else 2
            sent = [{"name": word, "type": kind, "options": sent}]
        data: Payload = {"id": registered["id"], "name": name, "type": 1, "options": sent}
        chosen = [value for key, value in options.items() if known[key]["type"] == OPTION_USER]
        if chosen and guild is not None:
            people = {id: guild.members[id] for id in chosen}
            data["resolved"] = {
                "users": {id: one["user"] for id, one in people.items()},
                "members": {
                    id: {key: value for key, value in one.items() if key not in {"user", "deaf", "mute"}}
                    | {"permissions": str(guild.permissions[id])}
                    for id, one in people.items()
                },
            }
        return data

    # --- what is seen --------------------------------------------------------------------------------------------

    def said_by_bot(self, channel: Payload) -> list[Posted]:
        """What the bot posted in a channel, oldest first."""
        return [
            one
            for one in self.world.posted
            if one.payload["channel_id"] == channel["id"] and one.payload["author"]["id"] == self.world.bot["id"]
        ]

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until something has come about."""
        async with asyncio.timeout(LONGEST_WAIT):
            while not condition():
                await asyncio.sleep(0.005)

    async def answer(self, channel: Payload, *, number: int = 1) -> Posted:
        """The bot's n-th message in a channel, waited for."""
        await self.wait_for(lambda: len(self.said_by_bot(channel)) >= number)
        return self.said_by_bot(channel)[number - 1]


def _partial(member: Payload) -> Payload:
    """A member without the user it stands beside."""
    return {key: value for key, value in member.items() if key != "user"}


@contextlib.contextmanager
def connected(server: DiscordServer) -> Iterator[None]:
    """Let discord.py's clients made in this block take this server for Discord."""
    base, first = discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY
    discord.http.Route.BASE = server.api_url
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(server.gateway_url)
    try:
        yield
    finally:
        discord.http.Route.BASE = base
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = first
