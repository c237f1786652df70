"""Deleting a vault: what it holds is erased, the vault goes, and nothing of it comes to another (F7, F9)."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import InvalidInput, NotAllowed, NotFound
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.wiring import open_application


@pytest.fixture
def app(store_url: str) -> Iterator[Application]:
    opened = open_application(Settings(database_url=store_url, embedder="none"))
    yield opened
    opened.close()


@pytest.fixture
def owner(app: Application) -> Actor:
    return app.owner_through(Source.PANEL)


def fill(app: Application, owner: Actor, name: str) -> None:
    app.vaults.create(actor=owner, name=name, description=f"all about {name}")
    app.facts.remember(actor=owner, vault=name, observations=[Observation(content=f"the marmalade of {name}")])
    app.notes.create(actor=owner, vault=name, title="Jam", content=f"quince and {name}")


def test_f7_a_deleted_vault_is_gone_with_all_it_held_and_the_others_stay(app: Application, owner: Actor) -> None:
    fill(app, owner, "Orchard")
    fill(app, owner, "Pantry")
    app.attention.solo(actor=owner, vault="Orchard")
    receipt = app.erasures.delete_vault(actor=owner, vault="orchard", confirm="Orchard")
    assert (receipt.counts["facts"], receipt.why) == (1, "")
    assert [vault.name for vault in app.vaults.list(actor=owner)] == ["Pantry"]
    with pytest.raises(NotFound):
        app.vaults.get(actor=owner, vault="orchard")
    scope = app.attention.scope(actor=owner)
    assert [vault.slug for vault in scope.vaults] == ["pantry"]
    assert app.attention.undo(actor=owner).label() == "All"
    (hit,) = app.retrieval.search(actor=owner, query="marmalade").hits
    assert hit.vault == "pantry"


def test_f7_the_name_is_typed_again_and_only_who_may_change_the_vault_deletes_it(
    app: Application, owner: Actor
) -> None:
    fill(app, owner, "Orchard")
    with pytest.raises(InvalidInput):
        app.erasures.delete_vault(actor=owner, vault="orchard", confirm="orchid")
    with pytest.raises(NotAllowed):
        app.erasures.delete_vault(actor=replace(owner, is_model=True), vault="orchard", confirm="orchard")
    bound = frozenset({app.vaults.get(actor=owner, vault="orchard").id})
    with pytest.raises(NotAllowed):
        app.erasures.delete_vault(actor=replace(owner, vaults=bound), vault="orchard", confirm="orchard")
    with pytest.raises(NotAllowed):
        app.erasures.delete_vault(actor=replace(owner, can_write=False), vault="orchard", confirm="orchard")
    assert app.vaults.count_facts(actor=owner)


def test_a4_the_audit_and_the_receipt_outlive_the_vault_and_are_not_taken_for_another_ones(
    app: Application, owner: Actor
) -> None:
    fill(app, owner, "Orchard")
    receipt = app.erasures.delete_vault(actor=owner, vault="orchard", confirm="orchard")
    fill(app, owner, "Pantry")
    assert app.vaults.get(actor=owner, vault="pantry").id != receipt.vault_id
    assert [one.id for one in app.erasures.receipts(actor=owner)] == [receipt.id]
    assert app.erasures.receipts(actor=owner, vault="pantry") == []


def test_a3_a_token_bound_to_a_deleted_vault_reads_no_other(app: Application, owner: Actor) -> None:
    fill(app, owner, "Orchard")
    _, secret = app.tokens.create(actor=owner, name="t", vaults=["orchard"], route=Route.LOCAL)
    app.erasures.delete_vault(actor=owner, vault="orchard", confirm="orchard")
    fill(app, owner, "Pantry")
    bearer = app.tokens.authenticate(secret, source=Source.REST)
    assert app.vaults.list(actor=bearer) == []


def test_v13_folders_of_a_deleted_vault_are_followed_no_longer_and_their_files_stay(
    app: Application, owner: Actor, tmp_path: Path
) -> None:
    fill(app, owner, "Orchard")
    (tmp_path / "a.md").write_text("# Apples\n\nred")
    made = app.folders.watch(actor=owner, vault="orchard", path=tmp_path)
    app.folders.scan(actor=owner, folder=made.id)
    app.erasures.delete_vault(actor=owner, vault="orchard", confirm="orchard")
    assert app.folders.list(actor=owner) == []
    assert (tmp_path / "a.md").read_text().startswith("# Apples")
