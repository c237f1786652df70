"""How the facts of a file are written (R4)."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """How facts are written down: every value of each, or a page that people read."""

    JSON_LINES = "jsonl"
    MARKDOWN = "markdown"


class FactForm(StrEnum):
    """How the facts of a file that is read are written; `AUTO` finds out."""

    AUTO = "auto"
    JSON_LINES = "jsonl"
    CSV = "csv"
    MEM0 = "mem0"
    MARKDOWN = "markdown"
