"""What the reader process runs: one file after another from standard input, within limits, until that closes."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import warnings

from souvenance.ingest import formats
from souvenance.ingest.documents import Unreadable
from souvenance.ingest.kinds import Kind


def main() -> None:
    """Serve one caller. Arguments: bytes of memory, seconds of processor time for one file."""
    memory, seconds = int(sys.argv[1]), int(sys.argv[2])
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library that prints must not answer in our place
    with contextlib.suppress(OSError, ValueError):  # macOS does not limit address space
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (0, 0))
    with contextlib.suppress(OSError):
        os.nice(5)
    while line := sys.stdin.buffer.readline():
        asked = json.loads(line)
        raw = sys.stdin.buffer.read(asked["size"])
        used = resource.getrusage(resource.RUSAGE_SELF)
        until = int(used.ru_utime + used.ru_stime) + seconds
        with contextlib.suppress(OSError, ValueError):  # ends this process even when nobody is left to kill it
            resource.setrlimit(resource.RLIMIT_CPU, (until, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        answers.write(json.dumps(_answer(raw, Kind(asked["kind"]), asked["name"])).encode() + b"\n")
        answers.flush()


def _answer(raw: bytes, kind: Kind, name: str) -> dict[str, str]:
    try:
        return {"text": formats.read(raw, kind, name)}
    except Unreadable as error:
        return {"problem": str(error)}
    except MemoryError:
        return {"problem": "reading it takes more memory than it may", "spent": "yes"}
    except RecursionError:
        return {"problem": "it is nested too deeply"}
    except Exception as error:  # whatever a library raises on hostile bytes is that file's problem only
        return {"problem": f"it is damaged or not what its name says ({type(error).__name__})"}


if __name__ == "__main__":
    main()
