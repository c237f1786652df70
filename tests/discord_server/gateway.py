"""The gateway: hello, identify, heartbeats, events in sequence, and sessions that can be dropped and resumed.

Source: Discord's developer documentation, events/gateway and events/gateway-events, and the opcodes and close codes of
topics/opcodes-and-status-codes.
"""

import asyncio
import json
import secrets
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from discord_server.payloads import Payload


class Op(IntEnum):
    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE_UPDATE = 3
    RESUME = 6
    RECONNECT = 7
    REQUEST_GUILD_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


class Close(IntEnum):
    UNKNOWN_ERROR = 4000
    UNKNOWN_OPCODE = 4001
    NOT_AUTHENTICATED = 4003
    AUTHENTICATION_FAILED = 4004
    ALREADY_AUTHENTICATED = 4005
    INVALID_SEQ = 4007
    DISALLOWED_INTENTS = 4014


class Intent(IntFlag):
    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    DIRECT_MESSAGES = 1 << 12
    MESSAGE_CONTENT = 1 << 15


PRIVILEGED = Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES | Intent.MESSAGE_CONTENT
HEARTBEAT_MILLISECONDS = 41_250


@dataclass(eq=False)
class Session:
    """One session of a bot, which outlives the connections it is carried by."""

    intents: int
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    sent: list[Payload] = field(default_factory=list)
    connection: "Connection | None" = None
    acknowledged: int = 0
    """The last event that the bot said it has."""
    taken: asyncio.Event = field(default_factory=asyncio.Event)

    def event(self, name: str, data: Payload) -> Payload:
        """The next event of this session, kept for a resume."""
        made = {"op": Op.DISPATCH, "t": name, "s": len(self.sent) + 1, "d": data}
        self.sent.append(made)
        return made


class Connection:
    """One websocket, which compresses what it sends where the client asked for `compress=zlib-stream`."""

    def __init__(self, socket: web.WebSocketResponse, *, compress: bool) -> None:
        self.socket = socket
        self._stream = zlib.compressobj() if compress else None

    async def send(self, payload: Payload) -> None:
        text = json.dumps(payload)
        if self._stream is None:
            await self.socket.send_str(text)
        else:
            data = self._stream.compress(text.encode()) + self._stream.flush(zlib.Z_SYNC_FLUSH)
            await self.socket.send_bytes(data)


class Gateway:
    """What a bot hears from. `ready` makes the READY payload of a session; `joined` are the GUILD_CREATE ones."""

    def __init__(
        self,
        *,
        token: str,
        granted: int,
        ready: Callable[[Session], Payload],
        joined: Callable[[], list[Payload]],
    ) -> None:
        self.token = token
        self.granted = granted
        """The privileged intents that are switched on in the application's settings."""
        self.sessions: dict[str, Session] = {}
        self.identified: list[Payload] = []
        self.resumed: list[Payload] = []
        self.heartbeats = 0
        self.repeats_on_resume = 0
        """So many events that the bot already has are sent again when it resumes, as a faulty network might."""
        self._ready = ready
        self._joined = joined
        self._open: set[web.WebSocketResponse] = set()

    # --- what a test does to it ----------------------------------------------------------------------------------

    async def dispatch(self, name: str, data: Payload, intent: int) -> None:
        """Send an event to every session that asked for its kind; kept for those whose connection is down."""
        for session in self.sessions.values():
            if session.intents & intent:
                made = session.event(name, _as_allowed(session, name, data))
                if session.connection is not None:
                    await session.connection.send(made)

    async def settle(self) -> None:
        """Wait until every connected bot has taken all that was sent: it answers a heartbeat that is asked of it."""
        for session in self.sessions.values():
            if session.connection is not None:
                sent = len(session.sent)
                session.taken.clear()
                await session.connection.send({"op": Op.HEARTBEAT, "d": None, "s": None, "t": None})
                async with asyncio.timeout(10):
                    while session.acknowledged < sent:
                        await session.taken.wait()
                        session.taken.clear()

    async def drop(self, code: int = Close.UNKNOWN_ERROR) -> None:
        """Close every connection; the sessions live on and collect what happens meanwhile."""
        for session in self.sessions.values():
            connection, session.connection = session.connection, None
            if connection is not None:
                await connection.socket.close(code=code)

    async def ask_to_reconnect(self) -> None:
        """Send every bot a Reconnect, as Discord does before it moves a connection."""
        for session in self.sessions.values():
            connection, session.connection = session.connection, None
            if connection is not None:
                await connection.send({"op": Op.RECONNECT, "d": None, "s": None, "t": None})

    def forget_sessions(self) -> None:
        """From here on no earlier session can be resumed."""
        self.sessions.clear()

    async def close(self) -> None:
        for socket in list(self._open):
            await socket.close(code=WSCloseCode.GOING_AWAY)

    # --- what a bot does with it ---------------------------------------------------------------------------------

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        """One connection, from hello to its end."""
        socket = web.WebSocketResponse(max_msg_size=4096, timeout=1.0)
        await socket.prepare(request)
        connection = Connection(socket, compress=request.query.get("compress") == "zlib-stream")
        self._open.add(socket)
        session: Session | None = None
        try:
            await connection.send(
                {"op": Op.HELLO, "d": {"heartbeat_interval": HEARTBEAT_MILLISECONDS}, "s": None, "t": None}
            )
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    said = json.loads(frame.data)
                    session = await self._take(connection, session, said["op"], said.get("d"))
        finally:
            self._open.discard(socket)
            if session is not None and session.connection is connection:
                session.connection = None
        return socket

    async def _take(self, connection: Connection, session: Session | None, op: int, data: Any) -> Session | None:
        if op == Op.HEARTBEAT:
            self.heartbeats += 1
            await connection.send({"op": Op.HEARTBEAT_ACK, "d": None, "s": None, "t": None})
            if session is not None:
                session.acknowledged = max(session.acknowledged, data or 0)
                session.taken.set()
        elif op in {Op.IDENTIFY, Op.RESUME} and session is not None:
            await connection.socket.close(code=Close.ALREADY_AUTHENTICATED)
        elif op == Op.IDENTIFY:
            return await self._identify(connection, data)
        elif op == Op.RESUME:
            return await self._resume(connection, data)
        elif session is None:
            await connection.socket.close(code=Close.NOT_AUTHENTICATED)
        elif op not in {Op.PRESENCE_UPDATE, Op.REQUEST_GUILD_MEMBERS}:
            await connection.socket.close(code=Close.UNKNOWN_OPCODE)
        return session

    async def _identify(self, connection: Connection, data: Payload) -> Session | None:
        self.identified.append({key: value for key, value in data.items() if key != "token"})
        assert set(data["properties"]) >= {"os", "browser", "device"}
        if data["token"] != self.token:
            await connection.socket.close(code=Close.AUTHENTICATION_FAILED)
            return None
        if data["intents"] & PRIVILEGED & ~self.granted:
            await connection.socket.close(code=Close.DISALLOWED_INTENTS)
            return None
        session = Session(intents=data["intents"], connection=connection)
        self.sessions[session.id] = session
        await connection.send(session.event("READY", self._ready(session)))
        for joined in self._joined():
            await connection.send(session.event("GUILD_CREATE", joined))
        return session

    async def _resume(self, connection: Connection, data: Payload) -> Session | None:
        self.resumed.append({key: value for key, value in data.items() if key != "token"})
        session = self.sessions.get(data["session_id"])
        if session is None or data["token"] != self.token:
            await connection.send({"op": Op.INVALID_SESSION, "d": False, "s": None, "t": None})
            return None
        if not 0 <= data["seq"] <= len(session.sent):
            await connection.socket.close(code=Close.INVALID_SEQ)
            return None
        position = max(data["seq"] - self.repeats_on_resume, 0)
        while position < len(session.sent):  # it may grow meanwhile
            await connection.send(session.sent[position])
            position += 1
        session.connection = connection
        await connection.send(session.event("RESUMED", {}))
        return session


def _as_allowed(session: Session, name: str, data: Payload) -> Payload:
    """Without the message content intent a bot gets no text but where it is mentioned or written to directly."""
    if (
        name not in {"MESSAGE_CREATE", "MESSAGE_UPDATE"}
        or session.intents & Intent.MESSAGE_CONTENT
        or "guild_id" not in data
    ):
        return data
    if any(mentioned["bot"] for mentioned in data["mentions"]):
        return data
    return data | {"content": "", "embeds": [], "attachments": [], "components": []}
