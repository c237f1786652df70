"""What a person types in a terminal to reach the memory that a server serves."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from souvenance.application import Application
from souvenance.settings import Settings


def unusual_folder(memory: Application) -> Path | None:
    """The data folder, where a program has to be told it; None where it is the usual one or the store has none."""
    if not memory.database.is_sqlite:
        return None
    folder = Path(str(memory.database.url.database)).resolve().parent
    usual = Path(Settings.model_fields["data"].default).expanduser().resolve()
    return None if folder == usual else folder


def command_of(memory: Application) -> str:
    """The command of this installation, with the data folder where that has to be said, as a shell reads it."""
    command = "souvenance" if sys.prefix == sys.base_prefix else shlex.quote(f"{sys.prefix}/bin/souvenance")
    folder = unusual_folder(memory)
    return command if folder is None else f"{command} --data {shlex.quote(str(folder))}"
