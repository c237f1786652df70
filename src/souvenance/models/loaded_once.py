"""What loads late and once: a model that all embedders of one class share in a process."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Any, ClassVar


class LoadedOnce(ABC):
    """Loads its model at first use, or at `load`; threads that come meanwhile wait for the same one."""

    _loading: ClassVar[threading.Lock]
    _shared: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        """Give each class a model of its own."""
        cls._loading = threading.Lock()
        cls._shared = None

    @staticmethod
    @abstractmethod
    def _loaded() -> Any:
        """Load the model; EmbedderUnavailable where that cannot be."""

    @classmethod
    def is_loaded(cls) -> bool:
        """Whether the next text need not wait for the model."""
        return cls._shared is not None

    def load(self) -> None:
        """Make ready for the first text; EmbedderUnavailable where that cannot be."""
        self._model()

    def _model(self) -> Any:
        cls = type(self)
        if cls._shared is None:
            with cls._loading:
                if cls._shared is None:
                    cls._shared = cls._loaded()
        return cls._shared
