"""Answers that go on for long: they are ended when the server is told to stop, which would otherwise wait for them."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Hashable, Iterator
from contextlib import aclosing, contextmanager, suppress

from souvenance.exchange.stopping import Interrupted, passing

log = logging.getLogger(__name__)


class Streams:
    """Every answer under way that has no end of its own."""

    def __init__(self) -> None:
        self._ending = asyncio.Event()
        self._going: dict[Hashable, Going] = {}
        self._listening: Counter[Hashable] = Counter()

    def end(self) -> None:
        """End all of them, and those that are still to come. From the server's own loop."""
        self._ending.set()

    async def until_ended(self, pieces: AsyncGenerator[str]) -> AsyncIterator[str]:
        """The pieces, until there are no more or the server stops; the generator is closed either way."""
        with suppress(Interrupted):
            async with aclosing(passing(pieces, self._ending.wait())) as passed:
                async for piece in passed:
                    yield piece

    @contextmanager
    def listening(self, who: Hashable, *, most: int) -> Iterator[bool]:
        """One more stream of somebody within; False where they have as many already, and none is begun."""
        if self._listening[who] >= most:
            yield False
            return
        self._listening[who] += 1
        try:
            yield True
        finally:
            self._listening[who] -= 1
            if not self._listening[who]:
                del self._listening[who]

    def going(self, key: Hashable) -> Going | None:
        """What is under way under this name, in this process."""
        return self._going.get(key)

    def begin(
        self,
        key: Hashable,
        pieces: AsyncGenerator[str],
        conclude: Callable[[], Awaitable[str]],
    ) -> Going:
        """Let pieces come though nobody may take them: a window that was closed or cut off finds them again.

        However they ended, `conclude` makes the last piece. It is under way under this name until then.
        """
        going = self._going[key] = Going(pieces, conclude, self._ending, lambda: self._forget(key, going))
        return going

    def _forget(self, key: Hashable, going: Going) -> None:
        if self._going.get(key) is going:
            del self._going[key]


class Going:
    """Pieces of an answer as they come, for any number of windows, from the first piece on."""

    def __init__(
        self,
        pieces: AsyncGenerator[str],
        conclude: Callable[[], Awaitable[str]],
        ending: asyncio.Event,
        over: Callable[[], None],
    ) -> None:
        self._pieces: list[str] = []
        self._is_over = False
        self._more = asyncio.Event()
        self._stop = asyncio.Event()
        self._over = over
        self._task = asyncio.create_task(self._run(pieces, conclude, ending))

    def stop(self) -> None:
        """End it as soon as can be. From the server's own loop."""
        self._stop.set()

    async def follow(self) -> AsyncGenerator[str]:
        """Every piece from the first on, then those to come."""
        at = 0
        while True:
            while at < len(self._pieces):
                at += 1
                yield self._pieces[at - 1]
            if self._is_over:
                return
            more = self._more
            if at == len(self._pieces):
                await more.wait()

    async def _run(
        self, pieces: AsyncGenerator[str], conclude: Callable[[], Awaitable[str]], ending: asyncio.Event
    ) -> None:
        try:
            async with aclosing(passing(pieces, ending.wait(), self._stop.wait())) as passed:
                async for piece in passed:
                    self._add(piece)
        except Interrupted:
            pass
        except Exception as error:
            _failed(error)
        finally:
            self._over()
            try:
                self._add(await conclude())
            except Exception as error:
                _failed(error)
            self._is_over = True
            self._more.set()

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._more.set()
        self._more = asyncio.Event()


def _failed(error: Exception) -> None:
    frames = "".join(traceback.format_tb(error.__traceback__))  # no message: it may hold what a memory says
    log.error("An answer under way failed with %s\n%s", type(error).__name__, frames)
