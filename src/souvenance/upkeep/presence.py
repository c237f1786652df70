"""`serve.json`: how other programs of this user find the server that runs on the same data (R3)."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

SERVE_FILE = "serve.json"
PROBE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Presence:
    """A running server: where it answers, the secret that makes one its owner, its process, since when."""

    url: str
    token: str
    pid: int
    started: str


def read(folder: Path) -> Presence | None:
    """What the file says, None where there is none or it says nothing usable."""
    try:
        found = json.loads((folder / SERVE_FILE).read_bytes())
        return Presence(
            url=str(found["url"]), token=str(found["token"]), pid=int(found["pid"]), started=str(found["started"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_running(presence: Presence) -> bool:
    """Whether that server is there: its process exists, and what answers at its address is a Souvenance."""
    try:
        os.kill(presence.pid, 0)
    except PermissionError:
        pass  # the process of another user: let the address decide
    except (OSError, OverflowError):
        return False
    return answers(presence.url)


def answers(url: str) -> bool:
    """Whether a Souvenance answers at this address."""
    at = urlsplit(url)
    connection = http.client.HTTPConnection(at.hostname or "", at.port, timeout=PROBE_SECONDS)
    try:
        connection.request("GET", "/health")
        found = json.loads(connection.getresponse().read(10_000))
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()
    return isinstance(found, dict) and found.get("name") == "souvenance"


def announce(folder: Path, presence: Presence) -> bool:
    """Leave the file, for this user's eyes only. False where another server runs on this folder: the first is kept.

    Raises OSError where the folder cannot be written to.
    """
    other = read(folder)
    if other is not None and other.pid != presence.pid and is_running(other):
        return False
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".serve-")  # made with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(presence), file)
        os.replace(name, folder / SERVE_FILE)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return True


def withdraw(folder: Path, presence: Presence) -> None:
    """Remove the file, if it is still this server's."""
    if read(folder) == presence:
        with contextlib.suppress(OSError):
            (folder / SERVE_FILE).unlink()
