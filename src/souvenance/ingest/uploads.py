"""Files that were sent over, laid out as the folder they were: what a person uploads to be read in (R4)."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from souvenance.domain.errors import InvalidInput, TooLarge
from souvenance.ingest.markdown_folder import SUFFIXES

MOST_FILES = 20_000
MOST_BYTES = 512 * 1024 * 1024
"""Of all files together once unpacked: a small archive may hold an endless one."""
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent: the name it had, which may be a path, and its bytes."""

    name: str
    data: BinaryIO


@contextmanager
def laid_out(uploads: Sequence[Upload]) -> Iterator[Path]:
    """A folder with these files, archives unpacked, gone when it is left.

    Only Markdown is laid out, and nothing outside the folder whatever a name says. An archive that is damaged, locked
    or too large is refused whole.
    """
    if not uploads:
        raise InvalidInput("No file was chosen.", hint="Choose Markdown files, or a zip of a folder of them.")
    with tempfile.TemporaryDirectory(prefix="souvenance-import-") as made:
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

    def put(self, name: str, data: BinaryIO) -> None:
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
                while piece := data.read(_PIECE):
                    self._bytes += len(piece)
                    if self._bytes > MOST_BYTES:
                        raise TooLarge(
                            f"The files are over {MOST_BYTES // 1024**2} MB together.", hint="Send them in parts."
                        )
                    written.write(piece)
        except OSError as error:
            raise InvalidInput(
                f"“{name[:80]}” cannot be laid out: {error.strerror}.", hint="Rename it, or leave it out."
            ) from None


def _unpack(room: _Room, item: Upload) -> None:
    try:
        with zipfile.ZipFile(item.data) as archive:
            for entry in archive.infolist():
                if entry.is_dir() or not entry.filename.lower().endswith(SUFFIXES):
                    continue
                with archive.open(entry) as data:
                    room.put(entry.filename, data)  # type: ignore[arg-type]
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        shutil.rmtree(room.root, ignore_errors=True)
        raise InvalidInput(
            f"“{item.name[:80]}” cannot be unpacked ({type(error).__name__}).",
            hint="It may be damaged or locked with a password: zip the folder again.",
        ) from None
