"""Step 2, Journal: what ends is kept, with date, reason and replacement, and the model may replace (T2)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from souvenance.domain.fact import Fact
from souvenance.domain.vault import MemoryType
from souvenance.memory.types.classic import Classic
from souvenance.memory.types.occasion import Ask


class Journal(Classic):
    """Classic, and nothing is lost when something stops being true."""

    memory_type = MemoryType.JOURNAL
    asks = Classic.asks | {Ask.REPLACE}

    def ended(self, found: Fact, *, reason: str, at: datetime) -> Fact:
        """The fact with its validity over: out of the context, kept to be read and restored."""
        return replace(found, valid_to=at, reason=reason)
