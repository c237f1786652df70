"""The Python library as a program or a notebook uses it (R7)."""

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import souvenance
from souvenance import Souvenance
from souvenance.domain.errors import InvalidInput, SouvenanceError
from souvenance.memory.remember import Outcome

PROJECT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOUVENANCE_DATA", str(tmp_path / "own"))
    monkeypatch.delenv("SOUVENANCE_DATABASE_URL", raising=False)


def memory_at(url: str) -> Souvenance:
    return Souvenance(database_url=url, embedder="none")


def test_r7_the_example_of_the_readme_runs_and_prints_what_it_says(tmp_path: Path) -> None:
    section = (PROJECT / "README.md").read_text(encoding="utf-8").partition("## As a library")[2]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None
    example = found[1]
    assert len([line for line in example.splitlines() if line.strip()]) == 5
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(souvenance.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stderr == ""
    assert "The server's language is French." in done.stdout
    assert (tmp_path / "memory" / "souvenance.db").exists()


def test_importing_the_package_costs_nothing() -> None:
    script = (
        "import sys, souvenance; print(souvenance.__version__, 'sqlalchemy' in sys.modules, 'pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [souvenance.__version__, "False", "False"]
    with pytest.raises(AttributeError):
        _ = souvenance.Nothing  # type: ignore[attr-defined]


def test_a_vault_is_made_when_first_named_and_what_is_kept_is_there_for_the_next(store_url: str) -> None:
    with memory_at(store_url) as memory:
        first = memory.remember(
            "We sail on Friday", vault="Côte d’Azur", key="departure", author="Ada", channel="plans"
        )
        again = memory.remember("We sail on Friday", vault="cote-d-azur", key="departure")
        mine = memory.remember("I get seasick")
        assert (first.outcome, again.outcome, mine.outcome) == (Outcome.CREATED, Outcome.SKIPPED, Outcome.CREATED)
        assert {vault.slug for vault in memory.vaults} == {"cote-d-azur", "personal"}
    with memory_at(store_url) as memory:
        fact = memory.application.facts.get(actor=memory.actor, number=first.fact.number)
        assert (fact.content, fact.key, fact.author, fact.channel) == ("We sail on Friday", "departure", "Ada", "plans")
        assert fact.source == "library"


def test_many_are_kept_in_order_from_texts_mappings_and_observations(store_url: str) -> None:
    with memory_at(store_url) as memory:
        texts = [f"step {n}" for n in range(1100)]
        kept = memory.remember_many([*texts, {"content": "the end", "importance": 9}], vault="log")
        numbers = [item.fact.number for item in kept]
        assert numbers == sorted(numbers)
        assert len(set(numbers)) == 1101
        assert kept[-1].fact.importance == 9
        assert memory.remember_many([], vault="log") == []
        assert [item.fact.content for item in memory.remember_many(["a", "b"])] == ["a", "b"]


def test_what_is_not_an_observation_is_refused_whole(store_url: str) -> None:
    with memory_at(store_url) as memory:
        with pytest.raises(InvalidInput, match="contents"):
            memory.remember_many([{"content": "kept?"}, {"content": "x", "contents": "y"}], vault="log")
        with pytest.raises(InvalidInput):
            memory.remember_many([12], vault="log")  # type: ignore[list-item]
        with pytest.raises(SouvenanceError):
            memory.remember("nul \x00 byte", vault="log")
        assert memory.vaults == []


def test_threads_share_one_memory(store_url: str) -> None:
    with memory_at(store_url) as memory:
        failures: list[Exception] = []

        def write(who: int) -> None:
            try:
                for n in range(20):
                    memory.remember(f"thread {who} says {n}", vault=f"room {n % 3}")
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=write, args=(who,)) for who in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert sum(memory.application.vaults.count_facts(actor=memory.actor).values()) == 120
        assert len(memory.vaults) == 3


def test_a_folder_and_a_url_at_once_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        Souvenance(tmp_path, database_url="postgresql://nowhere/none")


def test_its_shown_form_hides_the_password(tmp_path: Path) -> None:
    with Souvenance(tmp_path, embedder="none") as memory:
        assert "souvenance.db" in repr(memory)


def test_section_3_the_ladder_in_a_program(tmp_path: Path) -> None:
    with Souvenance(tmp_path, embedder="none") as memory:
        memory.remember("The tournament is on Saturday.", vault="club")
        memory.remember("Ana brews coffee.", vault="club")
        assert memory.change_type("club", "journal").memory_type == "journal"
        given = memory.given("when is the tournament?", vault="club")
        assert given.text == "[#2] Ana brews coffee.\n[#1] The tournament is on Saturday."
        found = memory.simulate("club", "ranked", message="when is the tournament?")
        assert (found.moves, found.figures["ranked"]["facts"]) == (0, 2)
        with pytest.raises(InvalidInput, match="no memory type"):
            memory.change_type("club", "brilliant")


def test_r4_facts_and_conversations_go_out_and_come_in(store_url: str, tmp_path: Path) -> None:
    talk = [{"uuid": "c1", "name": "Beans", "chat_messages": [{"sender": "human", "text": "When are beans sown?"}]}]
    (tmp_path / "conversations.json").write_text(json.dumps(talk))
    with memory_at(store_url) as memory:
        memory.remember("Roses want water.", vault="garden", key="roses")
        file = tmp_path / "garden.jsonl"
        file.write_text("".join(memory.export_facts("garden")))
        assert memory.import_facts(file, vault="copy", dry_run=True).makes_vault
        assert [vault.slug for vault in memory.vaults] == ["garden"]
        assert memory.import_facts(file, vault="copy").created == 1
        assert memory.import_facts(file, vault="copy", form="jsonl").known == 1
        assert memory.import_chats(tmp_path / "conversations.json", vault="talks").created == 1
        assert {hit.vault for hit in memory.search("beans", vault="talks").hits} == {"talks"}
        with pytest.raises(InvalidInput):
            memory.import_chats(file, vault="never")
        assert [vault.slug for vault in memory.vaults] == ["copy", "garden", "talks"]
