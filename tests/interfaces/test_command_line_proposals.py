"""Consolidation as a person and a script use it on the command line, and a program through the library (T5)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from community import AT_EIGHT, AT_NINE, LANG, LANGUAGE, OTHERS
from souvenance import Souvenance
from souvenance.domain.errors import InvalidInput, StaleProposal
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
        return err if code else out

    do("vault", "create", "Serveur")
    for said in (*OTHERS, LANGUAGE, LANG, AT_EIGHT, AT_NINE):
        importance = [] if said.importance is None else ["--importance", str(said.importance)]
        do("remember", said.content, "--vault", "serveur", "--key", said.key, *importance)
    return do


def test_t5_asked_for_declined_listed_shown_and_answered(command: Command) -> None:
    assert command("consolidate", "serveur").startswith("No pass: the vault is not quiet")
    assert "le coffre n’est pas au calme" in command("vault", "passes", "serveur", "--language", "fr")
    assert "12 facts: 1 said twice, 1 contradiction, 1 new summary" in command("consolidate", "serveur", "--anyway")
    assert "3 of its proposals wait" in command("vault", "passes", "serveur")
    listed = [line.split("\t") for line in command("proposal", "list").splitlines()]
    assert [line[2] for line in listed] == ["contradiction", "said twice", "new summary"]
    contradiction, duplicate, summary = (line[0] for line in listed)

    shown = command("proposal", "show", contradiction)
    assert "different clock: 20:00 | 21:00" in shown
    assert "keep_this: keep this" in shown
    french = command("proposal", "show", contradiction, "--language", "fr")
    assert "keep_this: garder celui-ci" in french
    assert "différence : heure: 20:00 | 21:00" in french
    assert "celui-ci: [#11]" in french
    assert not {"this:", "that:", "same key", "shared words"} & set(french.split("\n  "))
    assert "12 souvenirs : 1 souvenir dit deux fois, 1 contradiction" in command(
        "vault", "passes", "serveur", "--language", "fr"
    )
    assert command("proposal", "answer", contradiction, "merge", code=ExitCode.REFUSED)
    assert "#12 is retired and replaced by #11" in command("proposal", "answer", contradiction, "keep_this")
    assert "#10 is retired and replaced by #9" in command("proposal", "answer", duplicate, "merge")
    assert "answered already by owner: merge" in command("proposal", "answer", duplicate, "keep_both", code=1)
    assert "#10" in command("fact", "list", "--state", "retired")
    command("fact", "restore", "10")

    # The draft had drawn on what was just retired, and says so.
    assert "was retired" in command("proposal", "answer", summary, "accept", code=ExitCode.REFUSED)
    stale = json.loads(command("proposal", "list", "--standing", "stale", "--json"))["proposals"]
    assert [(one["id"], one["overtaken"], one["answers"]) for one in stale] == [(summary, "retired", [])]
    told = "#12 was retired since this was proposed"
    assert f"Fact {told}; it can be answered no more" in command("proposal", "show", summary)
    assert f"Fact {told}; nothing was changed" in command("proposal", "answer", summary, "accept", code=1)
    assert "a été retiré depuis cette proposition" in command("proposal", "show", summary, "--language", "fr")
    assert command("proposal", "show", "000000000000", code=ExitCode.NOT_FOUND)
    assert command("proposal", "answer", summary, "perhaps", code=ExitCode.USAGE)
    assert "proposal.answer" in command("audit")


def test_t5_the_json_of_each_verb(command: Command) -> None:
    assert json.loads(command("consolidate", "serveur", "--json"))["now"]["reason"] == "not_quiet"
    made = json.loads(command("consolidate", "serveur", "--anyway", "--json"))["made"]
    assert (made["proposed"], made["facts"]) == (3, 12)
    assert json.loads(command("vault", "passes", "serveur", "--json"))["passes"][0]["ordinal"] == 1
    listed = json.loads(command("proposal", "list", "--vault", "serveur", "--json"))["proposals"]
    summary = next(one for one in listed if one["kind"] == "summary")
    assert summary["sources"]
    done = json.loads(command("proposal", "answer", summary["id"], "accept", "--json"))
    assert (done["kept"]["key"], done["kept"]["source"], done["retired"]) == ("summary", "consolidation", None)
    assert done["kept"]["content"] == summary["draft"]
    assert done["proposal"]["standing"] == "answered"


def test_r7_a_program_consolidates_and_answers(tmp_path: Path) -> None:
    with Souvenance(tmp_path / "memory", embedder="none", background=False) as memory:
        memory.remember_many([*OTHERS, LANGUAGE, LANG], vault="server")
        assert memory.consolidate("server").made is None
        assert memory.consolidate("server", anyway=True).made is not None
        twice, summary = memory.proposals("server")
        assert memory.answer(twice.proposal.id, "merge").retired is not None
        with pytest.raises(InvalidInput):
            memory.answer(summary.proposal.id, "perhaps")
        memory.application.facts.edit(actor=memory.actor, number=summary.proposal.sources[0][0], content="Otherwise.")
        with pytest.raises(StaleProposal):
            memory.answer(summary.proposal.id, "accept")
