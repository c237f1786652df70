"""What an endpoint said went wrong, in words a person can act on: at most a line of its own, and never a key."""

from __future__ import annotations

import re
import shlex
from typing import Any

from souvenance.domain.endpoint import Reached
from souvenance.domain.errors import ModelUnavailable

LONGEST_LINE = 300

_HINTS = {
    400: "The endpoint does not take the request as it is; check the model's name.",
    403: "The key may not use this model; give it another, or choose another model.",
    404: "Check the base URL (it usually ends in /v1) and the model's name.",
    413: "Ask with less: a shorter question, or fewer facts (max_injected).",
    429: "It asks for fewer requests; wait a little, or check the account behind the key.",
}
_KEYLIKE = re.compile(r"\b(?:sk|pk|key|Bearer)[-_ ][\w.-]{8,}", re.IGNORECASE)


def refusal(endpoint: Reached, status: int, said: Any) -> ModelUnavailable:
    """An answer of another status than 200."""
    why = _line(said.get("error", said) if isinstance(said, dict) else said, endpoint)
    if 300 <= status < 400:
        what, hint = "points elsewhere, and is not followed there", "Set the address it points to as its base URL."
    elif status == 401:
        command = f"souvenance endpoint change {shlex.quote(endpoint.name)} --key"
        what, hint = "refuses the key", f"Give it its key again, typed or on standard input: {command}"
    elif status == 403:
        what, hint = "refuses the key", _HINTS[403]
    else:
        what = f"answered with status {status}"
        hint = _HINTS.get(status, "It failed on its side; ask again in a while." if status >= 500 else "Check it.")
    return ModelUnavailable(f"{endpoint.name} {what}{f': {why}' if why else '.'}", hint=hint, status=status)


def said_error(endpoint: Reached, said: Any) -> ModelUnavailable:
    """An error inside an answer of status 200, or in the middle of a stream."""
    why = _line(said, endpoint)
    return ModelUnavailable(f"{endpoint.name} failed{f': {why}' if why else '.'}", hint="Ask again, or check it.")


def wrong_kind(endpoint: Reached, what: str) -> ModelUnavailable:
    """An answer that is no reply of this kind."""
    return ModelUnavailable(
        f"{endpoint.name} answered with {what}.", hint="Check that its base URL is that of an OpenAI-compatible API."
    )


def _line(said: Any, endpoint: Reached) -> str:
    """The endpoint's own words on one short line, whatever could be a key taken out."""
    text = said.get("message") if isinstance(said, dict) else said
    if not isinstance(text, str):
        return ""
    if endpoint.key:
        text = text.replace(endpoint.key, "***")
    line = " ".join(_KEYLIKE.sub("***", text).split())
    line = "".join(c for c in line if c.isprintable())
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE].rstrip() + "…"
