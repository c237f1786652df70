"""Reading documents of every kind, and hostile ones, in the reader process (V13)."""

from collections.abc import Iterator

import pytest

import documents
from souvenance.ingest.documents import NotText, Unreadable, read_text
from souvenance.ingest.kinds import Kind, kind_of
from souvenance.ingest.reader_process import ReaderProcess


@pytest.fixture(scope="module")
def reader() -> Iterator[ReaderProcess]:
    opened = ReaderProcess()
    yield opened
    opened.close()


GOOD = [
    ("a.pdf", documents.pdf("The quokka sleeps"), ["## Page 1", "The quokka sleeps"]),
    ("a.docx", documents.docx("Numbats", "They eat termites."), ["# Numbats", "They eat termites."]),
    ("a.pptx", documents.pptx("First slide", "Second slide"), ["## Slide 1\n\nFirst slide", "## Slide 2\n\nSecond"]),
    ("a.xlsx", documents.xlsx(["name", "age"], ["Ada", 36]), ["## Sheet", "| name | age |", "| Ada | 36 |"]),
    ("a.epub", documents.epub("The Book", "last words", "first words"), ["# The Book", "first words", "last words"]),
    ("a.html", b"<title>T</title><h1>Head</h1><p>Body <b>bold</b></p><script>no()</script>", ["# Head", "**bold**"]),
    ("a.eml", documents.email("Lunch", "At noon?"), ["# Lunch", "ada@example.org", "At noon?"]),
    ("a.csv", b"name;age\nAda;36\n", ["| name | age |", "| Ada | 36 |"]),
]


@pytest.mark.parametrize(("name", "raw", "expected"), GOOD, ids=[name for name, _, _ in GOOD])
def test_v13_each_kind_gives_its_text_in_order(
    reader: ReaderProcess, name: str, raw: bytes, expected: list[str]
) -> None:
    text = reader.read(raw, kind=kind_of(name), name=name).content
    places = [text.find(part) for part in expected]
    assert -1 not in places, text
    assert places == sorted(places)
    assert "no()" not in text


@pytest.mark.parametrize("suffix", ["pdf", "docx", "pptx", "xlsx", "epub"])
def test_v13_garbage_is_refused_with_a_reason_and_the_process_goes_on(reader: ReaderProcess, suffix: str) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        reader.read(b"\x00garbage" * 500, kind=Kind(suffix), name=f"a.{suffix}")
    assert "still" in reader.read(b"<p>still here</p>", kind=Kind.HTML, name="a.html").content


def test_v13_a_zip_bomb_in_a_docx_is_refused_before_it_is_unpacked(reader: ReaderProcess) -> None:
    bomb = documents.archive({"word/document.xml": b"\x00" * (300 * 1024 * 1024)})
    assert len(bomb) < 1_000_000
    with pytest.raises(Unreadable, match="unpack"):
        reader.read(bomb, kind=Kind.DOCX, name="bomb.docx")


def test_v13_a_file_that_takes_too_long_is_stopped_and_the_next_is_read() -> None:
    reader = ReaderProcess(seconds=1.5)
    try:
        deep = b"<div>" * 400_000  # quadratic work for any reader of HTML
        with pytest.raises(Unreadable):
            reader.read(deep, kind=Kind.HTML, name="deep.html")
        assert "next" in reader.read(b"<p>next</p>", kind=Kind.HTML, name="a.html").content
    finally:
        reader.close()


def test_v13_a_file_that_wants_too_much_memory_is_refused_and_the_next_is_read() -> None:
    reader = ReaderProcess(memory=400 * 1024 * 1024)
    try:
        with pytest.raises(Unreadable):
            reader.read(b"<p>x</p>" * 3_000_000, kind=Kind.HTML, name="big.html")
        assert "next" in reader.read(b"<p>next</p>", kind=Kind.HTML, name="a.html").content
    finally:
        reader.close()


def test_v13_source_code_is_a_block_whose_comments_are_no_headings() -> None:
    text = read_text(b"# not a heading\nprint('```')\n", name="a.py", kind=Kind.CODE).content
    assert text == "````py\n# not a heading\nprint('```')\n````\n"


def test_v13_text_of_unknown_kind_is_taken_and_binary_is_passed_over() -> None:
    assert read_text(b"Licence: free\n", name="COPYING", kind=kind_of("COPYING")).content == "Licence: free\n"
    with pytest.raises(NotText):
        read_text(b"\x7fELF\x00\x01", name="program", kind=kind_of("program"))
    assert read_text("é".encode("cp1252"), name="a.txt", kind=Kind.TEXT).content == "é"
