"""R4: what is uploaded is laid out as the folder it was, and never outside it."""

import errno
import io
import os
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from souvenance.domain.errors import InvalidInput, StoreUnavailable, TooLarge
from souvenance.imports import uploads
from souvenance.imports.uploads import Upload, laid_out


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


# --- what is said is the truth of each kind ---------------------------------------------------------------------


def _refused(*sent: Upload) -> InvalidInput | StoreUnavailable:
    with pytest.raises((InvalidInput, StoreUnavailable)) as refused, laid_out(sent):
        pytest.fail("it was laid out")
    return refused.value


@pytest.mark.parametrize(
    ("number", "kind", "said"),
    [
        (errno.ENOSPC, StoreUnavailable, "The disk is full"),
        (errno.EDQUOT, StoreUnavailable, "The disk is full"),
        (errno.EROFS, StoreUnavailable, "temporary files cannot be used: Read-only"),
        (errno.EIO, StoreUnavailable, "temporary files cannot be used"),
        (errno.ENAMETOOLONG, InvalidInput, "“a.md” cannot be laid out: File name too long"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_r4_what_keeps_files_from_being_laid_out_is_told_as_it_is(
    monkeypatch: pytest.MonkeyPatch, number: int, kind: type, said: str, packed: bool
) -> None:
    opened: Callable[..., Any] = Path.open

    def failing(path: Path, *given: Any, **more: Any) -> Any:
        if "souvenance-import-" in str(path):
            raise OSError(number, os.strerror(number))
        return opened(path, *given, **more)

    monkeypatch.setattr(Path, "open", failing)
    sent = Upload("c.zip", _zip({"a.md": b"x"})) if packed else Upload("a.md", io.BytesIO(b"x"))
    refused = _refused(sent)
    assert type(refused) is kind
    assert said in refused.message
    assert "unpacked" not in refused.message
    assert refused.hint


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full")
def test_r4_a_disk_that_fills_up_while_a_file_is_written_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: Callable[..., Any] = Path.open
    monkeypatch.setattr(
        Path, "open", lambda path, *given: opened(Path("/dev/full") if path.suffix == ".md" else path, *given)
    )
    for sent in (Upload("c.zip", _zip({"a.md": b"x" * 100})), Upload("a.md", io.BytesIO(b"x" * 100))):
        assert "The disk is full" in _refused(sent).message


def test_r4_no_folder_for_temporary_files_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    refused = _refused(Upload("a.md", io.BytesIO(b"x")))
    assert type(refused) is StoreUnavailable
    assert "temporary files" in refused.message


@pytest.mark.parametrize("how", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_r4_an_archive_that_is_damaged_within_is_told_so(how: int) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", how) as archive:
        archive.writestr("a.md", os.urandom(3000))
    broken = bytearray(made.getvalue())
    broken[60:2000] = b"\xff" * 1940
    refused = _refused(Upload("c.zip", io.BytesIO(bytes(broken))))
    assert type(refused) is InvalidInput
    assert "damaged" in refused.message


def test_r4_a_locked_archive_and_one_packed_in_an_unknown_way_are_told_so() -> None:
    plain = _zip({"a.md": b"x"}).getvalue()
    local, central = plain.index(b"PK\x03\x04"), plain.index(b"PK\x01\x02")
    locked = bytearray(plain)
    locked[local + 6] |= 1
    locked[central + 8] |= 1
    assert "locked with a password" in _refused(Upload("c.zip", io.BytesIO(bytes(locked)))).message
    unknown = bytearray(plain)
    unknown[local + 8] = unknown[central + 10] = 97
    assert "not known here" in _refused(Upload("c.zip", io.BytesIO(bytes(unknown)))).message


def test_r4_what_cannot_be_read_again_on_the_server_is_no_damage() -> None:
    class Failing(io.BytesIO):
        def read(self, *given: Any) -> bytes:
            if self.tell() == 0:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().read(*given)

    refused = _refused(Upload("c.zip", Failing(_zip({"a.md": b"x"}).getvalue())))
    assert type(refused) is StoreUnavailable
    assert "server's disk" in refused.hint
    assert "cannot be read again" in _refused(Upload("a.md", Failing(b"x"))).message
