"""Step 4, Ranked: places go to the most useful facts (T4). The formula is in `usefulness`."""

from __future__ import annotations

import numpy as np

from souvenance.domain.vault import MemoryType
from souvenance.memory.types.archive import Archive
from souvenance.memory.types.occasion import Occasion, Places
from souvenance.memory.usefulness import score


class Ranked(Archive):
    """Archive, and a place is earned rather than given to whatever changed last."""

    memory_type = MemoryType.RANKED
    ranks = True

    def places(self, occasion: Occasion, limit: int) -> Places:
        """The most useful first; equal ones the newest first. An order, never a filter."""
        scored = score(
            age_days=occasion.age_days,
            importance=occasion.importance,
            relevance=occasion.relevance,
            confidence=occasion.confidence,
            weights=occasion.weights,
        )
        order = np.lexsort((-occasion.numbers, -occasion.updated, -scored.total))[:limit]
        return Places(occasion.numbers[order].tolist(), [scored.why(place) for place in order.tolist()])
