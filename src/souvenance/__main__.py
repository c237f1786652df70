"""The command `souvenance`: the door where the interfaces meet, each imported when it is asked for."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

from souvenance.interfaces.cli.app import run

if TYPE_CHECKING:
    from souvenance.settings import Settings


def main() -> None:
    """Run the command line and leave with its exit code."""
    if sys.stdout is None:  # closed by who started this: do the work all the same, and let no file take its number
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - for as long as the program runs
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:], servers={"serve": _serve, "mcp": _mcp, "discord": _discord}))


def _serve(settings: Settings) -> None:
    from souvenance.serving.run import run as serve

    serve(settings)


def _mcp(settings: Settings) -> None:
    from souvenance.interfaces.mcp import stdio

    stdio.run(settings)


def _discord(settings: Settings) -> None:
    from souvenance.serving.discord import run as run_bot

    run_bot(settings)


if __name__ == "__main__":
    main()
