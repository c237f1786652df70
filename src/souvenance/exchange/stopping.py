"""Stopping work for somebody who is not there any more, or who wishes it stopped."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, TypeVar

import anyio

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


async def passing(pieces: AsyncGenerator[T], *gone: Coroutine[Any, Any, object]) -> AsyncGenerator[T]:
    """The pieces as they come; once one of `gone` ends before them, `Interrupted` is raised.

    The generator is closed, to its end, before this ends, however it ends: what it has begun (a model's answer, a
    subscription) is given up.
    """
    leaving = [asyncio.ensure_future(one) for one in gone]
    following: asyncio.Future[T] | None = None
    try:
        while True:
            following = asyncio.ensure_future(anext(pieces))
            await asyncio.wait((following, *leaving), return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                raise Interrupted
            try:
                piece = following.result()
            except StopAsyncIteration:
                return
            yield piece
    finally:
        with anyio.CancelScope(shield=True):  # whoever waits has gone; what was begun is given up all the same
            under_way: list[asyncio.Future[Any]] = [*leaving, *([following] if following is not None else [])]
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
            await pieces.aclose()
