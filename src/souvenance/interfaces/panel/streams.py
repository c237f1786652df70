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
        """The pieces, until there are no more or the server stops; the generator is closed either way."""
        ending = asyncio.create_task(self._ending.wait())
        following: asyncio.Future[str | None] | None = None
        try:
            while True:
                following = asyncio.ensure_future(anext(pieces, None))
                await asyncio.wait({following, ending}, return_when=asyncio.FIRST_COMPLETED)
                if not following.done():
                    return
                piece = following.result()
                if piece is None:
                    return
                yield piece
        finally:
            ending.cancel()
            with anyio.CancelScope(shield=True):  # the browser may have gone while a piece was waited for
                if following is not None:
                    following.cancel()
                    await asyncio.gather(following, return_exceptions=True)
                await pieces.aclose()
