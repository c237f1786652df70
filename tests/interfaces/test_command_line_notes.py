"""Notes, history and context on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from souvenance.domain.access import Source
from souvenance.interfaces.cli.app import run
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.wiring import open_application


class CommandLine:
    """The command on one memory, answering in JSON."""

    def __init__(self, url: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.url = url
        self.capsys = capsys

    def __call__(self, *arguments: str) -> Any:
        code = run(["--database-url", self.url, "--json", *arguments])
        out, err = self.capsys.readouterr()
        assert code == 0, err
        return json.loads(out)

    def refused(self, *arguments: str) -> dict[str, Any]:
        code = run(["--database-url", self.url, "--json", *arguments])
        out, err = self.capsys.readouterr()
        assert code != 0, out
        error: dict[str, Any] = json.loads(err)["error"]
        return error | {"exit": code}


@pytest.fixture
def memory(store_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")
    answering = CommandLine(store_url, capsys)
    answering("vault", "create", "Garden")
    return answering


def test_a_note_is_written_read_edited_in_five_ways_and_its_stale_version_refused(memory: CommandLine) -> None:
    note = memory("note", "create", "Roses", "# Care\n\nwater weekly\n\n# Pests\n\naphids", "--vault", "garden")["note"]
    memory("note", "edit", "Roses", "append", "after", "--version", "1")
    memory("note", "edit", "garden:Roses", "prepend", "before")
    memory("note", "edit", note, "find_replace", "daily", "--find", "weekly")
    memory("note", "edit", note, "replace_section", "ladybirds", "--section", "Pests")
    content = memory("note", "show", "Roses")["content"]
    assert "water daily" in content
    assert "ladybirds" in content
    assert "aphids" not in content
    assert content.startswith("before")
    assert memory.refused("note", "edit", note, "append", "late", "--version", "1")["code"] == "stale_version"
    assert memory("note", "edit", note, "replace", "all new")["version"] == 6
    assert memory("note", "show", note)["content"] == "all new"
    assert [r["did"] for r in memory("note", "history", note)["revisions"]][-1] == "create"
    assert "+all new" in memory("note", "diff", note)["revision"]["diff"].replace("+ ", "+")
    first = memory("note", "history", note)["revisions"][-1]["change"]
    memory("note", "restore", note, "--change", str(first))
    assert "aphids" in memory("note", "show", note)["content"]


def test_a_note_is_moved_renamed_deleted_restored_and_purged_and_links_follow(memory: CommandLine) -> None:
    memory("note", "create", "Beds", "see [[Soil]]", "--vault", "garden")
    soil = memory("note", "create", "Soil", "loam", "--vault", "garden", "--folder", "basics")["note"]
    memory("note", "move", soil, "ground/deep")
    memory("note", "rename", soil, "Earth")
    (link,) = memory("note", "show", "Beds")["links"]
    assert (link["note_id"], link["title"]) == (soil, "Earth")
    memory("note", "delete", soil)
    assert [note["title"] for note in memory("note", "list")["notes"]] == ["Beds"]
    assert [note["title"] for note in memory("note", "list", "--trashed")["notes"]] == ["Earth"]
    memory("note", "restore", soil)
    memory("note", "delete", soil)
    assert "--yes" in memory.refused("note", "purge", soil)["hint"]
    memory("note", "purge", soil, "--yes")
    assert memory.refused("note", "show", soil)["exit"] == 3


def test_n2_a_page_is_edited_and_its_facts_follow(memory: CommandLine) -> None:
    memory("remember", "Peas in March", "--vault", "garden", "--category", "sowing")
    page = memory("remember", "Beans in May", "--vault", "garden", "--category", "sowing")["note"]
    edited = memory("note", "edit", page, "append", "--", "- Kale in June")
    assert len(edited["facts_added"]) == 1
    assert [fact["content"] for fact in memory("note", "show", page)["facts"]] == [
        "Peas in March",
        "Beans in May",
        "Kale in June",
    ]


@pytest.mark.parametrize("path", ["../up", "/etc", "a/../../b", "~root"])
def test_a_path_that_leaves_the_vault_is_refused(path: str, memory: CommandLine) -> None:
    assert memory.refused("note", "create", "x", "y", "--vault", "garden", "--folder", path)["code"] == "invalid_input"


def test_a_note_is_taken_from_a_file_once_and_whole(memory: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "plan.md"
    file.write_text("Été : semer", encoding="utf-8")
    memory("note", "create", "Plan", "--file", str(file), "--vault", "garden")
    assert memory("note", "show", "Plan")["content"] == "Été : semer"
    assert memory.refused("note", "create", "Two", "text", "--file", str(file), "--vault", "garden")["exit"] == 1
    assert memory.refused("note", "create", "Gone", "--file", str(tmp_path / "no"), "--vault", "garden")["exit"] == 1


def test_n9_what_an_agent_wrote_is_reviewed_and_reverted_together(memory: CommandLine) -> None:
    memory("remember", "Tulips are mine", "--vault", "garden")
    secret = memory("token", "create", "gardener")["secret"]
    application = open_application(Settings(database_url=memory.url))
    agent = application.tokens.authenticate(secret, source=Source.AGENT)
    observations = [Observation(content="Weeds are fine"), Observation(content="Moles are friends")]
    application.facts.remember(actor=agent, vault="garden", observations=observations)
    application.facts.edit(actor=agent, number=1, content="Tulips are gone")
    application.close()
    assert len(memory("history", "review", "--agent", "gardener", "--since", "1h")["changes"]) == 2
    assert memory.refused("history", "review", "--agent", "nobody", "--since", "1h")["exit"] == 3
    planned = memory("history", "revert", "--agent", "gardener", "--since", "1h", "--dry-run")
    assert (planned["dry_run"], len(planned["reverted"])) == (True, 3)
    assert len(memory("fact", "list")["facts"]) == 3
    assert "--yes" in memory.refused("history", "revert", "--agent", "gardener", "--since", "1h")["hint"]
    memory("history", "revert", "--agent", "gardener", "--since", "1h", "--yes")
    assert [fact["content"] for fact in memory("fact", "list")["facts"]] == ["Tulips are mine"]
    assert memory.refused("history", "review", "--since", "1h")["exit"] == 1
    assert memory.refused("history", "review", "--agent", "x", "--since", "yesterday-ish")["exit"] == 2


def test_n10_what_a_session_starts_with_is_chosen(memory: CommandLine) -> None:
    note = memory("note", "create", "Rules", "never step on the beds", "--vault", "garden")["note"]
    page = memory("remember", "Peas in March", "--vault", "garden", "--digest", "when to sow")["note"]
    memory("context", "pin", "Rules")
    started = memory("context", "show", "--project", "garden")
    assert "never step on the beds" in started["text"]
    assert "when to sow" in started["text"]
    memory("context", "mute", page)
    assert "when to sow" not in memory("context", "show", "--project", "garden")["text"]
    memory("context", "mute", page, "--off")
    memory("context", "arrange", "spring", note)
    memory("context", "unpin", "Rules")
    memory("context", "order", "memory", "set:spring")
    memory("context", "budget", "1500")
    settings = memory("context", "settings")
    assert (settings["budget_tokens"], settings["order"]) == (1500, ["memory", "set:spring"])
    assert [item["note"] for item in settings["places"]["set:spring"]] == [note]
    assert memory.refused("context", "budget", "3")["code"] == "invalid_input"


def test_f8_a_note_with_a_secret_warns_the_person_who_writes_it(memory: CommandLine, tmp_path: Path) -> None:
    secret = "token ghp_0123456789abcdefghijABCDEFGHIJ012345"
    made = memory("note", "create", "Keys", secret, "--vault", "garden")
    assert made["warnings"]
    assert memory("note", "edit", "Keys", "append", "nothing to hide")["warnings"] == []
    edited = memory("note", "edit", "Keys", "append", secret)
    assert edited["warnings"] == made["warnings"]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "Key.md").write_text(f"---\nplain: 1\n---\n{secret}\n")
    (tmp_path / "in" / "Plain.md").write_text("roses\n")
    for arguments in (["--dry-run"], []):
        report = memory("import", "markdown", str(tmp_path / "in"), "--vault", "garden", *arguments)
        assert (report["created"], [item["path"] for item in report["warnings"]]) == (2, ["Key.md"])
        assert "secret" in report["warnings"][0]["reason"]
    assert "ghp_" not in str([made, edited, report])


def test_what_has_no_end_is_refused_before_it_fills_the_memory(memory: CommandLine) -> None:
    refused = memory.refused("note", "create", "Zero", "--file", "/dev/zero", "--vault", "garden")
    assert refused["code"] == "too_large"
    assert "67,108,864 bytes" in refused["message"]
    assert memory("note", "list")["notes"] == []
