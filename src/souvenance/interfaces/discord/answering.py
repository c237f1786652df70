"""One message answered: what was said around it, the exchange, and the reply as Discord takes it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import aiohttp
import discord
import structlog

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import CapReached, SouvenanceError, Withheld
from souvenance.domain.server import Place, Server
from souvenance.exchange.events import Became, Ended, Event, Failed, Gathered, Member, Wrote
from souvenance.interfaces.discord.around import NOTE, look_around, text_of, without_notes
from souvenance.interfaces.discord.places import member_of
from souvenance.interfaces.discord.splitting import split_reply
from souvenance.interfaces.discord.undo import undo_buttons
from souvenance.interfaces.discord.words import language_of, refusal, say
from souvenance.memory.shown import Where
from souvenance.servers.members import acting, where_permitted

PERSONA = (
    "You answer in a channel of a Discord server, where several people speak. Be brief. Discord's Markdown is shown."
)
PAUSES = (1.0, 5.0, 15.0)
"""Seconds to wait before a reply that could not be posted is posted again."""
NOWHERE = Where(may_read=False, may_write=False)
NOBODY = discord.AllowedMentions.none()
"""Whatever a reply says, it notifies nobody."""

log = structlog.get_logger("souvenance.discord")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A message to answer. `server` is None in direct messages, which have no memory."""

    message: discord.Message
    bot: discord.ClientUser
    place: Place
    server: Server | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What is posted, and what of it can be taken back."""

    text: str
    wrote: Sequence[Wrote] = ()


class Answering:
    """Answers messages with one memory; `actor` is the bot."""

    def __init__(self, memory: Application, actor: Actor) -> None:
        self._memory = memory
        self._actor = actor

    async def answer(self, question: Question) -> None:
        """Answer one message where it was written. What goes wrong is told there and logged, without contents."""
        message = question.message
        language = language_of(message.guild.preferred_locale if message.guild else None)
        try:
            async with _typing(message.channel):
                reply = await self._reply(question, language)
        except Exception as error:
            if not isinstance(error, SouvenanceError):
                log.exception("an answer failed", channel=message.channel.id)
            reply = Reply(refusal(error, language))
        await send(message, reply, language)

    async def _reply(self, question: Question, language: str) -> Reply:
        message, server = question.message, question.server
        author = Member(id=str(message.author.id), name=message.author.display_name)
        text = text_of(message, question.bot) or say(language, "bare")
        ask = partial(self._memory.exchange.answer, question=text, persona=PERSONA)
        if server is None:
            return await _told(ask(actor=self._actor, member=author, with_memory=False, where=NOWHERE), language)
        around = await look_around(self._memory, server, message, bot=question.bot)
        ask = partial(
            ask,
            actor=acting(self._actor, server, member_of(message.author)),
            history=around.said,
            member=replace(author, name=around.names[author.id]),
            members=around.others(author.id),
            charged=server.vault_id,
        )
        allowed = where_permitted(server, question.place, opted_out=author.id in around.opted_out)
        where = Where(channel=question.place.channel, may_read=allowed.read, may_write=allowed.write)
        if not (allowed.read or allowed.write):
            return await _told(ask(with_memory=False, where=where), language)
        try:
            return await _told(ask(vaults=server.vault, where=where), language)
        except Withheld:  # a protected server's memory stays here, and that is said
            reply = await _told(ask(with_memory=False, where=NOWHERE), language)
            return Reply(f"{reply.text}\n{NOTE}{say(language, 'withheld')}")


async def _told(events: AsyncIterator[Event], language: str) -> Reply:
    """The reply of an exchange, with a line below it for what was kept back and what memory was changed (C5, V8)."""
    gathered: Gathered | None = None
    async for event in events:
        if isinstance(event, Gathered):
            gathered = event
        elif isinstance(event, Failed):
            if isinstance(event.error, Withheld | CapReached):
                raise event.error
            log.warning("the model did not answer", code=event.error.code)
            failed = say(language, "failed")
            return Reply(f"{event.text}\n\n{failed}" if event.text.strip() else failed)
        elif isinstance(event, Ended):
            below = _below(event.wrote, gathered, language)
            text = without_notes(event.text) or say(language, "noted" if below else "no_answer")
            return Reply(f"{text}\n{below}" if below else text, event.wrote)
    return Reply(say(language, "no_answer"))


def _below(wrote: Sequence[Wrote], gathered: Gathered | None, language: str) -> str:
    done = [one for one in wrote if one.became is Became.DONE and one.number is not None]
    what = ", ".join(say(language, one.verb, number=one.number, successor=one.successor) for one in done)
    lines = [
        gathered.withheld_sentence(language) if gathered else "",
        say(language, "wrote", what=what) if what else "",
    ]
    return "\n".join(f"{NOTE}{line}" for line in lines if line)


async def send(message: discord.Message, reply: Reply, language: str) -> None:
    """Post a reply below a message in as many parts as it needs, notifying nobody; buttons stand under the last."""
    parts = split_reply(reply.text)
    buttons = undo_buttons(reply.wrote, by=str(message.author.id), language=language)
    reference = message.to_reference(fail_if_not_exists=False)
    for number, part in enumerate(parts, start=1):
        more: dict[str, Any] = {"reference": reference} if number == 1 else {}
        more |= {"view": buttons} if buttons is not None and number == len(parts) else {}
        # Discord posts what carries one nonce once, whoever sends it again: this process, another, or a second bot.
        more["nonce"] = f"{message.id}-{number}"
        try:
            await _posted(message.channel, part, more)
        except (discord.HTTPException, aiohttp.ClientError, TimeoutError) as error:
            log.warning("a reply could not be posted", error=type(error).__name__, code=getattr(error, "code", None))
            return


async def _posted(channel: discord.abc.Messageable, part: str, more: dict[str, Any]) -> None:
    """Post one part, again where Discord fails or cannot be reached for a moment."""
    for pause in PAUSES:
        try:
            await channel.send(part, allowed_mentions=NOBODY, **more)
            return
        except (discord.DiscordServerError, aiohttp.ClientError, TimeoutError):
            await asyncio.sleep(pause)
    await channel.send(part, allowed_mentions=NOBODY, **more)


@contextlib.asynccontextmanager
async def _typing(channel: discord.abc.Messageable) -> AsyncIterator[None]:
    """Show that the bot types; where it may not, it works all the same."""
    async with contextlib.AsyncExitStack() as stack:
        with contextlib.suppress(discord.HTTPException):
            await stack.enter_async_context(channel.typing())
        yield
