"""A vault that grows does not make each of its writes slower."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from sqlalchemy import event

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.memory.remember import Observation, Outcome
from souvenance.settings import Settings
from souvenance.wiring import open_application


def _steps(app: Application, owner: Actor, colour: str) -> int:
    """What SQLite works, in hundreds of its own instructions, to keep twenty facts."""
    counted = 0

    def count() -> None:
        nonlocal counted
        counted += 1

    engine = app.database._engine

    def watch(connection: object, *_: object) -> None:
        connection.set_progress_handler(count, 100)  # type: ignore[attr-defined]

    event.listen(engine, "checkout", watch)
    said = [Observation(content=f"Buoy {number} is {colour}.") for number in range(20)]
    kept = app.facts.remember(actor=owner, vault="sea", observations=said)
    event.remove(engine, "checkout", watch)
    assert all(item.outcome is Outcome.APPENDED for item in kept)
    return counted


def test_keeping_facts_takes_no_longer_in_a_vault_of_many(tmp_path: Path, clock: Callable[[], datetime]) -> None:
    """Whether they are known already is looked up, not looked for: it once read every fact of the vault."""
    app = open_application(Settings(database_url=f"sqlite:///{tmp_path / 's.db'}", embedder="none"), clock=clock)
    owner = app.owner_through(Source.PANEL, name="owner")
    app.vaults.create(actor=owner, name="Sea")
    app.facts.remember(actor=owner, vault="sea", observations=[Observation(content="The first buoy is green.")])
    few = _steps(app, owner, "red")
    app.facts.remember(
        actor=owner,
        vault="sea",
        observations=[Observation(content=f"Buoy number {number} is white.") for number in range(1500)],
    )
    many = _steps(app, owner, "black")
    app.close()
    assert many < 1.5 * few


def test_n4_a_retired_fact_is_not_the_same_fact(app: Application, owner: Actor) -> None:
    """What was retired is told anew where it is said again, and what holds is not."""
    app.vaults.create(actor=owner, name="Sea")
    said = [Observation(content="The lighthouse is lit.")]
    (first,) = app.facts.remember(actor=owner, vault="sea", observations=said)
    app.facts.retire(actor=owner, number=first.fact.number, version=1, reason="it went out")
    (again,) = app.facts.remember(actor=owner, vault="sea", observations=said)
    (once_more,) = app.facts.remember(actor=owner, vault="sea", observations=said)
    assert again.fact.number != first.fact.number
    assert (once_more.outcome, once_more.fact.number) == (Outcome.SKIPPED, again.fact.number)
