"""For which vault texts are embedded: what that costs is counted for it (C6)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

NONE = 0
"""No vault: a question that is put to several, or the sentences that similarities are judged against."""

_vault: ContextVar[int] = ContextVar("charged", default=NONE)


@contextmanager
def charged_to(vault_id: int) -> Iterator[None]:
    """What is embedded within is for this vault."""
    before = _vault.set(vault_id)
    try:
        yield
    finally:
        _vault.reset(before)


def charged() -> int:
    """The vault that is embedded for, as far as it is one."""
    return _vault.get()
