"""Answers that go on when a window is gone, and end when they are told to."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from souvenance.interfaces.panel.streams import Streams


def _in_loop(work: Coroutine[Any, Any, None]) -> None:
    with ThreadPoolExecutor(1) as pool:  # a browser's driver may have a loop in this thread
        pool.submit(asyncio.run, work).result()


async def _concluded() -> str:
    return "end"


def _pieces(closed: list[str], *said: str, wait: asyncio.Event | None = None) -> AsyncGenerator[str]:
    async def pieces() -> AsyncGenerator[str]:
        try:
            for one in said:
                yield one
            if wait is not None:
                await wait.wait()
                yield "late"
        finally:
            closed.append("closed")

    return pieces()


async def _heard(streams: Streams) -> list[str]:
    going = streams.going("a")
    assert going is not None
    return [piece async for piece in going.follow()]


def test_who_comes_late_hears_all_of_it() -> None:
    async def run() -> None:
        streams, closed, go = Streams(), list[str](), asyncio.Event()
        going = streams.begin("a", _pieces(closed, "1", "2", wait=go), _concluded)
        first = going.follow()
        assert await anext(first) == "1"
        await first.aclose()  # that window is gone
        late = asyncio.create_task(_heard(streams))
        await asyncio.sleep(0.01)
        go.set()
        assert await late == ["1", "2", "late", "end"]
        assert streams.going("a") is None
        assert closed == ["closed"]

    _in_loop(run())


def test_what_is_stopped_is_closed_and_concluded() -> None:
    async def run() -> None:
        for how in ("stop", "end"):
            streams, closed = Streams(), list[str]()
            going = streams.begin("a", _pieces(closed, "1", wait=asyncio.Event()), _concluded)
            heard = asyncio.create_task(_heard(streams))
            await asyncio.sleep(0.01)
            going.stop() if how == "stop" else streams.end()
            assert await asyncio.wait_for(heard, 2) == ["1", "end"]
            assert closed == ["closed"]

    _in_loop(run())


def test_a_follower_that_is_cancelled_leaves_the_others_alone() -> None:
    async def run() -> None:
        streams, closed, go = Streams(), list[str](), asyncio.Event()
        going = streams.begin("a", _pieces(closed, "1", wait=go), _concluded)

        async def follow() -> list[str]:
            return [piece async for piece in streams.until_ended(going.follow())]

        one, other = asyncio.create_task(follow()), asyncio.create_task(follow())
        await asyncio.sleep(0.01)
        one.cancel()
        await asyncio.gather(one, return_exceptions=True)
        go.set()
        assert await other == ["1", "late", "end"]

    _in_loop(run())
