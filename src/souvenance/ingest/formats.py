"""Formats that are taken apart: only ever in the reader process, since the bytes may be hostile."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import unquote

from souvenance.domain.note import MAX_NOTE_BYTES
from souvenance.ingest.documents import Unreadable, decoded
from souvenance.ingest.kinds import Kind

MOST_UNPACKED = 256 * 1024 * 1024
"""Bytes an Office file or book may unpack to."""
MOST_PARTS = 10_000


def read(raw: bytes, kind: Kind, name: str) -> str:
    """The Markdown of a file; Unreadable, or whatever its library raises."""
    if kind in (Kind.DOCX, Kind.PPTX, Kind.XLSX, Kind.EPUB):
        _require_sane(raw)
    match kind:
        case Kind.PDF:
            return _pdf(raw)
        case Kind.DOCX:
            return _docx(raw)
        case Kind.PPTX:
            return _pptx(raw)
        case Kind.XLSX:
            return _xlsx(raw)
        case Kind.EPUB:
            return _epub(raw)
        case Kind.HTML:
            return _html(raw)
        case Kind.EMAIL:
            return _email(raw)
        case Kind.CSV:
            return _csv(raw, tabs=name.lower().endswith(".tsv"))
    raise Unreadable(f"files of kind {kind} have no reader")


def _require_sane(raw: bytes) -> None:
    """Refuse an archive that would unpack beyond all measure, before anything of it is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            parts = archive.infolist()
    except zipfile.BadZipFile:
        raise Unreadable("it is damaged: not the archive its name says") from None
    size = sum(part.file_size for part in parts)
    if len(parts) > MOST_PARTS or size > MOST_UNPACKED:
        raise Unreadable(f"it would unpack to {size:,} bytes in {len(parts):,} parts; that is a trick or a mistake")
    if any(part.flag_bits & 1 for part in parts):
        raise Unreadable("it is protected by a password")


class _Gathered:
    """Parts of a text, refused as soon as they are more than a note holds."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._size = 0

    def add(self, text: str) -> None:
        self._size += len(text)
        if self._size > MAX_NOTE_BYTES:
            raise Unreadable(f"its text is over {MAX_NOTE_BYTES:,} bytes, more than a note holds")
        self.parts.append(text)

    def text(self) -> str:
        return "\n\n".join(part for part in self.parts if part.strip()) + "\n"


def _pdf(raw: bytes) -> str:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as error:
        protected = "password" in str(error).lower()
        raise Unreadable("it is protected by a password" if protected else "it is damaged: not a PDF") from None
    out = _Gathered()
    if title := " ".join(document.get_metadata_dict().get("Title", "").split()):
        out.add(f"# {title}")
    found = False
    for number in range(len(document)):
        text = document[number].get_textpage().get_text_bounded().replace("\r\n", "\n").strip()
        text = text.replace("\ufffe", "").replace("\u0002", "")  # the hyphen at a line's end
        if text:
            found = True
            out.add(f"## Page {number + 1}\n\n{_plain(text)}")
    if not found:
        raise Unreadable("it holds no text, only pictures; recognise its text first (OCR)")
    return out.text()


def _plain(text: str) -> str:
    """Text whose lines are no Markdown headings."""
    return re.sub(r"^(\s{0,3})(#{1,6}\s)", r"\1\\\2", text, flags=re.MULTILINE)


def _markdown(html: str) -> str:
    from markdownify import markdownify

    return re.sub(r"\n{3,}", "\n\n", str(markdownify(html, heading_style="ATX", bullets="-"))).strip()


def _html(raw: bytes) -> str:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(raw, "html.parser")
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    for unseen in soup(["script", "style", "noscript", "template", "svg", "head", "nav"]):
        unseen.decompose()
    for picture in soup("img"):  # a picture embedded as text is thousands of letters that say nothing
        picture.replace_with(str(picture.get("alt") or ""))
    out = _Gathered()
    body = _markdown(str(soup))
    if title and not body.startswith("# "):
        out.add(f"# {title}")
    out.add(body)
    return out.text()


def _docx(raw: bytes) -> str:
    import mammoth

    nothing = mammoth.images.img_element(lambda image: {"src": ""})
    return _html(mammoth.convert_to_html(io.BytesIO(raw), convert_image=nothing).value.encode())


def _xml(archive: zipfile.ZipFile, part: str) -> Any:
    from defusedxml.ElementTree import fromstring

    return fromstring(archive.read(part))


def _local(tag: object) -> str:
    return str(tag).rpartition("}")[2]


def _pptx(raw: bytes) -> str:
    """Slides in their order, each under a heading, with its speaker's notes."""
    out = _Gathered()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = set(archive.namelist())
        for number, slide in enumerate(_slides(archive, names), start=1):
            texts = _paragraphs(_xml(archive, slide))
            out.add(f"## Slide {number}\n\n" + "\n\n".join(map(_plain, texts)))
            for target in _related(archive, names, slide).values():
                if "/notesSlides/" in f"/{target}" and target in names:
                    out.add("### Notes\n\n" + "\n\n".join(map(_plain, _paragraphs(_xml(archive, target)))))
    return out.text()


def _slides(archive: zipfile.ZipFile, names: set[str]) -> list[str]:
    targets = _related(archive, names, "ppt/presentation.xml")
    ids = [
        value
        for item in _xml(archive, "ppt/presentation.xml").iter()
        if _local(item.tag) == "sldId"
        for name, value in item.attrib.items()
        if name.endswith("}id")
    ]
    return [targets[one] for one in ids if targets.get(one) in names]


def _related(archive: zipfile.ZipFile, names: set[str], part: str) -> dict[str, str]:
    folder, _, name = part.rpartition("/")
    beside = f"{folder}/_rels/{name}.rels"
    if beside not in names:
        return {}
    return {
        item.get("Id", ""): posixpath.normpath(posixpath.join(folder, item.get("Target", ""))).lstrip("/")
        for item in _xml(archive, beside)
    }


def _paragraphs(root: Any) -> list[str]:
    found = []
    for paragraph in root.iter():
        if _local(paragraph.tag) == "p":
            runs = ("\n" if _local(run.tag) == "br" else run.text or "" for run in paragraph.iter()
                    if _local(run.tag) in ("t", "br"))  # fmt: skip
            if text := "".join(runs).strip():
                found.append(text)
    return found


def _xlsx(raw: bytes) -> str:
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(raw), read_only=True, data_only=True, keep_links=False)
    out = _Gathered()
    for sheet in book.worksheets:
        out.add(f"## {sheet.title}")
        _table(out, (["" if cell is None else str(cell) for cell in row] for row in sheet.iter_rows(values_only=True)))
    return out.text()


def _csv(raw: bytes, *, tabs: bool) -> str:
    import csv

    text = decoded(raw)
    csv.field_size_limit(MAX_NOTE_BYTES)
    first = text[:8192].partition("\n")[0]
    mark = "\t" if tabs else max(",;\t|", key=first.count)
    out = _Gathered()
    _table(out, csv.reader(io.StringIO(text, newline=""), delimiter=mark))
    return out.text()


def _table(out: _Gathered, rows: Iterable[Sequence[str]]) -> None:
    """Rows as Markdown tables, a heading row above each thirty so that a passage says what its columns are."""
    heading: str | None = None
    block: list[str] = []
    for row in rows:
        cells = [" ".join(cell.split()).replace("|", "\\|") for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        line = f"| {' | '.join(cells)} |"
        if heading is None:
            heading = f"{line}\n|{' --- |' * len(cells)}"
            continue
        block.append(line)
        if len(block) == 30:
            out.add("\n".join([heading, *block]))
            block = []
    if heading is not None and (block or not out.parts or out.parts[-1].startswith("## ")):
        out.add("\n".join([heading, *block]))


def _epub(raw: bytes) -> str:
    """The chapters of a book in reading order."""
    out = _Gathered()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = set(archive.namelist())
        where = next(item for item in _xml(archive, "META-INF/container.xml").iter() if _local(item.tag) == "rootfile")
        package = where.get("full-path", "")
        root, folder = _xml(archive, package), package.rpartition("/")[0]
        files: dict[str, str] = {}
        order: list[str] = []
        for item in root.iter():
            match _local(item.tag):
                case "item":
                    href = unquote(item.get("href", ""))
                    files[item.get("id", "")] = posixpath.normpath(posixpath.join(folder, href))
                case "itemref":
                    order.append(item.get("idref", ""))
                case "title" if item.text and not out.parts:
                    out.add(f"# {' '.join(item.text.split())}")
        for one in order:
            if files.get(one) in names:
                out.add(_html(archive.read(files[one])))
    return out.text()


def _email(raw: bytes) -> str:
    from email import message_from_bytes, policy

    message: Any = message_from_bytes(raw, policy=policy.default)
    out = _Gathered()
    out.add(f"# {' '.join(str(message['subject'] or 'No subject').split())}")
    said = {name: " ".join(str(message[name]).split()) for name in ("From", "To", "Cc", "Date") if message[name]}
    out.add("\n".join(f"- {name}: {value}" for name, value in said.items()))
    body = message.get_body(preferencelist=("plain", "html"))
    if body is not None:
        payload = body.get_payload(decode=True) or b""
        is_html = body.get_content_type() == "text/html"
        out.add(_html(payload) if is_html else _plain(str(body.get_content())))
    attached = [part.get_filename() for part in message.iter_attachments() if part.get_filename()]
    if attached:
        out.add("Attached: " + ", ".join(attached))
    return out.text()
