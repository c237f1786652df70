"""The places of a map's nodes, worked out anew in the background when the map changes, and kept through a restart.

What is kept beside the data are ids and places, no word of what the nodes say; without it a map is laid out anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from souvenance.map.layout import Floats, Plan, arrange, begin

PATIENCE = 0.3
"""Seconds for which new places are waited for before provisional ones are given."""
MOST_KEPT = 8
"""Maps whose places are kept, the last asked for."""


@dataclass
class _Kept:
    seal: str = ""
    """Which plan the places are of."""
    places: dict[str, tuple[float, float]] = field(default_factory=dict)
    wanted: Plan | None = None
    working: Future[None] | None = None


class Places:
    """Where the nodes of any number of maps stand, in memory and in files of that folder. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._kept: dict[str, _Kept] = {}
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="map-places")
        self._is_closed = False

    def of(self, plan: Plan, *, key: str) -> tuple[Floats, bool]:
        """Where the plan's nodes stand, and whether that is settled. `key` tells one map from another."""
        seal = _seal(plan)
        with self._lock:
            kept = self._known(key)
            if not kept.places.keys() >= set(plan.nodes):
                kept.seal = ""  # a file may hold less than its seal says
            if kept.seal != seal:
                kept.wanted = plan
                if (kept.working is None or kept.working.done()) and not self._is_closed:
                    kept.working = self._worker.submit(self._work, kept, key)
            working = kept.working
        if working is not None and not working.done():
            with contextlib.suppress(TimeoutError):
                working.result(timeout=PATIENCE)
        with self._lock:
            if kept.seal == seal:
                return np.array([kept.places[node] for node in plan.nodes]).reshape(-1, 2), True
            return begin(plan, kept.places), False

    def provisional(self, plan: Plan, *, key: str) -> Floats:
        """Places at once, for a map whose ties are not all known yet: nodes stand where they stood before."""
        with self._lock:
            return begin(plan, self._known(key).places)

    def _known(self, key: str) -> _Kept:
        """What is known of a map, from the last time where this process has not laid it out. Called under the lock."""
        kept = self._kept.pop(key, None) or self._read(key)
        self._kept[key] = kept
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return kept

    def _work(self, kept: _Kept, key: str) -> None:
        while True:
            with self._lock:
                plan, before = kept.wanted, kept.places
                kept.wanted = None
                is_done = plan is None or _seal(plan) == kept.seal  # asked for again while it was being worked out
            if plan is None or is_done or self._is_closed:
                return
            laid = arrange(plan, before)
            with self._lock:
                kept.seal = _seal(plan)
                places = laid.round(2).tolist()
                kept.places = {node: (x, y) for node, (x, y) in zip(plan.nodes, places, strict=True)}
                if self._kept.get(key) is kept:  # else it was forgotten meanwhile
                    self._write(key, kept)

    def forget(self) -> None:
        """Keep nothing of what was erased (F7)."""
        with self._lock:
            self._kept.clear()
            for file in self._folder.glob("*.json"):
                file.unlink(missing_ok=True)

    def close(self) -> None:
        """Begin nothing more; what is being worked out is not waited for."""
        with self._lock:
            self._is_closed = True
        self._worker.shutdown(wait=False, cancel_futures=True)

    # --- files ---------------------------------------------------------------------------------------------------

    def _file(self, key: str) -> Path:
        return self._folder / f"{hashlib.blake2b(key.encode(), digest_size=16).hexdigest()}.json"

    def _read(self, key: str) -> _Kept:
        try:
            said = json.loads(self._file(key).read_text(encoding="utf-8"))
            places = {str(node): (float(x), float(y)) for node, (x, y) in said["places"].items()}
            return _Kept(seal=str(said["seal"]), places=places)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return _Kept()

    def _write(self, key: str, kept: _Kept) -> None:
        """Keep it for the next start, where the folder can be written to; the oldest of many make room."""
        file = self._file(key)
        fresh = file.with_suffix(f".{os.getpid()}")
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            fresh.write_text(json.dumps({"seal": kept.seal, "places": kept.places}), encoding="utf-8")
            fresh.replace(file)
            every = sorted(self._folder.glob("*.json"), key=lambda one: one.stat().st_mtime)
            for old in every[: -4 * MOST_KEPT]:
                old.unlink(missing_ok=True)


def _seal(plan: Plan) -> str:
    """A short name of a plan: nodes, vaults and ties, whatever their order."""
    names = [f"{node} {vault}" for node, vault in zip(plan.nodes, plan.vaults, strict=True)]
    ties = [f"{kind} {plan.nodes[one]} {plan.nodes[other]}" for kind, one, other in plan.ties]
    whole = "\n".join([*sorted(names), "", *sorted(ties)])
    return hashlib.blake2b(whole.encode(), digest_size=16).hexdigest()
