"""Embedding what waits: one step at a time, shared by any number of processes, nothing lost by any of them dying.

A step finds passages without a vector (newest first, so that what was just said is soon found by meaning, even behind a
large import), claims their stretch of ids, embeds without a transaction open, and keeps each batch as it comes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from souvenance.domain.clock import Clock
from souvenance.domain.errors import EmbedderUnavailable
from souvenance.models.charged import charged_to
from souvenance.models.embedder import Embedder, checked, is_endpoint
from souvenance.retrieval import background
from souvenance.store import backlog, claims, vectors
from souvenance.store.database import Database, Transaction
from souvenance.store.vectors import Unembedded

STEP = 128
"""Passages of one step."""
STRETCH = 1024
"""Passage ids that are claimed together."""
MOST_CLAIMS = 8
"""Stretches of one step: passages that wait here and there are few per stretch."""
CLAIM = "embed:"
BATCH_TEXTS = 64
BATCH_CHARACTERS = 24_000
"""What one call of the model is given at most: a second or two of work."""
FEW_TEXTS = 8
FEW_CHARACTERS = 4_000
"""The same where the time is counted: about a second on a slow machine."""
LEASE = 180.0
"""Seconds a claim holds without being renewed; renewed after every batch."""


@dataclass
class _Pass:
    """One vault walked from the newest id down: the newest seen, and how far down it came."""

    top: int = 0
    below: int = 0


@dataclass
class CatchUp:
    """The steps of one process under one model. Used by one thread at a time."""

    database: Database
    embedder: Embedder
    model: int
    clock: Clock
    holder: str
    stop: threading.Event
    on_kept: Callable[[int], None]
    deadline: float | None = None
    """When to begin nothing more, on the monotonic clock; one batch is made all the same."""
    refused: dict[int, str] = field(default_factory=dict)
    """Passages the model fails on by themselves, with what it said; tried again by the next process."""
    _passes: dict[int, _Pass] = field(default_factory=dict)
    _has_background: bool = False

    def step(self, waiting: Mapping[int, int]) -> int:
        """Embed some of what waits (count by vault); how many passages, 0 when there was nothing free to do."""
        if not self._has_background:
            self._keep_background()
        self._passes = {vault_id: walked for vault_id, walked in self._passes.items() if vault_id in waiting}
        for vault_id in sorted(waiting, key=waiting.__getitem__):
            while not self.stop.is_set() and (ids := self._next(vault_id, waiting[vault_id])):
                if kept := self._embed(vault_id, ids):
                    return kept
        return 0

    def _keep_background(self) -> None:
        """Before the first passage, so that no search by meaning has to wait for it."""
        with self.database.read() as tx:
            kept = background.read(tx, model=self.model, dimension=self.embedder.dimension)
        if kept is None:
            questions = []
            for line in background.QUESTIONS:
                if self.stop.is_set():
                    return
                questions.append(self.embedder.embed_query(line))
            made = background.with_questions(self.embedder, questions)
            with self.database.write() as tx:
                background.keep(tx, model=self.model, made=made)
        self._has_background = True

    def _next(self, vault_id: int, count: int) -> list[int]:
        """The next ids to try; none at the end of a pass, after which the next call starts from the newest again."""
        while True:
            walked = self._passes.setdefault(vault_id, _Pass())
            limit = min(STEP, count)
            with self.database.read() as tx:
                # What came since the pass began goes first, then on from where it stands.
                ids = backlog.waiting_ids(tx, model=self.model, vault_id=vault_id, limit=limit, above=walked.top)
                if ids:
                    walked.top, walked.below = ids[0], min(ids[-1], walked.below or ids[-1])
                else:
                    ids = backlog.waiting_ids(tx, model=self.model, vault_id=vault_id, limit=limit, below=walked.below)
                    walked.below = ids[-1] if ids else 0
            if not ids:
                del self._passes[vault_id]
                return []
            if usable := [one for one in ids if one not in self.refused]:
                return usable

    def _embed(self, vault_id: int, ids: Sequence[int]) -> int:
        stretches = sorted({one // STRETCH for one in ids}, reverse=True)[:MOST_CLAIMS]
        names = {one: f"{CLAIM}{self.model}:{vault_id}:{one}" for one in stretches}
        with self.database.write() as tx:
            mine = {one: name for one, name in names.items() if self._claim(tx, name)}
            free = [one for one in ids if one // STRETCH in mine]
            if vault_id not in backlog.embeddable_vaults(
                tx, route=self.embedder.route, is_endpoint=is_endpoint(self.embedder)
            ):
                free = []
            work = backlog.read_waiting(tx, model=self.model, vault_id=vault_id, ids=free) if free else []
        kept = 0
        try:
            for batch in _batches(work) if self.deadline is None else _small_batches(work):
                if self.stop.is_set() or (kept and self.deadline is not None and time.monotonic() >= self.deadline):
                    break
                with charged_to(vault_id):
                    made = self._vectors(batch)
                with self.database.write() as tx:
                    added = vectors.add_vectors(tx, model=self.model, items=made)
                    for name in mine.values():
                        self._claim(tx, name)
                kept += added
                self.on_kept(added)
        finally:
            if mine:
                with self.database.write() as tx:
                    for name in mine.values():
                        claims.release(tx, name=name, holder=self.holder)
        return kept

    def _claim(self, tx: Transaction, name: str) -> bool:
        return claims.claim(tx, name=name, holder=self.holder, seconds=LEASE, at=self.clock())

    def _vectors(self, batch: Sequence[Unembedded]) -> list[tuple[Unembedded, bytes, bytes | None]]:
        """Vectors of a batch. Where one text is what the model fails on, the others do not wait for it (CASES 17)."""
        try:
            return self._ask(batch)
        except EmbedderUnavailable:
            raise
        except Exception as error:
            if len(batch) == 1:
                raise
            first = error
        made: list[tuple[Unembedded, bytes, bytes | None]] = []
        refused: dict[int, str] = {}
        for item in batch:
            try:
                made += self._ask([item])
            except EmbedderUnavailable:
                raise
            except Exception as error:
                refused[item.passage_id] = f"{type(error).__name__}: {error}"
        if not made:
            raise first
        self.refused |= refused
        return made

    def _ask(self, batch: Sequence[Unembedded]) -> list[tuple[Unembedded, bytes, bytes | None]]:
        paired = [item.with_previous for item in batch if item.with_previous is not None]
        texts = [item.text for item in batch] + paired
        rows = checked(
            self.embedder.embed_passages(texts),
            rows=len(texts),
            dimension=self.embedder.dimension,
            name=self.embedder.name,
        ).astype("<f2")
        following = iter(rows[len(batch) :])
        return [
            (item, row.tobytes(), None if item.with_previous is None else next(following).tobytes())
            for item, row in zip(batch, rows, strict=False)
        ]


def _small_batches(work: Sequence[Unembedded]) -> Iterator[list[Unembedded]]:
    """The newest texts first, a few at a time, where the time is counted."""
    batch: list[Unembedded] = []
    for item in sorted(work, key=lambda one: -one.passage_id):
        if batch and (len(batch) >= FEW_TEXTS or sum(len(one.text) for one in batch) + len(item.text) > FEW_CHARACTERS):
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def _batches(work: Sequence[Unembedded]) -> Iterator[list[Unembedded]]:
    """Texts of about the same length together: the model pays for the longest of a batch."""
    batch: list[Unembedded] = []
    texts = characters = 0
    for item in sorted(work, key=lambda one: len(one.with_previous or one.text)):
        more = len(item.text) + len(item.with_previous or "")
        if batch and (texts + 2 > BATCH_TEXTS or characters + more > BATCH_CHARACTERS):
            yield batch
            batch, texts, characters = [], 0, 0
        batch.append(item)
        texts += 1 if item.with_previous is None else 2
        characters += more
    if batch:
        yield batch
