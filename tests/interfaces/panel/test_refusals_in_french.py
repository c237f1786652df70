"""R5: a person who reads French is refused in French: in a toast, on a page and in a form."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.memory.remember import Observation
from souvenance.serving.app import build_app
from souvenance.settings import Settings
from souvenance.wiring import open_application


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Application]:
    opened = open_application(Settings(data=tmp_path / "data", embedder="none"))
    yield opened
    opened.close()


@pytest.fixture
def owner(memory: Application) -> Actor:
    return memory.owner_through(Source.PANEL)


@pytest.fixture
def client(memory: Application, owner: Actor, tmp_path: Path) -> Iterator[TestClient]:
    app = build_app(memory, Settings(data=tmp_path / "data", embedder="none"), local_token="local-secret")
    with TestClient(app, base_url="http://127.0.0.1:8765", client=("127.0.0.1", 5), follow_redirects=False) as opened:
        opened.headers |= {"accept-language": "fr"}
        opened.get(f"/enter/{memory.entry.make_link(actor=owner)}")
        found = re.search(r'"x-csrf": "([0-9a-f]{64})"', opened.get("/vaults").text)
        assert found
        opened.headers |= {"x-csrf": found[1], "hx-request": "true"}
        yield opened


def test_r5_a_toast_is_in_french_with_what_was_typed_in_it(
    client: TestClient, memory: Application, owner: Actor
) -> None:
    vault = memory.vaults.create(actor=owner, name="Harp").slug
    refused = client.post(f"/vaults/{vault}/attention", data={"weight": "<b>{1}</b>"})
    assert refused.status_code == 422
    assert "«\xa0&lt;b&gt;{1}&lt;/b&gt;\xa0» n’est pas un nombre." in refused.text
    assert "Écrivez-le en chiffres." in refused.text
    headers = {"accept-language": "en"}
    english = client.post(f"/vaults/{vault}/attention", data={"weight": "<b>{1}</b>"}, headers=headers)
    assert "“&lt;b&gt;{1}&lt;/b&gt;” is no number." in english.text


def test_r5_a_page_of_its_own_is_in_french(client: TestClient) -> None:
    refused = client.get("/vaults/nowhere", headers={"hx-request": "false", "accept": "text/html"})
    assert refused.status_code == 404
    assert "Aucun coffre de ce nom ne vous est accessible." in refused.text
    assert "La liste des coffres montre ceux qui existent." in refused.text


def test_r5_the_door_is_in_french(client: TestClient) -> None:
    client.cookies.clear()
    refused = client.post("/login", data={"handle": "owner", "password": "wrong horse"})
    assert "L’identifiant ou le mot de passe est inexact. Vérifiez les deux et réessayez." in refused.text


def test_r5_a_note_that_is_refused_says_so_in_french_beside_its_text(
    client: TestClient, memory: Application, owner: Actor
) -> None:
    vault = memory.vaults.create(actor=owner, name="Harp").slug
    refused = client.post("/notes/new", data={"vault": vault, "title": "a\x01b", "content": "kept"})
    assert refused.status_code == 422
    assert "Le titre contient des caractères de contrôle." in refused.text
    assert "Retirez-les." in refused.text


def test_r5_what_was_left_out_of_a_deed_for_many_is_told_in_french(
    client: TestClient, memory: Application, owner: Actor
) -> None:
    vault = memory.vaults.create(actor=owner, name="Harp").slug
    (kept,) = memory.facts.remember(actor=owner, vault=vault, observations=[Observation(content="It has 47 strings.")])
    told = client.post("/facts/bulk/restore", data={"numbers": str(kept.fact.number)})
    assert f"Le souvenir #{kept.fact.number} est déjà en vigueur." in told.text
    assert "in force" not in told.text
