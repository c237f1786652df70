"""What was said around a message, and by whom, as an exchange is given it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

import discord

from souvenance.application import Application
from souvenance.domain.server import Server
from souvenance.exchange.events import Member, Said
from souvenance.interfaces.discord.places import member_of, told_apart

AROUND = 12
"""Messages before the one answered that the model is shown."""

NOTE = "-# "
"""Begins a line that Discord shows small: what the bot says of itself below an answer."""
_NOTES = re.compile(r"^[ \t]*-#.*$\n?", re.MULTILINE)

Person = discord.User | discord.Member


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """The people of a conversation by id, under names that tell them apart, and what they said, oldest first.

    `opted_out` are those about whom nothing may be learnt; what was said by them or to them is left out.
    """

    names: dict[str, str]
    opted_out: frozenset[str]
    said: tuple[Said, ...]

    def others(self, author: str) -> list[Member]:
        """Those present but the author; nothing is kept about who opted out."""
        return [
            Member(id=id, name=name, kept=id not in self.opted_out) for id, name in self.names.items() if id != author
        ]


async def look_around(
    memory: Application, server: Server, message: discord.Message, *, bot: discord.ClientUser
) -> Around:
    """Read what was said before in that channel since anything was erased, and who is there.

    Discord gives names of this server with what is said now, and none with what was said before: those are the names
    kept from when it was said.
    """
    before = await _before(message, since=server)
    people: dict[str, Person] = {}
    for person in (message.author, *message.mentions, *(one.author for one in before)):
        if not person.bot:
            people.setdefault(str(person.id), person)
    met = await asyncio.to_thread(
        memory.servers.meet,
        server=server,
        members=[member_of(one) for one in people.values() if isinstance(one, discord.Member)],
        others=list(people),
    )
    names = told_apart({id: met.names.get(id) or one.display_name for id, one in people.items()})
    return Around(names=names, opted_out=met.opted_out, said=tuple(_said(before, server, bot, met.opted_out, names)))


async def _before(message: discord.Message, *, since: Server) -> list[discord.Message]:
    try:
        found = [one async for one in message.channel.history(limit=AROUND, before=message)]
    except discord.HTTPException:
        return []  # a channel whose history the bot may not read
    return [one for one in reversed(found) if one.created_at >= since.heard_from]


def _said(
    before: Sequence[discord.Message],
    server: Server,
    bot: discord.ClientUser,
    out: frozenset[str],
    names: dict[str, str],
) -> list[Said]:
    said: list[Said] = []
    answered = ""
    for one in before:
        by_model = one.author.id == bot.id
        if not by_model:
            answered = ""
        elif one.reference is not None:  # the further parts of an answer carry no reference
            answered = _answered(one)
        text = without_notes(text_of(one, bot)) if by_model else text_of(one, bot)
        if text and (by_model or not one.author.bot) and not {str(one.author.id), answered} & out:
            said.append(
                Said(text=text, by_model=True, read=frozenset({server.vault_id}))
                if by_model
                else Said(text=text, by=names[str(one.author.id)])
            )
    return said


def _answered(message: discord.Message) -> str:
    """The id of whom a message replies to."""
    original = message.reference.resolved if message.reference is not None else None
    return str(original.author.id) if isinstance(original, discord.Message) else ""


def without_notes(text: str) -> str:
    """A model's words without what looks like the bot's own small print: only the bot says what memory did."""
    return _NOTES.sub("", text).strip()


def text_of(message: discord.Message, bot: discord.ClientUser) -> str:
    """What a message says: mentions as names, without the one that calls the bot, and the names of what is attached."""
    text = message.clean_content
    for name in {bot.display_name, message.guild.me.display_name if message.guild else bot.display_name}:
        text = text.replace(f"@{name}", "")
    attached = [f"[{one.filename}]" for one in message.attachments]
    return " ".join([text.strip(), *attached]).strip()
