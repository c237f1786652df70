"""Step 1, Classic: a flat list, the most recently updated first; what the model retires is deleted (T1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

import numpy as np

from souvenance.domain.fact import Fact
from souvenance.domain.vault import MemoryType
from souvenance.memory.types.occasion import Ask, Occasion, Places


class Classic:
    """What every step does unless it says otherwise."""

    memory_type: ClassVar[MemoryType] = MemoryType.CLASSIC
    asks: ClassVar[frozenset[Ask]] = frozenset({Ask.RETIRE})
    """What a model may ask of this memory."""
    ranks: ClassVar[bool] = False
    """Whether places go by more than the date of the last change."""
    proposes: ClassVar[bool] = False
    """Whether a quiet vault gets a pass that proposes (T5)."""
    by_meaning: ClassVar[bool] = False
    """Whether look-ups and relevance go by meaning (T6)."""

    def places(self, occasion: Occasion, limit: int) -> Places:
        """The numbers of the `limit` facts that get a place, the first first."""
        order = np.lexsort((-occasion.numbers, -occasion.updated))[:limit]
        return Places(occasion.numbers[order].tolist())

    def ended(self, found: Fact, *, reason: str, at: datetime) -> Fact:
        """The fact as a model's saying that it no longer holds leaves it: in the trash, from which a person restores
        it (F9)."""
        return replace(found, deleted_at=at, reason=reason)

    def told(self, language: str, asks: Collection[Ask] | None = None) -> Sequence[str]:
        """What a model is told it may do here, one sentence each, or of that only `asks`; nothing it may not do."""
        allowed = self.asks if asks is None else self.asks & frozenset(asks)
        return [line for ask, line in _TOLD[language if language in _TOLD else "en"].items() if ask in allowed]


_TOLD = {
    "en": {
        Ask.RETIRE: "A fact shown as [#N] that no longer holds can be retired by its number, with the reason.",
        Ask.REPLACE: "Or say: this is no longer true, here is what is. The old wording is kept, never destroyed.",
        Ask.LOOK_UP: "Facts that are not shown can be looked up by name, once per question.",
    },
    "fr": {
        Ask.RETIRE: "Un fait montré sous la forme [#N] qui ne tient plus se retire par son numéro, avec la raison.",
        Ask.REPLACE: "Ou bien dis : celui-ci n’est plus vrai, voici ce qui le remplace. L’ancienne formulation est "
        "conservée, jamais détruite.",
        Ask.LOOK_UP: "Un fait qui n’est pas montré peut être cherché par son nom, une fois par question.",
    },
}
