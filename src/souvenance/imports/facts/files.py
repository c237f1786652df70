"""A file of facts, whichever way it is written: told by its name and by how it begins (R4)."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from souvenance.domain.errors import InvalidInput, TooLarge
from souvenance.domain.form import FactForm
from souvenance.imports.facts.lines import encoding_of, read_lines, require_room, take_object, whole
from souvenance.imports.facts.mem0 import is_mem0, memories, read_mem0
from souvenance.imports.facts.pages import read_pages
from souvenance.imports.facts.records import FactFile, Remark
from souvenance.imports.facts.tables import read_csv
from souvenance.imports.uploads import MOST_BYTES, Upload

BEGINNING = 64 * 1024


_ENDINGS = {
    ".jsonl": FactForm.JSON_LINES, ".ndjson": FactForm.JSON_LINES, ".csv": FactForm.CSV, ".tsv": FactForm.CSV,
    ".md": FactForm.MARKDOWN, ".markdown": FactForm.MARKDOWN,
}  # fmt: skip


def read_facts(upload: Upload, *, form: FactForm = FactForm.AUTO, now: datetime) -> FactFile:
    """Every fact of a file and every line that holds none, without writing anything.

    Refuses a file that is empty, larger than 512 MB or nothing of the kind; `now` is when what ended without a date
    is taken to have ended.
    """
    size = upload.data.seek(0, 2)
    if size > MOST_BYTES:
        raise TooLarge(f"The file is over {MOST_BYTES // 1024**2} MB.", hint="Send it in parts.", limit=MOST_BYTES)
    start = _beginning(upload)
    if not start.strip():
        raise InvalidInput("The file is empty.", hint="Choose a file that holds facts.")
    if "\x00" in start:
        raise InvalidInput("The file is no text.", hint="Choose JSON lines, CSV, JSON of mem0 or Markdown.")
    form = FactForm(form)
    if form is FactForm.AUTO:
        form = _ENDINGS.get("." + upload.name.rpartition(".")[2].lower(), FactForm.AUTO)
    if form in {FactForm.AUTO, FactForm.JSON_LINES}:
        form = _told_by(start, otherwise=form)
    found = FactFile(form.value)
    if form is FactForm.CSV:
        read_csv(upload.data, found, now=now)
    elif form is FactForm.MARKDOWN:
        read_pages(upload.data, found, now=now)
    elif form is FactForm.JSON_LINES:
        read_lines(upload.data, found, now=now)
    else:
        _read_json(upload, found, form, now)
    if found.unknown:
        named = ", ".join(list(found.unknown)[:10])
        found.warnings.insert(0, Remark(0, f"these fields are not known here and were left out: {named}"))
    return found


def _beginning(upload: Upload) -> str:
    encoding = encoding_of(upload.data)
    start = upload.data.read(BEGINNING)
    upload.data.seek(0)
    return start.decode(encoding, "replace")


def _told_by(start: str, *, otherwise: FactForm) -> FactForm:
    """The form by how a file begins: an object on its first line is JSON lines, a longer one or a list one value."""
    text = start.lstrip("\ufeff \t\r\n")
    if text[0] in "{[":
        return FactForm.JSON_LINES if _is_fact(text.partition("\n")[0]) else FactForm.AUTO
    if otherwise is not FactForm.AUTO:
        return otherwise
    return FactForm.MARKDOWN if text.startswith(("# ", "## ", "- ")) else FactForm.CSV


def _is_fact(line: str) -> bool:
    """Whether a line is an object by itself, and no export that holds a list."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        # The first line may be longer than what was looked at, or be broken; lists and pretty objects are neither.
        return line.startswith("{") and len(line) > 1 and '"content"' in line
    return isinstance(value, dict) and not memories(value) and "memory" not in value


def _read_json(upload: Upload, found: FactFile, form: FactForm, now: datetime) -> None:
    value = _of_mem0(upload) if form is FactForm.MEM0 else whole(upload.data)
    if form is FactForm.MEM0 or is_mem0(value):
        found.form = FactForm.MEM0.value
        read_mem0(value, found, now=now)
        return
    found.form = "json"
    for line, item in enumerate(value if isinstance(value, list) else memories(value) or [value], 1):
        require_room(found)
        take_object(item, line, found, now=now)


def _of_mem0(upload: Upload) -> Any:
    value = whole(upload.data)
    if not memories(value) and value not in ([], {"results": []}):
        raise InvalidInput(
            "That is no export of mem0.", hint="Write what get_all answers into a file: a list, or “results” with one."
        )
    return value
