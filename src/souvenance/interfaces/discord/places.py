"""Discord's channels and people as the memory knows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import discord

from souvenance.domain.server import Place, PlaceKind, ServerMember

ORDINARY = (discord.TextChannel, discord.VoiceChannel, discord.StageChannel)


def place_of(channel: object) -> Place:
    """Where something was said. A thread's parent counts only where the bot knows that channel (D3)."""
    if isinstance(channel, discord.Thread):
        parent = channel.parent
        return Place(PlaceKind.THREAD, str(channel.id), "" if parent is None else str(parent.id))
    if isinstance(channel, ORDINARY):
        return Place(PlaceKind.ORDINARY, str(channel.id))
    if isinstance(channel, discord.DMChannel | discord.GroupChannel):
        return Place(PlaceKind.DIRECT, str(channel.id))
    return Place(PlaceKind.UNKNOWN, str(getattr(channel, "id", "")))


def member_of(person: discord.User | discord.Member, *, permissions: discord.Permissions | None = None) -> ServerMember:
    """Someone by their id, with the name shown now; with the rights Discord says they have, where it says so."""
    manages = permissions is not None and (permissions.manage_guild or permissions.administrator)
    return ServerMember(id=str(person.id), name=person.display_name, manages=manages)


def told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Names by id that no two people share: where some do, each is followed by the end of its id."""
    shown = Counter(name.casefold() for name in names.values())
    return {id: name if shown[name.casefold()] == 1 else f"{name} ({id[-4:]})" for id, name in names.items()}
