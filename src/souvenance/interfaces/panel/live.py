"""One stream of what changed, for every open window of a person: pages ask again for what they show of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

import anyio.to_thread
from starlette.responses import Response

from souvenance.domain.changed import Changed
from souvenance.interfaces.panel.safety import COOKIE
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, known_by

BEAT = 15.0
"""Seconds after which a silent stream says that it still lives."""


async def stream(visit: Visit) -> Response:
    """The news of this person's memory as server-sent events, until the browser goes."""
    return visit.stream(_news(visit))


async def _news(visit: Visit) -> AsyncGenerator[str]:
    loop, waiting = asyncio.get_running_loop(), asyncio.Queue[Changed]()

    def told(news: Changed) -> None:
        loop.call_soon_threadsafe(waiting.put_nowait, news)

    unsubscribe = await anyio.to_thread.run_sync(visit.memory.changes.subscribe, told)
    try:
        yield "retry: 1000\nevent: hello\ndata: {}\n\n"
        while True:
            try:
                news = await asyncio.wait_for(waiting.get(), BEAT)
            except TimeoutError:
                if not await anyio.to_thread.run_sync(_still_known, visit):
                    yield "event: ended\ndata: {}\n\n"
                    return
                yield ": still here\n\n"
                continue
            told_here = await anyio.to_thread.run_sync(_concerning, visit, news)
            if told_here:
                yield f"event: news\ndata: {json.dumps(told_here)}\n\n"
    finally:
        await anyio.to_thread.run_sync(unsubscribe)


def _still_known(visit: Visit) -> bool:
    return known_by(visit.memory, visit.request.cookies.get(COOKIE, "")) is not None


def _concerning(visit: Visit, news: Changed) -> list[str]:
    """The names of what a page may have to show again: `attention`, `vaults`, `knowledge-ID`, `conversations`,
    or `everything`.

    Only vaults that this person may read are named.
    """
    if news.everything:
        return ["everything"]
    names = ["attention"] if visit.user.id in news.attention else []
    if visit.user.id in news.conversations:
        names.append("conversations")
    mine = {vault.id for vault in visit.memory.vaults.list(actor=visit.actor)}
    if news.vaults:
        names.append("vaults")
    return names + [f"knowledge-{vault}" for vault in sorted(news.knowledge) if vault in mine]


WAYS: tuple[Way, ...] = (get("/live", stream),)
