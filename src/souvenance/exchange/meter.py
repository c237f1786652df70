"""Tokens of calls, as endpoints count them, else as we do (C6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from souvenance.domain.tokens import estimate_tokens
from souvenance.exchange.events import Spent

MOST_COUNTED = 10**9
"""Tokens of one call above which an endpoint's own count is not believed."""


@dataclass(slots=True)
class Meter:
    """Tokens of one exchange: what endpoints said they counted, estimated where they did not say."""

    sent: int = 0
    received: int = 0
    calls: int = 0
    is_estimate: bool = False
    estimated: int = 0

    def add(self, *, usage: Any, sent_text: int, received_text: str) -> None:
        """Add one call. `usage` is the endpoint's own count, None where it gave none."""
        told = usage if isinstance(usage, dict) else {}
        counts = [told.get(name) for name in ("prompt_tokens", "completion_tokens")]
        whole = [value for value in counts if type(value) is int and 0 <= value < MOST_COUNTED]
        is_told = len(whole) == len(counts)
        sent, received = whole if is_told else (sent_text, estimate_tokens(received_text))
        self.calls += 1
        self.sent += sent
        self.received += received
        self.is_estimate = self.is_estimate or not is_told
        self.estimated += 0 if is_told else sent + received

    def merge(self, other: Meter) -> None:
        """Add what another one counted."""
        self.sent += other.sent
        self.received += other.received
        self.calls += other.calls
        self.is_estimate = self.is_estimate or other.is_estimate
        self.estimated += other.estimated

    @property
    def spent(self) -> Spent:
        """The total."""
        return Spent(
            sent=self.sent,
            received=self.received,
            calls=self.calls,
            is_estimate=self.is_estimate,
            estimated=self.estimated,
        )
