"""V8: over a cloud route a protected vault is neither changed, nor described, nor guessed, on both engines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import NotAllowed, Withheld
from souvenance.domain.vault import MemoryType, Protection
from souvenance.memory.remember import Observation

CLOUD_GESTURES: dict[str, Callable[[Application, Actor], object]] = {
    "name": lambda app, actor: app.vaults.change(actor=actor, vault="clinic", name="Other"),
    "colour": lambda app, actor: app.vaults.change(actor=actor, vault="clinic", colour="red"),
    "type": lambda app, actor: app.vaults.change_type(actor=actor, vault="clinic", memory_type=MemoryType.CLASSIC),
    "settings": lambda app, actor: app.vaults.change_settings(actor=actor, vault="clinic", changes={"max_injected": 5}),
    "no settings": lambda app, actor: app.vaults.change_settings(actor=actor, vault="clinic", changes={}),
    "attention": lambda app, actor: app.vaults.set_attention(actor=actor, vault="clinic", weight=5),
    "restore all": lambda app, actor: app.bulk.restore_all(actor=actor, vault="clinic"),
    "empty trash": lambda app, actor: app.bulk.empty_trash(actor=actor, vault="clinic"),
}


@pytest.fixture
def cloud(app: Application, owner: Actor) -> Actor:
    """A token that may write, on a cloud route, beside a protected vault with one fact."""
    app.vaults.create(actor=owner, name="Clinic", protection=Protection.MAXIMUM, description="about my illness")
    app.facts.remember(actor=owner, vault="clinic", observations=[Observation(content="Paul is ill")])
    _, secret = app.tokens.create(actor=owner, name="cloud", route=Route.CLOUD)
    return app.tokens.authenticate(secret, source=Source.REST, is_model=False)


@pytest.mark.parametrize("gesture", CLOUD_GESTURES)
def test_v8_a_cloud_route_changes_nothing_of_a_protected_vault(
    app: Application, owner: Actor, cloud: Actor, gesture: str
) -> None:
    before = app.vaults.get(actor=owner, vault="clinic")
    with pytest.raises(Withheld):
        CLOUD_GESTURES[gesture](app, cloud)
    assert app.vaults.get(actor=owner, vault="clinic") == before


def test_v8_protection_is_changed_by_a_person_on_a_local_route_only(
    app: Application, owner: Actor, cloud: Actor
) -> None:
    model = app.owner_through(Source.AGENT, is_model=True, name="agent")
    for actor in (cloud, model):
        with pytest.raises(NotAllowed, match="person on a local route"):
            app.vaults.change(actor=actor, vault="clinic", protection=Protection.NORMAL)
    with pytest.raises(Withheld):
        app.facts.list(actor=cloud, vault="clinic")
    assert app.vaults.change(actor=owner, vault="clinic", protection=Protection.NORMAL).protection == "normal"
    assert [fact.content for fact in app.facts.list(actor=cloud, vault="clinic")] == ["Paul is ill"]
