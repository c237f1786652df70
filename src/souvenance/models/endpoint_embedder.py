"""An embedder behind an endpoint: the same promise as the bundled one, its texts leave this program (T6)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from souvenance.domain.access import Route
from souvenance.domain.endpoint import Endpoint, Reached
from souvenance.domain.errors import EmbedderUnavailable, InvalidInput, ModelUnavailable, NotAllowed
from souvenance.domain.tokens import estimate_tokens
from souvenance.models.charged import charged
from souvenance.models.chat import Chat
from souvenance.models.embedder import checked, plain

if TYPE_CHECKING:
    from souvenance.models.embedder import Vectors

LONGEST = 8000
"""Characters of a text that are sent; models read about so much, and many refuse more."""
BATCH = 64


class Count(Protocol):
    """Takes note of what one call cost, and returns at once."""

    def __call__(self, *, vault_id: int, usage: Any, sent_text: int) -> None:
        """For this vault: the endpoint's own count, and an estimate for where it gave none."""


class EndpointEmbedder:
    """Vectors of a model reached over HTTP. Any thread may call."""

    is_endpoint = True

    def __init__(self, endpoint: Endpoint, reached: Callable[[], Reached], chat: Chat, count: Count) -> None:
        if endpoint.dimension is None:
            raise InvalidInput(
                f"It is not known yet how long the vectors of {endpoint.name} are.",
                hint=f"souvenance endpoint test {endpoint.name} finds out.",
            )
        self._route = endpoint.route
        self._reached = reached
        self._chat = chat
        self._count = count
        self.name = f"endpoint/{endpoint.model}"
        self.dimension = endpoint.dimension

    @property
    def route(self) -> Route:
        """Where texts go to be embedded."""
        return self._route

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text; of a longer one, the first `LONGEST` characters."""
        import numpy as np

        cut = [plain(text, longest=LONGEST) or " " for text in texts]
        if not cut:
            return np.empty((0, self.dimension), dtype=np.float32)
        rows: list[list[float]] = []
        for start in range(0, len(cut), BATCH):
            rows += self._asked(cut[start : start + BATCH])
        if any(len(row) != self.dimension for row in rows):
            rows = [row[:0] for row in rows]
        return checked(rows, rows=len(cut), dimension=self.dimension, name=self.name)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector a query is compared with."""
        row: Vectors = self.embed_passages([text])[0]
        return row

    def _asked(self, texts: list[str]) -> list[list[float]]:
        try:
            found = asyncio.run(self._chat.embeddings(self._reached(), texts))
        except (ModelUnavailable, NotAllowed, InvalidInput) as error:
            raise EmbedderUnavailable(error.message, hint=error.hint) from error
        self._count(vault_id=charged(), usage=_usage(found.usage), sent_text=sum(map(estimate_tokens, texts)))
        return found.vectors


def _usage(told: Any) -> Any:
    """An endpoint's count of what embedding took, as chat's are; None where it gave none."""
    sent = told.get("prompt_tokens", told.get("total_tokens")) if isinstance(told, dict) else None
    return None if sent is None else {"prompt_tokens": sent, "completion_tokens": 0}
