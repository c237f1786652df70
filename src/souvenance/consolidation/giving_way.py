"""Letting searches of the same process go first while facts are compared.

Comparing keeps the interpreter busy for seconds. A search gives the interpreter up at each row it reads and, at the
usual 5 ms, waits that long to have it back: a search of 4 ms then took 36 ms, and one in twenty over a second. At 1 ms
it took 10 to 16 ms, and one in twenty 35 to 40 (5,000 facts, two cores).
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

SHORTEST = 0.001
"""Seconds after which a thread that computes is asked to let another one run."""

_lock = threading.Lock()
_passes = 0
_usual = 0.0


@contextlib.contextmanager
def giving_way() -> Iterator[None]:
    """Have threads of this process take turns more often until the block ends; blocks may overlap."""
    global _passes, _usual  # noqa: PLW0603 - the interval is the interpreter's, and so is the count
    with _lock:
        if not _passes:
            _usual = sys.getswitchinterval()
            sys.setswitchinterval(min(_usual, SHORTEST))
        _passes += 1
    try:
        yield
    finally:
        with _lock:
            _passes -= 1
            if not _passes:
                sys.setswitchinterval(_usual)
