"""The process of `souvenance serve`: it listens, says how to connect, runs until it is told to stop, and tidies up."""

from __future__ import annotations

import errno
import os
import secrets
import signal
import socket
import threading
from types import FrameType

import structlog
import uvicorn

from souvenance.accounts.entry import LIFE, PATH
from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.domain.address import is_loopback
from souvenance.domain.clock import isoformat, utc_now
from souvenance.domain.errors import InvalidInput, NotAllowed, SouvenanceError, StoreUnavailable
from souvenance.serving import logs
from souvenance.serving.app import Server, build_app
from souvenance.settings import Settings
from souvenance.terminal import command_of
from souvenance.upkeep import presence
from souvenance.wiring import open_application

GRACE_SECONDS = 10
"""How long requests under way may take to finish once the server was told to stop."""

log = structlog.get_logger("souvenance.serve")


class AddressInUse(SouvenanceError):
    """Something else listens there."""

    code = "address_in_use"


def run(settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C. Raises what keeps it from starting."""
    signal.signal(signal.SIGTERM, _interrupt)
    logs.configure(form=settings.log_format, level=settings.log_level)
    listener = listen(settings)
    try:
        memory = open_application(settings)
        try:
            _require_account_elsewhere(memory, settings)
            _serve(memory, settings, listener)
        except KeyboardInterrupt:
            log.info("stopped")
        finally:
            memory.close()
    finally:
        listener.close()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """SIGTERM ends the program as Ctrl-C does, also while it starts."""
    raise KeyboardInterrupt


def _serve(memory: Application, settings: Settings, listener: socket.socket) -> None:
    here = presence.Presence(
        url=_url(settings.host, listener),
        token=secrets.token_urlsafe(32),
        pid=os.getpid(),
        started=isoformat(utc_now()),
    )

    def on_start() -> None:
        try:
            if not presence.announce(settings.data_folder, here):
                log.info("another server runs on this data folder; agents are handed over to that one")
        except OSError as error:
            log.warning("serve.json cannot be written: agents on stdio work by themselves", error=error.strerror)
        print(greeting(memory, settings, here.url), flush=True)
        threading.Thread(target=memory.exchange.chat.load, name="souvenance-chat-load", daemon=True).start()

    app = build_app(
        memory,
        settings,
        local_token=here.token,
        on_start=on_start,
        on_stop=lambda: presence.withdraw(settings.data_folder, here),
    )
    config = uvicorn.Config(
        app,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    try:
        Server(config).run(sockets=[listener])
    finally:
        presence.withdraw(settings.data_folder, here)


def listen(settings: Settings) -> socket.socket:
    """A socket that accepts connections at the address of the settings; a clear refusal where that cannot be."""
    host = settings.host.strip("[]")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError):
        raise InvalidInput(
            f"“{host}” is no address of this machine.", hint="Set SOUVENANCE_HOST or --host; 127.0.0.1 is this machine."
        ) from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise _cannot_listen(settings, host, error) from None
    return listener


def _cannot_listen(settings: Settings, host: str, error: OSError) -> SouvenanceError:
    where = f"{host}:{settings.port}"
    if error.errno != errno.EADDRINUSE:
        return InvalidInput(f"Cannot listen on {where}: {error.strerror}.", hint="Choose another --host or --port.")
    other = presence.read(settings.data_folder)
    if other is not None and presence.is_running(other) and other.url.endswith(f":{settings.port}"):
        return AddressInUse(
            f"Souvenance is running on this data already, at {other.url} (process {other.pid}).",
            hint="Use that one, or stop it first.",
        )
    return AddressInUse(
        f"Another program listens on {where}.", hint=f"Choose another port: souvenance serve --port {settings.port + 1}"
    )


def _require_account_elsewhere(memory: Application, settings: Settings) -> None:
    """Others can reach the server there, and without a password or a token nobody could be let in (A2)."""
    if is_loopback(settings.host) or memory.users.can_anyone_log_in() or _has_token(memory):
        return
    raise NotAllowed(
        f"{settings.host} can be reached by others, and nobody has a password or a token yet to tell them apart.",
        hint="Set the owner's password (souvenance user password owner) or make a token (souvenance token create "
        "NAME) first. Or leave --host out to serve this machine only.",
    )


def _has_token(memory: Application) -> bool:
    tokens = memory.tokens.list(actor=memory.owner_through(Source.COMMAND_LINE))
    return any(token.revoked_at is None for token in tokens)


def _url(host: str, listener: socket.socket) -> str:
    """The address at which programs of this machine reach the server."""
    port = listener.getsockname()[1]
    named = host.strip("[]")
    if named in {"0.0.0.0", ""}:  # noqa: S104 - what listens everywhere is reached here
        named = "127.0.0.1"
    elif named == "::":
        named = "::1"
    return f"http://{f'[{named}]' if ':' in named else named}:{port}"


def greeting(memory: Application, settings: Settings, url: str) -> str:
    """What a person needs to know once it runs: where the data is and how to connect."""
    store = memory.database.url.render_as_string(hide_password=True) if settings.database_url else settings.data_folder
    command = command_of(memory)
    lines = [
        f"Souvenance is running at {url} (Ctrl-C stops it).",
        *_way_in(memory, command, url),
        f"  Data     {store}",
        f"  Agents   on this machine: give them the command  {command} mcp",
        f"           over HTTP: {url}/mcp  with the header  Authorization: Bearer TOKEN",
        f"  REST     {url}/api/v1  described in {url}/api/v1/openapi.json",
        f"  Token    {command} token create NAME  makes one and shows it once",
    ]
    if not _has_token(memory):
        lines.append("           There is none yet, so that only agents on this machine get in.")
    return "\n".join(lines)


def _way_in(memory: Application, command: str, url: str) -> list[str]:
    """How a person comes in: by a link that works once, or, where others can reach the server too, by a password."""
    if memory.entry.is_open:
        try:
            secret = memory.entry.make_link(actor=memory.owner_through(Source.COMMAND_LINE))
        except StoreUnavailable as error:  # a store that is only read serves what needs no session
            return [f"  Open     nobody can come in by a browser: {error.message}"]
        minutes = int(LIFE.total_seconds() // 60)
        return [
            f"  Open     {url}{PATH}{secret}",
            f"           works once, within {minutes} minutes;  {command} open  makes another",
        ]
    if memory.users.can_anyone_log_in():
        return [f"  Log in   at {url} or its name elsewhere;  {command} user add HANDLE  lets another person in"]
    return [f"  Log in   {command} user password owner  sets the password that the owner logs in with"]
