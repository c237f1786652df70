"""What endpoints should not answer with, and words that it is told in."""

from __future__ import annotations

import json
from typing import Any

from scripted import Raw


def event(content: str, **more: Any) -> bytes:
    chunk = {"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": None}]} | more
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


BAD: dict[str, tuple[Raw, str]] = {
    "html": (Raw(b"<html><body>Welcome</body></html>", kind="text/html"), "web page"),
    "html with an error": (Raw(b"<html>no</html>", status=404, kind="text/html"), "status 404"),
    "nothing": (Raw(b""), "not JSON"),
    "wrong json": (Raw(b'{"choices": '), "not JSON"),
    "a list": (Raw(b"[]"), "no object"),
    "other json": (Raw(b'{"hello": 1}'), "`choices`"),
    "choices that are none": (Raw(b'{"choices": ["x"]}'), "`choices`"),
    "an index that is none": (Raw(b'{"choices": [{"index": [1], "message": {"content": "x"}}]}'), "`choices`"),
    "a delta that is none": (
        Raw(b'data: {"choices": [{"index": 0, "delta": "x"}]}\n\n', kind="text/event-stream"), "`choices`"
    ),
    "an error in 200": (Raw(b'{"error": {"message": "quota is over"}}'), "quota is over"),
    "an error in a stream": (
        Raw(event("We") + b'data: {"error": {"message": "overloaded"}}\n\n', kind="text/event-stream"), "overloaded"
    ),
    "half a stream": (Raw(event("We"), kind="text/event-stream", cut=True), "middle"),
    "a stream of nonsense": (Raw(b"data: {nope\n\n", kind="text/event-stream"), "not JSON"),
    "a line without end": (Raw(b"data: " + b"x" * (3 * 2**20), kind="text/event-stream"), "1,024 KiB"),
    "40 MB": (Raw(b" " * (40 * 2**20)), "8,192 KiB"),
    "40 MB of events": (Raw(event("x" * 1000) * 40_000, kind="text/event-stream"), "8,192 KiB"),
    "a redirect": (Raw(status=302, headers={"Location": "http://example.invalid/"}), "elsewhere"),
    "a key refused": (Raw(b'{"error": {"message": "bad key sk-very-secret-key"}}', status=401), "refuses the key"),
    "an unknown model": (Raw(b'{"error": {"message": "model tiny not found"}}', status=404), "model tiny not found"),
}  # fmt: skip
