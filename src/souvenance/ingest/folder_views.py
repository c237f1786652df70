"""What people are told of watched folders: how they stand, and how much there is before it is taken (V13)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from souvenance.domain.clock import isoformat
from souvenance.domain.folder import FileState, WatchedFile, WatchedFolder, shown_path
from souvenance.ingest.kinds import Kind
from souvenance.ingest.tree import Sight

LARGE_FILES = 1_000
LARGE_BYTES = 200 * 1024 * 1024
"""From here on a first ingest is large: it is to be confirmed by whoever asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderView:
    """A folder with its vault's slug, how many of its files are in which state."""

    folder: WatchedFolder
    vault: str
    counts: dict[FileState, int]

    def as_dict(self) -> dict[str, Any]:
        """The folder as every interface sends it."""
        item = self.folder
        return {
            "folder": item.id,
            "vault": self.vault,
            "path": item.path,
            "place": item.place,
            "include": list(item.include),
            "exclude": list(item.exclude),
            "max_bytes": item.max_bytes,
            "status": item.status.value,
            "condition": item.condition.value,
            "reason": item.reason,
            "done": item.done,
            "total": item.total,
            "files": {state.value: self.counts.get(state, 0) for state in FileState},
            "created_at": isoformat(item.created_at),
            "scanned_at": isoformat(item.scanned_at) if item.scanned_at else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderCensus:
    """Count and bytes of what a folder holds, in all and by kind, and what would be refused, before any is read."""

    files: int
    bytes: int
    kinds: dict[str, tuple[int, int]]
    refused: list[tuple[str, str]]
    unlisted: list[tuple[str, str]]
    others: int

    @property
    def is_large(self) -> bool:
        """Whether taking it should be confirmed first."""
        return self.files > LARGE_FILES or self.bytes > LARGE_BYTES

    def as_dict(self) -> dict[str, Any]:
        """The census as every interface sends it."""
        return {
            "files": self.files,
            "bytes": self.bytes,
            "is_large": self.is_large,
            "kinds": [{"kind": kind, "files": many, "bytes": size} for kind, (many, size) in self.kinds.items()],
            "refused": [{"path": path, "reason": reason} for path, reason in self.refused],
            "unlisted": [{"path": path, "reason": reason} for path, reason in self.unlisted],
            "others": self.others,
        }


def counted(sight: Sight) -> FolderCensus:
    """A census of what a look at a tree found."""
    kinds: dict[Kind, tuple[int, int]] = {}
    for seen in sight.seen.values():
        if not seen.refused:
            many, size = kinds.get(seen.kind, (0, 0))
            kinds[seen.kind] = (many + 1, size + seen.size)
    return FolderCensus(
        files=sum(many for many, _ in kinds.values()),
        bytes=sum(size for _, size in kinds.values()),
        kinds={kind.value: kinds[kind] for kind in sorted(kinds, key=lambda kind: -kinds[kind][1])},
        refused=[(shown_path(seen.path), seen.refused) for seen in sight.seen.values() if seen.refused],
        unlisted=[(shown_path(path) or ".", reason) for path, reason in sight.unknown.items()],
        others=sight.others,
    )


def problems(files: Iterable[WatchedFile]) -> list[dict[str, Any]]:
    """Files that are not taken, each with its reason, as every interface sends them."""
    return [
        {"path": file.shown, "state": file.state.value, "reason": file.reason, "bytes": file.size, "note": file.note_id}
        for file in files
    ]
