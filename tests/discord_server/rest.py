"""The REST API: what a bot asks and sends, kept within Discord's limits.

Sources, in Discord's developer documentation: resources/user, resources/message, resources/channel,
interactions/receiving-and-responding, interactions/application-commands, topics/rate-limits, reference (errors).
"""

import json
import re
import time
import unicodedata
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from discord_server import payloads
from discord_server.payloads import Payload
from discord_server.world import INTERACTION, Posted, World

MOST_CHARACTERS = 2000
EPHEMERAL = 1 << 6
LOADING = 1 << 7
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(eq=False)
class Asked:
    """A slash command that was sent to the bot, and what it said to it. `ephemeral` is what only the caller sees."""

    payload: Payload
    is_deferred: bool = False
    is_ephemeral: bool = False
    answers: list[Posted] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that was answered."""
        return "\n".join(answer.text for answer in self.answers)

    @property
    def is_answered(self) -> bool:
        return bool(self.answers)


def as_json(data: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """A body of the content type that Discord sends: without a charset."""
    sent = {"Content-Type": "application/json"} | (headers or {})
    return web.Response(body=json.dumps(data).encode(), status=status, headers=sent)


class Refusal(Exception):
    """What the API refuses, with its status and body."""

    def __init__(self, status: int, body: Payload) -> None:
        super().__init__(body["message"])
        self.status = status
        self.body = body


def refusal(status: int, code: int, message: str, **errors: Any) -> Refusal:
    """An error as the API writes it."""
    body: Payload = {"code": code, "message": message}
    if errors:
        body["errors"] = {name: {"_errors": [{"code": what, "message": what}]} for name, what in errors.items()}
    return Refusal(status, body)


class Rest:
    """The routes a bot uses. `spread` tells the gateway of a message that was posted."""

    def __init__(self, world: World, *, token: str, spread: Callable[[Posted], Awaitable[None]], url: str = "") -> None:
        self.world = world
        self.token = token
        self.url = url
        self.commands: list[Payload] = []
        self.typing: list[str] = []
        """Ids of the channels in which the bot showed that it types."""
        self.asked: dict[str, Asked] = {}
        self.to_limit = 0
        """So many of the next requests are told to wait."""
        self.to_lose = 0
        """So many of the next messages are posted, and the bot is told that they were not."""
        self.to_fail = 0
        """So many of the next messages are refused as a server fault."""
        self._spread = spread

    def application(self) -> web.Application:
        """The routes, under /api/v10."""
        app = web.Application(middlewares=[self._guard])
        app.add_routes(
            [
                web.get("/users/@me", self.me),
                web.get("/gateway/bot", self.gateway),
                web.get("/applications/@me", self.my_application),
                web.get("/oauth2/applications/@me", self.my_application),
                web.put("/applications/{application}/commands", self.put_commands),
                web.get("/channels/{channel}/messages", self.history),
                web.post("/channels/{channel}/messages", self.post),
                web.post("/channels/{channel}/typing", self.type),
                web.post("/interactions/{interaction}/{token}/callback", self.respond),
                web.get("/webhooks/{application}/{token}/messages/@original", self.original),
                web.patch("/webhooks/{application}/{token}/messages/@original", self.edit_original),
                web.post("/webhooks/{application}/{token}", self.follow_up),
            ]
        )
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await self._answered(request, handler)
        except Refusal as refused:
            return as_json(refused.body, status=refused.status)
        response.headers.update(
            {
                "X-RateLimit-Limit": "50",
                "X-RateLimit-Remaining": "49",
                "X-RateLimit-Reset": f"{time.time() + 1:.3f}",
                "X-RateLimit-Reset-After": "1.000",
                "X-RateLimit-Bucket": f"{request.method}{request.match_info.route.resource!r}",
            }
        )
        return response

    async def _answered(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        by_token = request.path.partition("/api/v10")[2].startswith(("/interactions/", "/webhooks/"))
        if not by_token and request.headers.get("Authorization") != f"Bot {self.token}":
            raise refusal(401, 0, "401: Unauthorized")
        if self.to_limit:
            self.to_limit -= 1
            body = {"message": "You are being rate limited.", "retry_after": 0.05, "global": False}
            headers = {"Retry-After": "1", "X-RateLimit-Scope": "user", "Via": "1.1 here"}
            return as_json(body, status=429, headers=headers)
        return await handler(request)

    # --- who the bot is ------------------------------------------------------------------------------------------

    async def me(self, _request: web.Request) -> web.Response:
        return as_json(self.world.bot)

    async def my_application(self, _request: web.Request) -> web.Response:
        return as_json(self.world.application)

    async def gateway(self, _request: web.Request) -> web.Response:
        limit = {"total": 1000, "remaining": 999, "reset_after": 14_400_000, "max_concurrency": 1}
        return as_json({"url": self.url, "shards": 1, "session_start_limit": limit})

    async def put_commands(self, request: web.Request) -> web.Response:
        given = await request.json()
        for one in given:
            _check_command(one)
        self.commands = [
            {"default_member_permissions": None, "version": payloads.snowflake(), "type": 1}
            | one
            | {"id": payloads.snowflake(), "application_id": self.world.application["id"]}
            for one in given
        ]
        return as_json(self.commands)

    # --- messages ------------------------------------------------------------------------------------------------

    def _channel(self, request: web.Request) -> Payload:
        found = self.world.find_channel(request.match_info["channel"])
        if found is None:
            raise refusal(404, 10003, "Unknown Channel")
        return found

    async def history(self, request: web.Request) -> web.Response:
        channel = self._channel(request)
        there = [one.payload for one in self.world.posted if one.payload["channel_id"] == channel["id"]]
        limit = int(request.query.get("limit", 50))
        if "after" in request.query:
            there = [one for one in there if int(one["id"]) > int(request.query["after"])][:limit]
        if "before" in request.query:
            there = [one for one in there if int(one["id"]) < int(request.query["before"])]
        return as_json(there[-limit:][::-1])

    async def post(self, request: web.Request) -> web.Response:
        channel = self._channel(request)
        if not self.world.may_post(channel, self.world.bot):
            raise refusal(403, 50013, "Missing Permissions")
        if self.to_fail:
            self.to_fail -= 1
            return as_json({"code": 0, "message": "500: Internal Server Error"}, status=503)
        body, files = await _body(request)
        _check_message(body, files)
        nonce = body.get("nonce")
        if nonce is not None and body.get("enforce_nonce"):
            there = next((one for one in self.world.posted if one.payload.get("nonce") == nonce), None)
            if there is not None:
                return as_json(there.payload)
        reference = body.get("message_reference") or {}
        reply_to = reference.get("message_id")
        if reply_to is not None and not any(one.id == str(reply_to) for one in self.world.posted):
            if reference.get("fail_if_not_exists", True):
                raise refusal(400, 50035, "Invalid Form Body", message_reference="REPLIES_UNKNOWN_MESSAGE")
            reply_to = None
        posted = self.world.post(
            channel,
            self.world.bot,
            body.get("content", ""),
            allowed=body.get("allowed_mentions"),
            reply_to=None if reply_to is None else str(reply_to),
            files=files,
            components=body.get("components") or [],
            **({} if nonce is None else {"nonce": nonce}),
        )
        await self._spread(posted)
        if self.to_lose:
            self.to_lose -= 1
            return as_json({"code": 0, "message": "503: Service Unavailable"}, status=503)
        return as_json(posted.payload)

    async def type(self, request: web.Request) -> web.Response:
        self.typing.append(self._channel(request)["id"])
        return web.Response(status=204)

    # --- slash commands ------------------------------------------------------------------------------------------

    def _asked(self, request: web.Request) -> Asked:
        found = self.asked.get(request.match_info["token"])
        if found is None:
            raise refusal(404, 10062, "Unknown interaction")
        return found

    async def respond(self, request: web.Request) -> web.Response:
        asked = self._asked(request)
        body, files = await _body(request)
        if asked.is_answered or asked.is_deferred:
            raise refusal(400, 40060, "Interaction has already been acknowledged.")
        if body["type"] not in {4, 5}:
            raise refusal(400, 50035, "Invalid Form Body", type="BASE_TYPE_CHOICES")
        data = body.get("data") or {}
        asked.is_deferred = body["type"] == 5
        asked.is_ephemeral = bool(data.get("flags", 0) & EPHEMERAL)
        about: Payload = {"id": asked.payload["id"], "type": 2, "response_message_ephemeral": asked.is_ephemeral}
        about["response_message_loading"] = asked.is_deferred
        resource: Payload = {"type": body["type"]}
        if not asked.is_deferred:
            answer = self._answer(asked, data, files)
            about["response_message_id"] = answer.id
            resource["message"] = answer.payload
        if request.query.get("with_response") not in {"true", "1"}:
            return web.Response(status=204)
        return as_json({"interaction": about, "resource": resource})

    def _answer(self, asked: Asked, data: Payload, files: dict[str, bytes]) -> Posted:
        _check_message(data, files)
        channel = asked.payload["channel"]
        more = {"application_id": self.world.application["id"], "webhook_id": self.world.application["id"]}
        allowed = data.get("allowed_mentions", INTERACTION)
        flags = EPHEMERAL if asked.is_ephemeral else 0
        made = payloads.message(channel["id"], self.world.bot, data.get("content") or "") | more | {"flags": flags}
        if asked.is_ephemeral:
            answer = Posted(made, files)
        else:
            answer = self.world.post(
                channel, self.world.bot, data.get("content") or "", allowed=allowed, files=files, **more, flags=flags
            )
        asked.answers.append(answer)
        return answer

    async def original(self, request: web.Request) -> web.Response:
        asked = self._asked(request)
        if not asked.answers:
            raise refusal(404, 10008, "Unknown Message")
        return as_json(asked.answers[0].payload)

    async def edit_original(self, request: web.Request) -> web.Response:
        asked = self._asked(request)
        if not asked.is_deferred and not asked.answers:
            raise refusal(404, 10015, "Unknown Webhook")
        body, files = await _body(request)
        return as_json(self._answer(asked, body, files).payload)

    async def follow_up(self, request: web.Request) -> web.Response:
        asked = self._asked(request)
        if not asked.is_deferred and not asked.answers:
            raise refusal(404, 10015, "Unknown Webhook")
        body, files = await _body(request)
        return as_json(self._answer(asked, body, files).payload)


async def _body(request: web.Request) -> tuple[Payload, dict[str, bytes]]:
    """What was sent: JSON, or a form with `payload_json` and files (reference, Uploading Files)."""
    if not request.content_type.startswith("multipart/"):
        return (await request.json() if request.can_read_body else {}), {}
    form = await request.post()
    files = {part.filename: part.file.read() for part in form.values() if isinstance(part, web.FileField)}
    return json.loads(str(form.get("payload_json", "{}"))), files


def _check_message(body: Payload, files: dict[str, bytes]) -> None:
    content = body.get("content") or ""
    if len(content) > MOST_CHARACTERS:
        raise refusal(400, 50035, "Invalid Form Body", content="BASE_TYPE_BAD_LENGTH")
    if not content.strip() and not files and not body.get("embeds"):
        raise refusal(400, 50006, "Cannot send an empty message")
    for row in body.get("components") or []:
        if row["type"] != 1 or not 1 <= len(row["components"]) <= 5:
            raise refusal(400, 50035, "Invalid Form Body", components="BASE_TYPE_BAD_LENGTH")
        for button in row["components"]:
            if not (len(button["label"]) <= 80 and 1 <= len(button["custom_id"]) <= 100):
                raise refusal(400, 50035, "Invalid Form Body", components="BASE_TYPE_BAD_LENGTH")
    if len(str(body.get("nonce", ""))) > 25:
        raise refusal(400, 50035, "Invalid Form Body", nonce="NONCE_TYPE_TOO_LONG")
    allowed = body.get("allowed_mentions") or {}
    for kind in ("users", "roles"):
        if kind in allowed.get("parse", ()) and allowed.get(kind):
            raise refusal(400, 50035, "Invalid Form Body", allowed_mentions="MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE")


LOCALES = {"en-US", "en-GB", "fr"}


def _check_command(given: Payload, *, depth: int = 0) -> None:
    """Names and descriptions, their translations, and the order of options (Application Command Naming)."""
    names = [given["name"], *(given.get("name_localizations") or {}).values()]
    texts = [given["description"], *(given.get("description_localizations") or {}).values()]
    assert set(given.get("name_localizations") or {}) | set(given.get("description_localizations") or {}) <= LOCALES
    for name in names:
        if not 1 <= len(name) <= 32 or name != name.lower() or not _is_command_name(name):
            raise refusal(400, 50035, "Invalid Form Body", name="APPLICATION_COMMAND_INVALID_NAME")
    if any(not 1 <= len(text) <= 100 for text in texts):
        raise refusal(400, 50035, "Invalid Form Body", description="BASE_TYPE_BAD_LENGTH")
    options = given.get("options") or []
    required = [bool(option.get("required")) for option in options]
    if required != sorted(required, reverse=True) or len(options) > 25 or depth > 2:
        raise refusal(400, 50035, "Invalid Form Body", options="APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID")
    for option in options:
        _check_command(option, depth=depth + 1)
        for choice in option.get("choices") or []:
            assert 1 <= len(choice["name"]) <= 100


def _is_command_name(name: str) -> bool:
    r"""`^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$`, without the two scripts."""
    return all(c in "-_'" or unicodedata.category(c)[0] in "LN" for c in name) and not re.search(r"\s", name)
