"""R4: what is uploaded is laid out as the folder it was, and never outside it."""

import io
import zipfile

import pytest

from souvenance.domain.errors import InvalidInput, TooLarge
from souvenance.ingest import uploads
from souvenance.ingest.uploads import Upload, laid_out


def _zip(files: dict[str, bytes]) -> io.BytesIO:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    made.seek(0)
    return made


def test_files_and_archives_are_laid_out_and_gone_afterwards() -> None:
    sent = [Upload("seul.md", io.BytesIO(b"un")), Upload("c.zip", _zip({"a/b.md": b"deux", "a/x.png": b"no"}))]
    with laid_out(sent) as folder:
        there = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        assert there == ["a/b.md", "seul.md"]
        assert (folder / "a/b.md").read_bytes() == b"deux"
    assert not folder.exists()


@pytest.mark.parametrize("name", ["../../out.md", "/etc/out.md", "..\\..\\out.md", "a/../../../out.md"])
def test_no_name_leads_outside(name: str) -> None:
    with laid_out([Upload("c.zip", _zip({name: b"x"}))]) as folder:
        (found,) = folder.rglob("*.md")
        assert found.resolve().is_relative_to(folder.resolve())
        assert found.name == "out.md"


def test_an_endless_archive_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 1000)
    with pytest.raises(TooLarge, match="over"), laid_out([Upload("c.zip", _zip({"a.md": b"0" * 5000}))]):
        pytest.fail("it was laid out")


@pytest.mark.parametrize(
    ("name", "data"), [("c.zip", b"PK not a zip"), ("c.zip", b""), ("photo.png", b"x"), ("", b"x")]
)
def test_what_is_no_markdown_and_no_archive_is_refused_in_words(name: str, data: bytes) -> None:
    with pytest.raises(InvalidInput), laid_out([Upload(name, io.BytesIO(data))]):
        pytest.fail("it was laid out")


def test_nothing_chosen_is_told() -> None:
    with pytest.raises(InvalidInput, match="No file"), laid_out([]):
        pytest.fail("it was laid out")
