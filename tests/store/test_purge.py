"""F7: what hinders a purge is said, and its receipt is completed later; nothing comes back meanwhile."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import func, select

from embedders import NgramEmbedder
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.erasure import Hindrance, Proof, PurgeState
from souvenance.domain.errors import Conflict
from souvenance.domain.fact import SubjectKind
from souvenance.memory import erase
from souvenance.memory.purging import Purging
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.store import tables
from souvenance.store.erasure.file_reader import search_files
from souvenance.store.erasure.purge import files
from souvenance.store.erasure.traces import Traces
from souvenance.wiring import open_application

SAID = "Ghislaine collectionne des hurdy-gurdyphones à Besançon"


def opened(url: str, embedder: NgramEmbedder | None = None) -> Application:
    if embedder is None:
        return open_application(Settings(database_url=url, embedder="none"))  # type: ignore[arg-type]
    return open_application(Settings(database_url=url), embedder=embedder)  # type: ignore[arg-type]


@pytest.fixture
def open_memory() -> Iterator[Callable[..., tuple[Application, Actor]]]:
    """Open the same store any number of times, as so many processes would."""
    applications: list[Application] = []

    def open_one(url: str, embedder: NgramEmbedder | None = None) -> tuple[Application, Actor]:
        application = opened(url, embedder)
        applications.append(application)
        return application, application.owner_through(Source.PANEL, name="owner")

    yield open_one
    for application in applications:
        application.close()


Open = Callable[..., tuple[Application, Actor]]


def remember(app: Application, owner: Actor, vault: str, *contents: str, **about: Any) -> list[int]:
    observations = [Observation(content=content, **about) for content in contents]
    return [kept.fact.number for kept in app.facts.remember(actor=owner, vault=vault, observations=observations)]


def in_the_files(app: Application, needle: str) -> bool:
    path = str(app.database.url.database)
    names = [name for name in (path, f"{path}-wal", f"{path}-shm") if os.path.exists(name)]
    return needle.encode() in subprocess.run(["cat", *names], capture_output=True, check=True).stdout


def filled(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.vaults.create(actor=owner, name="Lyre")
    remember(app, owner, "harpe", SAID, *(f"Le fait {number} de la harpe" for number in range(200)))
    remember(app, owner, "lyre", "La lyre a sept cordes")


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


def test_f7_a_reader_of_an_older_state_leaves_the_purge_pending_until_it_lets_go(
    sqlite_url: str, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase.purge, "PATIENCE", 0.1)
    app, owner = open_memory(sqlite_url)
    filled(app, owner)
    reader = sqlite3.connect(str(app.database.url.database), isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM fact").fetchone() == (202,)
    (receipt,) = app.erasures.erase(actor=owner, vault="harpe", confirm="harpe").receipts
    assert (receipt.state, receipt.hindrance, receipt.completed_at) == (PurgeState.PENDING, Hindrance.READER, None)
    assert "older state" in receipt.why
    assert app.facts.list(actor=owner, vault="harpe") == []
    assert in_the_files(app, SAID)  # an honest receipt: the text is still there for whoever reads bytes
    assert app.erasures.finish(patience=0.1) == 1
    other, _ = open_memory(sqlite_url)
    background = Purging(other.erasures, other.changes, again=0.2)
    background.start()
    try:
        reader.execute("COMMIT")
        until(lambda: app.erasures.receipts(actor=owner)[0].state is PurgeState.DONE)
    finally:
        background.stop()
        reader.close()
    (receipt,) = app.erasures.receipts(actor=owner)
    assert receipt.why == ""
    assert receipt.proof is Proof.REBUILT  # by a process that never knew the texts
    assert receipt.completed_at is not None
    assert receipt.completed_at > receipt.at
    assert not in_the_files(app, SAID)
    assert not in_the_files(app, "hurdy-gurdyphone")


def test_f7_the_process_that_erased_completes_with_a_check_of_the_bytes(
    sqlite_url: str, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase.purge, "PATIENCE", 0.1)
    app, owner = open_memory(sqlite_url)
    filled(app, owner)
    reader = sqlite3.connect(str(app.database.url.database), isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM fact").fetchone()
    app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
    reader.close()
    assert app.erasures.finish() == 0
    assert app.erasures.receipts(actor=owner)[0].proof is Proof.BYTES


def test_f7_what_another_process_proved_is_looked_for_no_more(
    sqlite_url: str, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase.purge, "PATIENCE", 0.1)
    app, owner = open_memory(sqlite_url)
    other, _ = open_memory(sqlite_url)
    filled(app, owner)
    seen = app.erasures.newest()
    reader = sqlite3.connect(str(app.database.url.database), isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM fact").fetchone()
    app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
    assert app.erasures.looked_for == 1
    app.erasures.forget_since(seen)
    assert app.erasures.looked_for == 1  # still pending
    reader.close()
    assert other.erasures.finish() == 0
    app.erasures.forget_since(seen)
    assert app.erasures.looked_for == 0


def test_f7_a_process_killed_between_the_deed_and_its_proof_leaves_it_to_a_later_one(
    store_url: str, open_memory: Open
) -> None:
    app, owner = open_memory(store_url)
    filled(app, owner)
    script = f"""
import os, signal
from souvenance.domain.access import Source
from souvenance.memory import erase
from souvenance.settings import Settings
from souvenance.wiring import open_application
erase.purge.rewrite = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
app = open_application(Settings(database_url={store_url!r}, embedder="none"))
app.erasures.erase(actor=app.owner_through(Source.COMMAND_LINE), vault="harpe", confirm="harpe")
"""
    killed = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    (receipt,) = app.erasures.receipts(actor=owner)
    assert (receipt.state, receipt.hindrance) == (PurgeState.PENDING, Hindrance.NOT_RUN)
    assert app.facts.list(actor=owner, vault="harpe") == []
    assert app.erasures.finish() == 0
    (receipt,) = app.erasures.receipts(actor=owner)
    assert (receipt.state, receipt.proof) == (PurgeState.DONE, Proof.REBUILT)
    if app.database.is_sqlite:
        assert not in_the_files(app, SAID)


def test_f7_backups_are_named_as_out_of_reach(sqlite_url: str, open_memory: Open) -> None:
    app, owner = open_memory(sqlite_url)
    filled(app, owner)
    folder = Path(str(app.database.url.database)).parent / "backups"
    folder.mkdir()
    (folder / "souvenance-20230101.db").write_bytes(b"older")
    assert app.erasures.preview(actor=owner, vault="harpe").beyond == ("backups/souvenance-20230101.db",)
    (receipt,) = app.erasures.erase(actor=owner, vault="harpe", confirm="harpe").receipts
    assert (receipt.state, receipt.beyond) == (PurgeState.DONE, ("backups/souvenance-20230101.db",))


def test_f7_on_postgresql_the_receipt_leaves_the_rest_to_the_administrator(
    postgresql_url: str, open_memory: Open
) -> None:
    app, owner = open_memory(postgresql_url)
    filled(app, owner)
    (receipt,) = app.erasures.erase(actor=owner, vault="harpe", confirm="harpe").receipts
    assert (receipt.state, receipt.proof) == (PurgeState.DONE, Proof.ROWS)
    assert {"replicas", "backups"} < set(receipt.beyond)


def test_the_search_of_bytes_finds_what_is_there(sqlite_url: str, open_memory: Open) -> None:
    """Nothing is proven by a search that finds nothing: each kind of text is found while it is there."""
    app, owner = open_memory(sqlite_url)
    app.vaults.create(actor=owner, name="Harpe")
    for said in (SAID, "北京大学的校长喜欢竖琴", "zygomatique", "Où est né l'évêque d'Orléans ?"):
        (number,) = remember(app, owner, "harpe", said)
        app.facts.edit(actor=owner, number=number, content="autre chose")
        traces = Traces()
        traces.add(said)
        assert len(search_files(files(app.database), traces.windows())) > 0, said
        absent = Traces()
        absent.add(said[::-1])
        assert len(search_files(files(app.database), absent.windows())) == 0, said


def test_f7_vectors_under_way_are_not_kept_for_what_is_gone(store_url: str, open_memory: Open) -> None:
    class Interrupted(NgramEmbedder):
        strike: Callable[[], object] | None = None

        def embed_passages(self, texts: Any) -> Any:
            made = super().embed_passages(texts)
            if self.strike is not None and any("Ghislaine" in text for text in texts):
                strike, self.strike = self.strike, None
                strike()
            return made

    embedder = Interrupted()
    app, owner = open_memory(store_url, embedder)
    filled(app, owner)
    other, _ = open_memory(store_url)
    done: list[Any] = []
    embedder.strike = lambda: done.append(other.erasures.erase(actor=owner, vault="harpe", confirm="harpe"))
    app.embedding.catch_up()
    assert len(done) == 1
    with app.database.read() as tx:
        harpe = next(vault.id for vault in app.vaults.list(actor=owner) if vault.slug == "harpe")
        count = select(func.count()).select_from(tables.passage_vector)
        assert tx.execute(count.where(tables.passage_vector.c.vault_id == harpe)).scalar() == 0
        assert tx.execute(count).scalar() == 1


def test_f7_a_scan_under_way_brings_nothing_back(store_url: str, open_memory: Open, tmp_path: Path) -> None:
    app, owner = open_memory(store_url)
    filled(app, owner)
    folder = tmp_path / "suivi"
    folder.mkdir()
    for number in range(30):
        (folder / f"fichier-{number:02}.md").write_text(f"# Titre\n\n{SAID}, {number} fois.", encoding="utf-8")
        os.utime(folder / f"fichier-{number:02}.md", (1, 1))
    watched = app.folders.watch(actor=owner, vault="harpe", path=folder)
    other, _ = open_memory(store_url)

    def progress(done: int, _total: int) -> None:
        if done == 10:
            receipt = other.erasures.erase(actor=owner, vault="harpe", confirm="harpe").receipts[0]
            assert receipt.folders_suspended == 1

    report = app.folders.scan(actor=owner, folder=watched.id, progress=progress)
    assert report.stopped
    assert app.notes.list(actor=owner, vault="harpe") == []
    with app.database.read() as tx:
        for table in (tables.note, tables.watched_file, tables.passage):
            harpe = table.c.vault_id == watched.vault_id
            assert tx.execute(select(func.count()).select_from(table).where(harpe)).scalar() == 0, table.name
    app.folders.resume(actor=owner, folder=watched.id)
    assert app.folders.scan(actor=owner, folder=watched.id).created == 30


def test_f7_another_process_lets_go_of_what_it_holds_in_memory(sqlite_url: str, open_memory: Open) -> None:
    app, owner = open_memory(sqlite_url, NgramEmbedder())
    filled(app, owner)
    app.embedding.catch_up()
    assert app.retrieval.search(actor=owner, query=SAID, vault="harpe").hits
    assert app.embedding.index.memory > 0  # type: ignore[attr-defined]
    app.purging.start()
    other, _ = open_memory(sqlite_url)
    time.sleep(0.5)
    other.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
    until(lambda: app.embedding.index.memory == 0)  # type: ignore[attr-defined]
    assert app.retrieval.search(actor=owner, query=SAID, vault="harpe").hits == ()


def test_n11_a_read_that_was_under_way_is_not_logged_after_the_deed(store_url: str, open_memory: Open) -> None:
    app, owner = open_memory(store_url)
    filled(app, owner)
    later = app.retrievals
    app.retrieval.search(actor=owner, query="hurdy-gurdyphones")
    app.retrievals.flush()
    (entry,) = later.list(actor=owner)
    app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
    assert later.list(actor=owner) == []
    later.record(owner, entry)  # another process's, which was still to be written
    assert later.list(actor=owner) == []
    app.retrieval.search(actor=owner, query="cordes")
    assert len(later.list(actor=owner)) == 1


def test_f7_writers_go_on_while_a_vault_is_erased(store_url: str, open_memory: Open) -> None:
    app, owner = open_memory(store_url)
    filled(app, owner)
    numbers = [fact.number for fact in app.facts.list(actor=owner, vault="harpe", limit=1000)]
    other, _ = open_memory(store_url)
    failures: list[str] = []

    def edit() -> None:
        for number in numbers[:60]:
            try:
                other.facts.edit(actor=owner, number=number, content=f"Réécrit {number} par un autre")
            except Exception as error:
                failures.append(type(error).__name__)
            remember(other, owner, "lyre", f"Ajout {number}")

    writer = threading.Thread(target=edit)
    writer.start()
    time.sleep(0.2)
    app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
    writer.join()
    assert set(failures) <= {"NotFound", "StaleVersion"}
    assert app.facts.list(actor=owner, vault="harpe") == []
    assert len(app.facts.list(actor=owner, vault="lyre", limit=1000)) == 61
    with app.database.read() as tx:
        harpe = next(vault.id for vault in app.vaults.list(actor=owner) if vault.slug == "harpe")
        left = select(func.count()).select_from(tables.revision).where(tables.revision.c.vault_id == harpe)
        assert tx.execute(left).scalar() == 0


# --- any sequence ----------------------------------------------------------------------------------------------

OPERATIONS = st.sampled_from(
    ["add", "add", "add", "edit", "retire", "replace", "delete", "restore", "move", "note", "search"]
)
SEQUENCES = st.lists(st.tuples(OPERATIONS, st.integers(0, 1), st.integers(0, 2), st.integers(0, 50)), max_size=25)
ROUND = iter(range(10_000))


@given(steps=SEQUENCES, of_member=st.booleans())
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_f7_after_any_sequence_nothing_of_the_erased_remains_in_any_table(
    app: Application, owner: Actor, steps: list[tuple[str, int, int, int]], of_member: bool
) -> None:
    turn = next(ROUND)
    vaults = [f"v{turn}a", f"v{turn}b"]
    members = ["", f"member{turn}one", f"member{turn}two"]
    for name in vaults:
        app.vaults.create(actor=owner, name=name)
    words: dict[int, list[str]] = {}  # every word a fact ever said, by its number
    place: dict[int, tuple[str, str]] = {}
    pages: dict[str, list[str]] = {name: [] for name in vaults}

    def word() -> str:
        return f"quux{next(ROUND):05}zyx"

    def add(vault: str, member: str, said: str) -> None:
        about = {"subject_kind": SubjectKind.MEMBER, "subject_id": member} if member else {}
        (number,) = remember(app, owner, vault, f"il dit {said}", **about)
        words[number], place[number] = [said], (vault, member)

    for operation, in_vault, of, pick in steps:
        vault, member, said = vaults[in_vault], members[of], word()
        number = sorted(words)[pick % len(words)] if words else None
        if operation == "add" or (number is None and operation not in {"note", "search"}):
            add(vault, member, said)
        elif operation == "note":
            app.notes.create(actor=owner, vault=vault, title=f"titre {said}", content=f"texte {said}")
            pages[vault].append(said)
        elif operation == "search":
            query = words[number][-1] if number is not None else said
            app.retrieval.search(actor=owner, query=query, vault=vaults)
        elif number is not None:
            try:
                if operation == "edit":
                    app.facts.edit(actor=owner, number=number, content=f"il dit {said}")
                    words[number].append(said)
                elif operation == "retire":
                    app.facts.retire(actor=owner, number=number, version=None, reason=said)
                    words[number].append(said)
                elif operation == "replace":
                    _, successor = app.facts.retire(
                        actor=owner, number=number, version=None, reason="r", replacement=f"il dit {said}"
                    )
                    assert successor is not None
                    words[successor.number], place[successor.number] = [said], place[number]
                elif operation == "delete":
                    app.facts.delete(actor=owner, number=number)
                elif operation == "restore":
                    app.facts.restore(actor=owner, number=number)
                else:
                    app.facts.move(actor=owner, number=number, vault=vault)
                    place[number] = (vault, place[number][1])
            except Conflict:
                continue  # it was not in the state for that
    app.retrievals.flush()
    if of_member:
        gone = [one for number, said in words.items() if place[number][1] == members[1] for one in said]
        if gone:
            app.erasures.erase(actor=owner, member=members[1], confirm=members[1])
    else:
        gone = [one for number, said in words.items() if place[number][0] == vaults[0] for one in said]
        gone += pages[vaults[0]]
        app.erasures.erase(actor=owner, vault=vaults[0], confirm=vaults[0])
    assert all(receipt.state is PurgeState.DONE for receipt in app.erasures.receipts(actor=owner))
    held = everything(app)
    assert [one for one in gone if one in held] == []
    kept = {one for number, said in words.items() for one in said[-1:]} - set(gone)
    assert [one for one in kept if one not in held] == []


def everything(app: Application) -> str:
    """Every value of every row of every table, one after the other."""
    with app.database.read() as tx:
        return "\n".join(
            repr(tuple(row)) for table in tables.metadata.sorted_tables for row in tx.execute(select(table))
        )
