"""Several writers at once, and what is said where the database refuses, on both engines (N4, N5, N7, N10, R2)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import Conflict, InvalidInput, SouvenanceError
from souvenance.domain.fact import Action
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.store import facts as fact_rows
from souvenance.store import notes as note_rows
from souvenance.store.vectors import model_id
from souvenance.wiring import open_application


@pytest.fixture(autouse=True)
def vault(app: Application, owner: Actor) -> int:
    return app.vaults.create(actor=owner, name="V").id


def at_once(*acts: Callable[[], object]) -> list[object]:
    """What each of these acts, begun together, returned or raised."""
    together = threading.Barrier(len(acts))
    results: list[object] = [None] * len(acts)

    def run(place: int) -> None:
        together.wait()
        try:
            results[place] = acts[place]()
        except Exception as error:
            results[place] = error

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def refused(results: Sequence[object]) -> list[object]:
    return [item for item in results if isinstance(item, Exception)]


def test_n4_remembering_never_meets_a_stale_page(app: Application, owner: Actor) -> None:
    (first,) = app.facts.remember(actor=owner, vault="v", observations=[Observation(content="one")])

    def remember(writer: int) -> None:
        for number in range(15):
            app.facts.remember(actor=owner, vault="v", observations=[Observation(content=f"{writer} {number}")])

    def edit() -> None:
        for number in range(15):
            app.facts.edit(actor=owner, number=first.fact.number, confidence=number / 20)
            app.notes.set_digest(actor=owner, ref=first.note_id, digest=f"line {number}")

    results = at_once(*[lambda writer=writer: remember(writer) for writer in range(3)], edit)
    assert refused(results) == []
    assert len(app.facts.list(actor=owner, vault="v", limit=100)) == 46


def test_n7_of_notes_made_at_once_under_one_title_one_is_made_and_the_others_are_told(
    app: Application, owner: Actor
) -> None:
    results = at_once(*[lambda: app.notes.create(actor=owner, vault="v", title="Same", content="x")] * 6)
    assert [type(item) for item in refused(results)] == [Conflict] * 5
    (note,) = app.notes.list(actor=owner, vault="v")
    assert all(error.details == {"note": note.id} for error in refused(results))  # type: ignore[attr-defined]


def test_n10_pins_made_at_once_are_all_kept(app: Application, owner: Actor) -> None:
    ids = [app.notes.create(actor=owner, vault="v", title=f"N{one}", content="x").id for one in range(6)]
    results = at_once(*[lambda ref=ref: app.context.pin(actor=owner, ref=ref) for ref in ids])
    assert refused(results) == []
    assert {note.id for note in app.context.settings(actor=owner).pins} == set(ids)


def test_f3_bulk_edits_in_opposite_orders_both_go_through(app: Application, owner: Actor) -> None:
    given = [Observation(content=f"f{one}", category=f"c{one % 2}") for one in range(60)]
    numbers = [one.fact.number for one in app.facts.remember(actor=owner, vault="v", observations=given)]
    results = at_once(
        lambda: app.bulk.apply(actor=owner, numbers=numbers, action=Action.EDIT, confidence=0.5),
        lambda: app.bulk.apply(actor=owner, numbers=numbers[::-1], action=Action.EDIT, confidence=0.4),
    )
    assert refused(results) == []
    assert all(len(done.done) == 60 for done in results)  # type: ignore[attr-defined]


def test_t6_a_model_first_used_by_two_at_once_is_one_model(app: Application) -> None:
    def use() -> int:
        with app.database.write() as tx:
            return model_id(tx, name="a/1", dimension=8)

    assert len(set(at_once(use, use, use))) == 1


def test_f9_a_page_comes_back_while_its_category_is_written_to(app: Application, owner: Actor) -> None:
    (first,) = app.facts.remember(actor=owner, vault="v", observations=[Observation(content="one", category="c")])
    app.notes.delete(actor=owner, ref=first.note_id)
    again = [Observation(content="two", category="c")]
    results = at_once(
        lambda: app.notes.restore(actor=owner, ref=first.note_id),
        lambda: app.facts.remember(actor=owner, vault="v", observations=again),
    )
    assert refused(results) == []
    assert {fact.content for fact in app.facts.list(actor=owner, vault="v")} == {"one", "two"}


def test_f5_settings_changed_at_once_under_two_spellings_are_both_kept(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="My Vault")
    for turn in range(5):
        results = at_once(
            lambda turn=turn: app.vaults.change_settings(
                actor=owner, vault="my-vault", changes={"max_injected": 7 + turn}
            ),
            lambda turn=turn: app.vaults.change_settings(
                actor=owner, vault="My Vault", changes={"relevance": 2.0 + turn}
            ),
        )
        assert refused(results) == []
        kept = app.vaults.get(actor=owner, vault="my-vault").settings
        assert (kept["max_injected"], kept["relevance"]) == (7 + turn, 2.0 + turn)


def test_r2_a_read_is_one_view_whatever_is_written_meanwhile(app: Application, owner: Actor, vault: int) -> None:
    with app.database.read() as tx:
        before = fact_rows.count_facts(tx, [vault])
        app.facts.remember(actor=owner, vault="v", observations=[Observation(content="x")])
        assert fact_rows.count_facts(tx, [vault]) == before
    assert app.vaults.count_facts(actor=owner)[vault] == 1


def test_what_the_database_refuses_is_told_by_its_code_never_by_what_somebody_wrote(
    app: Application, owner: Actor
) -> None:
    moon = app.notes.create(actor=owner, vault="v", title="Full moon, locked and corrupt", content="x")
    with pytest.raises(Conflict, match="at the same moment"), app.database.write() as tx:
        note_rows.add_note(tx, replace(moon, id="0" * 12))


HUGE: dict[str, Callable[[Application, Actor], object]] = {
    "get": lambda app, actor: app.facts.get(actor=actor, number=2**70),
    "retire": lambda app, actor: app.facts.retire(actor=actor, number=2**70, version=1, reason="x"),
    "history": lambda app, actor: app.history.of_fact(actor=actor, number=2**70),
    "restore": lambda app, actor: app.history.restore(actor=actor, ref="#1", change_id=2**70),
    "list": lambda app, actor: app.facts.list(actor=actor, vault="v", offset=2**70),
    "notes": lambda app, actor: app.notes.list(actor=actor, vault="v", offset=2**70),
    "bulk": lambda app, actor: app.bulk.apply(actor=actor, numbers=[2**70], action=Action.DELETE),
}


@pytest.mark.parametrize("act", HUGE)
def test_a_number_too_large_for_the_store_is_refused_in_clear(app: Application, owner: Actor, act: str) -> None:
    app.facts.remember(actor=owner, vault="v", observations=[Observation(content="one")])
    with pytest.raises(InvalidInput, match="too large"):
        HUGE[act](app, owner)


@pytest.mark.parametrize("name", ["what?mode=memory&x", "100%20x", "é #"])
def test_r1_the_store_stands_in_the_folder_of_that_very_name(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    opened = open_application(Settings(data=home / name, database_url=None, embedder="none"))
    opened.close()
    assert (home / name / "souvenance.db").is_file()
    assert [path.name for path in home.iterdir()] == [name]


def test_every_refusal_of_writers_at_once_is_coded(app: Application, owner: Actor) -> None:
    results = at_once(*[lambda: app.vaults.create(actor=owner, name="Twice")] * 4)
    assert len(refused(results)) == 3
    assert all(isinstance(error, SouvenanceError) and error.code == "conflict" for error in refused(results))
