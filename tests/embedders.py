"""A small embedder for tests: deterministic, any dimension, slow or failing on demand."""

import hashlib
import threading
import time
from collections.abc import Sequence

import numpy as np

from souvenance.domain.access import Route
from souvenance.domain.errors import EmbedderUnavailable
from souvenance.retrieval.background import STATEMENTS


class NgramEmbedder:
    """Hashes three-character grams: texts that share many of them are near. `calls` records the passages it
    was given, the background statements aside, and `queries` all its queries."""

    def __init__(self, dimension: int = 64, *, name: str = "test/ngrams", route: Route = Route.LOCAL) -> None:
        self.name = name
        self.dimension = dimension
        self.route = route
        self.seconds = 0.0
        self.is_down = False
        self.chokes_on = ""
        self.calls: list[str] = []
        self.queries: list[str] = []
        self.started = threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
        self.started.set()
        time.sleep(self.seconds)
        if self.is_down:
            raise EmbedderUnavailable("The test embedder is down.")
        if self.chokes_on and any(self.chokes_on in text for text in texts):
            raise ValueError("cannot digest this text")
        self.calls += [text for text in texts if text not in STATEMENTS]
        return np.stack([self._one(text) for text in texts])

    def embed_query(self, text: str) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
        self.started.set()
        self.queries.append(text)
        time.sleep(self.seconds)
        if self.is_down:
            raise EmbedderUnavailable("The test embedder is down.")
        return self._one(text)

    def _one(self, text: str) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
        vector = np.zeros(self.dimension, dtype=np.float32)
        plain = f"  {text.casefold()}  "
        for start in range(len(plain) - 2):
            digest = hashlib.blake2b(plain[start : start + 3].encode("utf-8", "replace"), digest_size=4).digest()
            place = int.from_bytes(digest, "little")
            vector[place % self.dimension] += 1.0 if place >> 31 else -1.0
        length = float(np.linalg.norm(vector))
        return vector / length if length else np.eye(1, self.dimension, dtype=np.float32)[0]
