"""The process that reads the database's files as bytes: `python -m souvenance.store.erasure.file_reader`.

A process of its own, and never a second file descriptor here: POSIX locks belong to a process, and closing any
descriptor of a file drops every lock the process has on it. SQLite's own would be gone, and another program could take
the file for unused while it is written to. The child holds no lock of SQLite's, so its closing harms nobody.

It is given the windows to look for and the paths, and gives back which of them it found; the texts never reach it.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from souvenance.store.erasure.traces import LONG, NOTHING, Finder, Windows, together

CHUNK = 1024 * 1024


def search_files(paths: Sequence[Path], windows: Windows) -> Windows:
    """Which of the windows stand anywhere in these files; a file that is not there holds nothing.

    Raises OSError where a file cannot be read or the process cannot be started.
    """
    if not len(windows):
        return NOTHING
    told = io.BytesIO()
    np.savez(told, long=windows.long, short=windows.short, paths=np.array([str(path) for path in paths]))
    # -P and the parent's own path: the same code, wherever this program was started from.
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; from {__name__} import main; main()"]
    done = subprocess.run(command, input=told.getvalue(), capture_output=True, check=False)
    if done.returncode:
        raise OSError(f"the files could not be read ({done.returncode})")
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as said:
        return Windows(said["long"], said["short"])


def main() -> None:
    """Read the files named on standard input."""
    with np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False) as told:
        windows, paths = Windows(told["long"], told["short"]), [Path(str(path)) for path in told["paths"]]
    finder, parts = Finder(windows), [NOTHING]
    for path in paths:
        try:
            source = path.open("rb")
        except FileNotFoundError:
            continue
        with source:
            before = b""
            while chunk := source.read(CHUNK):
                parts.append(finder.found_in(before + chunk))
                before = chunk[-LONG:]
    found, answer = together(parts), io.BytesIO()
    np.savez(answer, long=found.long, short=found.short)
    sys.stdout.buffer.write(answer.getvalue())
