"""What is kept of a pass that looked for what could be tidied (T5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass that ran to its end.

    reason: why it ran. facts: how many it read; compared: pairs looked at. duplicates, contradictions, summaries: what
    it proposed. answered_before: pairs it left out because someone said that both stay. left_over: pairs beyond what
    one pass proposes, for the next. demoted: duplicates that its model called contradictions; model_state: what became
    of that model. seen_*: how the vault stood when it was read.
    """

    vault_id: int
    ordinal: int
    started_at: datetime
    ended_at: datetime
    reason: str
    asked_by: str = ""
    facts: int
    compared: int
    duplicates: int
    contradictions: int
    summaries: int
    answered_before: int
    left_over: int
    demoted: int
    model: str = ""
    model_state: str = ""
    seen_at: datetime | None
    seen_facts: int
    seen_change: int

    @property
    def proposed(self) -> int:
        """How many proposals it made."""
        return self.duplicates + self.contradictions + self.summaries
