"""Step 3, Searchable archive: the model may look up what it was not given, once a question (T3)."""

from __future__ import annotations

from souvenance.domain.vault import MemoryType
from souvenance.memory.types.journal import Journal
from souvenance.memory.types.occasion import Ask


class Archive(Journal):
    """Journal, and what lies beyond the limit of a prompt is within reach."""

    memory_type = MemoryType.ARCHIVE
    asks = Journal.asks | {Ask.LOOK_UP}
