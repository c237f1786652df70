"""An OpenAI-style model server on loopback that says what a test wants it to say, and keeps what it was asked."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Self

from aiohttp import web

Script = Callable[[str, str], str]
"""What to reply, given the whole prompt and the last thing a person said in it."""


class ScriptedModel:
    """`async with ScriptedModel() as model`; `model.says("...")` or `model.does(script)`."""

    def __init__(self) -> None:
        self.prompts: list[str] = []
        """All texts of each call, joined."""
        self.hold = asyncio.Event()
        """While cleared, replies wait."""
        self.hold.set()
        self.status = 200
        self._script: Script = lambda _prompt, _question: "Understood."
        self._runner: web.AppRunner | None = None
        self.url = ""

    def says(self, text: str) -> None:
        """Reply with this from now on."""
        self._script = lambda _prompt, _question: text

    def does(self, script: Script) -> None:
        """Reply with what this makes of the prompt from now on."""
        self._script = script

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._complete)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        texts = [_text(message) for message in asked["messages"]]
        spoken = [_text(message) for message in asked["messages"] if message["role"] == "user"]
        prompt = "\n".join(texts)
        self.prompts.append(prompt)
        await self.hold.wait()
        if self.status != 200:
            return web.json_response({"error": {"message": "no", "type": "server_error"}}, status=self.status)
        reply = self._script(prompt, spoken[-1] if spoken else "")
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(reply) // 4, "total_tokens": 0}
        head = {"id": "chatcmpl-1", "created": 1, "model": asked["model"]}
        if not asked.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}
            return web.json_response(head | {"object": "chat.completion", "choices": [choice], "usage": usage})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        head["object"] = "chat.completion.chunk"
        for start in range(0, len(reply), 7):
            delta = {"index": 0, "delta": {"content": reply[start : start + 7]}, "finish_reason": None}
            await _event(response, head | {"choices": [delta]})
        await _event(response, head | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        await _event(response, head | {"choices": [], "usage": usage})
        await response.write(b"data: [DONE]\n\n")
        return response


async def _event(response: web.StreamResponse, data: dict[str, Any]) -> None:
    await response.write(f"data: {json.dumps(data)}\n\n".encode())


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)
