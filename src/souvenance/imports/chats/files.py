"""The conversations of an export, one after the other, however large its file is (R4).

ChatGPT and Claude both send an archive with a `conversations.json` in it (or several, numbered): one list. It is read
piece by piece, and no more than one conversation is held at a time.
"""

from __future__ import annotations

import codecs
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, cast

from souvenance.domain.errors import InvalidInput, TooLarge
from souvenance.imports.uploads import DAMAGED, LOCKED, Upload

MOST_UNPACKED = 2 * 1024 * 1024 * 1024
"""Bytes of all lists of an archive together, whatever its size says: a small archive may hold an endless one."""
MOST_CONVERSATION = 64 * 1024 * 1024
"""Characters of one conversation as JSON; far more than a note holds."""
_PIECE = 256 * 1024
_LIST = re.compile(r"(?:.*/)?conversations(?:[-_]\d{1,6})?\.json")
_CUT = 16
"""Characters at the end of what is held that may be the beginning of a word, a number or a sign that is escaped."""
_BETWEEN = re.compile(r"[\s,]*")

Read = Callable[[int], None]
"""Told how many bytes of the file were read so far."""


class BrokenOff(Exception):
    """A list that cannot be read on from here."""


def entries(upload: Upload, *, read: Read) -> Iterator[Any]:
    """What stands in the lists of an export, in order: a conversation each, not yet looked at.

    Refuses what is neither such an archive nor such a list before the first; later raises `BrokenOff` or `TooLarge`.
    """
    upload.data.seek(0)
    start = upload.data.read(4)
    upload.data.seek(0)
    if start[:2] != b"PK":
        yield from _elements(upload.data.read, _Meter(), read=lambda: read(upload.data.tell()))
        return
    try:
        archive = zipfile.ZipFile(upload.data)
    except DAMAGED:
        raise InvalidInput(
            f"“{upload.name[:80]}” is damaged and cannot be unpacked.", hint="Download the export again and send that."
        ) from None
    with archive:
        found = sorted(
            (one for one in archive.infolist() if _LIST.fullmatch(one.filename)), key=lambda one: one.filename
        )
        if not found:
            raise InvalidInput(
                "There is no conversations.json in the archive.", hint="Choose the archive that ChatGPT or Claude sent."
            )
        if any(one.flag_bits & LOCKED for one in found):
            raise InvalidInput(f"“{upload.name[:80]}” is locked with a password.", hint="Unpack it first.")
        meter = _Meter()
        for place, one in enumerate(found):
            try:
                with archive.open(one) as data:
                    yield from _elements(data.read, meter, read=lambda: read(upload.data.tell()), is_first=place == 0)
            except (NotImplementedError, RuntimeError, *DAMAGED) as error:
                raise BrokenOff from error


class _Meter:
    """How much was unpacked."""

    def __init__(self) -> None:
        self._bytes = 0

    def count(self, piece: bytes) -> bytes:
        self._bytes += len(piece)
        if self._bytes > MOST_UNPACKED:
            raise TooLarge(f"It unpacks to over {MOST_UNPACKED // 1024**3} GB.", hint="Send the export in parts.")
        return piece


class _Text:
    """A list as text, of which a stretch from `place` on is held."""

    def __init__(self, take: Callable[[int], bytes], meter: _Meter) -> None:
        self._take = take
        self._meter = meter
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._at_end = False
        self.held = ""
        self.place = 0

    def more(self) -> bool:
        """Hold twice as much, so that an element is tried again a few times only; whether there was more."""
        self.held = self.held[self.place :]
        self.place = 0
        if len(self.held) > MOST_CONVERSATION:
            raise TooLarge(
                f"One conversation is over {MOST_CONVERSATION // 1024**2} MB.", hint="Take it out of the file.",
            )  # fmt: skip
        if self._at_end:
            return False
        piece = self._meter.count(self._take(max(_PIECE, len(self.held))))
        self._at_end = not piece
        self.held += self._decoder.decode(piece, final=self._at_end)
        return not self._at_end

    def next_sign(self) -> str:
        """The next sign that is neither blank nor a comma; empty at the end."""
        while True:
            found = _BETWEEN.match(self.held, self.place)
            self.place = found.end() if found else self.place
            if self.place < len(self.held):
                return self.held[self.place]
            if not self.more():
                return ""


def _elements(
    take: Callable[[int], bytes], meter: _Meter, *, read: Callable[[], None], is_first: bool = True
) -> Iterator[Any]:
    text = _Text(take, meter)
    if text.next_sign() != "[":
        if not is_first:  # what stood in the lists before may be stored by now
            raise BrokenOff
        raise InvalidInput(
            "The file holds no list of conversations.", hint="Choose conversations.json, or the archive it came in."
        )
    text.place += 1
    # Numbers are moments here; as floats the longest of them costs nothing.
    decode = cast(Any, json.JSONDecoder(parse_int=float)).raw_decode
    while (sign := text.next_sign()) != "]":
        if not sign:
            raise BrokenOff
        try:
            value, text.place = decode(text.held, text.place)
        except RecursionError:
            raise BrokenOff from None
        except json.JSONDecodeError as error:
            if not _may_go_on(error, text.held) or not text.more():
                raise BrokenOff from None
            continue
        read()
        yield value


def _may_go_on(error: json.JSONDecodeError, held: str) -> bool:
    """Whether more text can mend what was met: it is at the end of what is held, or within a text that is open."""
    return error.pos >= len(held) - _CUT or error.msg.startswith("Unterminated string")
