"""A chat model behind an endpoint, as consolidation asks one (C2, T5): one question, one whole answer."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from souvenance.domain.access import Route
from souvenance.domain.endpoint import Reached
from souvenance.domain.tokens import estimate_tokens
from souvenance.models.chat import Chat
from souvenance.models.said import wrong_kind


class Charge(Protocol):
    """Whom the calls are counted for."""

    def require_room(self) -> None:
        """Raises where no more may be spent."""

    def add(self, *, usage: Any, sent_text: int, received_text: str) -> None:
        """Count one call: what the endpoint counted, and estimates for where it did not."""


class EndpointModel:
    """A model reached over HTTP, as its endpoint is set when this is made. Any thread without an event loop may ask."""

    def __init__(self, reached: Reached, chat: Chat, charge: Charge) -> None:
        self._reached = reached
        self._chat = chat
        self._charge = charge

    @property
    def name(self) -> str:
        """The model's name."""
        return self._reached.model

    @property
    def route(self) -> Route:
        """Where what it is asked goes, as the endpoint declares."""
        return self._reached.route

    def complete(self, *, system: str, user: str) -> str:
        """Its whole answer; raises what the endpoint fails with, where it says nothing in words, and where the vault's
        tokens of the day are used up. What it spent is counted however it ends."""
        self._charge.require_room()
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        body = {"model": self._reached.model, "messages": messages}
        usage, said = None, ""
        try:
            whole = asyncio.run(self._chat.complete(self._reached, body))
            usage = whole.get("usage")
            message = whole["choices"][0].get("message") if whole["choices"] else None
            content = (message or {}).get("content")
            said = content if isinstance(content, str) else ""
        finally:
            sent = estimate_tokens(system) + estimate_tokens(user)
            self._charge.add(usage=usage, sent_text=sent, received_text=said)
        if not said.strip():
            raise wrong_kind(self._reached, "no words")
        return said
