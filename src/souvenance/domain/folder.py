"""A watched folder: a place on this machine whose files are kept as notes of class `source` (V13)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

DEFAULT_MAX_BYTES = 32 * 1024 * 1024
"""Bytes above which a file is refused where nothing else was said."""


class FolderStatus(StrEnum):
    """What a person wants of a folder."""

    WATCHED = "watched"
    SUSPENDED = "suspended"
    UNWATCHED = "unwatched"


class Condition(StrEnum):
    """How a folder stood when it was last looked at.

    `vanished`: none of the files that were known is left; their notes wait for a person to say that this is meant.
    """

    NEW = "new"
    SCANNING = "scanning"
    WELL = "well"
    STOPPED = "stopped"
    UNREADABLE = "unreadable"
    VANISHED = "vanished"


class FileState(StrEnum):
    """What became of a file: a note, not readable, refused, no text at all, or gone (its note in the trash)."""

    TAKEN = "taken"
    FAILED = "failed"
    REFUSED = "refused"
    SKIPPED = "skipped"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedFolder:
    """One watched folder of one vault. `place` is the folder of the vault below which its notes stand."""

    id: str
    vault_id: int
    path: str
    place: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes: int = DEFAULT_MAX_BYTES
    status: FolderStatus = FolderStatus.WATCHED
    condition: Condition = Condition.NEW
    reason: str = ""
    wanted: bool = True
    done: int = 0
    total: int = 0
    user_id: int
    created_at: datetime
    scanned_at: datetime | None = None

    @property
    def name(self) -> str:
        """The last part of its path, as a person reads it: what may be told of it to who does not own the machine."""
        return shown_path(os.path.basename(self.path)) or self.place


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedFile:
    """One file as it was last seen: `path` within its folder as bytes, `mtime` in nanoseconds, SHA-256 of its bytes."""

    vault_id: int
    folder_id: str
    path: bytes
    hash: str = ""
    size: int
    mtime: int
    note_id: str | None = None
    state: FileState
    reason: str = ""
    taken_at: datetime

    @property
    def shown(self) -> str:
        """The path as a person reads it: what is not Unicode replaced, on one line."""
        return shown_path(self.path)


def shown_path(path: bytes | str) -> str:
    """A path as text that any store and screen can keep."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
