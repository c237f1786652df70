"""Exit codes, and how an error is told: one line for people, one JSON object for programs, both on stderr."""

from __future__ import annotations

import json
import sys
from enum import IntEnum
from typing import Any

from souvenance.domain.errors import NotFound, SouvenanceError, StoreUnavailable
from souvenance.interfaces.cli.output import harmless


class ExitCode(IntEnum):
    """What a command's exit code means. Stable: scripts rest on it."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    NOT_FOUND = 3
    STORE = 4
    FAULT = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


def exit_code(error: SouvenanceError) -> ExitCode:
    """The exit code of a refusal."""
    if isinstance(error, NotFound):
        return ExitCode.NOT_FOUND
    return ExitCode.STORE if isinstance(error, StoreUnavailable) else ExitCode.REFUSED


def tell(error: dict[str, Any], *, as_json: bool) -> None:
    """Write an error (code, message, hint, details) to stderr."""
    if as_json:
        line = json.dumps({"error": error}, ensure_ascii=False, default=str)
    else:
        line = f"Error: {error['message']}"
        if error.get("hint"):
            line += f"\n{error['hint']}"
        line = harmless(line)
    print(line, file=sys.stderr)
