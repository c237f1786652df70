"""Files as Markdown: those that are text as they stand are read here, all others by the reader process (V13)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from souvenance.domain.errors import InvalidInput
from souvenance.domain.fact import readable_text
from souvenance.domain.note import MAX_NOTE_BYTES
from souvenance.ingest.front_matter import divided
from souvenance.ingest.kinds import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file's text as Markdown, and its front matter where it had one."""

    content: str
    front_matter: dict[str, Any] = field(default_factory=dict)


class Unreadable(Exception):
    """A file that cannot be read, with the reason for a person."""


class NotText(Unreadable):
    """A file of unknown kind that is no text: passed over, not an error."""


def read_text(raw: bytes, *, name: str, kind: Kind) -> Document:
    """A file that is text: Markdown and plain text as they stand, source code as a block of code."""
    text = decoded(raw, is_known=kind is not Kind.UNKNOWN)
    if kind is Kind.CODE:
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
        suffix = name.rpartition(".")[2].lower() if "." in name else ""
        text = f"{fence}{suffix}\n{text.rstrip()}\n{fence}\n" if text.strip() else ""
    content = storable(text)
    if kind is not Kind.MARKDOWN:
        return Document(content=content)
    values, content, _ = divided(content)
    return Document(content=content, front_matter=values)


def decoded(raw: bytes, *, is_known: bool = True) -> str:
    """Text from bytes: UTF-8, UTF-16 by its mark, else Windows-1252 where the file is known to be text."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return raw.decode("utf-16")
        except UnicodeDecodeError:
            raise Unreadable("it is not valid UTF-16") from None
    if b"\x00" in raw:
        raise (Unreadable if is_known else NotText)("it holds NUL bytes, so it is not text")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        if not is_known:
            raise NotText("it is not text in UTF-8") from None
        return raw.decode("cp1252", "replace")


def storable(text: str) -> str:
    """Text as any store keeps it, or Unreadable: over the size of a note."""
    clean = text.replace("\x00", "").encode("utf-8", "replace").decode()
    try:
        return readable_text(clean, what="text", limit=MAX_NOTE_BYTES)
    except InvalidInput:
        size = len(clean.encode())
        raise Unreadable(f"its text is {size:,} bytes; a note holds at most {MAX_NOTE_BYTES:,}") from None
