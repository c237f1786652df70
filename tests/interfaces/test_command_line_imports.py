"""Importing and exporting on the command line (R4)."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from souvenance.imports.facts import imports
from souvenance.interfaces.cli.app import run
from souvenance.interfaces.cli.exits import ExitCode


class CommandLine:
    def __init__(self, store_url: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.url = store_url
        self.capsys = capsys

    def said(self, *arguments: str, code: int = 0) -> str:
        """What a command says, on both streams."""
        self.capsys.readouterr()
        assert run(["--database-url", self.url, *arguments]) == code
        told = self.capsys.readouterr()
        return told.out + told.err

    def __call__(self, *arguments: str) -> Any:
        self.capsys.readouterr()
        assert run(["--database-url", self.url, "--json", *arguments]) == 0
        return json.loads(self.capsys.readouterr().out)


@pytest.fixture
def memory(store_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")
    answering = CommandLine(store_url, capsys)
    answering("vault", "create", "Garden")
    return answering


def test_r4_a_vault_is_exported_and_read_into_another(memory: CommandLine, tmp_path: Path) -> None:
    memory("remember", "Roses want water.", "--project", "garden", "--key", "roses")
    number = str(memory("remember", "Beans are sown.", "--project", "garden")["number"])
    memory("fact", "retire", number, "--reason", "eaten")
    file = tmp_path / "garden.jsonl"
    assert "Wrote" in memory.said("export", "garden", "--output", str(file))
    assert memory.said("export", "garden") == file.read_text()
    assert "- **roses**: Roses want water. ^1" in memory.said("export", "garden", "--format", "markdown")
    assert [item.name for item in tmp_path.glob("*garden*")] == ["garden.jsonl"]

    assert "The vault copy would be made." in memory.said("import", "facts", str(file), "--vault", "copy", "--dry-run")
    assert "copy" not in memory.said("vault", "list")
    told = memory.said("import", "facts", str(file), "--vault", "copy")
    assert "2 facts (jsonl): made 2, of which 1 retired" in told
    assert "souvenance history revert --agent 'import " in told
    again = memory("import", "facts", str(file), "--vault", "copy", "--format", "jsonl")
    assert (again["created"], again["known"]) == (0, 2)


def test_r4_problems_are_said_by_line_and_a_file_that_is_none_makes_no_vault(
    memory: CommandLine, tmp_path: Path
) -> None:
    table = tmp_path / "facts.csv"
    table.write_text("content;importance\nRoses want water.;3\nBeans;many\n")
    told = memory.said("import", "facts", str(table), "--vault", "garden")
    assert "left out  line 3: Importance is a whole number" in told
    (tmp_path / "none.csv").write_text("a;b\n1;2\n")
    memory.said("import", "facts", str(tmp_path / "none.csv"), "--vault", "new", code=1)
    memory.said("import", "facts", str(tmp_path / "missing"), "--vault", "new", code=1)
    memory.said("import", "chats", str(table), "--vault", "new", code=1)
    memory.said("export", "garden", "--output", str(tmp_path / "no" / "such" / "folder"), code=1)
    assert "new" not in memory.said("vault", "list")


def test_r4_conversations_become_notes(memory: CommandLine, tmp_path: Path) -> None:
    said = [{"sender": "human", "text": "When are beans sown?"}, {"sender": "assistant", "text": "In May."}]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{"uuid": "c1", "name": "Beans", "chat_messages": said}, {"uuid": "c2"}]))
    told = memory.said("import", "chats", str(file), "--vault", "talks", "--folder", "old")
    assert "1 conversation: made 1 note" in told
    assert "left out  #2: it is no conversation" in told
    assert "In May." in memory("note", "show", "talks:old/Claude/Beans")["content"]
    assert memory("import", "chats", str(file), "--vault", "talks", "--folder", "old")["unchanged"] == 1


def test_r4_an_import_that_is_stopped_by_hand_says_what_is_in_and_goes_on_from_there(
    memory: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "BATCH", 2)
    file = tmp_path / "facts.jsonl"
    file.write_text("".join(f'{{"content": "Rose {n}."}}\n' for n in range(5)))
    keep, before = imports.keep, signal.getsignal(signal.SIGINT)

    def interrupted(*given: Any, **named: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return keep(*given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(imports, "keep", interrupted)
        told = memory.said("import", "facts", str(file), "--vault", "garden", code=ExitCode.INTERRUPTED)
    assert "made 2" in told
    assert "Stopped before all was in" in told
    assert "history revert" in told
    assert signal.getsignal(signal.SIGINT) is before
    rest = memory("import", "facts", str(file), "--vault", "garden")
    assert (rest["created"], rest["known"], rest["stopped"]) == (3, 2, False)
