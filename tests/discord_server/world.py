"""What there is on this Discord: servers, channels, members, and the messages that were posted."""

import re
from dataclasses import dataclass, field
from typing import Any

from discord_server import payloads
from discord_server.payloads import EVERYDAY, THREADS, ChannelType, Payload, Permission

USER_MENTION = re.compile(r"<@!?(\d+)>")
ROLE_MENTION = re.compile(r"<@&(\d+)>")
EVERYONE = re.compile(r"@(?:everyone|here)\b")
REGULAR = {"parse": ["users", "roles", "everyone"]}
INTERACTION = {"parse": ["users"]}


@dataclass(frozen=True)
class Posted:
    """A message as its readers see it, and the files that came with it."""

    payload: Payload
    files: dict[str, bytes] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return str(self.payload["id"])

    @property
    def text(self) -> str:
        return str(self.payload["content"])

    @property
    def pings(self) -> set[str]:
        """Whom it notifies: ids of users and roles, and `everyone`."""
        everyone = {"everyone"} if self.payload["mention_everyone"] else set()
        return {one["id"] for one in self.payload["mentions"]} | set(self.payload["mention_roles"]) | everyone


class Guild:
    """A server of this Discord, made by tests."""

    def __init__(self, name: str, *, bot: Payload) -> None:
        self.owner = payloads.user("owner")
        self.payload = payloads.guild(name, owner=self.owner["id"])
        self.members: dict[str, Payload] = {}
        self.permissions: dict[str, int] = {}
        self.channels: dict[str, Payload] = {}
        self.threads: dict[str, Payload] = {}
        self.add_member(self.owner, permissions=EVERYDAY | Permission.ADMINISTRATOR)
        self.add_member(bot)

    @property
    def id(self) -> str:
        return str(self.payload["id"])

    def add_member(self, user: Payload, *, nick: str | None = None, permissions: int = EVERYDAY) -> Payload:
        """Let a user in, with the permissions it has in every channel."""
        self.members[user["id"]] = payloads.member(user, nick=nick)
        self.permissions[user["id"]] = int(permissions)
        return user

    def new_member(self, name: str, *, nick: str | None = None, manages: bool = False) -> Payload:
        """Someone who comes in."""
        extra = Permission.MANAGE_GUILD if manages else Permission(0)
        return self.add_member(payloads.user(name), nick=nick, permissions=EVERYDAY | extra)

    def new_role(self, name: str, *, mentionable: bool = True) -> Payload:
        role = payloads.role(name, mentionable=mentionable)
        self.payload["roles"].append(role)
        return role

    def give_bot_role(self, bot: Payload) -> None:
        """The role of the bot's own name that Discord makes when its invitation asks for permissions (Role Tags)."""
        role = self.new_role(bot["username"]) | {"managed": True, "tags": {"bot_id": bot["id"]}}
        self.payload["roles"][-1] = role
        self.members[bot["id"]]["roles"].append(role["id"])

    def new_channel(self, name: str, kind: ChannelType = ChannelType.TEXT) -> Payload:
        channel = payloads.channel(kind, name, guild_id=self.id)
        self.channels[channel["id"]] = channel
        return channel

    def new_thread(self, name: str, parent_id: str, *, private: bool = False) -> Payload:
        """A thread, or a post where the parent is a forum. The parent need not be known."""
        thread = payloads.thread(
            name, guild_id=self.id, parent_id=parent_id, owner_id=self.owner["id"], private=private
        )
        self.threads[thread["id"]] = thread
        return thread

    def created(self, bot: Payload) -> Payload:
        """What GUILD_CREATE says of it: the guild, and the fields only that event has."""
        return self.payload | {
            "joined_at": payloads.now(),
            "large": False,
            "unavailable": False,
            "member_count": len(self.members),
            "voice_states": [],
            "members": [self.members[bot["id"]]],  # without the members intent, only the bot itself is sure to be there
            "channels": list(self.channels.values()),
            "threads": list(self.threads.values()),
            "presences": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
            "stickers": [],
        }


class World:
    """Everything there is. The bot's user is made with it."""

    def __init__(self) -> None:
        self.bot = payloads.user("souvenance", bot=True)
        self.application = payloads.application("Souvenance", owner=payloads.user("maker"), id=self.bot["id"])
        self.guilds: dict[str, Guild] = {}
        self.users: dict[str, Payload] = {self.bot["id"]: self.bot}
        self.dms: dict[str, Payload] = {}
        self.posted: list[Posted] = []

    def new_guild(self, name: str) -> Guild:
        guild = Guild(name, bot=self.bot)
        self.guilds[guild.id] = guild
        return guild

    def find_channel(self, id: str) -> Payload | None:
        """A channel, thread or direct message by its id."""
        places = [self.dms, *(found for guild in self.guilds.values() for found in (guild.channels, guild.threads))]
        return next((place[id] for place in places if id in place), None)

    def guild_of(self, channel: Payload) -> Guild | None:
        return self.guilds.get(channel.get("guild_id", ""))

    def may_post(self, channel: Payload, user: Payload) -> bool:
        """Whether someone may write there."""
        guild = self.guild_of(channel)
        if guild is None:
            return True
        needed = Permission.SEND_MESSAGES_IN_THREADS if channel["type"] in THREADS else Permission.SEND_MESSAGES
        held = guild.permissions.get(user["id"], 0)
        return channel["type"] != ChannelType.FORUM and bool(held & (needed | Permission.ADMINISTRATOR))

    def dm_with(self, user: Payload) -> Payload:
        """The direct messages between the bot and someone."""
        found = next((one for one in self.dms.values() if one["recipients"][0]["id"] == user["id"]), None)
        if found is None:
            found = payloads.dm_channel(user)
            self.dms[found["id"]] = found
        return found

    def post(
        self,
        channel: Payload,
        author: Payload,
        content: str,
        *,
        allowed: Payload | None = None,
        reply_to: str | None = None,
        files: dict[str, bytes] | None = None,
        **more: Any,
    ) -> Posted:
        """Keep a message, with the mentions that `allowed` lets through (resources/message, Allowed Mentions)."""
        made = payloads.message(channel["id"], author, content) | more
        if reply_to is not None:
            reference = {"type": 0, "message_id": reply_to, "channel_id": channel["id"]}
            made |= {"type": 19, "message_reference": reference}
            original = next(one.payload for one in self.posted if one.id == reply_to)
            made["referenced_message"] = original
        made |= self._mentions(channel, author, content, REGULAR if allowed is None else allowed, made)
        made["attachments"] = [
            {"id": str(number), "filename": name, "size": len(data), "url": f"https://cdn.invalid/{name}",
             "proxy_url": f"https://media.invalid/{name}"}
            for number, (name, data) in enumerate((files or {}).items())
        ]  # fmt: skip
        channel["last_message_id"] = made["id"]
        kept = Posted(made, files or {})
        self.posted.append(kept)
        return kept

    def _mentions(
        self, channel: Payload, author: Payload, content: str, allowed: Payload, made: Payload
    ) -> dict[str, Any]:
        guild, parse = self.guild_of(channel), set(allowed.get("parse", ()))
        known = {id: one["user"] for id, one in guild.members.items()} if guild else self.users
        users = [id for id in USER_MENTION.findall(content) if "users" in parse or id in allowed.get("users", ())]
        original = made.get("referenced_message")
        if original is not None and allowed.get("replied_user", author["id"] != self.bot["id"]):
            users.append(original["author"]["id"])
        powers = guild.permissions.get(author["id"], 0) if guild else 0
        loud = bool(powers & (Permission.MENTION_EVERYONE | Permission.ADMINISTRATOR))
        roles = {one["id"]: one["mentionable"] or loud for one in guild.payload["roles"]} if guild else {}
        return {
            "mentions": [known[id] for id in dict.fromkeys(users) if id in known],
            "mention_roles": [
                id
                for id in dict.fromkeys(ROLE_MENTION.findall(content))
                if roles.get(id) and ("roles" in parse or id in allowed.get("roles", ()))
            ],
            "mention_everyone": bool(EVERYONE.search(content)) and loud and "everyone" in parse,
        }
