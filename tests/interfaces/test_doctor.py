"""`souvenance doctor` as an owner runs it on a memory that something happened to."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

from souvenance.domain.access import Route, Source
from souvenance.interfaces.cli.app import run
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.store import vectors
from souvenance.store.backlog import read_waiting
from souvenance.store.database import Database
from souvenance.upkeep.derived import INDEX_ONLY, QUESTIONS
from souvenance.upkeep.doctor import Doctor, Report, State, _answered
from souvenance.wiring import open_application


def examine(url: str, **options: Any) -> Report:
    return Doctor(url, embedder=None).examine(**options)


def wrong(report: Report) -> set[str]:
    return {finding.name for finding in report.findings if finding.state is State.PROBLEM}


@pytest.fixture
def filled(store_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")
    application = open_application(Settings(database_url=store_url))
    actor = application.owner_through(Source.COMMAND_LINE)
    application.vaults.create(actor=actor, name="Cellar")
    observations = [Observation(content=f"Bottle {n} stands on shelf {n % 7}", channel="tasting") for n in range(40)]
    application.facts.remember(actor=actor, vault="cellar", observations=observations)
    application.facts.retire(actor=actor, number=3, version=None, reason="drunk")
    application.facts.delete(actor=actor, number=4)
    application.close()
    return store_url


def alter(url: str, *statements: str) -> None:
    database = Database(url)
    with database.write() as tx:
        for statement in statements:
            tx.execute(text(statement))
    database.close()


def test_a_memory_in_use_is_healthy_and_counted(filled: str) -> None:
    report = examine(filled)
    assert wrong(report) == set()
    assert report.healthy
    assert report.counts["facts"] == 38
    assert (report.counts["facts_retired"], report.counts["facts_trashed"]) == (1, 1)


def empty_index(url: str) -> None:
    sqlite = "INSERT INTO passage_words (passage_words) VALUES ('delete-all')"
    alter(url, sqlite if url.startswith("sqlite") else "DELETE FROM passage_words")


def lose_a_passage(url: str) -> None:
    alter(url, "DELETE FROM passage WHERE fact_number = 7")


def reword_behind_the_index(url: str) -> None:
    alter(url, "UPDATE fact SET content = 'Bottle 8 was moved to the attic' WHERE number = 8")


def reword_the_index(url: str) -> None:
    alter(url, "UPDATE passage SET terms = 'something else' WHERE fact_number = 9")


def wake_a_retired_passage(url: str) -> None:
    alter(url, "UPDATE passage SET active = :yes WHERE fact_number = 3".replace(":yes", "TRUE"))


def orphan_a_passage(url: str) -> None:
    alter(url, "UPDATE passage SET fact_number = 4000 WHERE fact_number = 10")


@pytest.mark.parametrize(
    ("harm", "names"),
    [
        (empty_index, {"index"}),
        (lose_a_passage, {"facts"}),
        (reword_behind_the_index, {"facts", "terms"}),
        (reword_the_index, {"terms", "index"}),
        (wake_a_retired_passage, {"facts", "index"}),
        (orphan_a_passage, {"facts", "passages"}),
    ],
)
def test_cases_4_and_15_derived_data_is_seen_to_be_wrong_and_made_again(
    filled: str, harm: Callable[[str], None], names: set[str]
) -> None:
    harm(filled)
    assert names <= wrong(examine(filled))
    repaired = examine(filled, repair=True)
    assert repaired.repaired
    assert repaired.healthy
    assert examine(filled).healthy
    assert repaired.counts["facts"] == 38


def test_repairing_what_is_well_does_nothing(filled: str) -> None:
    assert examine(filled, repair=True).repaired == {}


def test_a_newer_schema_is_named_with_the_way_out_and_left_alone(filled: str) -> None:
    alter(filled, "UPDATE alembic_version SET version_num = '9999'")
    report = examine(filled, repair=True)
    assert not report.healthy
    (finding,) = [finding for finding in report.findings if finding.name == "store"]
    assert "newer Souvenance" in finding.message
    assert "Upgrade" in finding.hint


def test_a_file_that_is_no_database_exits_with_one_and_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "souvenance.db").write_bytes(b"not a database, but long enough to be looked at " * 100)
    assert run(["doctor", "--data", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "damaged" in said
    assert "no backup" in said


def test_damage_inside_the_file_is_found_and_the_newest_backup_named(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")
    application = open_application(Settings(data=tmp_path))
    actor = application.owner_through(Source.COMMAND_LINE)
    application.vaults.create(actor=actor, name="Cellar")
    observations = [Observation(content=f"Bottle {n} " + "of wine " * 50) for n in range(500)]
    application.facts.remember(actor=actor, vault="cellar", observations=observations)
    application.close()
    file = tmp_path / "souvenance.db"
    (tmp_path / "backups").mkdir()
    backup = tmp_path / "backups" / "souvenance-20260101.db"
    backup.write_bytes(file.read_bytes())
    content = bytearray(file.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 3 * 4096] = b"\xff" * (3 * 4096)
    file.write_bytes(content)
    report = examine(sqlite_url, repair=True)
    assert not report.healthy
    assert report.repaired == {}
    assert any(str(backup) in finding.hint for finding in report.findings if finding.state is State.PROBLEM)


def test_a_folder_without_a_memory_is_said_and_not_filled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--data", str(tmp_path / "nowhere"), "doctor"]) == 0
    assert "no memory" in capsys.readouterr().out
    assert not (tmp_path / "nowhere").exists()


def test_an_emptied_file_is_no_new_memory_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")
    place = ["--data", str(tmp_path)]
    assert run([*place, "remember", "The harp is in the hall"]) == 0
    assert capsys.readouterr().err == ""
    (tmp_path / "backups").mkdir()
    os.truncate(shutil.copy(tmp_path / "souvenance.db", tmp_path / "backups" / "before.db"), 4096)
    os.truncate(tmp_path / "souvenance.db", 0)
    os.utime(tmp_path / "souvenance.db", (1_700_000_000, 1_700_000_000))
    assert run([*place, "doctor"]) == 1
    said = capsys.readouterr().out
    assert "souvenance.db is empty: 0 bytes." in said
    assert "before.db" in said
    assert (tmp_path / "souvenance.db").stat().st_size == 0
    assert run([*place, "fact", "list"]) == 0
    assert "was empty (0 bytes); a new memory begins in it" in capsys.readouterr().err


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose rights bind whoever runs the test, root too: it is looked at as nobody in particular."""
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")
    folder = Path(tempfile.mkdtemp())
    assert run(["--data", str(folder), "remember", "The harp is in the hall"]) == 0
    assert run(["--data", str(folder), "doctor"]) == 0
    is_root = os.geteuid() == 0
    if is_root:
        for path in (folder, *folder.iterdir()):
            os.chown(path, 65534, 65534)
        os.setresuid(65534, 65534, 0)
    yield folder
    if is_root:
        os.setresuid(0, 0, 0)
    folder.chmod(0o700)
    shutil.rmtree(folder)


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="rights are those of POSIX")
@pytest.mark.parametrize(
    ("place", "rights", "told"),
    [
        ("", 0o000, "{folder} cannot be entered."),
        ("", 0o500, "{folder} cannot be written to."),
        ("souvenance.db", 0o000, "{folder}/souvenance.db cannot be read."),
        ("souvenance.db", 0o400, "{folder}/souvenance.db cannot be written to."),
    ],
)
def test_what_one_may_not_do_is_named_with_its_place(
    house: Path, capsys: pytest.CaptureFixture[str], place: str, rights: int, told: str
) -> None:
    capsys.readouterr()
    (house / place).chmod(rights)
    assert run(["--data", str(house), "doctor"]) == 1
    said = capsys.readouterr()
    assert f" PROBLEM  {told.format(folder=house)}" in said.out
    assert "Give yourself the right to" in said.out
    assert said.err == ""
    assert run(["--data", str(house / "below"), "doctor"]) == (0 if os.access(house, os.W_OK) else 1)


def test_rights_of_others_on_the_file_are_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")
    open_application(Settings(data=tmp_path)).close()
    (tmp_path / "souvenance.db").chmod(0o644)
    report = examine(f"sqlite:///{tmp_path / 'souvenance.db'}")
    assert any(finding.name == "rights" and "chmod" in finding.hint for finding in report.findings)
    assert report.healthy


def test_notes_that_are_not_found_by_their_text_are_seen_and_indexed_again(filled: str) -> None:
    application = open_application(Settings(database_url=filled))
    actor = application.owner_through(Source.COMMAND_LINE)
    kept = application.notes.create(actor=actor, vault="cellar", title="Wines", content="# Reds\n\nPinot, [[Whites]]")
    gone = application.notes.create(actor=actor, vault="cellar", title="Whites", content="Riesling")
    application.notes.delete(actor=actor, ref=gone.id)
    application.close()
    assert examine(filled).healthy
    alter(
        filled,
        f"UPDATE note SET content = 'Merlot' WHERE id = '{kept.id}'",
        f"UPDATE note SET deleted_at = NULL WHERE id = '{gone.id}'",
    )
    (finding,) = [finding for finding in examine(filled).findings if finding.name == "notes"]
    assert finding.count == 2
    assert examine(filled, repair=True).healthy


def test_cases_5_the_backlog_of_vectors_is_told_and_a_wrong_vector_is_made_again(filled: str) -> None:
    class Fixed:
        name, dimension, route = "fixed", 4, Route.LOCAL

        def embed_passages(self, texts: Sequence[str]) -> Any:
            return np.ones((len(texts), 4), np.float32) / 2

        def embed_query(self, text: str) -> Any:
            return np.ones(4, np.float32) / 2

    doctor = Doctor(filled, embedder=Fixed())
    report = doctor.examine()
    assert report.healthy
    assert [finding.count for finding in report.findings if finding.name == "backlog"] == [38]
    database = Database(filled)
    with database.write() as tx:
        model = vectors.model_id(tx, name="fixed", dimension=4)
        ids = list(tx.execute(text("SELECT id FROM passage WHERE fact_number = 9")).scalars())
        (item,) = read_waiting(tx, model=model, vault_id=1, ids=ids)
        vectors.add_vectors(tx, model=model, items=[(item, np.ones(4, np.float16).tobytes(), None)])
        tx.execute(text("UPDATE passage_vector SET text_hash = 'of other words'"))
    database.close()
    assert wrong(Doctor(filled, embedder=Fixed()).examine()) == {"vectors"}
    repaired = Doctor(filled, embedder=Fixed()).examine(repair=True)
    assert repaired.healthy
    assert repaired.repaired["vectors"] == 1


@pytest.mark.parametrize(
    ("name", "one"),
    [
        ("passages", "1 passage belongs to nothing."),
        ("index-rest", "1 entry of the text index belongs to nothing."),
    ],
)
def test_one_of_what_is_wrong_is_said_in_the_singular(name: str, one: str) -> None:
    (question,) = [question for question in (*QUESTIONS, INDEX_ONLY) if question.name == name]
    assert _answered(question, 1).message == one
    assert _answered(question, 2).message == f"2 {question.wrong}."
