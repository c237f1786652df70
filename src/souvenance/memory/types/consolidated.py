"""Step 5, Consolidated: a pass over a quiet vault proposes what to tidy, and applies nothing by itself (T5)."""

from __future__ import annotations

from souvenance.domain.vault import MemoryType
from souvenance.memory.types.ranked import Ranked


class Consolidated(Ranked):
    """Ranked, and what is said twice is proposed for a person to merge. The passes ask this step whether to run."""

    memory_type = MemoryType.CONSOLIDATED
    proposes = True
