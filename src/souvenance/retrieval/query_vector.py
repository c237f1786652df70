"""The vector of a query, within the time a search can wait for it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TimeIsUp
from typing import TYPE_CHECKING, TypeVar

from souvenance.domain.errors import EmbedderUnavailable, SouvenanceError
from souvenance.models.embedder import Embedder, checked

if TYPE_CHECKING:
    from souvenance.models.embedder import Vectors

T = TypeVar("T")

PATIENCE = 3.0
"""Seconds a search waits for its query's vector before it goes on by words."""
PAUSE = 10.0
"""Seconds after a failure during which searches do not ask again."""
REMEMBERED = 512
AT_ONCE = 4
"""Questions that the embedder is given at the same time."""
GRACE = 5.0
"""Seconds that closing waits for work in hand; what hangs longer is left behind, and never holds the process."""


class QueryVectors:
    """Vectors of queries, the latest remembered. Thread-safe."""

    def __init__(self, embedder: Embedder, *, patience: float = PATIENCE, pause: float = PAUSE) -> None:
        self._embedder = embedder
        self._patience = patience
        self._pause = pause
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Vectors] = OrderedDict()
        self._failed: tuple[float, EmbedderUnavailable] | None = None
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._threads: set[threading.Thread] = set()

    def get(self, query: str) -> Vectors:
        """The unit vector of a query, or EmbedderUnavailable: within `patience`, and at once just after a failure."""
        with self._lock:
            if query in self._known:
                self._known.move_to_end(query)
                return self._known[query]
        return self.run(lambda embedder: self._embed(embedder, query))

    def forget(self) -> None:
        """Keep no query any more."""
        with self._lock:
            self._known.clear()

    def run(self, work: Callable[[Embedder], T]) -> T:
        """What `work` makes of the embedder, under the same promise. Work that comes too late is finished all the same,
        so let it keep what it makes."""
        with self._lock:
            if self._failed is not None and time.monotonic() < self._failed[0]:
                raise self._failed[1]
        started, made = time.monotonic(), Future[T]()
        late = f"The embedder took more than {self._patience:g} seconds for the query."
        try:
            if not self._free.acquire(timeout=self._patience):
                raise TimeIsUp
            # A daemon: interpreters wait for the threads of a pool before they end, also for one that hangs.
            thread = threading.Thread(target=self._do, args=(work, made), name="souvenance-query", daemon=True)
            try:
                with self._lock:
                    thread.start()
                    self._threads.add(thread)
            except BaseException:  # this machine has no thread to give
                self._free.release()
                raise
            found = made.result(timeout=max(0.0, started + self._patience - time.monotonic()))
        except TimeIsUp:
            raise self._give_up(EmbedderUnavailable(late, hint="Search goes on by words.")) from None
        except Exception as error:
            raise self._give_up(unavailable(error)) from error
        self._failed = None
        return found

    def _do(self, work: Callable[[Embedder], T], made: Future[T]) -> None:
        try:
            made.set_result(work(self._embedder))
        except BaseException as error:  # told to who waits, if anybody still does
            made.set_exception(error)
        finally:
            self._free.release()
            with self._lock:
                self._threads.discard(threading.current_thread())

    def close(self) -> None:
        """Let the embedder finish what it has in hand, and go without it where it hangs."""
        end = time.monotonic() + GRACE
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _embed(self, embedder: Embedder, query: str) -> Vectors:
        found = embedder.embed_query(query)
        row: Vectors = checked(found[None], rows=1, dimension=embedder.dimension, name=embedder.name)[0]
        with self._lock:
            self._known[query] = row
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return row

    def _give_up(self, error: EmbedderUnavailable) -> EmbedderUnavailable:
        with self._lock:
            self._failed = (time.monotonic() + self._pause, error)
        return error


def unavailable(error: Exception) -> EmbedderUnavailable:
    """Whatever an embedder raised, as the one error its callers know."""
    if isinstance(error, EmbedderUnavailable):
        return error
    said = str(error) if isinstance(error, SouvenanceError) else f"{type(error).__name__}: {error}"
    return EmbedderUnavailable(f"The embedder failed: {said}", hint="Search goes on by words.")
