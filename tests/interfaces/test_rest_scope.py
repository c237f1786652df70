"""`/scope` and `/map` as a program uses them (V2 to V10, V14)."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from embedders import NgramEmbedder
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.interfaces.rest.api import build_api
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.wiring import open_application


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Application]:
    opened = open_application(Settings(data=tmp_path), embedder=NgramEmbedder())
    owner = opened.owner_through(Source.COMMAND_LINE)
    for name in ("Alpha", "Beta"):
        opened.vaults.create(actor=owner, name=name)
        opened.facts.remember(actor=owner, vault=name, observations=[Observation(content=f"{name} keeps bees")])
    yield opened
    opened.close()


@pytest.fixture
def actor(memory: Application) -> Actor:
    return replace(memory.owner_through(Source.REST), route=Route.CLOUD, token_id=1)


@pytest.fixture
def client(memory: Application, actor: Actor) -> TestClient:
    return TestClient(build_api(memory, lambda _scope: actor))


def test_v4_v6_gestures_by_rest(client: TestClient) -> None:
    assert client.get("/scope").json()["label"] == "All"
    solo = client.post("/scope", params={"language": "fr"}, json={"gesture": "solo", "vaults": ["BETA"]}).json()
    assert (solo["state"], solo["mix"], solo["can_undo"]) == ("Beta", "one", True)
    assert solo["weights"] == [{"slug": "alpha", "attention": 0}, {"slug": "beta", "attention": 100}]
    assert client.post("/scope", json={"gesture": "undo"}).json()["label"] == "All"
    none = client.post("/scope", params={"language": "fr"}, json={"gesture": "none"}).json()
    assert (none["state"], none["label"]) == ("tous coupés", "Aucun coffre")
    assert client.post("/search", json={"query": "who keeps bees"}).json()["hits"] == []
    assert client.put("/scope/auto", json={"auto": True}).json()["auto"] is True
    assert client.post("/scope", json={"gesture": "all_answering"}).json()["auto"] is False


@pytest.mark.parametrize(
    "body",
    [
        {"gesture": "solo"},
        {"gesture": "solo", "vaults": ["alpha", "beta"]},
        {"gesture": "all", "vaults": ["alpha"]},
        {"gesture": "dance"},
        {"gesture": "tick", "vaults": [""]},
        {"gesture": "tick", "vaults": ["alpha"], "more": 1},
        {},
    ],
)
def test_a_gesture_that_makes_no_sense_is_refused_and_changes_nothing(
    client: TestClient, body: dict[str, object]
) -> None:
    answer = client.post("/scope", json=body)
    assert answer.status_code == 422 or answer.json()["code"] == "invalid_input"
    assert client.get("/scope").json()["label"] == "All"


def test_v14_the_map_by_rest(client: TestClient, memory: Application) -> None:
    memory.embedding.catch_up()
    drawn = client.get("/map").json()
    assert {vault["slug"] for vault in drawn["vaults"]} == {"alpha", "beta"}
    assert {node["kind"] for node in drawn["nodes"]} == {"note", "fact"}
    assert {edge["kind"] for edge in drawn["edges"]} >= {"page"}
    fact = next(node["id"] for node in drawn["nodes"] if node["label"] == "Alpha keeps bees")
    assert client.put(f"/map/{fact}/disabled", json={"disabled": True}).status_code == 204
    found = client.post("/search", json={"query": "who keeps bees"}).json()["hits"]
    assert {hit["vault"] for hit in found} == {"beta"}
    assert client.put("/map/fact:0/disabled", json={"disabled": True}).status_code in (400, 422)
    assert client.get("/map", params={"limit": 1}).json()["cut"] is True
