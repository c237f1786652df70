"""The lines of a stdio client: read into messages, each bad one answered rather than dropped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a client: a message, or the error that answers it."""

    raw: bytes
    message: dict[str, Any]
    error: dict[str, Any] | None = None

    @property
    def method(self) -> str:
        """The method asked for; empty for a response."""
        return str(self.message.get("method", ""))

    @property
    def is_request(self) -> bool:
        """Whether the client waits for an answer."""
        return "method" in self.message and self.message.get("id") is not None


def read_line(raw: bytes) -> Line:
    """One line as a message. Unreadable text is answered with an error that carries the request's id where it shows."""
    raw = raw.strip()
    try:
        message = json.loads(raw.decode())
    except UnicodeDecodeError:
        return _bad(raw, _id_of(raw), PARSE_ERROR, "This line is not UTF-8.")
    except ValueError:
        return _bad(raw, None, PARSE_ERROR, "This line is not JSON.")
    except RecursionError:
        return _bad(raw, None, PARSE_ERROR, "This line is nested too deeply.")
    if not isinstance(message, dict):
        return _bad(raw, None, INVALID_REQUEST, "Send one JSON-RPC message a line, not a batch.")
    number = message.get("id")
    if message.get("jsonrpc") != "2.0" or isinstance(number, (dict, list, float, bool)):
        return _bad(raw, number, INVALID_REQUEST, "This is no JSON-RPC 2.0 message.")
    if b"\\u" in raw and not _is_text(message):
        said = "This text is not valid Unicode: it holds half of a surrogate pair, as in an emoji that was cut in two."
        return _bad(raw, number, PARSE_ERROR, said + " Nothing was done; send the text whole.")
    return Line(raw, message)


def failure(number: Any, code: int, said: str) -> dict[str, Any]:
    """A JSON-RPC error. Only numbers and text can be ids."""
    if isinstance(number, bool) or not isinstance(number, (int, str)) or not _is_text(number):
        number = None
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": said}}


def _bad(raw: bytes, number: Any, code: int, said: str) -> Line:
    return Line(raw, {}, failure(number, code, said))


def _id_of(raw: bytes) -> Any:
    try:
        message = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return message.get("id") if isinstance(message, dict) else None


def _is_text(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True
