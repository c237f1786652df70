"""What a command says: JSON for programs, tables on a terminal, tab-separated lines in a pipe."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

from souvenance.domain.clock import isoformat
from souvenance.domain.errors import SouvenanceError

Progress = Callable[[int, int], None]
"""Told how much is done and how much there is."""

_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What steers a terminal, turns the direction of what follows, or is there and not seen. Soft hyphens and the joiners
of emoji and of Persian stay."""


def plain(value: Any) -> Any:
    """A use case's answer as JSON keeps it: instants in ISO 8601, enumerations by value, nothing left out."""
    if hasattr(value, "as_dict"):
        return plain(value.as_dict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return isoformat(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    return str(value) if isinstance(value, Path) else value


def harmless(text: str) -> str:
    """Text that cannot steer a terminal: what a memory holds may come from anywhere."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


class OutputFailed(SouvenanceError):
    """The answer could not be written to where it goes; what the command did is done."""

    code = "output_failed"


@contextlib.contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(
            f"The answer cannot be written: {error.strerror}.",
            hint="What the command did is done; send its answer elsewhere.",
        ) from error


class Output:
    """Where one command's answer goes."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.is_terminal = not as_json and sys.stdout.isatty()

    def data(self, data: Mapping[str, Any]) -> None:
        """The whole answer as one JSON object."""
        # What cannot be said in the encoding of the output is escaped, as JSON allows for every character.
        escaped = "utf" not in (sys.stdout.encoding or "utf-8").lower()
        indent = 2 if sys.stdout.isatty() else None
        self._print(json.dumps(plain(data), ensure_ascii=escaped, indent=indent))

    def say(self, data: Mapping[str, Any], *lines: str) -> None:
        """A short answer: the object, or these lines."""
        if self.as_json:
            self.data(data)
            return
        for line in lines:
            self._print(harmless(line))

    def table(
        self, data: Mapping[str, Any], *, columns: Sequence[str], rows: Sequence[Sequence[Any]], empty: str
    ) -> None:
        """A list: the object, a table on a terminal, or a line of tab-separated values for each row.

        `empty` is said on stderr where there is no row, so that a pipe receives nothing.
        """
        if self.as_json:
            self.data(data)
        elif not rows:
            self.note(empty)
        elif self.is_terminal:
            from souvenance.interfaces.cli.table import draw

            with _written():
                draw(columns, [[_cell(value) for value in row] for row in rows])
        else:
            for row in rows:
                self._print("\t".join(" ".join(_cell(value).split()) for value in row))

    def pieces(self, pieces: Iterable[str]) -> None:
        """A long answer that is no object, as it is; on a terminal, nothing in it steers the terminal."""
        shows = sys.stdout.isatty()
        for piece in pieces:
            with _written():
                sys.stdout.write(harmless(piece) if shows else piece)

    def note(self, line: str) -> None:
        """An aside for the person, on stderr, so that it never mixes with the answer; not said in JSON."""
        if not self.as_json:
            print(harmless(line), file=sys.stderr)

    def flush(self) -> None:
        """Hand over what was said, before work that the answer does not wait for."""
        with _written():
            sys.stdout.flush()

    def _print(self, line: str) -> None:
        with _written():
            print(line)

    @contextlib.contextmanager
    def progress(self, label: str) -> Iterator[Progress]:
        """A progress bar on stderr where someone watches, nothing where nobody does."""
        if self.as_json or not sys.stderr.isatty():
            yield lambda _done, _total: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(label, total=None)

            def advance(done: int, total: int) -> None:
                bar.update(task, completed=done, total=total)

            yield advance


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return isoformat(value)
    return harmless(str(value.value if isinstance(value, Enum) else value))
