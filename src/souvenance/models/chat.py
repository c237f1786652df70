"""Calling an OpenAI-compatible endpoint: bounded, retried where nothing was said yet, with errors a person understands.

What an endpoint sends is not trusted: a page of HTML, half a stream, 200 with an error inside, megabytes without end or
silence all become `ModelUnavailable`, which never holds a key and at most a line of what the endpoint said.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from souvenance.domain.endpoint import Reached, is_near
from souvenance.domain.errors import ModelUnavailable
from souvenance.models.said import refusal, said_error, wrong_kind

Json = dict[str, Any]
if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

LARGEST_REPLY = 8 * 2**20
"""Bytes of one reply, all of a stream together."""
LARGEST_EVENT = 2**20
"""Bytes of one event of a stream."""
MOST_TRIES = 3
FIRST_PAUSE = 0.5
"""Seconds before the second try; each further pause is twice the one before."""
LONGEST_PAUSE = 20.0
"""Seconds that an endpoint may ask to be waited for (Retry-After)."""
RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may be answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long an endpoint is waited for. `silence`: seconds without a word of the reply; `connect`: to be reached."""

    silence: float = 120.0
    connect: float = 10.0
    pause: float = FIRST_PAUSE


class Embedded(NamedTuple):
    """Vectors, and the endpoint's own count of what they cost; None where it gave none."""

    vectors: list[list[float]]
    usage: Any


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


class Chat:
    """A client of endpoints. Stateless: any event loop may use it."""

    def __init__(self, patience: Patience | None = None) -> None:
        self.patience = patience or Patience()

    @staticmethod
    def load() -> None:
        """Make ready what the first call needs: half a second that an event loop would stand still for. Any thread."""
        import httpx  # noqa: F401

        _certificates()

    async def stream(self, endpoint: Reached, body: Json) -> AsyncGenerator[Json]:
        """The chunks of a chat completion as the endpoint sends them. An endpoint that does not stream gives one chunk,
        made of its whole reply. Closing the iterator ends the call."""
        request = body | {"stream": True}
        async with self._answered(endpoint, "/chat/completions", request) as response:
            if _content_type(response) != "text/event-stream":
                yield _as_chunk(_checked(await self._whole(response), endpoint))
                return
            is_finished = False
            async with contextlib.aclosing(_events(response)) as events:
                while True:
                    data = await self._soon(anext(events, None), endpoint)
                    if data is None or data == "[DONE]":
                        break
                    chunk = _checked(_parsed(data, endpoint), endpoint)
                    is_finished = is_finished or any(one.get("finish_reason") for one in _choices(chunk))
                    yield chunk
            if data is None and not is_finished:
                raise ModelUnavailable(
                    f"{endpoint.name} stopped in the middle of its reply.",
                    hint="Ask again: nothing that the model asked of memory was done.",
                )

    async def complete(self, endpoint: Reached, body: Json) -> Json:
        """A whole chat completion."""
        async with self._answered(endpoint, "/chat/completions", body | {"stream": False}) as response:
            return _checked(await self._whole(response), endpoint)

    async def models(self, endpoint: Reached) -> Json:
        """What the endpoint answers at /models."""
        async with self._answered(endpoint, "/models", None) as response:
            return _checked(await self._whole(response), endpoint, needs=("data",))

    async def embeddings(self, endpoint: Reached, texts: list[str]) -> Embedded:
        """A vector per text, in order, and what the endpoint counted for them."""
        body = {"model": endpoint.model, "input": texts, "encoding_format": "float"}
        async with self._answered(endpoint, "/embeddings", body) as response:
            found = _checked(await self._whole(response), endpoint, needs=("data",))
        try:
            rows = sorted(found["data"], key=lambda row: row["index"])
            vectors = [[float(value) for value in row["embedding"]] for row in rows]
        except (TypeError, ValueError, KeyError):
            raise wrong_kind(endpoint, "no vectors") from None
        if len(vectors) != len(texts):
            raise wrong_kind(endpoint, "another number of vectors than was asked for")
        return Embedded(vectors, found.get("usage"))

    # --- the call ----------------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _answered(self, endpoint: Reached, path: str, body: Json | None) -> AsyncIterator[httpx.Response]:
        """A response of status 200, its body not read yet; tried again while nothing has been said."""
        import httpx

        silence, connect = self.patience.silence, self.patience.connect
        async with httpx.AsyncClient(
            verify=_certificates(),
            timeout=httpx.Timeout(silence, connect=connect, pool=None),
            trust_env=not is_near(endpoint.base_url),  # what is local does not go through a proxy
            headers={"Accept-Encoding": "identity"},  # so that a small body cannot unfold into a large one
        ) as client:
            response = await self._tried(client, endpoint, path, body)
            try:
                yield response
            except httpx.HTTPError as error:
                raise _unreached(endpoint, error, silence) from error
            finally:
                await response.aclose()

    async def _tried(
        self, client: httpx.AsyncClient, endpoint: Reached, path: str, body: Json | None
    ) -> httpx.Response:
        import httpx

        headers = {} if endpoint.key is None else {"Authorization": f"Bearer {endpoint.key}"}
        pause = self.patience.pause
        for left in reversed(range(MOST_TRIES)):
            request = client.build_request(
                "GET" if body is None else "POST", endpoint.base_url + path, json=body, headers=headers
            )
            try:
                response = await self._soon(client.send(request, stream=True), endpoint)
            except (httpx.ConnectError, httpx.ConnectTimeout, httpx.RemoteProtocolError) as error:
                if not left:
                    raise _unreached(endpoint, error, self.patience.silence) from error
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise _unreached(endpoint, error, self.patience.silence) from error
            else:
                if response.status_code == 200:
                    return response
                try:
                    said = await self._whole(response, largest=64 * 1024, or_none=True)
                finally:
                    await response.aclose()
                if response.status_code not in RETRIED or not left:
                    raise refusal(endpoint, response.status_code, said)
                pause = _asked_pause(response, pause)
            await asyncio.sleep(pause)
            pause *= 2
        raise AssertionError("the last try returns or raises")

    async def _soon(self, step: Awaitable[T], endpoint: Reached) -> T:
        """The next thing an endpoint says, or a refusal when it stays silent: comments that only keep a connection
        open are no word of a reply."""
        try:
            async with asyncio.timeout(self.patience.silence):
                return await step
        except TimeoutError:
            raise _silent(endpoint, self.patience.silence) from None

    async def _whole(self, response: httpx.Response, *, largest: int = LARGEST_REPLY, or_none: bool = False) -> Any:
        """The body as JSON; where there is none, None or a refusal."""
        parts, size = [], 0
        try:
            async with asyncio.timeout(self.patience.silence):
                async for part in response.aiter_raw():
                    size += len(part)
                    if size > largest:
                        raise _endless(largest)
                    parts.append(part)
            return json.loads(b"".join(parts))
        except TimeoutError:
            raise ModelUnavailable("The endpoint did not finish its reply.", hint="Ask again, or check it.") from None
        except (ValueError, RecursionError, ModelUnavailable):
            if or_none:
                return None
            if size > largest:
                raise
            kind = "a web page" if _content_type(response) == "text/html" else "what is not JSON"
            raise ModelUnavailable(
                f"The endpoint answered with {kind}, not with a reply.",
                hint="Check its base URL: it usually ends in /v1.",
            ) from None


async def _events(response: httpx.Response) -> AsyncGenerator[str]:
    """The data of each server-sent event; lines end in LF, CRLF or CR, comments and other fields are passed over."""
    held, size, total, data, is_cut = list[bytes](), 0, 0, list[bytes](), False
    async for part in response.aiter_raw():
        total += len(part)
        if total > LARGEST_REPLY:
            raise _endless(LARGEST_REPLY)
        came = part[1:] if is_cut and part.startswith(b"\n") else part  # without the other half of a CRLF
        is_cut = part.endswith(b"\r")
        first, *further = came.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        held.append(first)
        size += len(first)
        if size > LARGEST_EVENT:
            raise _endless(LARGEST_EVENT)
        if not further:
            continue
        lines = [b"".join(held), *further[:-1]]
        held, size = [further[-1]], len(further[-1])
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
            elif not line.strip() and data:
                yield b"\n".join(data).decode("utf-8", "replace")
                data = []
    held = [b"".join(held)]
    if held[0].startswith(b"data:"):
        data.append(held[0][5:].strip())
    if data:
        yield b"\n".join(data).decode("utf-8", "replace")


def _content_type(response: httpx.Response) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def _parsed(data: str, endpoint: Reached) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise wrong_kind(endpoint, "an event that is not JSON") from None


def _checked(found: Any, endpoint: Reached, *, needs: tuple[str, ...] = ("choices",)) -> Json:
    """What was answered, if it is of the kind that was asked for and holds no error."""
    if not isinstance(found, dict):
        raise wrong_kind(endpoint, "what is no object")
    if found.get("error") is not None and not found.get("choices"):
        raise said_error(endpoint, found["error"])
    for name in needs:
        if not isinstance(found.get(name), list):
            raise wrong_kind(endpoint, f"no `{name}`")
    if "choices" in needs and not all(_is_choice(one) for one in found["choices"]):
        raise wrong_kind(endpoint, "`choices` that are none")
    return found


def _is_choice(found: Any) -> bool:
    """Whether it has the form of one: further on, its index and its words are taken as they are."""
    if not isinstance(found, dict) or type(found.get("index", 0)) is not int:
        return False
    return all(isinstance(found.get(name, {}), dict | None) for name in ("delta", "message"))


def _choices(chunk: Mapping[str, Any]) -> list[Json]:
    return list(chunk["choices"])


def _as_chunk(whole: Json) -> Json:
    """A whole completion as the one chunk of a stream."""
    choices = [
        {name: value for name, value in one.items() if name != "message"} | {"delta": one.get("message") or {}}
        for one in _choices(whole)
    ]
    return whole | {"object": "chat.completion.chunk", "choices": choices}


def _asked_pause(response: httpx.Response, pause: float) -> float:
    try:
        asked = float(response.headers.get("retry-after", ""))
    except ValueError:
        return pause
    return pause if math.isnan(asked) else min(max(asked, pause), LONGEST_PAUSE)


def _unreached(endpoint: Reached, error: Exception, silence: float) -> ModelUnavailable:
    import httpx

    if isinstance(error, httpx.ReadTimeout):
        return _silent(endpoint, silence)
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return ModelUnavailable(
            f"{endpoint.name} cannot be reached at {endpoint.base_url}.", hint="Is it running? Is the address right?"
        )
    return ModelUnavailable(
        f"The connection to {endpoint.name} broke ({type(error).__name__}).",
        hint="Ask again: nothing that the model asked of memory was done.",
    )


def _silent(endpoint: Reached, silence: float) -> ModelUnavailable:
    return ModelUnavailable(
        f"{endpoint.name} said nothing for {silence:g} seconds.",
        hint="Ask again, or give it more time with SOUVENANCE_MODEL_SECONDS.",
    )


def _endless(largest: int) -> ModelUnavailable:
    return ModelUnavailable(
        f"The endpoint sent more than {largest // 1024:,} KiB; the rest was not read.", hint="Check what answers there."
    )
