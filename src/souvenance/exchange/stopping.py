"""Stopping work for somebody who is not there any more."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Interrupted(Exception):
    """What was waited for came first, and the work was stopped."""


async def unless(gone: Coroutine[Any, Any, object], work: Coroutine[Any, Any, T]) -> T:
    """What the work comes to; once `gone` ends before it, the work is cancelled, to its end, and `Interrupted` raised.

    Whoever cancels this cancels both.
    """
    doing, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone)
    try:
        await asyncio.wait((doing, leaving), return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            return doing.result()
        raise Interrupted
    finally:
        for task in (doing, leaving):
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(doing, leaving, return_exceptions=True)
