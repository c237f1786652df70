"""The slash commands: `/memory ...` (D4). What they may do is decided by the use cases."""

from __future__ import annotations

import io
import json

import discord
import structlog
from discord import app_commands

from souvenance.domain.errors import NotAllowed, SouvenanceError
from souvenance.domain.server import Channels, Reach, Server
from souvenance.domain.vault import MemoryType
from souvenance.interfaces.discord.answering import NOBODY
from souvenance.interfaces.discord.call import Asked, Call
from souvenance.interfaces.discord.places import member_of
from souvenance.interfaces.discord.words import TYPES, language_of, refusal, say
from souvenance.memory.remember import Outcome
from souvenance.servers.forgetting import Forgotten

LONGEST_SHOWN = 300
"""Characters of one fact in a list; `my-data` gives all of it."""
MOST_SHOWN = 40
"""Facts of one list."""
STEPS = [app_commands.Choice(name=TYPES[step][0], value=step.value) for step in MemoryType]

log = structlog.get_logger("souvenance.discord")


@app_commands.guild_only()
class MemoryCommands(app_commands.Group, name="memory", description="What this server's bot remembers"):
    """The commands; a refusal is said in the caller's language."""

    # --- anyone --------------------------------------------------------------------------------------------------

    @app_commands.command(description="Search this server's memory")
    @app_commands.describe(query="What to look for")
    async def search(self, asked: Asked, query: app_commands.Range[str, 1, 500]) -> None:
        """The best results, the facts among them by number."""
        call = await Call.begin(asked)
        found = await call.do(call.memory.members.search, place=call.place, query=query)
        if not found.hits:
            await call.say("nothing_found")
            return
        lines = [_line(hit.number, hit.excerpt) for hit in found.hits]
        await call.tell("\n".join([say(call.language, "found", count=len(lines)), *lines]))

    @app_commands.command(name="about-me", description="Show what is remembered about you")
    async def about_me(self, asked: Asked) -> None:
        """The facts in force about the caller, the latest first."""
        call = await Call.begin(asked)
        found = await call.do(call.memory.members.about, place=call.place)
        lines = [_line(one.number, f"{one.key}: {one.content}" if one.key else one.content) for one in found.facts]
        said = [say(call.language, "about", count=len(lines)) if lines else say(call.language, "about_nothing")]
        said += lines[:MOST_SHOWN]
        said += [say(call.language, "more")] if len(lines) > MOST_SHOWN else []
        said += [say(call.language, "is_out")] if found.opted_out else []
        await call.tell("\n".join(said))

    @app_commands.command(name="my-data", description="Get everything that is kept about you")
    async def my_data(self, asked: Asked) -> None:
        """A file with all that is kept about the caller."""
        call = await Call.begin(asked)
        data = await call.do(call.memory.members.export, place=call.place)
        text = json.dumps(data, ensure_ascii=False, indent=2).encode()
        file = discord.File(io.BytesIO(text), filename=f"memory-{call.server.guild_id}-{call.member.id}.json")
        await call.tell(say(call.language, "my_data", count=len(data["facts"])), file=file)

    @app_commands.command(name="forget-me", description="Erase everything about you, for good")
    @app_commands.describe(sure="It cannot be undone")
    async def forget_me(self, asked: Asked, sure: bool) -> None:
        """Erase all about the caller, once what the bot is writing is written."""
        call = await Call.begin(asked)
        if not sure:
            await call.say("not_sure")
            return
        await asked.client.before_forgetting(call.server.guild_id, call.member.id)
        await _tell_forgotten(call, "forgot", await call.do(call.memory.forgetting.forget_me))

    @app_commands.command(name="opt-out", description="Let nothing be learnt about you any more")
    @app_commands.describe(undo="Let it be learnt again")
    async def opt_out(self, asked: Asked, undo: bool = False) -> None:
        """Keep the caller out of memory from now on, or let them in again."""
        call = await Call.begin(asked)
        await call.do(call.memory.members.opt_out, out=not undo)
        await call.say("in" if undo else "out")

    @app_commands.command(description="Say what this bot remembers, and your choices")
    @app_commands.describe(public="Show it to the channel (those who manage the server)")
    async def notice(self, asked: Asked, public: bool = False) -> None:
        """That the bot remembers, where, and what anyone can do about it."""
        manages = member_of(asked.user, permissions=asked.permissions).manages
        call = await Call.begin(asked, ephemeral=not (public and manages))
        if public and not manages:
            raise NotAllowed("This is for those who may manage the server.", why="manage")
        await call.tell(notice(call.server, call.language, bot=asked.client.shown_name(asked.guild)))

    # --- those who manage the server -----------------------------------------------------------------------------

    @app_commands.command(description="Add a fact (those who manage the server)")
    @app_commands.describe(
        content="One short sentence, no secret",
        member="Whom it is about; the server when left out",
        key="A few words to find it by",
        importance="1 to 10",
    )
    async def add(
        self,
        asked: Asked,
        content: app_commands.Range[str, 1, 2000],
        member: discord.User | None = None,
        key: app_commands.Range[str, 1, 100] = "",
        importance: app_commands.Range[int, 1, 10] | None = None,
    ) -> None:
        """Keep a fact about the server or a member."""
        call = await Call.begin(asked)
        about = None if member is None else member_of(member)
        kept = await call.do(
            call.memory.members.add, place=call.place, content=content, key=key, importance=importance, about=about
        )
        said = "already" if kept.outcome is Outcome.SKIPPED else "added"
        warning = f" {say(call.language, 'secret')}" if kept.secrets else ""
        await call.tell(say(call.language, said, number=kept.fact.number) + warning)

    @app_commands.command(description="Change the type of this server's memory (those who manage the server)")
    @app_commands.describe(step="Its place on the ladder")
    @app_commands.choices(step=STEPS)
    async def type(self, asked: Asked, step: str) -> None:
        """Put the server's memory on another step of the ladder."""
        call = await Call.begin(asked)
        vault = await call.do(call.memory.members.change_type, memory_type=step)
        await call.say("typed", type=TYPES[vault.memory_type][call.language == "fr"])

    @app_commands.command(
        description="Erase this server's memory, or a member's, for good (those who manage the server)"
    )
    @app_commands.describe(sure="It cannot be undone", member="Whose; everything when left out")
    async def erase(self, asked: Asked, sure: bool, member: discord.User | None = None) -> None:
        """Erase everything, or everything about one member, once what the bot is writing is written."""
        call = await Call.begin(asked)
        if not sure:
            await call.say("not_sure")
            return
        about = None if member is None else member_of(member)
        await asked.client.before_forgetting(call.server.guild_id, None if about is None else about.id)
        await _tell_forgotten(call, "erased", await call.do(call.memory.forgetting.erase, about=about))

    # --- what goes wrong -----------------------------------------------------------------------------------------

    async def on_error(
        self, interaction: discord.Interaction[discord.Client], error: app_commands.AppCommandError
    ) -> None:
        """Say what was refused; log what should not have happened."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        if not isinstance(cause, SouvenanceError):
            log.error("a command failed", exc_info=cause)
        if not interaction.response.is_done():
            await interaction.response.defer(ephemeral=True, thinking=True)
        said = refusal(cause, language_of(interaction.locale))
        await interaction.followup.send(said, ephemeral=True, allowed_mentions=NOBODY)


async def _tell_forgotten(call: Call, key: str, done: Forgotten) -> None:
    said = [say(call.language, key, count=done.facts)]
    said += [say(call.language, "mentions", count=done.mentions)] if done.mentions else []
    said += [say(call.language, "pending")] if done.is_pending else []
    await call.tell("\n".join(said))


def notice(server: Server, language: str, *, bot: str) -> str:
    """What members are told of the memory, from the server's settings."""
    settings = server.settings
    return say(
        language,
        "notice",
        bot=bot,
        read=_reach(settings.read, language),
        write=_reach(settings.write, language),
        threads=say(language, "threads_in" if settings.include_threads else "threads_out"),
        listens=say(language, "listens") if settings.listens and settings.write.reach is not Reach.NONE else "",
    )


def _reach(channels: Channels, language: str) -> str:
    named = ", ".join(f"<#{one}>" for one in sorted(channels.chosen, key=int))
    return say(language, channels.reach, channels=named)


def _line(number: int | None, text: str) -> str:
    """One result on one line."""
    plain = " ".join(text.split())
    short = plain if len(plain) <= LONGEST_SHOWN else f"{plain[: LONGEST_SHOWN - 1]}…"
    return f"- {'' if number is None else f'[#{number}] '}{short}"
