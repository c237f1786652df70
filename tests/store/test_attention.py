"""Gestures on who answers, kept for every place and process that shows them (V2 to V10)."""

from dataclasses import replace

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.errors import Conflict, NotAllowed, NotFound
from souvenance.domain.vault import Protection, VaultKind
from souvenance.memory.remember import Observation
from souvenance.vaults.attention import ScopeView


@pytest.fixture
def three(app: Application, owner: Actor) -> Actor:
    for name in ("Alpha", "Beta", "Gamma"):
        app.vaults.create(actor=owner, name=name)
    return owner


def weights(scope: ScopeView) -> dict[str, int]:
    return {vault.slug: vault.attention for vault in scope.vaults}


def hand_made(app: Application, owner: Actor) -> dict[str, int]:
    made = {"alpha": 70, "beta": 30, "gamma": 100}
    for name, weight in made.items():
        app.attention.set(actor=owner, vault=name, weight=weight)
    return made


def test_v4_solo_then_all_in_the_chat_loses_nothing(app: Application, three: Actor) -> None:
    mix = hand_made(app, three)
    solo = app.attention.solo(actor=three, vault="Beta")
    assert (weights(solo), solo.state("fr"), solo.label("fr")) == (
        {"alpha": 0, "beta": 100, "gamma": 0},
        "Beta",
        "Beta",
    )
    assert weights(app.attention.undo(actor=three)) == mix
    kept = app.attention.all_answering(actor=three)
    assert (weights(kept), kept.label("fr")) == (mix, "Tous (mixte)")


def test_v4_one_step_of_undo_and_back(app: Application, three: Actor) -> None:
    with pytest.raises(Conflict):
        app.attention.undo(actor=three)
    mix = hand_made(app, three)
    app.attention.all(actor=three)
    app.attention.all(actor=three)  # moves nothing, so it is not what undo takes back
    assert weights(app.attention.undo(actor=three)) == mix
    assert weights(app.attention.undo(actor=three)) == dict.fromkeys(mix, 100)


def test_v4_undo_leaves_a_vault_made_since_as_it_is(app: Application, three: Actor) -> None:
    mix = hand_made(app, three)
    app.attention.none(actor=three)
    app.vaults.create(actor=three, name="Delta")
    assert weights(app.attention.undo(actor=three)) == mix | {"delta": 100}


def test_v6_ticking_and_none(app: Application, three: Actor) -> None:
    ticked = app.attention.tick(actor=three, vaults=["alpha", "GAMMA"])
    assert (weights(ticked), ticked.label()) == ({"alpha": 100, "beta": 0, "gamma": 100}, "2 vaults")
    silent = app.attention.none(actor=three)
    assert (silent.state("fr"), silent.label("fr")) == ("tous coupés", "Aucun coffre")
    with pytest.raises(NotFound):
        app.attention.tick(actor=three, vaults=["alpha", "unknown"])
    assert weights(app.attention.scope(actor=three)) == dict.fromkeys(("alpha", "beta", "gamma"), 0)


def test_v10_auto_stands_beside_the_weights_and_any_gesture_ends_it(app: Application, three: Actor) -> None:
    mix = hand_made(app, three)
    scope = app.attention.set_auto(actor=three, auto=True)
    assert (scope.auto, weights(scope)) == (True, mix)
    assert not app.attention.set(actor=three, vault="alpha", weight=70).auto  # even one that moves nothing
    app.attention.set_auto(actor=three, auto=True)
    app.vaults.set_attention(actor=three, vault="alpha", weight=10)
    assert not app.attention.scope(actor=three).auto
    app.attention.set_auto(actor=three, auto=True)
    assert not app.attention.undo(actor=three).auto


def test_v9_an_applications_vault_is_asked_only_when_its_owner_ticks_it(app: Application, three: Actor) -> None:
    with app.database.write() as tx:
        app.vaults.create_in(tx, three, name="Editor", kind=VaultKind.APP, app="editor")
    assert app.attention.scope(actor=three).label() == "All"
    assert "editor" not in weights(app.attention.all(actor=three))
    ticked = app.attention.tick(actor=three, vaults=["editor"])
    assert (ticked.label(), weights(ticked)["editor"]) == ("Editor", 100)
    assert weights(app.attention.all(actor=three))["editor"] == 100
    assert "editor" not in weights(app.attention.solo(actor=three, vault="beta"))
    editor = replace(three, token_id=7, app="editor", is_model=True)
    assert {vault.slug: vault.attention for vault in app.vaults.list(actor=editor)}["editor"] == 100


def test_v8_a_label_does_not_name_a_protected_vault_on_a_cloud_route(app: Application, three: Actor) -> None:
    app.vaults.create(actor=three, name="Secret", protection=Protection.MAXIMUM)
    app.attention.solo(actor=three, vault="secret")
    assert app.attention.scope(actor=three).label() == "Secret"
    seen = app.attention.scope(actor=replace(three, route=Route.CLOUD))
    assert (seen.label(), seen.label("fr"), seen.state("fr"), seen.withheld) == (
        "a protected vault",
        "un coffre protégé",
        "un coffre protégé",
        1,
    )
    assert "secret" not in weights(seen)


def test_who_may_make_gestures(app: Application, three: Actor) -> None:
    alpha = app.vaults.get(actor=three, vault="alpha").id
    model = replace(three, is_model=True)
    bound = replace(three, token_id=3, vaults=frozenset({alpha}))
    for refused in (model, replace(three, can_write=False)):
        with pytest.raises(NotAllowed):
            app.attention.set(actor=refused, vault="alpha", weight=1)
        with pytest.raises(NotAllowed):
            app.attention.undo(actor=refused)
    with pytest.raises(NotAllowed):
        app.attention.solo(actor=bound, vault="alpha")
    assert weights(app.attention.set(actor=bound, vault="alpha", weight=5)) == {"alpha": 5}
    assert weights(app.attention.scope(actor=three)) == {"alpha": 5, "beta": 100, "gamma": 100}


def test_v12_the_personal_vault_is_named_by_what_it_is_shown_as_in_french(app: Application, owner: Actor) -> None:
    app.facts.remember_about_user(actor=owner, observation=Observation(content="I keep honey under the bed."))
    app.attention.set(actor=owner, vault="personal", weight=0)

    def answered(question: str) -> bool:
        found = app.retrieval.search(actor=owner, query=question)
        assert ("personal" in found.trace.passed_over) is not bool(found.hits)
        return {(hit.vault, hit.parts["attention"]) for hit in found.hits} == {("personal", 1.0)}

    named = "honey, mon coffre PERSONNEL ?", "honey? @personnel", "honey in the vault “Personnel”", "honey of personal"
    for question in named:
        assert answered(question), question
    for question in ("le personnel de l’hôtel sert-il du honey ?", "honey personnelle"):
        assert not answered(question), question
    assert app.retrieval.search(actor=owner, query="honey", vault="personnel").hits
    for name in ("", " ", "@"):
        with pytest.raises(NotFound):
            app.retrieval.search(actor=owner, query="honey", vault=name)
    made = app.vaults.create(actor=owner, name="Personnel")  # what really has the name goes before
    assert app.vaults.get(actor=owner, vault="PERSONNEL").id == made.id
    app.facts.remember(actor=owner, vault=made.slug, observations=[Observation(content="Staff honey.")])
    app.attention.set(actor=owner, vault=made.slug, weight=0)
    found = app.retrieval.search(actor=owner, query="honey, mon coffre personnel ?")
    assert {hit.vault for hit in found.hits} == {made.slug}
    app.vaults.change(actor=owner, vault=made.slug, name="Staff")  # its slug is still the word
    found = app.retrieval.search(actor=owner, query="honey, mon coffre personnel ?")
    assert {hit.vault for hit in found.hits} == {made.slug}
    app.erasures.delete_vault(actor=owner, vault=made.slug, confirm="Staff")
    assert answered("honey, mon coffre personnel ?")
    app.vaults.change(actor=owner, vault="personal", name="Chez moi")
    assert not answered("honey, dans mon coffre personnel ?")
