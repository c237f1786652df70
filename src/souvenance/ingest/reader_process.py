"""The process in which files are taken apart, so that a hostile one can take nothing else down (V13).

It is handed bytes and gives back text: a line of JSON and the bytes in, a line of JSON and the text out. Its memory,
its processor time and what it may write are limited by the kernel; what takes too long is killed and begun anew with
the next file.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from souvenance.domain.note import MAX_NOTE_BYTES
from souvenance.ingest.documents import Document, Unreadable, storable
from souvenance.ingest.kinds import Kind

SECONDS = 60.0
"""How long one file may take."""
MEMORY = 1024 * 1024 * 1024
"""Bytes of address space the process may have, its libraries included (about 200 MB)."""
FILES = 500
"""Files after which a fresh process is begun: what leaks is given back."""
MARGIN = 4 * MAX_NOTE_BYTES


class ReaderProcess:
    """One reader process, begun when first needed. One file at a time; threads wait for each other."""

    def __init__(self, *, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._seconds = seconds
        self._memory = memory
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._read = 0

    @property
    def pid(self) -> int | None:
        """The process id while there is one."""
        return self._process.pid if self._process else None

    def read(self, raw: bytes, *, kind: Kind, name: str) -> Document:
        """The text of a file, or Unreadable with the reason: within the time, whatever the bytes are."""
        with self._lock:
            if self._read >= FILES:
                self._end()
            process = self._process = self._process or self._start()
            overdue = threading.Event()

            def kill() -> None:
                overdue.set()
                process.kill()

            timer = threading.Timer(self._seconds, kill)
            timer.start()
            try:
                answer = self._ask(process, raw, kind, name)
            finally:
                timer.cancel()
            self._read += 1
            if answer is None:
                code = process.wait()
                self._end()
                raise Unreadable(self._why(code, is_overdue=overdue.is_set()))
            if "spent" in answer:  # its memory may not come back
                self._end()
        if "problem" in answer:
            raise Unreadable(answer["problem"])
        return Document(content=storable(answer["text"]))

    def _ask(self, process: subprocess.Popen[bytes], raw: bytes, kind: Kind, name: str) -> dict[str, str] | None:
        """Its answer; None when it ended without one."""
        assert process.stdin is not None
        assert process.stdout is not None
        asked = {"kind": kind, "name": name.encode("utf-8", "replace").decode(), "size": len(raw)}
        try:
            process.stdin.write(json.dumps(asked).encode() + b"\n" + raw)
            process.stdin.flush()
            line = process.stdout.readline(MARGIN)
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            process.kill()
            return None
        answer: dict[str, str] = json.loads(line)
        return answer

    def _why(self, code: int, *, is_overdue: bool) -> str:
        if is_overdue:
            return f"reading it took over {self._seconds:.0f} seconds and was stopped"
        return f"reading it ended its process (code {code}): it asks for too much memory or time, or is damaged"

    def _start(self) -> subprocess.Popen[bytes]:
        package = str(Path(__file__).parents[2])
        path = os.pathsep.join(part for part in (package, os.environ.get("PYTHONPATH", "")) if part)
        return subprocess.Popen(
            [sys.executable, "-m", "souvenance.ingest.reader", str(self._memory), str(int(self._seconds) + 5)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C ends the one who asks, which then ends this one
        )

    def _end(self) -> None:
        process, self._process, self._read = self._process, None, 0
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        process.wait()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()
