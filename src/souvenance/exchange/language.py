"""Which of the interface's languages a conversation is in."""

from __future__ import annotations

import re

from souvenance.domain.errors import InvalidInput
from souvenance.store.function_words import ENGLISH, FRENCH

LANGUAGES = ("en", "fr")
_WORD = re.compile(r"[^\W\d_]+")
_ACCENTS = re.compile("[éèêàâçùûîôœ]")
_PLAIN = str.maketrans("éèêëàâäîïôöùûüç", "eeeeaaaiioouuuc")
_LOOKED_AT = 2000


def guessed_language(text: str, *, otherwise: str = "en") -> str:
    """French or English, by the small words of a text; `otherwise` where they do not tell."""
    begun = text[:_LOOKED_AT].lower()
    words = _WORD.findall(begun)
    french = sum(word.translate(_PLAIN) in FRENCH for word in words) + 0.5 * len(_ACCENTS.findall(begun))
    english = sum(word in ENGLISH for word in words)
    if french == english:
        return otherwise if otherwise in LANGUAGES else "en"
    return "fr" if french > english else "en"


def checked_language(said: str | None) -> str | None:
    """`fr` or `en`, of what a caller says (`fr-CA` is French); None where they say nothing. Another is refused."""
    wanted = (said or "").replace("_", "-").split("-")[0].lower()
    if wanted and wanted not in LANGUAGES:
        raise InvalidInput(f"{said!r} is no language of answers here.", hint="Say fr or en, or leave it out.")
    return wanted or None


def language_of(text: str, *, said: str | None, otherwise: str) -> str:
    """The language that was said, where the interface speaks it; else the one the text seems to be in."""
    wanted = (said or "").replace("_", "-").split("-")[0].lower()
    return wanted if wanted in LANGUAGES else guessed_language(text, otherwise=otherwise)
