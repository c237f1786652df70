"""What one import wrote, as one deed: its name, when it is to end, and what is said where it fails (R4)."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from souvenance.domain.errors import SouvenanceError

Stop = Callable[[], bool]
"""Asked between two batches; true ends the import there."""


def deed_of(form: str) -> str:
    """The name under which what one import wrote stands in histories. Names of files are not kept: they may tell."""
    return f"import {secrets.token_hex(3)} ({form})"


@contextmanager
def named_where_it_fails(deed: str, stored: Callable[[], int]) -> Iterator[None]:
    """A refusal after something was stored says under which name that is found."""
    try:
        yield
    except SouvenanceError as error:
        if stored():
            add_hint(
                error, f"{error.hint} What was stored before stands under “{deed}”; the same file goes on from there."
            )
        raise


def add_hint(error: SouvenanceError, hint: str) -> None:
    """Say another way out of the same refusal."""
    error.hint = hint.strip()
