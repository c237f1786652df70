"""The ladder: six steps, each the one below and one thing more. Pure: no step reads or writes a store."""

from __future__ import annotations

from souvenance.domain.vault import MemoryType
from souvenance.memory.types.archive import Archive
from souvenance.memory.types.classic import Classic
from souvenance.memory.types.consolidated import Consolidated
from souvenance.memory.types.journal import Journal
from souvenance.memory.types.ranked import Ranked
from souvenance.memory.types.semantic import Semantic

LADDER: tuple[Classic, ...] = (Classic(), Journal(), Archive(), Ranked(), Consolidated(), Semantic())


__all__ = ["LADDER", "Classic", "step_of"]


def step_of(memory_type: MemoryType) -> Classic:
    """The step a vault of this type stands on."""
    return LADDER[memory_type.step - 1]
