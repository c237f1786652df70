"""One message answered: what was said around it, the exchange, and the reply as Discord takes it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import discord
import structlog

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import Withheld
from souvenance.domain.server import Place, Server
from souvenance.exchange.events import Became, Ended, Event, Failed, Gathered, Member, Wrote
from souvenance.interfaces.discord.around import look_around, text_of
from souvenance.interfaces.discord.places import member_of
from souvenance.interfaces.discord.splitting import split_reply
from souvenance.interfaces.discord.words import language_of, say
from souvenance.memory.shown import Where
from souvenance.servers.members import acting, where_permitted

PERSONA = (
    "You answer in a channel of a Discord server, where several people speak. Be brief. Discord's Markdown is shown."
)
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
            log.exception("an answer failed", guild=getattr(message.guild, "id", None), error=type(error).__name__)
            reply = say(language, "fault")
        await send(message, reply)

    async def _reply(self, question: Question, language: str) -> str:
        server, message = question.server, question.message
        if server is None:
            events = self._memory.exchange.answer(
                actor=self._actor,
                question=text_of(message, question.bot),
                with_memory=False,
                where=Where(may_read=False, may_write=False),
                member=Member(id=str(message.author.id), name=message.author.display_name),
                persona=PERSONA,
            )
            return await _told(events, language)
        around = await look_around(self._memory, server, message, bot=question.bot)
        author = str(message.author.id)
        allowed = where_permitted(server, question.place, opted_out=author in around.opted_out)
        events = self._memory.exchange.answer(
            actor=acting(self._actor, server, member_of(message.author)),
            question=text_of(message, question.bot),
            history=around.said,
            vaults=server.vault,
            with_memory=allowed.read or allowed.write,
            where=Where(channel=question.place.channel, may_read=allowed.read, may_write=allowed.write),
            member=Member(id=author, name=around.names[author]),
            members=around.others(author),
            persona=PERSONA,
        )
        try:
            return await _told(events, language)
        except Withheld:
            return say(language, "withheld")


async def _told(events: AsyncIterator[Event], language: str) -> str:
    """The reply of an exchange, with a line below it for what was kept back and what memory was changed (C5, V8)."""
    gathered: Gathered | None = None
    async for event in events:
        if isinstance(event, Gathered):
            gathered = event
        elif isinstance(event, Failed):
            if isinstance(event.error, Withheld):
                raise event.error
            log.warning("the model did not answer", code=event.error.code)
            failed = say(language, "failed")
            return f"{event.text}\n\n{failed}" if event.text.strip() else failed
        elif isinstance(event, Ended):
            below = _below(event.wrote, gathered, language)
            text = event.text.strip() or say(language, "noted" if below else "no_answer")
            return f"{text}\n{below}" if below else text
    return say(language, "no_answer")


def _below(wrote: Sequence[Wrote], gathered: Gathered | None, language: str) -> str:
    done = [one for one in wrote if one.became is Became.DONE and one.number is not None]
    what = ", ".join(say(language, one.verb, number=one.number, successor=one.successor) for one in done)
    lines = [
        gathered.withheld_sentence(language) if gathered else "",
        say(language, "wrote", what=what) if what else "",
    ]
    return "\n".join(f"-# {line}" for line in lines if line)


async def send(message: discord.Message, reply: str) -> None:
    """Post a reply below a message in as many parts as it needs, notifying nobody."""
    for number, part in enumerate(split_reply(reply)):
        try:
            if number == 0:
                reference = message.to_reference(fail_if_not_exists=False)
                await message.channel.send(part, reference=reference, allowed_mentions=NOBODY)
            else:
                await message.channel.send(part, allowed_mentions=NOBODY)
        except discord.HTTPException as error:
            log.warning("a reply could not be posted", status=error.status, code=error.code)
            return


@contextlib.asynccontextmanager
async def _typing(channel: discord.abc.Messageable) -> AsyncIterator[None]:
    """Show that the bot types; where it may not, it works all the same."""
    async with contextlib.AsyncExitStack() as stack:
        with contextlib.suppress(discord.HTTPException):
            await stack.enter_async_context(channel.typing())
        yield
