"""Tokens, and the sealed vault of the application that connects with one (A3, V9), on both engines."""

from typing import Any

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import NotAllowed, NotFound
from souvenance.domain.vault import VaultKind
from souvenance.memory.remember import Observation


def token_of(memory: Application, owner: Actor, name: str = "writer", **given: Any) -> tuple[int, str]:
    token, secret = memory.tokens.create(actor=owner, name=name, **given)
    return token.id, secret


def test_v9_an_applications_vault_is_made_when_it_first_connects_and_is_keyed_on_its_id(
    app: Application, owner: Actor
) -> None:
    app.vaults.create(actor=owner, name="Éditeur")
    _, first = token_of(app, owner, app="éditeur")
    assert [one.name for one in app.vaults.list(actor=owner)] == ["Éditeur"], "not before it connects"
    editor = app.tokens.authenticate(first, source=Source.REST)
    (made,) = [one for one in app.vaults.list(actor=owner) if one.kind is VaultKind.APP]
    assert (made.name, made.app, made.attention) == ("éditeur 2", "éditeur", 0)
    _, second = token_of(app, owner, "another", app="éditeur")
    app.tokens.authenticate(second, source=Source.AGENT)
    app.tokens.authenticate(first, source=Source.AGENT)
    assert len(app.vaults.list(actor=owner)) == 2, "one for each id, whatever token comes with it"
    app.facts.remember(actor=editor, vault=made.slug, observations=[Observation(content="The draft is blue.")])
    assert "blue" in app.retrieval.recall(actor=editor, topic="which colour is the draft").text
    assert "blue" not in app.retrieval.recall(actor=owner, topic="which colour is the draft").text
    assert [fact.content for fact in app.facts.list(actor=owner, vault=made.slug)] == ["The draft is blue."]
    _, other = token_of(app, owner, "other", app="player")
    with pytest.raises(NotFound):
        app.facts.list(actor=app.tokens.authenticate(other, source=Source.REST), vault=made.slug)


def test_v9_a_token_bound_to_vaults_reaches_its_applications_own_too(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Letters")
    app.vaults.create(actor=owner, name="Diary")
    _, secret = token_of(app, owner, app="☃", vaults=["letters"])
    for _ in range(2):
        known = app.vaults.list(actor=app.tokens.authenticate(secret, source=Source.REST))
        assert [one.name for one in known] == ["Application", "Letters"]


def test_v9_an_application_finds_a_free_name_among_vaults_that_were_renamed(app: Application, owner: Actor) -> None:
    for name, later in (("Editor", "Editor 2"), ("Editor 3", "Editor 4")):  # each takes a name and an address
        made = app.vaults.create(actor=owner, name=name)
        app.vaults.change(actor=owner, vault=made.slug, name=later)
    _, secret = token_of(app, owner, app="editor")
    app.tokens.authenticate(secret, source=Source.AGENT)
    assert [one.name for one in app.vaults.list(actor=owner)] == ["Editor 2", "Editor 4", "editor 5"]


def test_v9_f7_an_applications_vault_that_was_deleted_is_made_again_empty(app: Application, owner: Actor) -> None:
    _, secret = token_of(app, owner, app="editor", route=Route.LOCAL)
    editor = app.tokens.authenticate(secret, source=Source.AGENT)
    app.facts.remember(actor=editor, vault="editor", observations=[Observation(content="The draft is blue.")])
    app.erasures.delete_vault(actor=owner, vault="editor", confirm="editor")
    assert app.vaults.list(actor=owner) == []
    again = app.tokens.authenticate(secret, source=Source.AGENT)
    assert app.facts.list(actor=again, vault="editor") == []


def test_n10_the_owner_sees_what_a_token_is_given_and_nobody_else_does(
    app: Application, owner: Actor, person: Any
) -> None:
    app.vaults.create(actor=owner, name="Letters")
    app.vaults.create(actor=owner, name="Diary")
    token, secret = token_of(app, owner, vaults=["letters"], can_write=False)
    agent = app.tokens.authenticate(secret, source=Source.AGENT)
    assert app.tokens.speaker(actor=owner, token=token) == agent
    assert "Diary" not in app.context.start(actor=app.tokens.speaker(actor=owner, token=token)).text
    with pytest.raises(NotFound):
        app.tokens.speaker(actor=person("zoe"), token=token)
    with pytest.raises(NotAllowed):
        app.tokens.speaker(actor=agent, token=token)
    app.tokens.revoke(actor=owner, token=token)
    with pytest.raises(NotFound):
        app.tokens.speaker(actor=owner, token=token)
