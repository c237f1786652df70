"""An endpoint: where a model is reached, what it is used for, and where what is sent to it goes (C2, V8)."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import urlsplit

from souvenance.domain.access import Route
from souvenance.domain.errors import InvalidInput


class Use(StrEnum):
    """What a model is used for."""

    ANSWERS = "answers"
    AUTO = "auto"
    CONSOLIDATION = "consolidation"
    EMBEDDINGS = "embeddings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible endpoint as its owner sees it: whether it has a key, never the key.

    `base_url` is what `/chat/completions` is put behind. `takes_schema`: it understands a JSON schema for its reply.
    `dimension` is the length of its vectors where it was asked for one. `uses` is what it is used for now.
    """

    id: int
    name: str
    base_url: str
    model: str
    has_key: bool
    route: Route
    takes_schema: bool = False
    dimension: int | None = None
    uses: tuple[Use, ...] = ()
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """An endpoint ready to be called, its key in the clear: never shown, logged or kept (`repr` hides it)."""

    name: str
    base_url: str
    model: str
    key: str | None
    route: Route
    takes_schema: bool = False
    dimension: int | None = None

    def __repr__(self) -> str:
        return f"<endpoint {self.name}: {self.model} at {self.base_url}, {self.route}>"


def checked_base_url(text: str) -> str:
    """A base URL without its last slash, or a clear refusal. A key does not belong in it."""
    url = text.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in {"http", "https"} or any(c.isspace() for c in url):
        raise InvalidInput(
            "The base URL cannot be used.", hint="Write it as https://host/v1: what comes before /chat/completions."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InvalidInput(
            "The base URL holds more than an address.", hint="Give the key apart; leave out ?, # and user:password@."
        )
    return url.removesuffix("/chat/completions").rstrip("/")


def is_near(base_url: str) -> bool:
    """Whether the address is of this machine or of a private network, read off it alone: nothing is looked up."""
    host = (urlsplit(base_url).hostname or "").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_private) and not mapped.is_unspecified


def proposed_route(base_url: str) -> Route:
    """The route proposed for an address: local for this machine and private networks, else cloud (V8)."""
    return Route.LOCAL if is_near(base_url) else Route.CLOUD


MAY_FORWARD = {
    "en": "A server at a local address may forward what it is sent; only you know whether this one does.",
    "fr": "Un serveur à une adresse locale peut transmettre ce qu’il reçoit ; vous seul savez si celui-ci le fait.",
}
"""Said beside a route that is proposed or declared local (V8)."""
