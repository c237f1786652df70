"""The ladder, the settings, bulk gestures, the trash and past days, as a person and a script use them."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from souvenance.interfaces.cli.app import run
from souvenance.interfaces.cli.exits import ExitCode

Command = Callable[..., str]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("SOUVENANCE_DATA", str(tmp_path))
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")

    def do(*words: str, code: int = 0, aside: bool = False) -> str:
        assert run(words) == code
        out, err = capsys.readouterr()
        return err if aside or code else out

    do("vault", "create", "Serveur", "--kind", "server")
    for text in ("Le thème est le rétro.", "Paul est né le 3 mai.", "Pas de support en public."):
        do("remember", text, "--vault", "serveur")
    return do


def test_t7_type_simulation_and_what_is_given(command: Command) -> None:
    assert "> 1 classic" in command("vault", "type", "serveur")
    up = command("vault", "simulate", "serveur", "semantic", "--message", "le thème ?")
    assert "0 facts moved" in up
    assert "semantic (added):" in up
    assert "> 1 classic" in command("vault", "type", "serveur")
    assert "> 4 ranked" in command("vault", "type", "serveur", "ranked")
    shown = command("memory", "given", "quel est le thème ?", "--vault", "serveur").splitlines()
    assert shown[0] == "[#1] Le thème est le rétro."
    assert re.fullmatch(r"    [\d.]+ = \(recency [\d.]+ \+ importance .* relevance .*\) x confidence 1.00", shown[1])
    given = json.loads(command("memory", "given", "x", "--vault", "serveur", "--type", "classic", "--json"))
    assert [item["number"] for item in given["facts"]] == [3, 2, 1]
    assert given["facts"][0]["why"] is None
    changes = json.loads(command("audit", "--json"))
    assert "vault.type" in str(changes)
    shape = json.loads(command("vault", "show", "serveur", "--json"))
    assert (shape["memory_type"], shape["matching"]) == ("ranked", "by_step")
    command("vault", "type", "serveur", "semantic")
    assert "by words" in command("memory", "given", "quel est le thème ?", "--vault", "serveur", aside=True)
    assert command("vault", "type", "serveur", "brilliant", code=ExitCode.USAGE)


def test_f5_settings(command: Command) -> None:
    assert "max_injected: 20" in command("vault", "settings", "serveur")
    assert "recency: 0.5" in command("vault", "settings", "serveur", "max_injected=2", "recency=0.5")
    assert len(json.loads(command("memory", "given", "x", "--vault", "serveur", "--json"))["facts"]) == 2
    assert "max_injected: 20" in command("vault", "settings", "serveur", "max_injected=")
    for bad in ("max_injected=0", "max_injected=1001", "max_injected=many", "colour=red", "time_zone=Nowhere"):
        assert command("vault", "settings", "serveur", bad, code=ExitCode.REFUSED)


def test_f3_query_sort_past_bulk_move_and_trash(command: Command) -> None:
    assert command("fact", "list", "--query", "THEME").split("\t")[0] == "#1"
    ascending = command("fact", "list", "--sort", "number", "--ascending").splitlines()
    assert [line.split("\t")[0] for line in ascending] == ["#1", "#2", "#3"]
    assert command("fact", "list", "--as-of", "2001-01-01") == ""
    assert command("fact", "list", "--as-of", "someday", code=ExitCode.USAGE)
    command("vault", "create", "Autre")
    assert "#2 stands in autre" in command("fact", "move", "2", "autre")
    assert "2 done" in command("fact", "bulk", "retire", "1", "2", "99", "--reason", "fini")
    command("fact", "retire", "3", "--reason", "fini")
    assert "2 facts back in force" in command("vault", "restore-all", "serveur", "--yes")
    done = json.loads(command("fact", "bulk", "delete", "1", "3", "98", "--json"))
    assert (done["done"], done["refused"][0]["number"]) == ([1, 3], 98)
    assert "Paul" not in command("trash", "list", "--vault", "serveur")
    assert len(command("trash", "list").splitlines()) == 2
    assert "2 facts purged" in command("trash", "empty", "serveur", "--yes")
    assert command("fact", "restore", "1", code=ExitCode.NOT_FOUND)


def test_t2_replaced_by_a_fact_that_is_there(command: Command) -> None:
    assert "replaced by #2" in command("fact", "retire", "1", "--reason", "faux", "--by", "2")
    assert "#1" in command("fact", "list", "--state", "retired")
    assert command("fact", "retire", "1", "--reason", "encore", code=ExitCode.REFUSED)


def test_f8_a_person_is_warned(command: Command) -> None:
    secret = "le token est ghp_0123456789abcdefghijABCDEFGHIJ012345"
    said = command("remember", secret, "--vault", "serveur", aside=True)
    assert "holds a secret" in said
    assert "ghp_" not in said
    assert json.loads(command("fact", "edit", "1", secret, "--json"))["warnings"]


def test_f1_a_fact_is_filed_under_a_member_and_a_subject_needs_its_id(command: Command) -> None:
    command("remember", "Zoé joue du hautbois", "--vault", "serveur", "--subject", "member", "--subject-id", "7")
    shape = json.loads(command("fact", "show", "4", "--json"))
    assert (shape["subject_kind"], shape["subject_id"]) == ("member", "7")
    for refused in (
        ("remember", "De personne", "--vault", "serveur", "--subject", "member"),
        ("fact", "edit", "4", "--subject", "member", "--subject-id", ""),
        ("memory", "given", "x", "--vault", "serveur", "--member", ""),
    ):
        assert command(*refused, code=ExitCode.REFUSED)
    assert "classic: 4 of 4 facts" in command(
        "memory", "given", "x", "--vault", "serveur", "--type", "classic", aside=True
    )


def test_f6_former_summaries_stay_retired_and_are_named(command: Command) -> None:
    for said in ("Un club de jeux.", "Un club de jeux rétro."):
        command("remember", said, "--vault", "serveur", "--key", "summary")
    told = command("vault", "restore-all", "serveur", "--yes", aside=True)
    assert "1 former summary stays retired, since a vault has one: #4" in told
