"""The background that keeps meaning current: derived from the data, shared, interruptible, and honest about itself."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import delete, func, select, text

from embedders import NgramEmbedder
from souvenance.application import Application
from souvenance.domain.access import Route, Source
from souvenance.domain.errors import EmbedderUnavailable
from souvenance.domain.vault import MemoryType, Protection
from souvenance.memory.remember import Observation
from souvenance.retrieval import query_vector
from souvenance.retrieval.embedding_status import State
from souvenance.settings import Settings
from souvenance.store.tables import claim, embedding_model, passage_vector, vector_change
from souvenance.wiring import open_application


def open_at(url: str, embedder: Any) -> Application:
    return open_application(Settings(database_url=SecretStr(url), embedder="none"), embedder=embedder)


@contextmanager
def opened(url: str, embedder: Any) -> Iterator[Application]:
    app = open_at(url, embedder)
    try:
        yield app
    finally:
        app.close()


def remember(app: Application, *contents: str, vault: str = "work", channel: str = "") -> list[int]:
    actor = app.owner_through(Source.LIBRARY)
    if vault not in {one.slug for one in app.vaults.list(actor=actor)}:
        app.vaults.create(actor=actor, name=vault)
    said = [Observation(content=one, channel=channel) for one in contents]
    return [one.fact.number for one in app.facts.remember(actor=actor, vault=vault, observations=said)]


def nearest(app: Application, query: str, *, vault: str = "work", limit: int = 5) -> list[int]:
    """Fact numbers nearest to a query, through the index, as search would ask."""
    vector = app.embedding.embed_query(query)
    with app.database.read() as tx:
        model = app.embedding.model(tx)
        if model is None:
            return []
        (vault_id,) = [one.id for one in app.vaults.list(actor=app.owner_through(Source.LIBRARY)) if one.slug == vault]
        found = app.embedding.index.nearest(tx, model=model, query=vector, vault_ids=[vault_id], limit=limit)
        statement = text("SELECT fact_number FROM passage WHERE vault_id = :vault AND id = :id")
        return [tx.execute(statement, {"vault": vault_id, "id": one.passage_id}).scalar_one() for one in found]


def count(app: Application, table: Any) -> int:
    with app.database.read() as tx:
        return int(tx.execute(select(func.count()).select_from(table)).scalar_one())


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> float:
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, "waited in vain"
        time.sleep(0.01)
    return time.monotonic() - started


def quietest(*, stretches: int = 3, seconds: float = 1.5) -> float:
    """The least share of a core this process used in one of some stretches: what it costs when nothing else is on."""
    shares = []
    for _ in range(stretches):
        before, started = time.process_time(), time.monotonic()
        time.sleep(seconds)
        shares.append((time.process_time() - before) / (time.monotonic() - started))
    return min(shares)


def test_t6_what_is_written_is_embedded_and_found_by_meaning(store_url: str) -> None:
    with opened(store_url, NgramEmbedder()) as app:
        cats, _ = remember(app, "The cats sleep on the sofa", "Invoices are due on Monday")
        before = app.embedding.status()
        assert (before.waiting, before.embedded, before.state) == (2, 0, State.STOPPED)
        after = app.embedding.catch_up()
        assert (after.waiting, after.embedded, after.passages) == (0, 2, 2)
        assert nearest(app, "a cat sleeping on sofas")[0] == cats


def test_t6_a_wording_is_embedded_once_and_again_when_it_changes(store_url: str) -> None:
    embedder = NgramEmbedder()
    with opened(store_url, embedder) as app:
        actor = app.owner_through(Source.LIBRARY)
        number, _ = remember(app, "The cats sleep", "Something else entirely")
        app.embedding.catch_up()
        app.embedding.catch_up()
        assert len(embedder.calls) == 2
        app.facts.edit(actor=actor, number=number, version=1, content="The dogs bark at night")
        assert app.embedding.status().waiting == 1
        app.embedding.catch_up()
        assert len(embedder.calls) == 3
        assert nearest(app, "dogs that bark")[0] == number


def test_cases_10_what_is_retired_is_never_among_the_nearest(store_url: str) -> None:
    with opened(store_url, NgramEmbedder()) as app:
        actor = app.owner_through(Source.LIBRARY)
        old, new = remember(app, "The server room key is red", "The server room key is green")
        app.embedding.catch_up()
        assert set(nearest(app, "server room key")) == {old, new}
        app.facts.retire(actor=actor, number=old, version=1, reason="painted")
        assert nearest(app, "server room key", limit=1) == [new]
        assert nearest(app, "server room key red") == [new]
        app.facts.restore(actor=actor, number=old)
        app.embedding.catch_up()
        assert set(nearest(app, "server room key")) == {old, new}
        app.facts.delete(actor=actor, number=new)
        assert nearest(app, "server room key") == [old]
        app.facts.purge(actor=actor, number=new)
        assert nearest(app, "server room key") == [old]
        assert app.embedding.check().is_sound


def test_what_follows_another_has_a_second_vector_made_anew_when_that_one_changes(store_url: str) -> None:
    embedder = NgramEmbedder()
    with opened(store_url, embedder) as app:
        actor = app.owner_through(Source.LIBRARY)
        question, answer = remember(app, "Where is the picnic?", "By the lake", channel="general")
        app.embedding.catch_up()
        assert "Where is the picnic?\nBy the lake" in embedder.calls
        assert nearest(app, "where is the picnic by the lake")[0] in {question, answer}
        app.facts.edit(actor=actor, number=question, version=1, content="Where is the concert?")
        assert app.embedding.status().waiting == 2
        app.embedding.catch_up()
        assert "Where is the concert?\nBy the lake" in embedder.calls
        # Retired in between and changed around: restored, it does not keep the vector of what stood before it then.
        app.facts.retire(actor=actor, number=answer, version=1, reason="moved")
        app.facts.edit(actor=actor, number=question, version=2, content="Where is the funeral?")
        app.facts.restore(actor=actor, number=answer)
        app.embedding.catch_up()
        assert "Where is the funeral?\nBy the lake" in embedder.calls
        assert app.embedding.check().is_sound


def test_cases_5_a_lost_vector_shows_in_the_count_at_once_and_comes_back(store_url: str) -> None:
    with opened(store_url, NgramEmbedder()) as app:
        remember(app, *(f"fact number {one} of many" for one in range(20)))
        app.embedding.catch_up()
        with app.database.write() as tx:
            tx.execute(delete(passage_vector).where(passage_vector.c.passage_id % 3 == 0))
        status = app.embedding.status()
        assert status.waiting == 6
        assert app.embedding.check().missing == 6
        assert app.embedding.catch_up().waiting == 0


def test_cases_5_doctor_sees_what_counts_cannot(store_url: str) -> None:
    with opened(store_url, NgramEmbedder()) as app:
        actor = app.owner_through(Source.LIBRARY)
        first, *_ = remember(app, "one fact", "another fact", "a third fact")
        app.embedding.catch_up()
        app.facts.retire(actor=actor, number=first, version=1, reason="over")
        with app.database.write() as tx:
            tx.execute(text("UPDATE passage_vector SET text_hash = 'other words' WHERE passage_id = 2"))
            tx.execute(text("UPDATE passage_vector SET active = (1 = 1) WHERE passage_id = 1"))
        found = app.embedding.check()
        assert (found.stale, found.misplaced, found.unreadable, found.is_sound) == (1, 1, 0, False)
        app.embedding.check(repair=True)
        app.embedding.catch_up()
        assert app.embedding.check().is_sound
        assert app.embedding.check().missing == 0


def test_cases_6_another_dimension_is_another_model_and_nothing_is_mixed(store_url: str) -> None:
    with opened(store_url, NgramEmbedder(64)) as app:
        cats, _ = remember(app, "The cats sleep on the sofa", "Invoices are due on Monday")
        app.embedding.catch_up()
    with opened(store_url, NgramEmbedder(32)) as app:
        assert app.embedding.status().waiting == 2
        assert nearest(app, "cats sleeping") == []
        app.embedding.catch_up()
        assert nearest(app, "cats sleeping")[0] == cats
        assert count(app, embedding_model) == 1


def test_cases_16_a_new_model_takes_over_in_the_background_and_old_vectors_go_last(store_url: str) -> None:
    with opened(store_url, NgramEmbedder(name="test/old")) as app:
        remember(app, *(f"fact number {one} of many" for one in range(40)))
        app.embedding.catch_up()
    slow = NgramEmbedder(name="test/new")
    slow.is_down = True
    with opened(store_url, slow) as app:
        with pytest.raises(EmbedderUnavailable):
            app.embedding.catch_up()
        assert count(app, passage_vector) == 40
        with app.database.read() as tx:
            (coverage,) = app.embedding.coverage(tx, [1]).values()
        assert (str(coverage), coverage.is_enough) == ("0 of 40 embedded", False)
        slow.is_down = False
        app.embedding.start_background()
        wait_until(lambda: count(app, embedding_model) == 1)
        assert count(app, passage_vector) == 40
        assert app.embedding.status().embedded == 40


def test_cases_16_vectors_of_a_model_that_another_process_still_uses_stay(store_url: str) -> None:
    with (
        opened(store_url, NgramEmbedder(name="test/old")) as old,
        opened(store_url, NgramEmbedder(name="test/new")) as new,
    ):
        remember(old, "one fact", "another fact")
        old.embedding.start_background()
        wait_until(lambda: old.embedding.status().state is State.IDLE)
        new.embedding.catch_up()
        assert count(new, passage_vector) == 4
        old.embedding.stop()
        new.embedding.catch_up()
        assert count(new, passage_vector) == 2


def test_cases_6_an_embedder_that_is_down_backs_off_says_so_and_recovers(store_url: str) -> None:
    embedder = NgramEmbedder()
    embedder.is_down = True
    with opened(store_url, embedder) as app:
        app.embedding.start_background()
        remember(app, "one fact")
        wait_until(lambda: app.embedding.status().state is State.FAILING)
        status = app.embedding.status()
        assert status.waiting == 1
        assert "is down" in status.why
        assert status.next_try is not None
        with pytest.raises(EmbedderUnavailable, match="is down"):
            app.embedding.embed_query("fact")
        embedder.is_down = False
        wait_until(lambda: app.embedding.status().waiting == 0)
        wait_until(lambda: app.embedding.status().state is State.IDLE)
        assert app.embedding.status().last_error == ""


def test_cases_6_no_embedder_is_said_and_nothing_is_tried(store_url: str) -> None:
    with opened(store_url, None) as app:
        remember(app, "one fact")
        app.embedding.start_background()
        status = app.embedding.status()
        assert (status.state, status.waiting, status.model) == (State.OFF, 1, "")
        with pytest.raises(EmbedderUnavailable, match="No embedding model is set"):
            app.embedding.embed_query("fact")


def test_cases_17_a_text_the_model_fails_on_is_listed_and_holds_up_nothing(store_url: str) -> None:
    embedder = NgramEmbedder()
    embedder.chokes_on = "poison"
    with opened(store_url, embedder) as app:
        remember(app, "a poisonous fact: poison", *(f"a harmless fact {one}" for one in range(10)))
        status = app.embedding.catch_up()
        assert (status.embedded, status.waiting) == (10, 1)


def test_an_embedder_that_hangs_does_not_hold_the_process() -> None:
    script = """
import sys, threading
from embedders import NgramEmbedder
from souvenance.retrieval import query_vector
query_vector.GRACE = 0.1
class Hanging(NgramEmbedder):
    def embed_query(self, text):
        threading.Event().wait(300)
asked = query_vector.QueryVectors(Hanging(), patience=0.1, pause=0.0)
for _ in range(query_vector.AT_ONCE + 1):
    try:
        asked.get("where is the harp")
    except Exception as error:
        print(error)
asked.close()
"""
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    said = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert said.stdout.count("took more than 0.1 seconds") == 5
    assert said.stderr == ""


def test_a_machine_without_threads_to_give_takes_no_place_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = query_vector.QueryVectors(NgramEmbedder(), patience=5.0, pause=0.0)

    def no_thread(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as machine:
        machine.setattr(threading.Thread, "start", no_thread)
        for _ in range(query_vector.AT_ONCE + 1):
            with pytest.raises(EmbedderUnavailable, match="can't start new thread"):
                asked.get("where is the harp")
    assert asked.get("where is the harp").any()
    asked.close()


def test_a_slow_embedder_does_not_hold_up_a_search(sqlite_url: str) -> None:
    embedder = NgramEmbedder()
    embedder.seconds = 8.0
    with opened(sqlite_url, embedder) as app:
        started = time.monotonic()
        with pytest.raises(EmbedderUnavailable, match="more than 3 seconds"):
            app.embedding.embed_query("anything")
        with pytest.raises(EmbedderUnavailable):
            app.embedding.embed_query("anything else")
        assert time.monotonic() - started < 4.5


def test_the_background_notices_writes_of_another_process_within_a_second(store_url: str) -> None:
    with opened(store_url, NgramEmbedder()) as here, opened(store_url, None) as there:
        remember(here, "a first fact")
        here.embedding.start_background()
        wait_until(lambda: here.embedding.status().waiting == 0)
        time.sleep(0.5)
        delays = []
        for one in range(3):
            remember(there, f"a fact written elsewhere {one}")
            delays.append(wait_until(lambda: here.embedding.status().waiting == 0))
        assert min(delays) < 1.0


def test_two_workers_share_the_work_and_embed_each_passage_once(store_url: str) -> None:
    first, second = NgramEmbedder(), NgramEmbedder()
    first.seconds = second.seconds = 0.05
    with opened(store_url, first) as one, opened(store_url, second) as two:
        remember(one, *(f"fact number {number} of very many" for number in range(2500)))
        one.embedding.start_background()
        two.embedding.start_background()
        wait_until(lambda: one.embedding.status().waiting == 0, 60.0)
        assert first.calls
        assert second.calls
        assert len(first.calls) + len(second.calls) == 2500
        assert len(set(first.calls + second.calls)) == 2500


def test_stopping_in_the_middle_keeps_what_was_made_and_frees_the_rest(store_url: str) -> None:
    embedder = NgramEmbedder()
    embedder.seconds = 0.1
    with opened(store_url, embedder) as app:
        remember(app, *(f"fact number {number} of many" for number in range(500)))
        app.embedding.start_background()
        app.embedding.start_background()
        wait_until(lambda: app.embedding.status().embedded > 0)
        app.embedding.stop()
        app.embedding.stop()
        status = app.embedding.status()
        assert 0 < status.embedded < 500
        assert count(app, claim) == 0
        assert len(embedder.calls) == status.embedded
        embedder.seconds = 0.0
        app.embedding.start_background()
        wait_until(lambda: app.embedding.status().waiting == 0)
        assert len(embedder.calls) == 500


def test_a_claim_left_by_a_crash_is_taken_over_when_its_time_is_up(store_url: str) -> None:
    with opened(store_url, NgramEmbedder()) as app:
        remember(app, "one fact")
        with app.database.write() as tx:
            model = tx.execute(
                embedding_model.insert().values(name="test/ngrams", dimension=64).returning(embedding_model.c.id)
            ).scalar_one()
            now = app.facts._clock()
            from souvenance.store import claims

            assert claims.claim(tx, name=f"embed:{model}:1:0", holder="dead", seconds=1.0, at=now)
        assert app.embedding.catch_up(limit_seconds=0.2).waiting == 1
        assert app.embedding.catch_up(limit_seconds=10).waiting == 0


def test_a_limit_of_time_is_kept_to_and_what_came_last_is_made_first(store_url: str) -> None:
    embedder = NgramEmbedder()
    with opened(store_url, embedder) as app:
        remember(app, "the first of all")
        app.embedding.catch_up()
        remember(app, *(f"fact {number} that waits" for number in range(200)))
        embedder.seconds = 0.3
        started = time.monotonic()
        status = app.embedding.catch_up(limit_seconds=0.5)
        assert time.monotonic() - started < 2.0
        assert 0 < status.waiting < 200
        assert "fact 199 that waits" in embedder.calls[1:9]


def test_v8_a_protected_vault_is_not_sent_to_an_embedder_on_a_cloud_route(store_url: str) -> None:
    embedder = NgramEmbedder(route=Route.CLOUD)
    with opened(store_url, embedder) as app:
        actor = app.owner_through(Source.LIBRARY)
        app.vaults.create(actor=actor, name="secret", protection=Protection.MAXIMUM)
        remember(app, "the code is 4711", vault="secret")
        remember(app, "the sky is blue")
        status = app.embedding.catch_up()
        assert (status.waiting, status.withheld) == (0, 1)
        assert embedder.calls == ["the sky is blue"]


def test_no_transaction_is_open_while_the_model_runs(sqlite_url: str) -> None:
    embedder = NgramEmbedder()
    running, may_end = threading.Event(), threading.Event()
    embed = embedder.embed_passages

    def held(texts: Any) -> Any:
        running.set()
        assert may_end.wait(60)
        return embed(texts)

    embedder.embed_passages = held  # type: ignore[method-assign]
    with opened(sqlite_url, embedder) as app, opened(sqlite_url, None) as other:
        remember(app, "one fact")
        app.embedding.start_background()
        try:
            assert running.wait(30)
            remember(other, "written while the model runs")  # or it would wait for ever, and fail as locked
            assert not may_end.is_set()
        finally:
            may_end.set()


def test_cases_21_at_rest_the_background_uses_next_to_no_time(store_url: str) -> None:
    with opened(store_url, NgramEmbedder()) as app:
        remember(app, "one fact")
        app.embedding.start_background()
        wait_until(lambda: app.embedding.status().state is State.IDLE)
        time.sleep(1.0)
        assert quietest() < 0.02


def test_cases_4_damaged_vectors_are_skipped_counted_and_made_again(sqlite_url: str) -> None:
    with opened(sqlite_url, NgramEmbedder()) as app:
        numbers = remember(app, "cats on the sofa", "cats on the roof", "cats on the lawn", "cats at home")
        app.embedding.catch_up()
        with app.database.write() as tx:
            tx.execute(text("UPDATE passage_vector SET vector = x'0102' WHERE passage_id = 1"))
            tx.execute(text("UPDATE passage_vector SET vector = zeroblob(128) WHERE passage_id = 2"))
            nan = (b"\x00\x7e" * 64).hex()
            tx.execute(text(f"UPDATE passage_vector SET vector = x'{nan}' WHERE passage_id = 3"))
        assert nearest(app, "cats on the sofa") == numbers[3:]
        assert app.embedding.status().damaged == 3
        assert app.embedding.check().unreadable == 3
        app.embedding.catch_up()
        assert set(nearest(app, "cats on the sofa")) == set(numbers)
        assert app.embedding.status().damaged == 0
        assert app.embedding.check().is_sound


def test_an_index_behind_a_shortened_log_loads_its_rows_again(sqlite_url: str) -> None:
    with opened(sqlite_url, NgramEmbedder()) as reader, opened(sqlite_url, NgramEmbedder()) as writer:
        remember(writer, "cats on the sofa")
        writer.embedding.catch_up()
        assert len(nearest(reader, "cats")) == 1
        remember(writer, "cats on the roof", "cats on the lawn")
        writer.embedding.catch_up()
        with writer.database.write() as tx:
            tx.execute(delete(vector_change).where(vector_change.c.seq < 3))
        assert len(nearest(reader, "cats")) == 3


def test_readers_and_writers_agree_under_load(store_url: str) -> None:
    """Many threads ask while facts come and go: no error, never a retired fact, and in the end everything is there."""
    with opened(store_url, NgramEmbedder()) as app:
        actor = app.owner_through(Source.LIBRARY)
        numbers = remember(app, *(f"the lamp in room {one} is blue" for one in range(60)))
        app.embedding.start_background()
        wait_until(lambda: app.embedding.status().waiting == 0)
        gone: set[int] = set()
        wrong: list[Any] = []
        done = threading.Event()

        def ask() -> None:
            try:
                while not done.is_set():
                    before = set(gone)
                    wrong.extend(before.intersection(nearest(app, "lamp in a blue room", limit=50)))
            except Exception as error:
                wrong.append(error)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for one in threads:
            one.start()
        for number in numbers[:20]:
            app.facts.retire(actor=actor, number=number, version=1, reason="broken")
            gone.add(number)
            remember(app, f"the lamp in hall {number} is blue")
        done.set()
        for one in threads:
            one.join()
        assert wrong == []
        wait_until(lambda: app.embedding.status().waiting == 0)
        assert len(nearest(app, "lamp", limit=100)) == 60


def test_r1_the_bundled_model_works_without_a_network_on_a_fresh_store(tmp_path: Path) -> None:
    app = open_application(Settings(data=tmp_path / "data"))
    try:
        french, _ = remember(app, "la langue du serveur est le français", "the invoices are due on Monday")
        assert app.embedding.catch_up().waiting == 0
        assert nearest(app, "which language is spoken here?")[0] == french
    finally:
        app.close()


def test_v8_a_question_goes_to_no_endpoint_that_may_read_nothing_asked(store_url: str) -> None:
    embedder = NgramEmbedder(route=Route.CLOUD)
    with opened(store_url, embedder) as app:
        owner = app.owner_through(Source.PANEL)
        app.vaults.create(actor=owner, name="Open")
        app.vaults.change_type(actor=owner, vault="open", memory_type=MemoryType.SEMANTIC)
        app.vaults.create(actor=owner, name="Low")
        app.vaults.change_type(actor=owner, vault="low", memory_type=MemoryType.CLASSIC)
        app.vaults.create(actor=owner, name="Secret", protection=Protection.MAXIMUM)
        for vault in ("open", "low", "secret"):
            app.facts.remember(actor=owner, vault=vault, observations=[Observation(content=f"a fact of {vault}")])
        app.embedding.catch_up()
        assert app.retrieval.search(actor=owner, query="an open fact", vault="open").trace.matcher == "hybrid"
        asked = len(embedder.queries)
        for vault, why in (("secret", "words only in 1 protected"), ("low", "words only in 1 below step six")):
            trace = app.retrieval.search(actor=owner, query=f"is Paul ill, {vault}", vault=vault).trace
            assert (trace.matcher, trace.why) == ("words", why)
        assert len(embedder.queries) == asked


def test_t6_samples_of_many_vaults_take_a_bounded_amount_of_memory(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = NgramEmbedder()
    monkeypatch.setattr("souvenance.retrieval.meaning.MOST_SAMPLED", 3 * 2 * embedder.dimension * 4)
    with opened(store_url, embedder) as app:
        owner = app.owner_through(Source.PANEL)
        for number in range(6):
            app.vaults.create(actor=owner, name=f"V{number}")
            said = [Observation(content=f"fact {number}"), Observation(content=f"other {number}")]
            app.facts.remember(actor=owner, vault=f"v{number}", observations=said)
        app.embedding.catch_up()
        hits = app.retrieval.search(actor=owner, query="fact number").hits
        assert {hit.vault for hit in hits} == {f"v{number}" for number in range(6)}
        kept = app.retrieval._meaning._samples
        assert sum(sample.nbytes for _, sample in kept.values()) <= 3 * 2 * embedder.dimension * 4
        assert list(kept)  # the latest are kept
