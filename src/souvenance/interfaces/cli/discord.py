"""`souvenance discord`: run the bot, see its servers, and set where their memory is read and written (D1 to D3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from souvenance.interfaces.cli.session import Session, noun_alone, verb

if TYPE_CHECKING:
    from souvenance.domain.server import Server

group = typer.Typer(name="discord", help="The Discord bot: run it, and set its servers.")

Listed = Annotated[str | None, typer.Option(metavar="LIST", help="all, none, or ids of channels between commas.")]


@noun_alone(group)
def discord(session: Session) -> None:
    """Run the Discord bot until stopped, or see and set its servers."""
    session.options.servers["discord"](session.settings())


@verb(group, "servers")
def servers(session: Session) -> None:
    """List the servers the bot was let into, with their vaults and settings."""
    shapes = [_shape(server) for server in session.memory.servers.list(actor=session.actor)]
    session.out.table(
        {"servers": shapes},
        columns=("server", "name", "vault", "read", "write", "threads", "answers in", "listens"),
        rows=[
            (
                one["server"],
                one["name"],
                one["vault"],
                _list(one["read"]),
                _list(one["write"]),
                one["include_threads"],
                _list(one["answer_channels"]),
                one["listens"],
            )
            for one in shapes
        ],
        empty="The bot is in no server yet: docs/discord.md says how to invite it.",
    )


@verb(
    group,
    "settings",
    example="discord settings my-server --read all --write 112233,445566 --answer none",
)
def settings(
    session: Session,
    vault: Annotated[str, typer.Argument(help="The server's vault: its slug or name.")],
    *,
    read: Listed = None,
    write: Listed = None,
    answer: Annotated[
        str | None, typer.Option(metavar="LIST", help="Ids of channels where it answers every message, or none.")
    ] = None,
    threads: Annotated[
        bool | None, typer.Option("--threads/--no-threads", help="Threads follow their channel, or have no memory.")
    ] = None,
    listen: Annotated[
        bool | None, typer.Option("--listen/--no-listen", help="Learn from what is said without the bot, or not.")
    ] = None,
) -> None:
    """Show or change where a server's memory is read and written, and where the bot answers."""
    given: dict[str, Any] = {
        "read": None if read is None else _channels(read),
        "write": None if write is None else _channels(write),
        "answer_channels": None if answer is None else _ids(answer),
        "include_threads": threads,
        "listens": listen,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    use_cases = session.memory.servers
    if changes:
        found = use_cases.change_settings(actor=session.actor, vault=vault, changes=changes)
    else:
        found = use_cases.get(actor=session.actor, vault=vault)
    shape = _shape(found)
    session.out.say(shape, *(f"{name}: {_list(value)}" for name, value in shape.items()))
    if threads:
        session.out.note("A thread may be open to people who should not see this memory.")


def _shape(server: Server) -> dict[str, Any]:
    return {"server": server.guild_id, "name": server.name, "vault": server.vault, **server.settings.plain()}


def _channels(text: str) -> str | list[str]:
    return text.strip() if text.strip() in {"all", "none"} else _ids(text)


def _ids(text: str) -> list[str]:
    return [] if text.strip() == "none" else [part for part in text.replace(",", " ").split() if part]


def _list(value: object) -> object:
    return ", ".join(value) or "none" if isinstance(value, list) else value
