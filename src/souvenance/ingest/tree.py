"""Looking at the tree of a watched folder: what is there to be taken, what is refused, what could not be looked at.

Nothing is opened and no symbolic link is followed. What cannot be listed counts as unknown, never as gone.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from souvenance.domain.folder import WatchedFolder
from souvenance.ingest.globs import Globs
from souvenance.ingest.kinds import Kind, is_junk_file, is_junk_folder, kind_of

MOST_FILES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A file that is there: its path within the root, its kind, size in bytes and change time in nanoseconds.

    `refused` says why it is not to be read.
    """

    path: bytes
    kind: Kind
    size: int
    mtime: int
    refused: str = ""


@dataclass(slots=True, kw_only=True)
class Sight:
    """What a look at a tree, or at parts of it, found. `unknown`: folders that could not be listed, with the reason."""

    seen: dict[bytes, Seen] = field(default_factory=dict)
    unknown: dict[bytes, str] = field(default_factory=dict)
    others: int = 0
    """Files that are no documents by their names: pictures, archives, programs."""

    def may_be_there(self, path: bytes) -> bool:
        """Whether a path that was not seen stands below what could not be looked at."""
        return any(not folder or path == folder or path.startswith(folder + b"/") for folder in self.unknown)


class RootUnreadable(Exception):
    """The root itself cannot be listed: nothing is known about what is in it."""


class Tree:
    """The tree of one watched folder. `inner`: roots of the vault's other watched folders, whose files are theirs.

    `own`: the folder of the memory itself, never looked into: it holds its owner's secret and everybody's vaults.
    """

    def __init__(self, folder: WatchedFolder, *, inner: Collection[str] = (), own: Path | None = None) -> None:
        self._is_own = own is not None and Path(os.path.realpath(folder.path)).is_relative_to(os.path.realpath(own))
        inner = [*inner, os.path.realpath(own)] if own is not None else inner
        self._root = os.fsencode(folder.path)
        self._include = Globs(folder.include)
        self._exclude = Globs(folder.exclude)
        self._max_bytes = folder.max_bytes
        prefix = self._root.rstrip(b"/") + b"/"
        self._inner = {os.fsencode(path)[len(prefix) :] for path in inner if os.fsencode(path).startswith(prefix)}

    def look(self, paths: Collection[bytes] = (b"",)) -> Sight:
        """What stands at these paths within the root and below them. RootUnreadable where the root cannot be listed."""
        if self._is_own:
            raise RootUnreadable("it is the folder of this memory itself")
        try:
            if not stat.S_ISDIR(os.stat(self._root).st_mode):
                raise RootUnreadable("it is not a folder")
            with os.scandir(self._root):
                pass
        except OSError as error:
            raise RootUnreadable(error.strerror or "it cannot be read") from None
        sight = Sight()
        for path in paths:
            self._look_at(path, sight)
        return sight

    def _look_at(self, path: bytes, sight: Sight) -> None:
        if not path:
            self._walk(b"", sight)
            return
        *above, _ = path.split(b"/")
        for depth in range(len(above)):
            if not self._is_entered(b"/".join(above[: depth + 1])):
                return
        try:
            for depth in range(len(above)):
                if os.path.islink(os.path.join(self._root, *above[: depth + 1])):
                    return
            status = os.lstat(os.path.join(self._root, path))
        except FileNotFoundError:
            return
        except NotADirectoryError:
            return
        except OSError as error:
            sight.unknown[path] = error.strerror or "it cannot be looked at"
            return
        if stat.S_ISDIR(status.st_mode):
            if self._is_entered(path):
                self._walk(path, sight)
        else:
            self._file(path, status, sight)

    def _walk(self, start: bytes, sight: Sight) -> None:
        waiting = [start]
        while waiting:
            folder = waiting.pop()
            try:
                entries = list(self._entries(folder))
            except FileNotFoundError:
                continue
            except OSError as error:
                sight.unknown[folder] = error.strerror or "the folder cannot be read"
                continue
            for path, entry in entries:
                try:
                    if entry.is_dir(follow_symlinks=False):
                        if self._is_entered(path):
                            waiting.append(path)
                    else:
                        self._file(path, entry.stat(follow_symlinks=False), sight)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    sight.unknown[path] = error.strerror or "it cannot be looked at"

    def _entries(self, folder: bytes) -> Iterator[tuple[bytes, os.DirEntry[bytes]]]:
        with os.scandir(os.path.join(self._root, folder)) as listing:
            for entry in sorted(listing, key=lambda item: item.name):
                yield (folder + b"/" + entry.name if folder else entry.name), entry

    def _is_entered(self, path: bytes) -> bool:
        name = os.fsdecode(path.rpartition(b"/")[2])
        if path in self._inner or (is_junk_folder(name) and name not in self._include.names):
            return False
        return not self._exclude.match(os.fsdecode(path))

    def _file(self, path: bytes, status: os.stat_result, sight: Sight) -> None:
        name = os.fsdecode(path.rpartition(b"/")[2])
        shown = os.fsdecode(path)
        if is_junk_file(name) and name not in self._include.names:
            return
        if (self._include and not self._include.match(shown)) or self._exclude.match(shown):
            return
        kind = kind_of(name)
        refused = ""
        if stat.S_ISLNK(status.st_mode):
            refused = self._refused_link(path)
            if not refused:
                return
        elif not stat.S_ISREG(status.st_mode):
            refused = "it is not a plain file"
        elif kind is Kind.OTHER:
            sight.others += 1
            return
        elif status.st_size > self._max_bytes:
            refused = f"it is {status.st_size:,} bytes; files over {self._max_bytes:,} are not read"
        sight.seen[path] = Seen(path=path, kind=kind, size=status.st_size, mtime=status.st_mtime_ns, refused=refused)

    def _refused_link(self, path: bytes) -> str:
        """Why a symbolic link is not followed; empty for one within the folder, whose file is read at its own place."""
        try:
            target = os.path.realpath(os.path.join(self._root, path), strict=True)
        except OSError as error:
            if error.errno == errno.ELOOP:
                return "a symbolic link that leads in a circle"
            if isinstance(error, FileNotFoundError):
                return "a symbolic link that leads nowhere"
            return f"what the symbolic link leads to cannot be looked at: {error.strerror}"
        root = os.path.realpath(self._root)
        if target != root and not target.startswith(root.rstrip(b"/") + b"/"):
            return "a symbolic link out of the folder is not followed"
        return "a symbolic link to a folder above it is not followed" if root == target else ""
