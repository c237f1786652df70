"""What a model is asked for a vault outside any exchange, such as by consolidation: counted and capped alike (C6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from souvenance.domain.endpoint import Use
from souvenance.exchange.meter import Meter
from souvenance.exchange.spending import Counting


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Calls for one vault and one use, in the name of one member."""

    counting: Counting
    vault_id: int
    use: Use
    member: str

    def require_room(self) -> None:
        """Refuse where the vault's tokens of the day are used up."""
        self.counting.require_tokens(vault_id=self.vault_id)

    def add(self, *, usage: Any, sent_text: int, received_text: str) -> None:
        """Count one call, as the endpoint counted it, else by these estimates."""
        meter = Meter()
        meter.add(usage=usage, sent_text=sent_text, received_text=received_text)
        self.counting.add(vault_id=self.vault_id, use=self.use, member=self.member, spent=meter.spent)
