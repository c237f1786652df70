"""The vaults' pages, the map and the scope without a browser: what is refused, and names in every script."""

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

TOKYO = "東京 🗼"


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
        opened.get(f"/enter/{memory.entry.make_link(actor=owner)}")
        found = re.search(r'"x-csrf": "([0-9a-f]{64})"', opened.get("/vaults").text)
        assert found
        opened.headers |= {"x-csrf": found[1], "hx-request": "true"}
        yield opened


def test_a_vault_of_any_script_is_shown_weighed_and_deleted(
    client: TestClient, memory: Application, owner: Actor
) -> None:
    slug = memory.vaults.create(actor=owner, name=TOKYO).slug
    assert TOKYO in client.get(f"/vaults/{slug}").text
    assert client.post(f"/scope/weight/{slug}", data={f"weight-{slug}": "40"}).status_code == 200
    assert memory.vaults.get(actor=owner, vault=slug).attention == 40
    assert "Delete" in client.get(f"/vaults/{slug}/delete").text
    gone = client.post(f"/vaults/{slug}/delete", data={"confirm": TOKYO})
    assert gone.headers["hx-location"] == "/vaults"
    assert f"{slug} is deleted with everything it held" in client.get("/vaults").text
    assert "is deleted with" not in client.get("/vaults?deleted=Harpe&purge=done").text
    assert memory.vaults.list(actor=owner) == []
    assert "This vault is gone" in client.get(f"/vaults/{slug}/about").text


@pytest.mark.parametrize("name", ["הכספת שלי", "زاد\u2067x", "a\u2066b\u2069c"])
def test_f7_a_name_that_is_copied_to_confirm_a_deed_confirms_it(
    client: TestClient, memory: Application, owner: Actor, name: str
) -> None:
    slug = memory.vaults.create(actor=owner, name=name).slug
    kept = memory.vaults.get(actor=owner, vault=slug).name
    form = {"what": "vault", "member": "", "names": ""}
    assert f": <bdi>{kept}</bdi></label>" in client.post(f"/memory/{slug}/erase/preview", data=form).text
    assert f"Type <bdi>{kept}</bdi> to delete it" in client.get(f"/vaults/{slug}/delete").text
    heading = re.search(r"Delete (.*)\?</h2>", client.get(f"/vaults/{slug}/delete").text)
    assert heading  # its name has marks around it that are copied along
    refused = client.post(f"/memory/{slug}/erase", data=form | {"confirm": f"\u2068{kept}x\u2069"})
    assert refused.status_code == 422
    assert client.post(f"/memory/{slug}/erase", data=form | {"confirm": heading[1]}).status_code == 200
    about = form | {"what": "member", "member": "שלום"}
    assert ": <bdi>שלום</bdi></label>" in client.post(f"/memory/{slug}/erase/preview", data=about).text
    assert client.post(f"/memory/{slug}/erase", data=about | {"confirm": "\u2068שלום\u2069"}).status_code == 200
    gone = client.post(f"/vaults/{slug}/delete", data={"confirm": f"\u2068{kept}\u2069"})
    assert gone.headers["hx-location"] == "/vaults"


@pytest.mark.parametrize("size", ["nan", "inf", "-1", "0", "1e9", "much"])
def test_a_size_that_is_none_is_refused(
    client: TestClient, memory: Application, owner: Actor, tmp_path: Path, size: str
) -> None:
    memory.vaults.create(actor=owner, name="Papers")
    refused = client.post("/vaults/papers/folders/census", data={"path": str(tmp_path), "megabytes": size})
    assert refused.status_code == 422
    assert memory.folders.list(actor=owner) == []


@pytest.mark.parametrize("weight", ["", "nan", "101", "-5", "12.5", "full"])
def test_v2_a_weight_that_is_none_is_refused_and_nothing_is_moved(
    client: TestClient, memory: Application, owner: Actor, weight: str
) -> None:
    memory.vaults.create(actor=owner, name="Papers")
    assert client.post("/scope/weight/papers", data={"weight-papers": weight}).status_code == 422
    assert client.post("/vaults/papers/attention", data={"weight": weight}).status_code == 422
    assert memory.vaults.get(actor=owner, vault="papers").attention == 100


def test_v7_none_is_a_position_of_one_conversation_and_another_choice_ends_it(
    client: TestClient, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Papers")
    first, other = (memory.conversations.start(actor=owner).id for _ in range(2))

    def without(conversation: int) -> bool:
        return memory.conversations.get(actor=owner, conversation=conversation).conversation.without_memory

    pill = client.post(f"/scope/none?conversation={first}").text
    assert 'id="scope-none"' in pill
    assert (without(first), without(other)) == (True, False)
    assert memory.vaults.get(actor=owner, vault="papers").attention == 100
    client.post(f"/scope/tick?conversation={first}&without_memory=1", data={"vault": ["papers"]})
    assert not without(first)
    assert 'name="without_memory" value="1" form="ask"' in client.post("/scope/none?form=ask").text


def test_v14_the_map_names_nodes_once_and_refuses_what_is_none(
    client: TestClient, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Papers")
    (kept,) = memory.facts.remember(actor=owner, vault="papers", observations=[Observation(content="<b>bees</b>")])
    data = client.get("/map/data").json()
    assert len(data["ids"]) == len(data["x"]) == len(data["y"]) == len(data["forms"]) == len(data["vault"]) == 2
    assert set(data["ids"]) == {f"fact:{kept.fact.number}", f"note:{kept.fact.note_id}"}
    assert "&lt;b&gt;bees" in client.get(f"/map/node/fact:{kept.fact.number}").text
    for unknown in ("fact:99", "fact:x", "note:zzzzzzzzzzzz", "vault:1", "fact:"):
        assert client.get(f"/map/node/{unknown}").status_code == 404
    assert client.get("/map/weights").json() == {str(memory.vaults.get(actor=owner, vault="papers").id): 100}
