"""A folder of Markdown files, an Obsidian vault or any other tree, read file by file (R4).

A file that cannot be read is named with its reason and stops nothing. A note's title is its file's name, since that is
what links name; its folder is its place in the tree.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from souvenance.domain.errors import InvalidInput
from souvenance.domain.fact import readable_text
from souvenance.domain.note import MAX_NOTE_BYTES, checked_folder, checked_title
from souvenance.ingest.front_matter import divided
from souvenance.ingest.kinds import is_junk_file, is_junk_folder

SUFFIXES = (".md", ".markdown")


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was left out, or read otherwise than it asked, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A folder or a Markdown file that watched folders leave out too: hidden, or what programs made or fetched."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A Markdown file of the tree: where it is, its path inside the tree, and its size in bytes."""

    file: str
    path: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A file as the note it becomes. `warning` says what of it was read otherwise than it asked."""

    path: str
    folder: str
    title: str
    content: str
    front_matter: dict[str, Any]
    warning: str = ""


def scan(root: Path) -> tuple[list[Found], list[Problem], list[PassedOver]]:
    """The Markdown files of a folder and below, by path, what could not be looked at, and what was passed over.

    Links that lead out of the folder, links to folders and anything that is not a plain file are named, not followed.
    A root that cannot be read is an error, never an empty folder.
    """
    try:
        inside = os.path.realpath(root, strict=True)
        os.listdir(inside)
    except OSError as error:
        raise InvalidInput(
            f"The folder {root} cannot be read: {error.strerror}.", hint="Give the path of a folder you may read."
        ) from None
    found: list[Found] = []
    problems: list[Problem] = []
    passed_over: list[PassedOver] = []
    for item in _walk(inside, "", inside):
        if isinstance(item, Found):
            found.append(item)
        elif isinstance(item, Problem):
            problems.append(item)
        else:
            passed_over.append(item)
    return found, problems, passed_over


def _walk(folder: str, within: str, root: str) -> Iterator[Found | Problem | PassedOver]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        yield Problem(_shown(within), f"the folder cannot be read: {error.strerror}")
        return
    for entry in entries:
        path = f"{within}/{entry.name}" if within else entry.name
        try:
            if entry.is_symlink() and (refused := _refused_link(entry, root)):
                if refused != "-":
                    yield Problem(_shown(path), refused)
            elif entry.is_dir():
                if is_junk_folder(entry.name):
                    yield PassedOver(_shown(path))
                else:
                    yield from _walk(entry.path, path, root)
            elif entry.name.lower().endswith(SUFFIXES):
                yield PassedOver(_shown(path)) if is_junk_file(entry.name) else _looked_at(entry, path)
        except OSError as error:
            yield Problem(_shown(path), f"it cannot be looked at: {error.strerror}")


def _refused_link(entry: os.DirEntry[str], root: str) -> str:
    """Why a symbolic link is not followed; `-` where it would not be read anyway, empty where it may be."""
    target = os.path.realpath(entry.path)
    is_folder = os.path.isdir(target)
    if is_junk_folder(entry.name) or not (is_folder or entry.name.lower().endswith(SUFFIXES)):
        return "-"
    if os.path.commonpath([root, target]) != root:
        return "a symbolic link out of the folder is not followed"
    if is_folder:
        return "a symbolic link to a folder is not followed; what it leads to is read at its own place"
    return "" if os.path.exists(target) else "a symbolic link that leads nowhere"


def _looked_at(entry: os.DirEntry[str], path: str) -> Found | Problem:
    status = entry.stat()
    if not stat.S_ISREG(status.st_mode):
        return Problem(_shown(path), "it is not a plain file")
    if status.st_size > MAX_NOTE_BYTES:
        return Problem(_shown(path), f"it is {status.st_size:,} bytes; a note holds at most {MAX_NOTE_BYTES:,}")
    return Found(file=entry.path, path=path, size=status.st_size)


def parse(found: Found, *, below: str = "") -> Parsed | Problem:
    """A file as a note in the folder `below` of a vault, or why it cannot be one."""
    try:
        with open(found.file, "rb") as source:
            raw = source.read(MAX_NOTE_BYTES + 1)
        text = raw.decode("utf-8-sig")
        place, _, name = unicodedata.normalize("NFC", found.path).rpartition("/")
        folder = checked_folder("/".join(part for part in (below, place) if part))
        title = checked_title(name.rsplit(".", 1)[0])
        values, content, warning = divided(readable_text(text, what="file", limit=MAX_NOTE_BYTES))
    except UnicodeDecodeError as error:
        return Problem(_shown(found.path), f"it is not valid UTF-8 (byte {error.start:,})")
    except OSError as error:
        return Problem(_shown(found.path), f"it cannot be read: {error.strerror}")
    except InvalidInput as error:
        return Problem(_shown(found.path), str(error))
    return Parsed(path=found.path, folder=folder, title=title, content=content, front_matter=values, warning=warning)


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace") or "."
