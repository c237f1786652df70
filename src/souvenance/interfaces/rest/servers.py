"""`/servers`: where the memory of a Discord server is read and written, and where the bot answers (D1 to D3)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from souvenance.domain import server as domain
from souvenance.interfaces.rest.caller import Caller, Memory
from souvenance.interfaces.rest.fields import Given, Shown, VaultName

router = APIRouter(prefix="/servers", tags=["servers"])

ChannelId = Annotated[str, Field(pattern=r"^[0-9]{1,20}$")]
Ids = Annotated[list[ChannelId], Field(max_length=domain.MOST_CHANNELS)]
Channels = Literal["all", "none"] | Ids


class ServerShown(Shown):
    """A server and its settings. `read` and `write`: `all` ordinary channels, `none`, or ids of channels."""

    server: str
    name: str
    vault: str
    read: Channels
    write: Channels
    include_threads: bool
    answer_channels: Ids
    listens: bool
    joined_at: datetime
    updated_at: datetime


class ServerList(Shown):
    """The servers whose memory a caller may be given."""

    servers: list[ServerShown]


class ServerChange(Given):
    """What to change of a server's settings; what is left out stays.

    `include_threads`: threads follow their channel; a thread may be open to people who should not see this memory.
    """

    read: Channels | None = None
    write: Channels | None = None
    include_threads: bool | None = None
    answer_channels: Ids | None = None
    listens: bool | None = None


def _shown(server: domain.Server) -> ServerShown:
    plain: dict[str, Any] = server.settings.plain()
    return ServerShown(
        server=server.guild_id,
        name=server.name,
        vault=server.vault,
        joined_at=server.joined_at,
        updated_at=server.updated_at,
        **plain,
    )


@router.get("", summary="List Discord servers")
def list_servers(memory: Memory, actor: Caller) -> ServerList:
    """The servers the bot was let into, by name."""
    return ServerList(servers=[_shown(one) for one in memory.servers.list(actor=actor)])


@router.get("/{vault}", summary="Show a Discord server")
def get_server(memory: Memory, actor: Caller, vault: VaultName) -> ServerShown:
    """The server whose memory is that vault."""
    return _shown(memory.servers.get(actor=actor, vault=vault))


@router.patch("/{vault}", summary="Change a Discord server's settings")
def change_server(memory: Memory, actor: Caller, vault: VaultName, given: ServerChange) -> ServerShown:
    """Change what is given; audited with the values."""
    changes = given.model_dump(exclude_none=True)
    actor.require_write()
    if not changes:
        return _shown(memory.servers.get(actor=actor, vault=vault))
    return _shown(memory.servers.change_settings(actor=actor, vault=vault, changes=changes))
