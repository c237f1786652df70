"""An OpenAI-style model server on loopback that says what it is told to: real HTTP, exact behaviour."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Raw:
    """An answer as it goes over the wire, for what no well-behaved server sends."""

    body: bytes = b""
    status: int = 200
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    silent_seconds: float = 0.0
    cut: bool = False


@dataclass
class Calls:
    """Tool calls as a reply."""

    calls: list[dict[str, Any]]


class Held:
    """A reply of which a part is said, and the rest when it is let go."""

    def __init__(self, *parts: str) -> None:
        self.parts, self.go = parts, threading.Event()

    def __call__(self, handler: Handler, body: dict[str, Any]) -> None:
        handler.begin_stream()
        try:
            for place, part in enumerate(self.parts):
                if place:
                    self.go.wait(20)
                handler.send_event({"content": part})
            handler.send_event({}, "stop")
            handler.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            handler.server.gone.set()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.seen.append({"path": self.path, "headers": dict(self.headers), "body": None})
        if self.path == "/v1/models":
            self.send_json({"object": "list", "data": [{"id": "tiny", "object": "model"}, {"id": "other"}]})
        else:
            self.send_json({"error": {"message": "no such path"}}, status=404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append({"path": self.path, "headers": dict(self.headers), "body": body})
        if self.path == "/v1/embeddings":
            rows = [{"index": at, "embedding": vector_of(text)} for at, text in enumerate(body["input"])]
            self.send_json({"data": rows} | ({} if self.server.usage is None else {"usage": self.server.usage}))
            return
        with self.server.lock:
            script = self.server.script.pop(0) if self.server.script else self.server.otherwise
        if callable(script):
            script(self, body)
        elif isinstance(script, Raw):
            self.send_raw(script)
        elif body.get("stream"):
            self.send_stream(script)
        else:
            message = (
                {"role": "assistant", "content": None, "tool_calls": script.calls}
                if isinstance(script, Calls)
                else {"role": "assistant", "content": script}
            )
            finish = "tool_calls" if isinstance(script, Calls) else "stop"
            self.send_json(
                {
                    "id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
                    "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                    "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
                    "system_fingerprint": "fp",
                }
            )  # fmt: skip

    def send_json(self, value: Any, status: int = 200) -> None:
        self.send_raw(Raw(json.dumps(value).encode(), status=status))

    def send_raw(self, raw: Raw) -> None:
        self.send_response(raw.status)
        self.send_header("Content-Type", raw.kind)
        for name, value in raw.headers.items():
            self.send_header(name, value)
        if raw.cut or raw.silent_seconds:
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(raw.body)))
        self.end_headers()
        try:
            self.wfile.write(raw.body)
            self.wfile.flush()
            if raw.silent_seconds:
                self.server.stop.wait(raw.silent_seconds)
        except OSError:
            self.close_connection = True

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def send_event(self, delta: dict[str, Any], finish: str | None = None, **more: Any) -> None:
        chunk = {
            "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "tiny",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        } | more  # fmt: skip
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()

    def send_stream(self, script: Any) -> None:
        self.begin_stream()
        try:
            if isinstance(script, Calls):
                self.send_event({"role": "assistant", "tool_calls": script.calls})
                self.send_event({}, "tool_calls")
            else:
                size = self.server.chunk
                self.send_event({"role": "assistant", "content": ""})
                for at in range(0, len(script), size):
                    self.send_event({"content": script[at : at + size]})
                    if self.server.pause:
                        time.sleep(self.server.pause)
                self.send_event({}, "stop")
            usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
            self.send_event({}, choices=[], usage=usage)
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            self.server.gone.set()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[dict[str, Any]] = []
        self.script: list[Any] = []
        self.otherwise: Any = "Very well."
        self.chunk = 3
        self.pause = 0.0
        self.usage: Any = None
        """What it says that embedding took."""
        self.lock = threading.Lock()
        self.stop = threading.Event()
        self.gone = threading.Event()
        """Set once a client went away in the middle of a stream."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def says(self, *script: Any) -> None:
        """What it answers next, in order."""
        self.script = list(script)
        self.seen.clear()

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of the chat completions it was asked for."""
        return [one["body"] for one in self.seen if one["path"] == "/v1/chat/completions"]

    def prompt(self, number: int = -1) -> str:
        """All that was put before the model in one call."""
        return "\n".join(str(one["content"]) for one in self.asked[number]["messages"])


def vector_of(text: str) -> list[float]:
    """Eight numbers that depend on the letters of a text."""
    counts = [0.1] * 8
    for letter in text.lower():
        counts[ord(letter) % 8] += 1.0
    return counts


@contextmanager
def model_server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop.set()
        server.shutdown()
        server.server_close()
        thread.join()
