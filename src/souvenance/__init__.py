"""Souvenance: a memory for AI assistants that people can read, correct, weigh and trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from souvenance.interfaces.library import Souvenance

__all__ = ["Souvenance", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # Late, so that `import souvenance` costs nothing to a program that only wants the version or the command line.
    if name == "Souvenance":
        from souvenance.interfaces.library import Souvenance

        return Souvenance
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
