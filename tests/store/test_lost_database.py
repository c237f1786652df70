"""PostgreSQL goes away while the program runs, and comes back."""

from collections.abc import Callable, Iterator
from datetime import datetime

import psycopg
import pytest
from sqlalchemy import event

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.errors import StoreUnavailable
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.wiring import open_application


@pytest.fixture
def lost(postgresql_url: str, clock: Callable[[], datetime]) -> Iterator[Application]:
    opened = open_application(Settings(database_url=postgresql_url, embedder="none"), clock=clock)
    opened.vaults.create(actor=_owner(opened), name="Sea")
    yield opened
    opened.close()


def _owner(app: Application) -> Actor:
    return app.owner_through(Source.PANEL, name="owner")


def _end_sessions(url: str) -> None:
    """End every session of the database but this one, as the server does when it stops."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def _keep(app: Application, content: str) -> None:
    app.facts.remember(actor=_owner(app), vault="sea", observations=[Observation(content=content)])


def _kept(app: Application) -> list[str]:
    return sorted(item.content for item in app.facts.list(actor=_owner(app), vault="sea"))


def test_idle_connections_that_the_server_ended_are_noticed_by_nobody(lost: Application, postgresql_url: str) -> None:
    _keep(lost, "The buoy is green.")
    _end_sessions(postgresql_url)
    _keep(lost, "The pier is long.")
    assert _kept(lost) == ["The buoy is green.", "The pier is long."]


def test_a_session_lost_in_the_middle_of_a_write_writes_nothing_and_says_so(
    lost: Application, postgresql_url: str
) -> None:
    def before_insert(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("INSERT INTO fact "):
            _end_sessions(postgresql_url)

    engine = lost.database._engine
    event.listen(engine, "before_cursor_execute", before_insert)
    with pytest.raises(StoreUnavailable, match="this was not written"):
        _keep(lost, "The buoy is green.")
    event.remove(engine, "before_cursor_execute", before_insert)
    assert _kept(lost) == []
    _keep(lost, "The buoy is green.")
    assert _kept(lost) == ["The buoy is green."]


def test_a_session_lost_at_the_commit_is_not_said_to_have_written_nothing(
    lost: Application, postgresql_url: str
) -> None:
    """Whether it did is not known; asking again keeps it once."""

    def at_commit(_connection: object) -> None:
        _end_sessions(postgresql_url)

    engine = lost.database._engine
    event.listen(engine, "commit", at_commit)
    with pytest.raises(StoreUnavailable, match="all of it was kept, or none"):
        _keep(lost, "The buoy is green.")
    event.remove(engine, "commit", at_commit)
    _keep(lost, "The buoy is green.")
    assert _kept(lost) == ["The buoy is green."]
