"""T5: a pass reads, proposes and applies nothing; it keeps its hours; many processes never run one vault twice."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select

import community as village
import souvenance
from community import SLUG, Community, community
from embedders import NgramEmbedder
from souvenance.application import Application
from souvenance.consolidation import running
from souvenance.consolidation.finding import find_pairs
from souvenance.consolidation.foreseen import foresee
from souvenance.consolidation.standing import overtaken
from souvenance.consolidation.when import Reason
from souvenance.domain.access import Actor, Source
from souvenance.domain.errors import NotAllowed
from souvenance.domain.fact import SubjectKind
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.store import claims
from souvenance.store.tables import fact, passage, proposal, revision
from souvenance.wiring import open_application


@pytest.fixture
def place(app: Application, owner: Actor, clock: Callable[[], object]) -> Community:
    return community(app, owner, clock)


def reason(place: Community, **asked: object) -> Reason:
    return place.app.passes.run(actor=place.owner, vault=SLUG, **asked).decision.reason  # type: ignore[arg-type]


def rows(app: Application) -> list[object]:
    with app.database.read() as tx:
        return [sorted(tx.execute(select(table)).all(), key=repr) for table in (fact, passage, revision)]


# --- the pass ----------------------------------------------------------------------------------------------------


def test_t5_a_quiet_vault_gets_its_pass_which_proposes_and_applies_nothing(place: Community) -> None:
    there = rows(place.app)
    (outcome,) = place.app.passes.look()
    assert outcome.made is not None
    assert (outcome.decision.reason, outcome.made.facts) == (Reason.QUIET, 12)
    assert rows(place.app) == there
    shown = {view.proposal.kind: view for view in place.waiting()}
    assert set(shown) == {"duplicate", "contradiction", "summary"}
    assert (outcome.made.duplicates, outcome.made.contradictions, outcome.made.summaries) == (1, 1, 1)
    numbers = place.numbers
    twice, against = shown["duplicate"], shown["contradiction"]
    # The more important of the two is the one that would stay; of a contradiction nobody is preferred.
    assert (twice.this.number, twice.that.number) == (numbers["language"], numbers["lang"])
    assert (against.this.number, against.that.number) == (numbers["eight"], numbers["nine"])
    assert {why.code for why in against.why} >= {"different_clock", "same_key"}
    clock = next(why for why in against.why if why.code == "different_clock")
    assert (clock.a, clock.b) == ("20:00", "21:00")
    assert twice.answers == ("merge", "merge_other_way", "keep_both")
    assert against.answers == ("keep_this", "keep_that", "keep_both")


def test_t5_it_declines_and_says_why(place: Community, app: Application, owner: Actor) -> None:
    app.vaults.change_type(actor=owner, vault=SLUG, memory_type=MemoryType.RANKED)
    assert reason(place, anyway=True) is Reason.STEP
    app.vaults.change_type(actor=owner, vault=SLUG, memory_type=MemoryType.SEMANTIC)
    assert reason(place) is Reason.QUIET
    assert reason(place, anyway=True) is Reason.PROPOSAL_WAITING
    place.settle()
    assert reason(place) is Reason.UNCHANGED
    place.keep("more", Observation(content="Le club possède une barque.", key="boat"))
    assert reason(place) is Reason.TOO_SOON
    place.rest(days=1)
    place.keep("still more", Observation(content="A kettle boils in the hall.", key="kettle"))
    assert reason(place) is Reason.NOT_QUIET
    status = app.passes.status(actor=owner, vault=SLUG)
    assert status.as_dict("fr")["now"]["why"].startswith("le coffre n’est pas au calme")
    place.rest()
    assert reason(place) is Reason.QUIET
    status = app.passes.status(actor=owner, vault=SLUG)
    assert [item.ordinal for item in status.passes] == [2, 1]
    assert status.passes[0].reason == "quiet"
    assert status.passes[0].asked_by == "owner"


def test_t5_a_small_vault_is_left_alone_unless_someone_insists(
    app: Application, owner: Actor, clock: Callable[[], object]
) -> None:
    app.vaults.create(actor=owner, name="Petit")
    both = [village.LANGUAGE, village.LANG]
    app.facts.remember(actor=owner, vault="petit", observations=both)
    clock.now += timedelta(hours=1)  # type: ignore[attr-defined]
    declined = app.passes.run(actor=owner, vault="petit")
    assert (declined.decision.reason, declined.decision.count) == (Reason.TOO_SMALL, 2)
    assert app.passes.look() == []
    outcome = app.passes.run(actor=owner, vault="petit", anyway=True)
    assert outcome.made is not None
    assert (outcome.decision.reason, outcome.made.duplicates) == (Reason.ASKED, 1)


def test_t5_a_vault_that_is_never_quiet_gets_its_pass_after_a_week(place: Community, app: Application) -> None:
    app.passes.look()
    place.settle()
    place.rest(days=20)  # at rest for long: what is said now opens the week
    began = place.clock.now
    ran: list[Any] = []
    for turn in range(400):
        app.facts.edit(actor=place.owner, number=place.numbers["eight"], confidence=0.5 + 0.1 * (turn % 2))
        place.rest(minutes=28)
        elapsed = place.clock.now - began
        if turn % 30 == 0 or elapsed > timedelta(days=6, hours=22):
            ran += app.passes.look()
        if ran:
            break
    assert timedelta(days=7) <= elapsed < timedelta(days=7, minutes=40)
    status = app.passes.status(actor=place.owner, vault=SLUG)
    assert status.passes[0].reason == "never_quiet"


def test_t5_pairs_are_not_sought_across_members_and_never_with_the_summary(
    place: Community, app: Application, owner: Actor
) -> None:
    place.keep("summary", Observation(content="The server language is French.", key="summary"))
    for member in ("7", "8"):
        place.keep(member, Observation(content="Likes green tea.", subject_kind=SubjectKind.MEMBER, subject_id=member))
    place.rest()
    app.passes.look()
    named = {number for view in place.waiting() for number in (view.proposal.this, view.proposal.that)}
    assert not named & {place.numbers["7"], place.numbers["8"]}
    assert [view.proposal.kind for view in place.waiting() if view.proposal.this == place.numbers["summary"]] == [
        "summary"
    ]


def test_f10_the_same_words_said_of_two_days_are_no_duplicate(place: Community, app: Application, owner: Actor) -> None:
    for name, category in (("may", "agenda"), ("june", "plans")):
        said = Observation(content="The club barbecue is tomorrow.", key="barbecue", category=category)
        place.keep(name, said)
        place.rest(days=30)
    app.passes.look()
    pair = {place.numbers["may"], place.numbers["june"]}
    found = [view for view in place.waiting() if {view.proposal.this, view.proposal.that} == pair]
    assert "duplicate" not in [view.proposal.kind for view in found]


# --- who runs it, and what a crash leaves --------------------------------------------------------------------------


def test_t5_many_processes_never_run_one_vault_twice(place: Community, store_url: str, clock: Any) -> None:
    others = [open_application(Settings(database_url=store_url, embedder="none"), clock=clock) for _ in range(4)]  # type: ignore[arg-type]
    ready = threading.Barrier(4)
    made: list[Any] = []

    def look(app: Application) -> None:
        ready.wait()
        made.extend(outcome.made for outcome in app.passes.look())

    threads = [threading.Thread(target=look, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    assert len([item for item in made if item is not None]) == 1
    assert len(place.waiting()) == 3


def test_t5_a_pass_that_is_killed_loses_and_doubles_nothing(
    place: Community, app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_given: object, **_also: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(running.Runner, "_write", killed)
        with pytest.raises(KeyboardInterrupt):
            app.passes.run(actor=place.owner, vault=SLUG)
    assert place.waiting() == []
    assert app.passes.status(actor=place.owner, vault=SLUG).passes == ()
    assert reason(place) is Reason.QUIET
    assert len(place.waiting()) == 3


KILLED = """
import sys, time
from souvenance.consolidation import running
from souvenance.domain.access import Source
from souvenance.settings import Settings
from souvenance.wiring import open_application

memory = open_application(Settings(database_url=sys.argv[1], embedder="none"))

def compare(*given, **also):
    print("comparing", flush=True)
    time.sleep(60)

running.find_pairs = compare
memory.passes.run(actor=memory.owner_through(Source.PANEL), vault="serveur", anyway=True)
"""


def test_t5_a_process_that_is_killed_in_its_pass_keeps_nobody_waiting(store_url: str) -> None:
    with contextlib.closing(open_application(Settings(database_url=store_url, embedder="none"))) as app:  # type: ignore[arg-type]
        owner = app.owner_through(Source.PANEL)
        community(app, owner, SimpleNamespace(now=datetime.now(UTC)))
        environment = os.environ | {"PYTHONPATH": str(Path(souvenance.__file__).parents[1])}
        command = [sys.executable, "-c", KILLED, store_url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "comparing\n"
            assert app.passes.run(actor=owner, vault=SLUG, anyway=True).decision.reason is Reason.RUNNING
            process.kill()
        assert app.proposals.list(actor=owner, vault=SLUG) == []
        outcome = app.passes.run(actor=owner, vault=SLUG, anyway=True)
        assert outcome.made is not None
        assert outcome.made.proposed == 3


def test_t5_a_pass_whose_claim_was_taken_writes_nothing(
    place: Community, app: Application, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*given: Any, **also: Any) -> Any:
        clock.now += timedelta(seconds=running.LEASE + 1)  # another process takes over what seems dead
        with app.database.write() as tx:
            (name,) = [f"{running.CLAIM}{vault.id}" for vault in app.vaults.list(actor=place.owner)]
            assert claims.claim(tx, name=name, holder="another", seconds=60, at=clock())
        return find_pairs(*given, **also)

    with monkeypatch.context() as patch:
        patch.setattr(running, "find_pairs", slow)
        outcome = app.passes.run(actor=place.owner, vault=SLUG)
    assert (outcome.made, outcome.decision.reason) == (None, Reason.RUNNING)
    assert place.waiting() == []
    assert reason(place) is Reason.RUNNING
    place.rest()
    assert reason(place) is Reason.QUIET


def test_t5_nothing_of_a_fact_that_is_purged_while_a_pass_compares_is_written_again(
    place: Community, app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def during(*given: Any, **also: Any) -> Any:
        found = find_pairs(*given, **also)
        for name in ("lang", "nine"):
            app.facts.delete(actor=owner, number=place.numbers[name])
        app.facts.purge(actor=owner, number=place.numbers["lang"])
        return found

    with monkeypatch.context() as patch:
        patch.setattr(running, "find_pairs", during)
        outcome = app.passes.run(actor=owner, vault=SLUG)
    assert outcome.made is not None
    assert outcome.made.proposed == 0  # the draft had drawn on one of them
    assert place.waiting() == []
    with app.database.read() as tx:
        assert tx.execute(select(proposal)).all() == []


def test_f9_a_purge_at_the_moment_a_pass_writes_waits_and_then_leaves_nothing(
    place: Community, app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = place.numbers["lang"]
    app.facts.delete(actor=owner, number=number)
    app.facts.restore(actor=owner, number=number)
    place.rest()
    threads: list[threading.Thread] = []
    gone = threading.Event()

    def purge() -> None:
        app.facts.delete(actor=owner, number=number)
        app.facts.purge(actor=owner, number=number)
        gone.set()

    def as_it_writes(tx: Any, items: Any) -> Any:
        found = overtaken(tx, items)
        threads.append(threading.Thread(target=purge))
        threads[0].start()
        assert not gone.wait(0.3)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(running, "overtaken", as_it_writes)
        outcome = app.passes.run(actor=owner, vault=SLUG)
    threads[0].join()
    assert outcome.made is not None
    assert outcome.made.duplicates == 1  # it was there when the pass wrote
    assert [view.proposal.kind for view in place.waiting()] == ["contradiction"]
    with app.database.read() as tx:
        (kept,) = tx.execute(select(proposal).where(proposal.c.kind == "duplicate")).mappings()
    assert (kept["this_wording"], kept["that_wording"], kept["codes"], kept["standing"]) == ("", "", [], "stale")


def test_t5_one_vault_that_fails_keeps_no_other_waiting(
    place: Community, app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = app.vaults.create(actor=owner, name="Autre")
    said = [*village.OTHERS, village.LANGUAGE, village.LANG]
    app.facts.remember(actor=owner, vault=other.slug, observations=said)
    place.rest()

    def fails(facts: Any, **also: Any) -> Any:
        if any(item.number == place.numbers["lang"] for item in facts):
            raise RuntimeError("a fact nobody can read")
        return find_pairs(facts, **also)

    monkeypatch.setattr(running, "find_pairs", fails)
    (outcome,) = app.passes.look()
    assert outcome.vault_id == other.id
    assert place.waiting() == []
    monkeypatch.undo()
    assert len(app.passes.look()) == 1
    assert len(place.waiting()) == 3


def test_t5_what_one_pass_leaves_over_is_for_the_next(
    place: Community, app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MOST_PROPOSED", 1)
    first = app.passes.run(actor=place.owner, vault=SLUG).made
    assert first is not None
    assert (first.duplicates + first.contradictions, first.left_over) == (1, 1)
    place.settle()
    place.rest(days=1)
    second = app.passes.run(actor=place.owner, vault=SLUG).made
    assert second is not None
    assert (second.duplicates + second.contradictions, second.left_over) == (1, 0)
    assert {first.duplicates, second.duplicates} == {0, 1}


def test_t5_the_background_runs_and_stops(place: Community, app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("souvenance.consolidation.passes.FIRST_LOOK", 0.01)
    ran = threading.Event()
    look = app.passes.look

    def watched(stop: Any = None) -> Any:
        try:
            return look(stop)
        finally:
            ran.set()

    monkeypatch.setattr(app.passes, "look", watched)
    app.passes.start_background()
    app.passes.start_background()
    assert ran.wait(30)
    app.passes.stop()
    app.passes.stop()
    assert len(place.waiting()) == 3
    assert not [thread for thread in threading.enumerate() if thread.name == "souvenance-consolidation"]


def test_searches_go_on_while_a_pass_compares_and_nothing_stays_changed(
    place: Community, app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = sys.getswitchinterval()
    during: list[float] = []

    def compares(*given: Any, **also: Any) -> Any:
        during.append(sys.getswitchinterval())
        assert app.retrieval.search(actor=owner, query="tournament").hits
        app.facts.remember(actor=owner, vault=SLUG, observations=[Observation(content="Written meanwhile.")])
        return find_pairs(*given, **also)

    monkeypatch.setattr(running, "find_pairs", compares)
    assert app.passes.run(actor=owner, vault=SLUG).made is not None
    assert during == [pytest.approx(0.001)]
    assert sys.getswitchinterval() == usual


def test_t5_a_server_that_stops_ends_its_pass_at_once_and_keeps_none_of_it(
    place: Community, app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()

    def stopped(*given: Any, **also: Any) -> Any:
        stop.set()
        found = find_pairs(*given, **also)
        assert (found.compared, found.is_cut) == (0, True)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(running, "find_pairs", stopped)
        (outcome,) = app.passes.look(stop)
    assert outcome.made is None
    assert place.waiting() == []
    assert reason(place) is Reason.QUIET  # the claim was given back


def test_a1_only_a_person_who_may_configure_has_a_pass(place: Community, app: Application) -> None:
    for actor in (
        app.owner_through(Source.AGENT, is_model=True),
        Actor(user_id=place.owner.user_id, source=Source.REST, can_write=False),
    ):
        with pytest.raises(NotAllowed):
            app.passes.run(actor=actor, vault=SLUG)
    assert place.waiting() == []


# --- meaning, and the simulation ----------------------------------------------------------------------------------


@pytest.fixture
def with_meaning(store_url: str, clock: Any) -> Iterator[Community]:
    opened = open_application(Settings(database_url=store_url), clock=clock, embedder=NgramEmbedder())  # type: ignore[arg-type]
    yield community(opened, opened.owner_through(Source.PANEL, name="owner"), clock)
    opened.close()


def test_t5_vectors_that_are_there_are_used_and_none_is_made(with_meaning: Community) -> None:
    app = with_meaning.app
    app.embedding.catch_up()
    embedder = app.embedding.embedder
    assert isinstance(embedder, NgramEmbedder)
    embedder.calls.clear()
    app.passes.look()
    twice = with_meaning.one("duplicate")
    assert twice.proposal.similarity is not None
    assert 0.5 < twice.proposal.similarity <= 1.0
    assert embedder.calls == []


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulation that looks through all, however busy the machine is."""
    assert foresee.__kwdefaults__ is not None
    monkeypatch.setitem(foresee.__kwdefaults__, "seconds", 60.0)


def foreseen_and_done(place: Community) -> None:
    place.keep("summary", Observation(content="The server language is French.", key="summary"))
    place.rest()
    for _ in range(2):
        figures = place.app.simulations.simulate(
            actor=place.owner, vault=SLUG, since=MemoryType.RANKED, to=MemoryType.CONSOLIDATED
        ).figures[MemoryType.CONSOLIDATED]
        made = place.app.passes.run(actor=place.owner, vault=SLUG, anyway=True).made
        assert made is not None
        assert figures["is_complete"]
        assert (figures["duplicates"], figures["contradictions"]) == (made.duplicates, made.contradictions)
        place.settle()
    assert (figures["duplicates"], figures["contradictions"]) == (0, 0)  # what both stay of is not foreseen again


@pytest.mark.usefixtures("patient")
def test_t8_the_simulation_of_the_step_says_what_a_pass_then_proposes(place: Community) -> None:
    foreseen_and_done(place)


@pytest.mark.usefixtures("patient")
def test_t8_the_simulation_by_meaning_says_what_a_pass_then_proposes(with_meaning: Community) -> None:
    with_meaning.app.embedding.catch_up()
    foreseen_and_done(with_meaning)
