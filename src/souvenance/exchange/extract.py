"""An answer without any model: what memory holds on the question, and that it is only that (C3)."""

from __future__ import annotations

import re

from souvenance.retrieval.answer import Answer, Confidence, Hit

MOST = 5
"""Facts and notes that are quoted."""


def extract(answer: Answer | None, language: str) -> str:
    """The best of what was found, each on a line with where it stands; and how sure it is that it answers."""
    words = _WORDS.get(language, _WORDS["en"])
    hits = answer.hits[:MOST] if answer else ()
    if answer is None or not hits:
        return words["nothing"]
    head = words["unsure"] if answer.confidence is Confidence.NONE else words["found"]
    return "\n".join([head, "", *map(_line, hits)])


def _line(hit: Hit) -> str:
    said = " ".join(hit.excerpt.split())
    if hit.number is not None:
        title = f"{hit.title}: " if hit.title and hit.title != hit.category else ""
        return f"- {title}{_unmarked(said)} [#{hit.number}]"
    return f"- {_unmarked(said)} ({hit.path})"


def _unmarked(text: str) -> str:
    """Text in which no number stands as if it were a reference of ours."""
    return re.sub(r"\[#(?=\d)", "[ #", text)


_WORDS = {
    "en": {
        "found": "No model is set, so this is not a composed answer. Memory holds:",
        "unsure": "No model is set, and nothing in memory clearly answers this. The nearest there is:",
        "nothing": "No model is set, and memory holds nothing on this.",
    },
    "fr": {
        "found": "Aucun modèle n’est réglé\u202f: ceci n’est pas une réponse rédigée. La mémoire contient\u202f:",
        "unsure": "Aucun modèle n’est réglé, et rien dans la mémoire n’y répond clairement. Le plus proche\u202f:",
        "nothing": "Aucun modèle n’est réglé, et la mémoire ne contient rien là-dessus.",
    },
}
