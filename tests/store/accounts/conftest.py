from collections.abc import Callable
from typing import Any

import pytest
from argon2 import PasswordHasher

from arriving import PASSWORD, log_in
from souvenance.application import Application
from souvenance.domain.access import Actor, Source


@pytest.fixture(autouse=True)
def quick(app: Application) -> None:
    """Hashes that cost little: what they cost is not what is tested."""
    for rooms in (app.sessions, app.users, app.invitations):
        rooms._passwords._given = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture
def owner(app: Application) -> Actor:
    return app.owner_through(Source.COMMAND_LINE)


@pytest.fixture
def person(app: Application, owner: Actor) -> Callable[[str], Actor]:
    """A new user who is signed in."""

    def made(handle: str) -> Actor:
        app.users.create(actor=owner, handle=handle, password=PASSWORD)
        return log_in(app, handle)[1]

    return made


@pytest.fixture
def harps(app: Application, person: Any) -> dict[str, Any]:
    """A team with a vault that Zoe configures and Ivan reads; Eve is not in it."""
    zoe, ivan, eve = person("zoe"), person("ivan"), person("eve")
    team = app.teams.create(actor=zoe, name="Harps")
    app.vaults.create(actor=zoe, name="Strings", team=team.id)
    app.invitations.join(app.invitations.invite(actor=zoe, team=team.id)[1], actor=ivan)
    return {"zoe": zoe, "ivan": ivan, "eve": eve, "team": team.id}
