"""Facts as JSON: a line each, as the export writes them, or one list of them; and text told from its bytes (R4)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, BinaryIO

from souvenance.domain.errors import InvalidInput, TooLarge
from souvenance.imports.facts.records import FIELDS, FactFile, Remark

MOST_LINE = 1024 * 1024
"""Characters of one line: the longest fact there may be, every character of it escaped, and room for the rest."""
MOST_WHOLE = 64 * 1024 * 1024
"""Bytes of JSON that is read as one value."""
MOST_FACTS = 500_000
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
"""How a file begins that says in what it is written; Windows writes UTF-16 into a redirected file."""


def encoding_of(data: BinaryIO) -> str:
    """The encoding a file names by its first bytes, else UTF-8."""
    data.seek(0)
    start = data.read(3)
    data.seek(0)
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8")


@contextmanager
def as_text(
    data: BinaryIO, encoding: str, *, errors: str = "surrogateescape", newline: str | None = "\n"
) -> Iterator[Any]:
    """The text of a file, which stays open behind it."""
    data.seek(0)
    text = io.TextIOWrapper(data, encoding=encoding, errors=errors, newline=newline)
    try:
        yield text
    finally:
        text.detach()


def read_lines(data: BinaryIO, found: FactFile, *, now: datetime) -> None:
    """Facts of JSON lines into `found`, the broken lines by their number."""
    number = 0
    with as_text(data, encoding_of(data)) as text:
        while line := text.readline(MOST_LINE + 1):
            number += 1
            if len(line) > MOST_LINE and not line.endswith("\n"):
                while (rest := text.readline(MOST_LINE)) and not rest.endswith("\n"):
                    pass
                found.reject(Remark(number, "the line is longer than any fact may be"))
                continue
            if not line.strip():
                continue
            _take_line(line, number, found, now)


def take_object(values: Any, line: int, found: FactFile, *, now: datetime) -> None:
    """Keep the fact that one JSON object says."""
    if not isinstance(values, dict):
        found.reject(Remark(line, "it is no JSON object"))
        return
    found.meet(name for name in values if name not in FIELDS)
    require_room(found)
    found.take(values, line=line, now=now)


def require_room(found: FactFile) -> None:
    """Refuse a file with more facts than are taken at once."""
    if len(found.records) >= MOST_FACTS:
        raise TooLarge(f"The file holds over {MOST_FACTS:,} facts.", hint="Send it in parts.", limit=MOST_FACTS)


def whole(data: BinaryIO) -> Any:
    """A file that is one JSON value."""
    encoding = encoding_of(data)
    raw = data.read(MOST_WHOLE + 1)
    if len(raw) > MOST_WHOLE:
        raise TooLarge(
            f"The file is over {MOST_WHOLE // 1024**2} MB, which is too much for one piece of JSON.",
            hint="Write it as JSON lines, a fact on each.",
            limit=MOST_WHOLE,
        )
    try:
        return json.loads(raw.decode(encoding))
    except UnicodeDecodeError:
        raise InvalidInput("The file is not valid UTF-8.", hint="Save it as UTF-8 and send it again.") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"The file is not valid JSON (line {error.lineno}).", hint="It may be cut off; export it again."
        ) from None
    except (ValueError, RecursionError):
        raise InvalidInput("The file is no JSON that can be read.", hint="Export it again.") from None


def _take_line(line: str, number: int, found: FactFile, now: datetime) -> None:
    try:
        line.encode()
        values = json.loads(line)
    except UnicodeEncodeError:
        found.reject(Remark(number, "the line is not valid UTF-8"))
    except (ValueError, RecursionError):
        found.reject(Remark(number, "the line is not valid JSON"))
    else:
        take_object(values, number, found, now=now)
