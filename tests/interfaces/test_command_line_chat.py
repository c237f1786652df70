"""`souvenance chat`, `conversation`, `endpoint` and `spending`, run as a person runs them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripted import Raw, Server, model_server
from souvenance.interfaces.cli.app import run

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def server() -> Iterator[Server]:
    with model_server() as made:
        yield made


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")

    def ran(*arguments: str, given: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        code = run([*arguments, "--data", str(tmp_path)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return ran


def as_json(cli: Run, *arguments: str) -> Any:
    code, out, err = cli(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_c3_without_a_model_memory_answers(cli: Run) -> None:
    cli("remember", "The harp has 47 strings.")
    code, out, err = cli("chat", "How many strings has the harp?")
    assert code == 0
    assert "No model is set" in out
    assert "47 strings" in out
    assert "All vaults read" in err
    _, out, err = cli("chat", "Combien de cordes a la harpe de Paul ?")
    assert "Aucun modèle" in out
    assert "Tous les coffres" in err


def test_c2_an_endpoint_is_added_tested_used_and_answers(cli: Run, server: Server) -> None:
    code, out, err = cli("endpoint", "add", "s", server.url, "tiny", "--key", given="sk-from-a-pipe\n")
    assert (code, out.split("\n")[0]) == (0, f"s: tiny at {server.url}, local route, used for answers")
    assert "may forward" in err
    assert "sk-from-a-pipe" not in out + err + str(as_json(cli, "endpoint", "list"))
    assert "answers: yes" in cli("endpoint", "test", "s")[1]
    server.says("Hello <<remember who | Ana is here>>\x1b[31m.")
    code, out, err = cli("chat", "I am Ana", "--keep")
    assert (code, out) == (0, "Hello \N{REPLACEMENT CHARACTER}[31m.\n")
    assert "remember #1 done in personal: Ana is here" in err
    assert server.seen[0]["headers"]["Authorization"] == "Bearer sk-from-a-pipe"
    (listed,) = as_json(cli, "conversation", "list")["conversations"]
    assert listed["title"] == "I am Ana"
    number = str(listed["conversation"])
    shown = cli("conversation", "show", number)[1]
    assert "1> I am Ana" in shown
    assert "0. remember #1 done" in shown
    assert "Undone" in cli("conversation", "undo", number, "1")[1]
    assert as_json(cli, "conversation", "memory", number, "--off")["without_memory"]
    assert cli("conversation", "rename", number, "Ana")[1] == "Ana\n"
    assert as_json(cli, "spending")["spending"][0]["calls"] == 1
    assert cli("conversation", "delete", number, "--yes")[0] == 0
    assert cli("conversation", "show", number)[0] == 3
    assert as_json(cli, "endpoint", "change", "s", "--cloud", "--no-key")["has_key"] is False
    assert cli("endpoint", "use", "answers")[1] == "answers: none\n"
    assert cli("endpoint", "remove", "s")[0] == 0


def test_c2_what_fails_is_told_and_exits_with_1(cli: Run, server: Server) -> None:
    cli("endpoint", "add", "s", server.url, "tiny")
    server.says(Raw(b"<html>", kind="text/html"))
    code, _, err = cli("chat", "q")
    assert code == 1
    assert "web page" in err
    assert "base URL" in err
    code, out, _ = cli("chat")
    assert (code, out) == (1, "")
    assert cli("endpoint", "add", "x", server.url, "m", "--local", "--cloud")[0] == 1
    assert json.loads(cli("chat", "q", "--conversation", "9", "--json")[2])["error"]["code"] == "not_found"


def test_json_gives_the_whole_answer(cli: Run, server: Server) -> None:
    cli("endpoint", "add", "s", server.url, "tiny")
    cli("vault", "create", "Harpe")
    server.says("Well.")
    found = as_json(cli, "chat", "q", "--vault", "harpe")
    assert (found["answer"], found["by_model"], found["spent"]["sent"]) == ("Well.", True, 11)
    assert [one["slug"] for one in found["read"]["vaults"]] == ["harpe"]


def test_c2_a_refused_key_says_the_command_that_gives_it_again(cli: Run, server: Server) -> None:
    cli("endpoint", "add", "my model", server.url, "tiny", "--key", given="sk-old\n")
    server.says(Raw(b'{"error": {"message": "no"}}', status=401))
    _, _, err = cli("chat", "Hello")
    assert "souvenance endpoint change 'my model' --key\n" in err
    assert cli("endpoint", "change", "my model", "--key", given="sk-new\n")[0] == 0


def test_c5_conversations_are_found_by_their_title_and_all_that_was_written_is_undone(cli: Run, server: Server) -> None:
    cli("endpoint", "add", "s", server.url, "tiny")
    server.says("<<remember a | The harp is red>><<remember b | The lyre is blue>> Ok.")
    cli("chat", "Remember the colours", "--keep")
    cli("conversation", "rename", "1", "Été à Lyon")
    assert "Été à Lyon" in cli("conversation", "list", "ete a")[1]
    assert "No conversation says “Nantes”." in cli("conversation", "list", "Nantes")[2]
    code, out, err = cli("conversation", "undo", "1", "1")
    assert (code, out.count("Undone: ")) == (0, 2), err
    assert as_json(cli, "fact", "list")["total"] == 0
    assert cli("conversation", "undo", "1", "1")[0] == 1


def test_v8_a_question_to_a_protected_vault_is_sent_to_no_endpoint_though_others_wait_for_vectors(
    cli: Run, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("endpoint", "add", "e", server.url, "vec", "--cloud", "--key", given="sk-from-a-pipe\n")
    cli("endpoint", "test", "e")
    assert cli("endpoint", "use", "embeddings", "e")[0] == 0
    for name in ("Harp", "Diary"):
        cli("vault", "create", name)
    cli("vault", "type", "Harp", "semantic")
    cli("vault", "protect", "Diary")
    monkeypatch.delenv("SOUVENANCE_EMBEDDER")
    cli("remember", "The harp has 47 strings.", "--vault", "Harp")
    cli("remember", "The diagnosis is a broken toe.", "--vault", "Diary")
    server.seen.clear()
    code, out, _ = cli("search", "my diagnosis", "--vault", "Diary")
    assert (code, "broken toe" in out) == (0, True)
    sent = [text for one in server.seen for text in one["body"]["input"]]
    assert any("47 strings" in text for text in sent)
    assert not any("diagnosis" in text for text in sent)
