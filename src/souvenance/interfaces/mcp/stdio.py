"""MCP over standard input and output: `souvenance mcp`.

Each line of the client goes to the `serve` that runs on the same memory, where there is one, else to an engine in this
process (R3). Which of the two answers may change from one line to the next: both are without state, and what is
written by either is read by the other.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, BinaryIO

from souvenance.interfaces.mcp.handover import (
    MEMORY_HEADER,
    ROUTE_HEADER,
    SERVE_FILE,
    TOOLS_HEADER,
    Forwarder,
    MaybeServed,
    NotServed,
    memory_fingerprint,
    running_serve,
)
from souvenance.interfaces.mcp.lines import INTERNAL_ERROR, Line, failure, read_line

if TYPE_CHECKING:
    from souvenance.interfaces.mcp.engine import Engine
    from souvenance.settings import Settings

_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
_THREADS = 8
_PATIENCE = 60.0
"""Seconds for which answers are still given after the client has closed its end."""


def run(settings: Settings) -> None:
    """Serve the client at standard input until it closes its end; standard output carries messages and nothing else."""
    gc.disable()  # thousands of classes are made at the start, and none is garbage
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # end at once: what was acknowledged is kept, the rest rolls back
    wire = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print goes to the log
    client = Client(settings, wire)
    try:
        for raw in sys.stdin.buffer:
            if raw.strip():
                client.take(read_line(raw))
                if not gc.isenabled():
                    gc.freeze()  # what is loaded stays: the collector need not look at it again
                    gc.enable()
    finally:
        client.close()


class Client:
    """One client: its lines are routed, its requests counted until they are answered."""

    def __init__(self, settings: Settings, wire: BinaryIO) -> None:
        self._settings = settings
        self._wire = wire
        self._writing = threading.Lock()
        self._waiting: set[Any] = set()
        self._answered = threading.Condition()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="handover")
        self._engine: Engine | None = None
        self._starting = threading.Lock()
        self._opening_id: Any = None
        self._hidden_id: Any = None
        self._opening: list[Line] = []
        self._negotiated: str | None = None
        self._name = ""
        self._forwarder: Forwarder | None = None
        self._file_seen: tuple[int, int] | None = None

    # --- lines in ----------------------------------------------------------------------------------------------

    def take(self, line: Line) -> None:
        """Route one line."""
        if line.error is not None:
            self._write(line.error)
            return
        self._remember(line)
        if line.is_request:
            with self._answered:
                self._waiting.add(line.message["id"])
        elif line.method == "notifications/cancelled":
            self._cancelled(line)
        forwarder = self._serve_now()
        if forwarder is None:
            self._local().take(line)
        elif not line.is_request:
            if self._engine is not None:
                self._engine.take(line)  # `serve` keeps no state that a notification could change
        elif line.method == "initialize":
            self._forward(forwarder, line)  # in its turn: what follows needs the version it settles
        else:
            self._pool.submit(self._forward, forwarder, line)

    def _remember(self, line: Line) -> None:
        """Keep what another server will need to go on with this client."""
        if line.method in {"initialize", "notifications/initialized"}:
            self._opening.append(line)
        if line.method == "initialize":
            self._opening_id = line.message.get("id")
        params = line.message.get("params")
        if isinstance(params, dict):
            meta = params.get("_meta")
            told = params.get("clientInfo") or (meta.get(_CLIENT_INFO) if isinstance(meta, dict) else None)
            if isinstance(told, dict):
                self._name = str(told.get("title") or told.get("name") or "")[:200]

    def _cancelled(self, line: Line) -> None:
        """Wait no longer for what the client has given up; what has begun is finished all the same."""
        params = line.message.get("params")
        number = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(number, (int, str)):
            self._done(number)

    # --- to serve ----------------------------------------------------------------------------------------------

    def _serve_now(self) -> Forwarder | None:
        """The way to a running `serve`; its file is looked at for every line and read when it has changed."""
        folder = self._settings.data_folder
        try:
            status = os.stat(folder / SERVE_FILE)
        except OSError:
            self._forwarder, self._file_seen = None, None
            return None
        seen = (status.st_mtime_ns, status.st_ino)
        if seen != self._file_seen:
            self._file_seen = seen
            serve = running_serve(folder)
            self._forwarder = None if serve is None else Forwarder(serve, headers=self._headers())
        return self._forwarder

    def _headers(self) -> dict[str, str]:
        url = self._settings.database_url.get_secret_value() if self._settings.database_url else None
        return {
            ROUTE_HEADER: str(self._settings.mcp_route),
            TOOLS_HEADER: "all" if self._settings.mcp_all_tools else "everyday",
            MEMORY_HEADER: memory_fingerprint(self._settings.data_folder, url),
        }

    def _forward(self, forwarder: Forwarder, line: Line) -> None:
        try:
            answer = forwarder.answer(line.raw, line.message, negotiated=self._negotiated, client=self._name)
        except NotServed:
            if self._forwarder is forwarder:
                self._forwarder = None  # until its file changes
            self._local().take(line)
        except MaybeServed:
            said = (
                "The Souvenance that was asked stopped before it answered: the call may or may not have been carried "
                "out. Look with search or get_note before you repeat it."
            )
            self._say(line.message["id"], failure(line.message["id"], INTERNAL_ERROR, said))
        except Exception as error:  # whatever it is, the client is answered
            said = f"The hand-over to serve failed ({type(error).__name__})."
            self._say(line.message["id"], failure(line.message["id"], INTERNAL_ERROR, said))
        else:
            self._say(line.message["id"], answer)

    # --- in this process ---------------------------------------------------------------------------------------

    def _local(self) -> Engine:
        """The engine, started when first needed and told how this client opened."""
        with self._starting:
            if self._engine is None:
                from souvenance.interfaces.mcp.engine import Engine

                self._engine = Engine(self._settings, self._say)
                for line in self._opening:
                    if line.method != "initialize" or line.message.get("id") not in self._waiting:
                        self._hidden_id = line.message.get("id") if line.is_request else self._hidden_id
                        self._engine.take(line)
            return self._engine

    # --- lines out ---------------------------------------------------------------------------------------------

    def _say(self, number: Any, message: str | dict[str, Any]) -> None:
        """Send one message; `number` is the request it answers, None where it answers none."""
        if number is not None and number == self._hidden_id:
            self._hidden_id = None  # the answer to an opening that another server has answered already
            return
        if number is not None and number == self._opening_id:
            answer = json.loads(message) if isinstance(message, str) else message
            result = answer.get("result")
            self._negotiated = result.get("protocolVersion") if isinstance(result, dict) else None
        self._write(message)
        if number is not None:
            self._done(number)

    def _done(self, number: int | str) -> None:
        with self._answered:
            self._waiting.discard(number)
            self._answered.notify_all()

    def _write(self, message: str | dict[str, Any]) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        with self._writing, contextlib.suppress(BrokenPipeError, ValueError):
            self._wire.write(text.encode("utf-8", "replace") + b"\n")
            self._wire.flush()

    def close(self) -> None:
        """Answer what was asked, then end."""
        with self._answered:
            self._answered.wait_for(lambda: not self._waiting, timeout=_PATIENCE)
        self._pool.shutdown(wait=True)
        if self._engine is not None:
            self._engine.close()
        with contextlib.suppress(BrokenPipeError):
            self._wire.close()
