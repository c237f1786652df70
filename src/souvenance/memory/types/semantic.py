"""Step 6, Semantic: look-ups and relevance go by meaning, and by words where meaning cannot (T6)."""

from __future__ import annotations

from souvenance.domain.vault import MemoryType
from souvenance.memory.types.consolidated import Consolidated


class Semantic(Consolidated):
    """Consolidated, and a fact need not share a word with what is said. `retrieval.matching` says which of the two
    runs, and why."""

    memory_type = MemoryType.SEMANTIC
    by_meaning = True
