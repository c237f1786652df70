"""Files that were sent over, laid out as the folder they were: what a person uploads to be read in (R4)."""

from __future__ import annotations

import errno
import lzma
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from souvenance.domain.errors import InvalidInput, SouvenanceError, StoreUnavailable, TooLarge
from souvenance.imports.markdown_folder import SUFFIXES

MOST_FILES = 20_000
MOST_BYTES = 512 * 1024 * 1024
"""Of all files together once unpacked: a small archive may hold an endless one."""
_PIECE = 1 << 20
_FULL = {errno.ENOSPC, errno.EDQUOT}
_NAMES = {errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL, errno.ENOTDIR, errno.EISDIR, errno.EEXIST}
"""What a name is refused with, by itself or beside the others."""
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, ValueError, EOFError)
"""What reading a broken archive raises."""
LOCKED = 0x1
"""The bit of an entry that is locked with a password."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent: the name it had, which may be a path, and its bytes."""

    name: str
    data: BinaryIO


@contextmanager
def laid_out(uploads: Sequence[Upload]) -> Iterator[Path]:
    """A folder with these files, archives unpacked, gone when it is left.

    Only Markdown is laid out, and nothing outside the folder whatever a name says. An archive that is damaged, locked
    or too large is refused whole; where there is no room for it, that is what is said.
    """
    if not uploads:
        raise InvalidInput("No file was chosen.", hint="Choose Markdown files, or a zip of a folder of them.")
    try:
        place = tempfile.TemporaryDirectory(prefix="souvenance-import-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _no_room(error) from error
    with place as made:
        room = _Room(Path(made))
        for item in uploads:
            if item.name.lower().endswith(".zip"):
                _unpack(room, item)
            elif item.name.lower().endswith(SUFFIXES):
                room.put(item.name, item.data)
            else:
                raise InvalidInput(
                    f"“{item.name[:80]}” is neither Markdown nor a zip.",
                    hint="Choose .md files, or a zip of a folder of them.",
                )
        yield room.root


class _Room:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._files = 0
        self._bytes = 0

    def put(self, name: str, data: BinaryIO, *, whose: str = "") -> None:
        """Lay out one file; `whose` is the archive it is in."""
        parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in {"/", ".", ".."}]
        parts = [part.replace(":", "-").replace("\x00", "")[:200] for part in parts]
        if not parts:
            return
        self._files += 1
        if self._files > MOST_FILES:
            raise TooLarge(f"There are over {MOST_FILES:,} files.", hint="Send the folder in parts.")
        target = self.root.joinpath(*parts)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as written:
                for piece in _pieces(data, whose or name):
                    self._bytes += len(piece)
                    if self._bytes > MOST_BYTES:
                        raise TooLarge(
                            f"The files are over {MOST_BYTES // 1024**2} MB together.", hint="Send them in parts."
                        )
                    written.write(piece)
        except OSError as error:
            raise _not_laid_out(name, error) from error


def _pieces(data: BinaryIO, name: str) -> Iterator[bytes]:
    """What was sent, piece by piece; an error of reading it is none of laying it out."""
    while True:
        try:
            piece = data.read(_PIECE)
        except OSError as error:  # without a number it is what a decoder says of the bytes
            raise _damaged(name) if error.errno is None else _unread(name, error) from error
        if not piece:
            return
        yield piece


def _unpack(room: _Room, item: Upload) -> None:
    name = item.name[:80]
    try:
        with zipfile.ZipFile(item.data) as archive:
            for entry in archive.infolist():
                if entry.is_dir() or not entry.filename.lower().endswith(SUFFIXES):
                    continue
                if entry.flag_bits & LOCKED:
                    raise InvalidInput(f"“{name}” is locked with a password.", hint="Zip the folder without one.")
                with archive.open(entry) as data:
                    room.put(entry.filename, data, whose=name)  # type: ignore[arg-type]
    except (NotImplementedError, RuntimeError):
        raise InvalidInput(
            f"“{name}” is packed in a way that is not known here.", hint="Zip the folder again in the usual way."
        ) from None
    except DAMAGED:
        raise _damaged(name) from None
    except OSError as error:
        raise _damaged(name) if error.errno is None else _unread(name, error) from error


def _damaged(name: str) -> SouvenanceError:
    return InvalidInput(f"“{name[:80]}” is damaged and cannot be unpacked.", hint="Zip the folder again and send that.")


def _unread(name: str, error: OSError) -> SouvenanceError:
    return StoreUnavailable(
        f"What was sent of “{name[:80]}” cannot be read again: {error.strerror}.",
        hint="It is the server's disk, not the file; try again, and look at the disk if it stays so.",
    )


def _not_laid_out(name: str, error: OSError) -> SouvenanceError:
    """Whether it is the name, or the place where files are laid out."""
    if error.errno in _NAMES:
        return InvalidInput(f"“{name[:80]}” cannot be laid out: {error.strerror}.", hint="Rename it, or leave it out.")
    return _no_room(error)


def _no_room(error: OSError) -> SouvenanceError:
    if error.errno in _FULL:
        return StoreUnavailable(
            "The disk is full; nothing was read in.", hint="Free some space and send the same files again."
        )
    return StoreUnavailable(
        f"The folder for temporary files cannot be used: {error.strerror}; nothing was read in.",
        hint="Make it writable, or name another with TMPDIR, and start again.",
    )
