"""Facts of a table, CSV as spreadsheets write it: a row of headings, then a fact on each (R4)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO

from souvenance.domain.errors import InvalidInput
from souvenance.domain.fact import State, SubjectKind, folded
from souvenance.imports.facts.lines import MOST_LINE, as_text, encoding_of, require_room
from souvenance.imports.facts.records import FIELDS, FactFile, Remark

SNIFFED = 64 * 1024
"""Characters of the file by which its delimiter is told."""
OTHERWISE = {
    "content": ("fact", "memory", "text", "observation", "contenu", "souvenir", "fait", "texte"),
    "key": ("cle",),
    "category": ("categorie",),
    "confidence": ("confiance",),
    "subject": ("about", "sujet"),
    "subject_kind": ("nature du sujet",),
    "subject_id": ("identifiant du sujet",),
    "channel": ("canal", "salon"),
    "author": ("auteur",),
    "language": ("langue",),
    "said_at": ("dit le",),
    "state": ("etat",),
    "reason": ("motif", "raison"),
    "number": ("numero",),
    "replaced_by": ("remplace par",),
    "disabled": ("desactive",),
    "created_at": ("created", "cree le"),
    "updated_at": ("updated", "modifie le", "mis a jour le"),
    "valid_from": ("depuis", "valable depuis", "valide depuis"),
    "valid_to": ("valid until", "jusqu au", "valable jusqu au", "valide jusqu au"),
}
"""Other names of columns, in French too, as they are left by case, accents and signs."""
COLUMNS = {name.replace("_", " "): name for name in FIELDS if name != "said_dates"} | {
    other: name for name, others in OTHERWISE.items() for other in (*others, name.replace("_", " "))
}
KINDS = {"coffre": "vault", "membre": "member", "role": "role", "utilisateur": "user"}
STATES = {"en vigueur": State.IN_FORCE, "retire": State.RETIRED, "corbeille": State.TRASHED}
TRUE, FALSE = {"true", "yes", "1", "oui", "vrai"}, {"false", "no", "0", "non", "faux"}


def read_csv(data: BinaryIO, found: FactFile, *, now: datetime) -> None:
    """The rows of a table into `found`. UTF-8, UTF-16 or, where it is neither, the Windows page of western Europe."""
    encoding = encoding_of(data)
    try:
        _read(data, encoding, FactFile(found.form), found, now)
    except UnicodeDecodeError:
        if encoding != "utf-8":
            raise InvalidInput("The file is not the text it says it is.", hint="Save it as UTF-8.") from None
        _read(data, "cp1252", FactFile(found.form), found, now)


def _read(data: BinaryIO, encoding: str, read: FactFile, found: FactFile, now: datetime) -> None:
    """What is read is handed over once all of it could be decoded."""
    errors = "replace" if encoding == "cp1252" else "strict"  # five of its bytes mean nothing
    with as_text(data, encoding, errors=errors, newline="") as text:
        dialect = _dialect(text.read(SNIFFED))
        text.seek(0)
        _rows(text, dialect, read, now)
    found.records, found.problems, found.warnings = read.records, read.problems, read.warnings
    found.unknown = read.unknown


def _dialect(sample: str) -> type[csv.Dialect]:
    try:
        return csv.Sniffer().sniff(sample.partition("\n")[0] or sample, delimiters=",;\t|")
    except csv.Error:  # a single column
        return csv.excel


def _rows(text: Any, dialect: type[csv.Dialect], read: FactFile, now: datetime) -> None:
    csv.field_size_limit(max(MOST_LINE, csv.field_size_limit()))  # one for all who read tables in this process
    # Only the delimiter is told from the file: spreadsheets double quotes within quotes, whatever its first row shows.
    rows = csv.reader(text, delimiter=dialect.delimiter, strict=True)
    lines = _numbered(rows, read)
    _line, heading = next(lines, (1, []))
    meant = [COLUMNS.get(_plain(name), "") for name in heading]
    # Of columns that mean the same the first is taken; the others are named with those that mean nothing.
    columns = [name if name not in meant[:place] else "" for place, name in enumerate(meant)]
    if "content" not in columns:
        raise InvalidInput(
            "No column is headed “content”.",
            hint="Name the columns in the first row: content, key, category.",
        )
    read.meet(name for name, known in zip(heading, columns, strict=True) if not known and name)
    for line, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        # In a table of nothing but facts, what looks like a delimiter is a comma of theirs.
        row = [dialect.delimiter.join(cells)] if len(columns) == 1 else cells
        if len(row) > len(columns):
            read.reject(Remark(line, "it has more columns than the first row"))
            continue
        require_room(read)
        given = {name: cell.strip() for name, cell in zip(columns, row, strict=False) if name and cell.strip()}
        try:
            values = _values(given)
        except InvalidInput as error:
            read.reject(Remark(line, str(error)))
        else:
            read.take(values, line=line, now=now)


def _numbered(rows: Any, read: FactFile) -> Iterator[tuple[int, list[str]]]:
    """The rows with the line each begins on; one that cannot be read is told and ends the reading."""
    while True:
        line = rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            read.reject(Remark(line, "the row cannot be read: a quote is not closed, or a field is too long"))
            return
        yield line, row


def _plain(name: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", folded(name)).split())


def _values(given: dict[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = dict(given)
    if subject := values.pop("subject", ""):
        values["subject_kind"], values["subject_id"] = _subject(subject)
    elif kind := values.get("subject_kind"):
        values["subject_kind"] = KINDS.get(_plain(kind), kind)
    for name in ("number", "replaced_by"):
        if text := given.get(name):
            digits = text.removeprefix("#")
            values[name] = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else text
    if text := given.get("confidence"):
        values["confidence"] = _figure(text)
    if text := given.get("importance"):
        figure = _figure(text)
        values["importance"] = int(figure) if isinstance(figure, float) and figure.is_integer() else figure
    if text := given.get("state"):
        values["state"] = STATES.get(_plain(text), text)
    if text := given.get("disabled"):
        values["disabled"] = True if text.casefold() in TRUE else False if text.casefold() in FALSE else text
    return values


def _subject(text: str) -> tuple[str, str]:
    """`member 77`, `member:77`, `vault`; an id alone is a member's."""
    kind, _, name = text.replace(":", " ", 1).strip().partition(" ")
    known = KINDS.get(_plain(kind), _plain(kind))
    return (known, name.strip()) if known in set(SubjectKind) else (SubjectKind.MEMBER.value, text)


def _figure(text: str) -> float | str:
    """A number with a point or a comma, or in percent; what is none stays text, to be told as such."""
    plain = text.replace(",", ".").replace("\u202f", "").replace("\xa0", "").strip()
    try:
        return float(plain.removesuffix("%")) / 100 if plain.endswith("%") else float(plain)
    except ValueError:
        return text
