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


def test_v8_what_a_cloud_route_writes_there_tells_nothing_of_what_stands_there(
    app: Application, owner: Actor, cloud: Actor
) -> None:
    """N4, N7: a fact that was known and one that was not, a title that was taken and one that was free, look alike."""
    app.vaults.create(actor=owner, name="Open")
    app.notes.create(actor=owner, vault="clinic", title="Test results", content="x")
    answers, steps = [], []
    for guess in ("Paul is ill", "Paul is well"):
        (told,) = app.facts.remember(actor=cloud, vault="clinic", observations=[Observation(content=guess)])
        answers.append((told.outcome, told.fact.number, told.fact.version, told.note_id, told.similar_categories))
        (after,) = app.facts.remember(actor=cloud, vault="open", observations=[Observation(content=f"then {guess}")])
        steps.append(after.fact.number)
    assert answers[0] == answers[1] == ("appended", 0, 1, "", ())
    (once,) = app.facts.remember(actor=cloud, vault="open", observations=[Observation(content="once more")])
    assert once.fact.number - steps[1] == 1
    assert steps[1] - steps[0] == 2
    assert sorted(fact.content for fact in app.facts.list(actor=owner, vault="clinic")) == [
        "Paul is ill",
        "Paul is well",
    ]
    for title in ("Test results", "Something else"):
        assert app.notes.create(actor=cloud, vault="clinic", title=title, content="y").path == title
    kept = [note.title for note in app.notes.list(actor=owner, vault="clinic")]
    assert kept == ["Something else", "Test results", "Test results (2)"]
