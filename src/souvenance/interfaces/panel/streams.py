"""Answers that go on for long: they are ended when the server is told to stop, which would otherwise wait for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

import anyio


class Streams:
    """Every answer under way that has no end of its own."""

    def __init__(self) -> None:
        self._ending = asyncio.Event()

    def end(self) -> None:
        """End all of them, and those that are still to come. From the server's own loop."""
        self._ending.set()

    async def until_ended(self, pieces: AsyncGenerator[str]) -> AsyncIterator[str]:
        """The pieces, until there are no more or the server stops. The generator is closed before this ends, however
        it ends: what it has begun (a model's answer, a subscription) is given up."""
        ending = asyncio.create_task(self._ending.wait())
        following: asyncio.Future[str | None] | None = None
        try:
            while True:
                following = asyncio.ensure_future(anext(pieces, None))
                await asyncio.wait({following, ending}, return_when=asyncio.FIRST_COMPLETED)
                if not following.done() or (piece := following.result()) is None:
                    return
                yield piece
        finally:
            ending.cancel()
            with anyio.CancelScope(shield=True):
                if following is not None and not following.done():
                    following.cancel()
                    await asyncio.wait({following})
                await pieces.aclose()
