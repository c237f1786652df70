"""The places of a map's nodes, kept in this process and worked out anew in the background when the map changes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from souvenance.map.layout import Floats, Plan, arrange, begin

PATIENCE = 0.3
"""Seconds for which new places are waited for before provisional ones are given."""
MOST_KEPT = 8
"""Maps whose places are kept, the last asked for."""


@dataclass
class _Kept:
    plan: Plan | None = None
    places: dict[str, tuple[float, float]] = field(default_factory=dict)
    wanted: Plan | None = None
    working: Future[None] | None = None


class Places:
    """Where the nodes of any number of maps stand. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[Hashable, _Kept] = {}
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="map-places")
        self._is_closed = False

    def of(self, plan: Plan, *, key: Hashable) -> tuple[Floats, bool]:
        """Where the plan's nodes stand, and whether that is settled. `key` tells one map from another."""
        with self._lock:
            kept = self._kept.pop(key, None) or _Kept()
            self._kept[key] = kept
            while len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            if kept.plan != plan:
                kept.wanted = plan
                if (kept.working is None or kept.working.done()) and not self._is_closed:
                    kept.working = self._worker.submit(self._work, kept)
            working = kept.working
        if working is not None and not working.done():
            with contextlib.suppress(TimeoutError):
                working.result(timeout=PATIENCE)
        with self._lock:
            if kept.plan == plan:
                return np.array([kept.places[node] for node in plan.nodes]).reshape(-1, 2), True
            return begin(plan, kept.places), False

    def _work(self, kept: _Kept) -> None:
        while True:
            with self._lock:
                plan, before = kept.wanted, kept.places
                kept.wanted = None
                is_done = plan == kept.plan  # asked for again while it was being worked out
            if plan is None or is_done or self._is_closed:
                return
            places = arrange(plan, before)
            with self._lock:
                kept.plan = plan
                kept.places = {node: (float(x), float(y)) for node, (x, y) in zip(plan.nodes, places, strict=True)}

    def forget(self) -> None:
        """Keep nothing of what was erased (F7)."""
        with self._lock:
            self._kept.clear()

    def close(self) -> None:
        """Begin nothing more; what is being worked out is not waited for."""
        with self._lock:
            self._is_closed = True
        self._worker.shutdown(wait=False, cancel_futures=True)
