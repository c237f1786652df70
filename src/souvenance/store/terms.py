"""Words as the text index keeps them (placeholder until the measured one lands)."""

from __future__ import annotations

import re
import unicodedata


def analyse(text: str, language: str | None = None) -> list[str]:
    """Normalised terms in order."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", plain.casefold())
