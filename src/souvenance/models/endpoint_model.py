"""A chat model behind an endpoint, as consolidation asks one (C2, T5): one question, one whole answer."""

from __future__ import annotations

import asyncio

from souvenance.domain.access import Route
from souvenance.domain.endpoint import Reached
from souvenance.models.chat import Chat
from souvenance.models.said import wrong_kind


class EndpointModel:
    """A model reached over HTTP, as its endpoint is set when this is made. Any thread without an event loop may ask."""

    def __init__(self, reached: Reached, chat: Chat) -> None:
        self._reached = reached
        self._chat = chat

    @property
    def name(self) -> str:
        """The model's name."""
        return self._reached.model

    @property
    def route(self) -> Route:
        """Where what it is asked goes, as the endpoint declares."""
        return self._reached.route

    def complete(self, *, system: str, user: str) -> str:
        """Its whole answer; raises what the endpoint fails with, and where it says nothing in words."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        body = {"model": self._reached.model, "messages": messages}
        whole = asyncio.run(self._chat.complete(self._reached, body))
        message = whole["choices"][0].get("message") if whole["choices"] else None
        said = (message or {}).get("content")
        if not isinstance(said, str) or not said.strip():
            raise wrong_kind(self._reached, "no words")
        return said
