"""One stream of what changed, for every open window of a person: pages ask again for what they show of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

import anyio.to_thread
from starlette.responses import JSONResponse, Response

from souvenance.domain.changed import Changed, together
from souvenance.domain.errors import SouvenanceError
from souvenance.interfaces.panel.safety import secret_of
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, known_by

BEAT = 15.0
"""Seconds after which a silent stream says that it still lives."""
MOST_STREAMS = 20
"""Streams of one person in one process: a browser has one for all its windows, or one for each."""
LATER = "retry: 60000\n\n"
"""What somebody is told who has as many: when to come back."""


async def stream(visit: Visit) -> Response:
    """The news of this person's memory as server-sent events, until the browser goes or the session ends.

    With `after`, those come first that were written after that moment: since the page was made that listens now.
    """
    return visit.stream(_news(visit))


def missed(visit: Visit) -> Response:
    """What was written after the moment a page was made at, for a window that another one tells the news."""
    return JSONResponse(_Listener(visit).missed() or [])


async def _news(visit: Visit) -> AsyncGenerator[str]:
    with visit.streams.listening(visit.user.id, most=MOST_STREAMS) as is_let_in:
        if not is_let_in:
            yield LATER
            return
        loop, waiting = asyncio.get_running_loop(), asyncio.Queue[Changed]()

        def told(news: Changed) -> None:
            loop.call_soon_threadsafe(waiting.put_nowait, news)

        listener = _Listener(visit)
        unsubscribe = await anyio.to_thread.run_sync(visit.memory.changes.subscribe, told)
        try:
            names = await anyio.to_thread.run_sync(listener.missed)
            yield "retry: 1000\nevent: hello\ndata: {}\n\n"
            while names is not None:
                yield f"event: news\ndata: {json.dumps(names)}\n\n" if names else ": still here\n\n"
                names = await anyio.to_thread.run_sync(listener.concerning, await _next(waiting))
            yield "event: ended\ndata: {}\n\n"
        except SouvenanceError:  # the store is away: the browser comes back, and asks for everything again
            return
        finally:
            await anyio.to_thread.run_sync(unsubscribe)


async def _next(waiting: asyncio.Queue[Changed]) -> Changed:
    """All that was told meanwhile as one; nothing once it was silent for a beat."""
    try:
        news = [await asyncio.wait_for(waiting.get(), BEAT)]
    except TimeoutError:
        return Changed()
    while not waiting.empty():
        news.append(waiting.get_nowait())
    return together(news)


class _Listener:
    """Whom news are told, and the vaults they could read when they were told the last."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._before: frozenset[int] | None = None

    def missed(self) -> list[str] | None:
        """The names of what was written after the moment that is asked for; none where none is."""
        moment = self._visit.asked("after")
        return self.concerning(self._visit.memory.changes.after(moment) if moment else Changed())

    def concerning(self, news: Changed) -> list[str] | None:
        """The names of what a page may have to show again: `attention`, `vaults`, `knowledge-ID`, `conversations`,
        or `everything`; None once the session is over, which is looked up each time.

        Nothing is told of vaults that this person may not read; of one that they no longer may, that it is gone. What
        they could read before the first news is unknown: then any vault may have been theirs.
        """
        known = known_by(self._visit.memory, secret_of(self._visit.request))
        if known is None:
            return None
        mine = frozenset(vault.id for vault in self._visit.memory.vaults.list(actor=known.actor))
        before, self._before = self._before, mine
        if news.everything:
            return ["everything"]
        names = ["attention"] if known.user.id in news.attention else []
        if known.user.id in news.conversations:
            names.append("conversations")
        if news.vaults if before is None else news.vaults & (mine | before):
            names.append("vaults")
        return names + [f"knowledge-{vault}" for vault in sorted(news.knowledge & mine)]


WAYS: tuple[Way, ...] = (get("/live", stream), get("/live/missed", missed))
