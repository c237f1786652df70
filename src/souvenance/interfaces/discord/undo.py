"""The buttons under an answer that take back what it wrote to memory, one each (C5)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import discord
import structlog

from souvenance.domain.errors import NotAllowed, SouvenanceError
from souvenance.exchange.events import Became, Verb, Wrote
from souvenance.interfaces.discord.places import member_of, place_of
from souvenance.interfaces.discord.words import language_of, refusal, say
from souvenance.servers.members import acting

if TYPE_CHECKING:
    from souvenance.interfaces.discord.bot import Bot

MOST_BUTTONS = 5
"""Of one row."""

Button = discord.ui.Button[Any]

log = structlog.get_logger("souvenance.discord")


class Undo(
    discord.ui.DynamicItem[Button],
    template=r"undo:(?P<by>\d+):(?P<verb>[a-z_]+):(?P<number>\d+)\.(?P<version>\d+)(?::(?P<next>\d+)\.(?P<next_version>\d+))?",
):
    """One button. All it needs stands in its id, so that it works after the bot was started again."""

    def __init__(self, wrote: Wrote, *, by: str, label: str) -> None:
        new = "" if wrote.successor_version is None else f":{wrote.successor}.{wrote.successor_version}"
        custom_id = f"undo:{by}:{wrote.verb}:{wrote.number}.{wrote.version}{new}"
        super().__init__(Button(label=label, style=discord.ButtonStyle.secondary, custom_id=custom_id))
        self._wrote = wrote
        self._by = by

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """The button that was pressed."""
        numbers = {name: None if text is None else int(text) for name, text in match.groupdict().items()
                   if name not in {"by", "verb"}}  # fmt: skip
        wrote = Wrote(
            verb=Verb(match["verb"]),
            became=Became.DONE,
            number=numbers["number"],
            version=numbers["version"],
            successor=numbers["next"],
            successor_version=numbers["next_version"],
        )
        return cls(wrote, by=match["by"], label=str(getattr(item, "label", "")))

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Take it back, for who asked and for those who manage the server, and say so to whoever pressed."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        language = language_of(interaction.locale)
        try:
            await self._undo(interaction)
            said = say(language, "undone", number=self._wrote.number)
        except Exception as error:
            if not isinstance(error, SouvenanceError):
                log.exception("an undo failed")
            said = refusal(error, language)
        await interaction.followup.send(said, ephemeral=True, allowed_mentions=discord.AllowedMentions.none())

    async def _undo(self, pressed: discord.Interaction[Any]) -> None:
        bot: Bot = pressed.client
        if pressed.guild is None:
            raise NotAllowed("Use this in a server.", why="guild_only")
        server = await bot.server_of(pressed.guild)
        member = member_of(pressed.user, permissions=pressed.permissions)
        await asyncio.to_thread(
            bot.memory.members.require_undo,
            server=server, place=place_of(pressed.channel), member=member, asked_by=self._by,
        )  # fmt: skip
        await bot.memory.exchange.undo(actor=acting(bot.actor, server, member), wrote=self._wrote)


def undo_buttons(wrote: Sequence[Wrote], *, by: str, language: str) -> discord.ui.View | None:
    """Buttons for what an answer wrote; None where there is nothing to take back."""
    undoable = [one for one in wrote if one.can_undo and one.number is not None and one.version is not None]
    if not undoable:
        return None
    view = discord.ui.View(timeout=None)
    for one in undoable[:MOST_BUTTONS]:
        view.add_item(Undo(one, by=by, label=say(language, "undo", number=one.number)))
    return view
