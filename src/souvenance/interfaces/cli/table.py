"""Lists on a terminal: a table where one fits, else a few lines for each entry; no short value is ever broken."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

SHORT = 20
"""Cells up to which a column is never broken: an instant fits."""
LEAST = 24
"""Cells that a column of longer texts needs to be read."""
GAP = 2


def draw(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Show these rows as wide as the terminal is."""
    console = Console(no_color=bool(os.environ.get("NO_COLOR")), highlight=False)
    widths = [
        max(max((cell_len(line) for line in cell.splitlines()), default=0) for cell in column)
        for column in zip(columns, *rows, strict=True)
    ]
    needed = sum(width if width <= SHORT else LEAST for width in widths) + GAP * len(widths)
    if needed > console.width:
        _lines(console, columns, rows)
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, width in zip(columns, widths, strict=True):
        table.add_column(name, overflow="fold", no_wrap=width <= SHORT, min_width=min(width, LEAST))
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def _lines(console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    for row in rows:
        named = [f"{name}: {value}" if name else value for name, value in zip(columns, row, strict=True) if value]
        first, *others = named or [""]
        console.print(Text(first))
        for line in others:
            console.print(Text(f"  {line}"))
