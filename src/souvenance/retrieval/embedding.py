"""Meaning, kept current in the background: what is embedded, what waits, how fast, and why it stands still."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from souvenance.domain.access import Actor, Route
from souvenance.domain.clock import Clock
from souvenance.domain.errors import EmbedderUnavailable, SouvenanceError
from souvenance.domain.protection import may_leave
from souvenance.domain.vault import MemoryType, Vault
from souvenance.domain.wording import counted
from souvenance.models.embedder import Embedder, is_endpoint
from souvenance.retrieval import background
from souvenance.retrieval.catch_up import CLAIM, CatchUp
from souvenance.retrieval.embedding_status import EmbeddingStatus, Pace, State
from souvenance.retrieval.old_models import IN_USE_SECONDS, RENEW_AFTER, in_use_name, tidy
from souvenance.retrieval.query_vector import QueryVectors, unavailable
from souvenance.store import backlog, claims, vectors
from souvenance.store import vaults as vault_rows
from souvenance.store.backlog import Coverage
from souvenance.store.change_feed import ChangeFeed
from souvenance.store.database import Database, Transaction
from souvenance.store.vector_check import VectorFindings, check_vectors

if TYPE_CHECKING:
    from souvenance.models.embedder import Vectors
    from souvenance.retrieval.background import Background
    from souvenance.store.vector_index import VectorIndex

LONGEST_PAUSE = 300.0
"""Seconds between two tries of an embedder that keeps failing, at most; the first come after 1, 2, 4 ..."""
DUTY = 0.05
"""Part of the time that may go into counting what waits, where counting is not quick."""
SEARCH_DUTY = 0.01
"""The same for searches, which only say what waits and whether it is little."""
QUICK = 0.002
REST = 60.0
"""Seconds without news after which the background looks all the same."""
NICE = 10


@dataclass(frozen=True, slots=True)
class _Counted:
    at: float
    cost: float
    by_vault: dict[int, Coverage]


class Embedding:
    """Use cases on the vectors of one memory, and their background work in this process."""

    def __init__(self, database: Database, embedder: Embedder | None, clock: Clock, *, lacking: str = "") -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock
        self._lacking = lacking
        self._holder = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._queries = QueryVectors(embedder) if embedder else None
        self._index: VectorIndex | None = None
        self._model: int | None = None
        self._counted: dict[frozenset[int], _Counted] = {}
        self._making_background = threading.Lock()
        self._made_background: Background | None = None
        self._pace = Pace()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._working: CatchUp | None = None
        self._failure: EmbedderUnavailable | None = None
        self._next_try: float | None = None

    # --- what search needs -------------------------------------------------------------------------------------

    @property
    def embedder(self) -> Embedder | None:
        """The embedder in use."""
        return self._embedder

    @property
    def sends(self) -> bool:
        """Whether what is to be embedded leaves this program, questions too."""
        return self._embedder is not None and is_endpoint(self._embedder)

    @property
    def index(self) -> VectorIndex:
        """The index of vectors of this store."""
        with self._lock:
            if self._index is None:
                from souvenance.store.vector_index import open_index

                self._index = open_index(self._database)
            return self._index

    def model(self, tx: Transaction) -> int | None:
        """The id of the model in use; None while nothing was ever embedded with it, or no model is set."""
        if self._model is None and self._embedder is not None:
            self._model = vectors.find_model(tx, name=self._embedder.name, dimension=self._embedder.dimension)
        return self._model

    def may_read(self, vault: Vault) -> bool:
        """Whether the embedder may be given a vault's texts; others are found by words only (V8, T6)."""
        if self._embedder is None:
            return True
        sends = is_endpoint(self._embedder) and vault.memory_type is not MemoryType.SEMANTIC
        return may_leave(vault.protection, self._embedder.route) and not sends

    def embed_query(self, query: str) -> Vectors:
        """The unit vector of a query, or EmbedderUnavailable within seconds. Call it outside transactions."""
        if self._queries is None:
            raise EmbedderUnavailable("No embedding model is set.", hint="Set SOUVENANCE_EMBEDDER=local for meaning.")
        return self._queries.get(query)

    def background(self) -> Background:
        """What the model makes of everyday sentences: from the store, where it is kept with the model, or made now and
        kept; under the promise of `embed_query`. Call it outside transactions."""
        if self._embedder is None or self._queries is None:
            raise EmbedderUnavailable("No embedding model is set.", hint="Set SOUVENANCE_EMBEDDER=local for meaning.")
        with self._database.read() as tx:
            model = self.model(tx)
            known = None if model is None else background.read(tx, model=model, dimension=self._embedder.dimension)
        if known is not None:
            return known
        made = self._queries.run(self._make_background)
        if model is not None:
            # A store that cannot be written to still answers.
            with contextlib.suppress(SouvenanceError), self._database.write() as tx:
                background.keep(tx, model=model, made=made)
        return made

    def _make_background(self, embedder: Embedder) -> Background:
        with self._making_background:
            if self._made_background is None:
                self._made_background = background.embed(embedder)
            return self._made_background

    def coverage(self, tx: Transaction, vault_ids: Collection[int]) -> dict[int, Coverage]:
        """How much of each vault has a vector of the model in use.

        Exact where counting is quick; in a large memory up to some tenths of a second old, so that searches do not pay.
        """
        key = frozenset(vault_ids)
        known = self._counted.get(key)
        now = time.monotonic()
        if known is not None and known.cost > QUICK and now - known.at < known.cost / SEARCH_DUTY:
            return known.by_vault
        found = backlog.coverage(tx, model=self.model(tx) or 0, vault_ids=key)
        if len(self._counted) > 100:
            self._counted.clear()
        self._counted[key] = _Counted(time.monotonic(), time.monotonic() - now, found)
        return found

    def forget(self, vault_id: int) -> None:
        """Let go of everything held in memory of a vault (F7)."""
        if self._index is not None:
            self._index.forget(vault_id)
        self._counted.clear()
        if self._queries is not None:
            self._queries.forget()

    # --- what people ask ---------------------------------------------------------------------------------------

    def waiting(self, *, actor: Actor) -> dict[int, int]:
        """Passages that still get a vector of the model in use, by vault id; none where no model is set.

        Those of a vault whose texts the embedder is not given wait for nothing (V8, T6).
        """
        if self._embedder is None:
            return {}
        with self._database.read() as tx:
            vaults = [item for item in vault_rows.list_vaults(tx, actor) if self.may_read(item)]
            found = self.coverage(tx, [item.id for item in vaults])
        return {vault_id: coverage.waiting for vault_id, coverage in found.items() if coverage.waiting}

    def status(self) -> EmbeddingStatus:
        """What is embedded and what waits in the whole memory, and what is being done about it."""
        with self._database.read() as tx:
            everything = backlog.coverage(tx, model=self.model(tx) or 0, vault_ids=backlog.every_vault(tx))
            route = self._embedder.route if self._embedder else Route.LOCAL
            beyond = self._embedder is not None and is_endpoint(self._embedder)
            reachable = set(backlog.embeddable_vaults(tx, route=route, is_endpoint=beyond))
            working = claims.held(tx, prefix=CLAIM, at=self._clock())
        total = sum((everything[one] for one in everything), Coverage(0, 0))
        waiting = sum(everything[one].waiting for one in everything if one in reachable)
        state, why = self._state(waiting, is_claimed=bool(working))
        failure, next_try = self._failure, self._next_try
        return EmbeddingStatus(
            model=self._embedder.name if self._embedder else "",
            state=state,
            passages=total.passages,
            embedded=total.embedded,
            waiting=waiting,
            withheld=total.waiting - waiting,
            refused=len(self._working.refused) if self._working else 0,
            damaged=len(self._index.damaged()) if self._index else 0,
            rate=self._pace.per_second(),
            why="; ".join(part for part in (why, self._lacking) if part),
            last_error=str(failure) if failure else "",
            next_try=None
            if next_try is None
            else self._clock() + timedelta(seconds=max(0.0, next_try - time.monotonic())),
        )

    def _state(self, waiting: int, *, is_claimed: bool) -> tuple[State, str]:
        if self._embedder is None:
            return State.OFF, "no embedding model is set; search goes by words"
        if self._failure is not None:
            return State.FAILING, str(self._failure)
        is_here = self._thread is not None or self._working is not None
        if not waiting:
            return (State.IDLE if is_here else State.STOPPED), "everything is embedded"
        passages = f"{counted(waiting, 'passage')} {'waits' if waiting == 1 else 'wait'}"
        if is_here:
            return State.WORKING, f"{passages} for a vector"
        if is_claimed:
            return State.ELSEWHERE, f"{passages}; another process embeds them"
        return State.STOPPED, f"{passages}; `souvenance serve` or `souvenance embed` embeds them"

    def check(self, *, repair: bool = False) -> VectorFindings:
        """Read every vector and compare it with its passage (for doctor). With `repair`, wrong ones are made again."""
        if self._embedder is None:
            return VectorFindings()
        return check_vectors(
            self._database, name=self._embedder.name, dimension=self._embedder.dimension, repair=repair
        )

    def catch_up(
        self, *, limit_seconds: float | None = None, progress: Callable[[EmbeddingStatus], None] | None = None
    ) -> EmbeddingStatus:
        """Embed until nothing waits or the time is up, here and now. EmbedderUnavailable as soon as that cannot go on.

        Once the time is up the batch in hand is the last, and the newest texts were made first. What other processes
        hold is waited for. Stopping it anywhere loses nothing.
        """
        if self._embedder is None:
            raise EmbedderUnavailable("No embedding model is set.", hint="Set SOUVENANCE_EMBEDDER=local for meaning.")
        deadline = None if limit_seconds is None else time.monotonic() + limit_seconds
        stop = threading.Event()
        worker = self._worker(stop)
        worker.deadline = deadline
        self._working = self._working or worker
        try:
            while deadline is None or time.monotonic() < deadline:
                waiting = self._waiting(worker)
                if not waiting:
                    self._tidy(worker)
                    break
                kept = worker.step(waiting)
                self._failure = None
                if progress is not None:
                    progress(self.status())
                if not kept and sum(waiting.values()) <= len(worker.refused):
                    break
                if not kept:
                    time.sleep(0.2)
        except EmbedderUnavailable as error:
            self._failure = error
            raise
        finally:
            if self._thread is None:
                self._working = None
                with self._database.write() as tx:
                    claims.release(tx, name=in_use_name(worker.model, self._holder), holder=self._holder)
        return self.status()

    # --- the background ----------------------------------------------------------------------------------------

    def start_background(self) -> None:
        """Keep everything embedded from now on, in a thread of this process. Nothing happens when it runs already."""
        if self._embedder is None:
            return
        with self._lock:
            if self._thread is not None:
                return
            self._stop = threading.Event()
            self._thread = threading.Thread(
                target=self._run, args=(self._stop,), name="souvenance-embedding", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """End the background after the batch in hand, which is kept. Nothing happens when it does not run."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._stop.set()
        if thread is not None:
            thread.join(timeout=30.0)

    def close(self) -> None:
        """Stop everything of this process."""
        self.stop()
        if self._queries is not None:
            self._queries.close()

    def _run(self, stop: threading.Event) -> None:
        step_back()
        feed = ChangeFeed(self._database)
        worker: CatchUp | None = None
        failures = fruitless = 0
        renewed = 0.0
        try:
            while not stop.is_set():
                try:
                    if worker is None or time.monotonic() - renewed > RENEW_AFTER:
                        worker = self._worker(stop, refused=worker.refused if worker else None)
                        self._working, renewed = worker, time.monotonic()
                    started = time.monotonic()
                    waiting = self._waiting(worker)
                    counting = time.monotonic() - started
                    kept = worker.step(waiting) if waiting else 0
                    if not waiting:
                        self._tidy(worker)
                except Exception as error:  # the background outlives whatever a model or a database does
                    failures += 1
                    pause = min(LONGEST_PAUSE, 2.0 ** min(failures - 1, 10))
                    self._failure, self._next_try = unavailable(error), time.monotonic() + pause
                    worker = None if not isinstance(error, EmbedderUnavailable) else worker
                    stop.wait(pause)
                    continue
                failures, self._failure, self._next_try = 0, None, None
                if kept:
                    fruitless = 0
                    continue
                fruitless = fruitless + 1 if waiting else 0
                feed.wait(min(REST, 0.25 * 2.0 ** min(fruitless, 5)) if waiting else REST, stop)
                if counting > QUICK:
                    stop.wait(counting / DUTY)
        finally:
            feed.close()
            self._working = None
            if worker is not None:
                with contextlib.suppress(Exception), self._database.write() as tx:
                    claims.release(tx, name=in_use_name(worker.model, self._holder), holder=self._holder)

    def _worker(self, stop: threading.Event, refused: dict[int, str] | None = None) -> CatchUp:
        embedder = self._embedder
        if embedder is None:
            raise EmbedderUnavailable("No embedding model is set.")
        with self._database.write() as tx:
            model = self._model = vectors.model_id(tx, name=embedder.name, dimension=embedder.dimension)
            name = in_use_name(model, self._holder)
            claims.claim(tx, name=name, holder=self._holder, seconds=IN_USE_SECONDS, at=self._clock())
        return CatchUp(
            database=self._database,
            embedder=embedder,
            model=model,
            clock=self._clock,
            holder=self._holder,
            stop=stop,
            on_kept=self._pace.add,
            refused=refused if refused is not None else {},
        )

    def _waiting(self, worker: CatchUp) -> dict[int, int]:
        damaged = self._index.take_damaged() if self._index else frozenset()
        if damaged:  # derived, so made again without asking
            with self._database.write() as tx:
                for vault_id in {one for one, _ in damaged}:
                    ids = [passage_id for one, passage_id in damaged if one == vault_id]
                    vectors.forget(tx, vault_id=vault_id, passage_ids=ids)
        with self._database.read() as tx:
            beyond = is_endpoint(worker.embedder)
            reachable = backlog.embeddable_vaults(tx, route=worker.embedder.route, is_endpoint=beyond)
            counts = backlog.coverage(tx, model=worker.model, vault_ids=reachable)
        return {one: count.waiting for one, count in counts.items() if count.waiting}

    def _tidy(self, worker: CatchUp) -> None:
        tidy(
            self._database,
            model=worker.model,
            dimension=worker.embedder.dimension,
            clock=self._clock,
            holder=self._holder,
            stop=worker.stop,
        )


def step_back() -> None:
    """Let searches and writes of this machine go first. Linux gives each thread its own niceness; elsewhere it is one
    for the process, and is left alone."""
    with contextlib.suppress(AttributeError, OSError):
        if os.uname().sysname == "Linux":
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
