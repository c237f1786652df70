"""F7 through the command line, REST and the library."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from souvenance import Souvenance
from souvenance.interfaces.cli.app import run
from souvenance.interfaces.cli.exits import ExitCode

Say = Callable[..., tuple[int, Any]]


@pytest.fixture
def say(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run a command line in JSON; its exit code and what it answered."""
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")

    def said(*words: str) -> tuple[int, Any]:
        code = run([*words, "--data", str(tmp_path / "memory"), "--json"])
        out = capsys.readouterr()
        return code, json.loads(out.out or out.err)

    return said


def test_f7_from_the_command_line(say: Say) -> None:
    say("vault", "create", "Harpe")
    say("remember", "Ghislaine joue de la harpe", "--vault", "harpe")
    code, found = say("erase", "vault", "harpe", "--dry-run")
    assert (code, found["total"]["facts"], found["vaults"][0]["vault"]) == (ExitCode.DONE, 1, "harpe")
    code, refused = say("erase", "vault", "harpe")
    assert (code, refused["error"]["code"]) == (ExitCode.REFUSED, "invalid_input")
    code, _ = say("erase", "vault", "lyre", "--yes")
    assert code == ExitCode.NOT_FOUND
    code, done = say("erase", "vault", "harpe", "--yes")
    assert (code, done["receipts"][0]["state"], done["receipts"][0]["proof"]) == (ExitCode.DONE, "done", "bytes")
    code, found = say("receipts")
    assert [(item["vault"], item["kind"]) for item in found["receipts"]] == [("harpe", "vault")]
    assert "Ghislaine" not in json.dumps(found)
    code, _ = say("erase", "member", "42", "--yes")
    assert code == ExitCode.NOT_FOUND


def test_f7_in_a_program(tmp_path: Path) -> None:
    with Souvenance(tmp_path, embedder="none") as memory:
        memory.remember("Ghislaine joue de la harpe", vault="harpe")
        assert memory.preview_erasure("harpe").total["facts"] == 1
        (receipt,) = memory.erase("harpe", confirm="harpe").receipts
        assert (receipt.state, receipt.counts["facts"]) == ("done", 1)
        assert memory.receipts() == [receipt]
        assert memory.search("Ghislaine", vault="harpe").hits == ()
