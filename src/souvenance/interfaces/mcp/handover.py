"""Handing a stdio client over to the `serve` that runs on the same memory (R3).

`serve` leaves a file `serve.json` in the data folder, readable by its user alone:
`{"url": "http://127.0.0.1:8765", "token": "...", "pid": 123, "started": "..."}`. Its token grants what the owner's own
stdio server may do, and the headers below say the rest. Standard library only: a client that is handed over pays for
nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import re
import threading
import urllib.parse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVE_FILE = "serve.json"
ROUTE_HEADER = "X-Souvenance-Route"
CLIENT_HEADER = "X-Souvenance-Client"
TOOLS_HEADER = "X-Souvenance-Tools"
MEMORY_HEADER = "X-Souvenance-Memory"
OTHER_MEMORY = 409
"""Status with which `serve` says that it runs on another database than the one it was asked for."""

_NOT_TAKEN = {401, 403, OTHER_MEMORY, 421, 503}
_TIMEOUT = 300.0
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_VERSION = "io.modelcontextprotocol/protocolVersion"
_SAFE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")


class NotServed(Exception):
    """The request was certainly not carried out: no `serve` took it."""


class MaybeServed(Exception):
    """The request was sent and `serve` went away: it may or may not have been carried out."""


@dataclass(frozen=True, slots=True)
class Serve:
    """A running `serve`, as its file describes it."""

    url: str
    token: str
    pid: int


def memory_fingerprint(data_folder: Path, database_url: str | None) -> str:
    """What tells two memories apart, without naming them: two processes with the same settings agree on it."""
    place = database_url or str(data_folder.resolve())
    return hashlib.sha256(place.encode()).hexdigest()[:32]


def running_serve(data_folder: Path) -> Serve | None:
    """The `serve` that runs on a data folder, None where there is none or its process has gone."""
    try:
        found = json.loads((data_folder / SERVE_FILE).read_bytes())
        serve = Serve(url=str(found["url"]), token=str(found["token"]), pid=int(found["pid"]))
        os.kill(serve.pid, 0)  # asks only whether the process exists
    except PermissionError:
        return None  # another user's process has that number now, or the file is not ours to read
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None
    return serve


class Forwarder:
    """Sends a client's messages on to one `serve`; may be used from several threads."""

    def __init__(self, serve: Serve, *, headers: dict[str, str]) -> None:
        self._at = urllib.parse.urlsplit(serve.url.rstrip("/") + "/mcp")
        self._headers = {
            "Authorization": f"Bearer {serve.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        } | {name: _header_safe(value) for name, value in headers.items()}
        self._kept = threading.local()

    def answer(self, line: bytes, message: dict[str, Any], *, negotiated: str | None, client: str) -> dict[str, Any]:
        """The answer of `serve` to a request. A tool call is never sent twice.

        Raises:
            NotServed: nothing was carried out, and another server may be asked.
            MaybeServed: a tool call was sent and no answer came.
        """
        headers = self._headers_for(message, negotiated)
        if client:
            headers[CLIENT_HEADER] = _header_safe(client)
        once = message.get("method") == "tools/call"
        status, body = self._post(line, headers, once=once)
        if status in _NOT_TAKEN:
            raise NotServed
        try:
            answer = json.loads(body)
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or "jsonrpc" not in answer:
            raise MaybeServed if once else NotServed
        return answer | {"id": message["id"]}

    def _headers_for(self, message: dict[str, Any], negotiated: str | None) -> dict[str, str]:
        headers = dict(self._headers)
        method = str(message.get("method", ""))
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(_VERSION) if isinstance(meta, dict) else None
        if isinstance(version, str):
            headers |= {"MCP-Protocol-Version": version, "Mcp-Method": method}
            named = params.get(_NAMED_BY.get(method, ""))
            if isinstance(named, str):
                headers["Mcp-Name"] = _header_safe(named)
        elif negotiated and method != "initialize":
            headers["MCP-Protocol-Version"] = negotiated
        return headers

    def _post(self, line: bytes, headers: dict[str, str], *, once: bool) -> tuple[int, bytes]:
        # A connection kept alive may have been closed at the other end, which shows only once something was sent.
        kept = None if once else getattr(self._kept, "connection", None)
        if kept is not None:
            try:
                return self._send(kept, line, headers)
            except (OSError, http.client.HTTPException):
                self._kept.connection = None
        fresh = http.client.HTTPConnection(self._at.hostname or "", self._at.port, timeout=_TIMEOUT)
        try:
            fresh.connect()
        except OSError:
            raise NotServed from None
        try:
            return self._send(fresh, line, headers)
        except (OSError, http.client.HTTPException):
            raise (MaybeServed if once else NotServed) from None

    def _send(self, connection: http.client.HTTPConnection, line: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        connection.request("POST", self._at.path, line, headers)
        response = connection.getresponse()
        body = response.read()
        previous = getattr(self._kept, "connection", None)
        if previous is not None and previous is not connection:
            previous.close()
        self._kept.connection = connection
        return response.status, body


def _header_safe(value: str) -> str:
    """A value as an HTTP header may carry it (the form the protocol prescribes for names)."""
    if _SAFE.fullmatch(value) and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def header_value(sent: str) -> str:
    """What `_header_safe` wrapped."""
    if not (sent.startswith("=?base64?") and sent.endswith("?=")):
        return sent
    try:
        return base64.b64decode(sent[9:-2], validate=True).decode()
    except ValueError:
        return ""
