"""`souvenance vault solo` and its relatives, and `souvenance map`, as a person and a script use them."""

import json
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

    def do(*words: str, code: int = 0) -> str:
        assert run(words) == code
        out, err = capsys.readouterr()
        return out if code == 0 else err

    for name in ("Alpha", "Beta", "Gamma"):
        do("vault", "create", name)
        do("remember", f"{name} keeps bees", "--vault", name)
    return do


def test_v4_v6_gestures(command: Command) -> None:
    assert command("vault", "solo", "beta").splitlines()[0] == "Beta"
    assert "beta" in command("search", "who keeps bees")
    assert "alpha" not in command("search", "who keeps bees")
    assert command("vault", "undo").splitlines()[0] == "All"
    command("vault", "attention", "alpha", "70")
    assert command("vault", "all", "--keep-mix").splitlines()[0] == "All (mixed)"
    assert command("vault", "tick", "alpha", "gamma").splitlines()[0] == "2 vaults"
    assert command("vault", "none").splitlines()[:2] == ["No vault", "  Answers have no memory."]
    assert command("vault", "scope", "--language", "fr").splitlines()[0] == "Aucun coffre"
    shape = json.loads(command("vault", "all", "--json"))
    assert (shape["label"], shape["weights"]) == ("All", {"alpha": 100, "beta": 100, "gamma": 100})
    assert json.loads(command("vault", "auto", "--json"))["auto"] is True
    assert json.loads(command("vault", "auto", "--off", "--json"))["auto"] is False
    assert "no vault of that name" in command("vault", "solo", "delta", code=ExitCode.NOT_FOUND)


def test_v12_a_muted_vault_that_is_named_answers(command: Command) -> None:
    command("vault", "solo", "beta")
    assert "alpha" in command("search", "who keeps bees in ALPHA?")


def test_v14_the_map(command: Command) -> None:
    shown = json.loads(command("map", "show", "--json"))
    fact = next(node["id"] for node in shown["nodes"] if node["label"] == "Alpha keeps bees")
    command("map", "disable", fact)
    assert "Alpha" not in command("search", "who keeps bees")
    assert "disabled" in command("map", "show")
    command("map", "enable", fact)
    assert "Alpha" in command("search", "who keeps bees")
    assert "no node" in command("map", "disable", "vault:1", code=ExitCode.REFUSED)
