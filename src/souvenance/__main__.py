"""The command `souvenance`: the door where the interfaces meet, each imported when it is asked for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from souvenance.interfaces.cli.app import run

if TYPE_CHECKING:
    from souvenance.settings import Settings


def main() -> None:
    """Run the command line and leave with its exit code."""
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
