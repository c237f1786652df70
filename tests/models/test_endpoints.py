"""C2, V8, T6: endpoints, their keys, their routes, and vectors made by one."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cryptography.fernet import Fernet

from scripted import Raw, Server, model_server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.endpoint import Use, checked_base_url, proposed_route
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from souvenance.models.keyring import FILE, Keyring
from souvenance.settings import Settings
from souvenance.wiring import open_application

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Application]:
    opened = open_application(Settings(data=tmp_path, embedder="none"))
    yield opened
    opened.close()


@pytest.fixture
def owner(memory: Application) -> Actor:
    return memory.owner_through(Source.PANEL)


@pytest.fixture
def server() -> Iterator[Server]:
    with model_server() as made:
        yield made


@pytest.mark.parametrize(
    ("url", "route"),
    [
        ("http://127.0.0.1:11434/v1", Route.LOCAL), ("http://localhost/v1", Route.LOCAL),
        ("http://[::1]:80", Route.LOCAL),
        ("http://192.168.1.5/v1", Route.LOCAL), ("http://10.0.0.1", Route.LOCAL), ("http://[fd00::1]/v1", Route.LOCAL),
        ("http://[::ffff:127.0.0.1]/v1", Route.LOCAL), ("http://models.localhost/v1", Route.LOCAL),
        ("https://api.openai.com/v1", Route.CLOUD), ("http://8.8.8.8/v1", Route.CLOUD), ("http://box/v1", Route.CLOUD),
        ("http://127.0.0.1.example.com/v1", Route.CLOUD), ("http://0.0.0.0/v1", Route.CLOUD),
        ("https://localhost.example.com", Route.CLOUD),
    ],
)  # fmt: skip
def test_v8_a_route_is_proposed_by_the_address(url: str, route: Route) -> None:
    assert proposed_route(checked_base_url(url)) is route


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "x", "http://", "http://u:p@h/v1", "http://h/v1?k=1", "http://h:x", "http://[", "http://a b"]
)
def test_c2_what_is_no_base_url_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        checked_base_url(url)
    assert checked_base_url(" http://h/v1/chat/completions/ ") == "http://h/v1"


def test_c2_a_key_is_written_and_never_shown(memory: Application, owner: Actor, tmp_path: Path) -> None:
    made = memory.endpoints.add(actor=owner, name="a", base_url="http://h.example/v1", model="m", key=KEY)
    assert made.has_key
    assert (made.route, made.uses) == (Route.CLOUD, ())
    assert KEY not in repr(memory.endpoints.list(actor=owner))
    assert KEY not in repr(memory.history.audit(actor=owner))
    assert memory.endpoints.named(actor=owner, name="a").key == KEY
    memory.close()
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file
    rows = sqlite3.connect(tmp_path / "souvenance.db")
    try:
        ((sealed,),) = rows.execute("SELECT sealed_key FROM endpoint").fetchall()
    finally:
        rows.close()
    assert sealed.startswith("gAAAA")
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_c2_the_master_key_is_the_owners_alone(tmp_path: Path) -> None:
    sealed = Keyring(tmp_path, None).seal(KEY)
    assert Keyring(tmp_path, None).open(sealed) == KEY
    with pytest.raises(NotAllowed, match="another master key"):
        Keyring(tmp_path, Fernet.generate_key().decode()).open(sealed)
    (tmp_path / FILE).chmod(0o644)
    with pytest.raises(NotAllowed, match="Others may read"):
        Keyring(tmp_path, None).open(sealed)
    with pytest.raises(InvalidInput, match="is not one"):
        Keyring(tmp_path, "short").seal(KEY)
    given = Fernet.generate_key().decode()
    assert Keyring(tmp_path / "elsewhere", given).open(Keyring(tmp_path, given).seal(KEY)) == KEY
    assert not (tmp_path / "elsewhere").exists()


def test_c2_a_new_address_loses_the_key_and_proposes_its_route(memory: Application, owner: Actor) -> None:
    memory.endpoints.add(actor=owner, name="a", base_url="http://127.0.0.1/v1", model="m", key=KEY, uses=[Use.AUTO])
    declared = memory.endpoints.change(actor=owner, name="a", route=Route.CLOUD, model="n")
    assert (declared.route, declared.model, declared.has_key, declared.uses) == (Route.CLOUD, "n", True, (Use.AUTO,))
    moved = memory.endpoints.change(actor=owner, name="a", base_url="https://h.example/v1")
    assert (moved.has_key, moved.route) == (False, Route.CLOUD)
    assert not memory.endpoints.change(actor=owner, name="a", key="").has_key
    with pytest.raises(Conflict):
        memory.endpoints.add(actor=owner, name="a", base_url="http://h/v1", model="m")
    for bad in ("two words", "é", "x" * 5000, "a\nb"):
        with pytest.raises(InvalidInput):
            memory.endpoints.change(actor=owner, name="a", key=bad)
    for act in (
        lambda: memory.endpoints.list(actor=replace(owner, token_id=1)),
        lambda: memory.endpoints.add(actor=replace(owner, is_model=True), name="b", base_url="http://h", model="m"),
    ):
        with pytest.raises(NotAllowed):
            act()
    memory.endpoints.remove(actor=owner, name="a")
    with pytest.raises(NotFound):
        memory.endpoints.remove(actor=owner, name="a")
    assert memory.endpoints.reached(user_id=owner.user_id, use=Use.AUTO) is None


def test_c2_auto_borrows_the_endpoint_that_answers_and_nothing_else_does(memory: Application, owner: Actor) -> None:
    memory.endpoints.add(actor=owner, name="a", base_url="http://h/v1", model="m", uses=[Use.ANSWERS])
    found = {use: memory.endpoints.reached(user_id=owner.user_id, use=use) for use in Use}
    assert {use for use, one in found.items() if one is not None} == {Use.ANSWERS, Use.AUTO}


def test_c2_a_connection_test_says_what_came_of_it(memory: Application, owner: Actor, server: Server) -> None:
    memory.endpoints.add(actor=owner, name="a", base_url=server.url, model="tiny")
    tested = asyncio.run(memory.endpoints.test(actor=owner, name="a", chat=memory.exchange.chat))
    assert (tested.answers, tested.embeds, tested.dimension, tested.knows_model) == (True, True, 8, True)
    assert "may forward" in tested.warning()
    server.says(Raw(b'{"error": {"message": "no such model"}}', status=404))
    memory.endpoints.change(actor=owner, name="a", model="nope")
    tested = asyncio.run(memory.endpoints.test(actor=owner, name="a", chat=memory.exchange.chat))
    assert (tested.answers, tested.knows_model) == (False, False)
    assert "no such model" in tested.problem


def test_t6_an_endpoint_embeds_facts_of_step_six_and_no_others(tmp_path: Path, server: Server) -> None:
    memory = open_application(Settings(data=tmp_path, embedder="none"))
    owner = memory.owner_through(Source.PANEL, route=Route.LOCAL)
    memory.endpoints.add(actor=owner, name="e", base_url=server.url, model="vec")
    with pytest.raises(Conflict, match="not known yet"):
        memory.endpoints.use(actor=owner, use=Use.EMBEDDINGS, name="e")
    asyncio.run(memory.endpoints.test(actor=owner, name="e", chat=memory.exchange.chat))
    memory.endpoints.use(actor=owner, use=Use.EMBEDDINGS, name="e")
    memory.close()
    memory = open_application(Settings(data=tmp_path))
    try:
        embedder = memory.embedding.embedder
        assert embedder is not None
        assert (embedder.name, embedder.dimension, embedder.route) == ("endpoint/vec", 8, Route.LOCAL)
        assert np.allclose(np.linalg.norm(embedder.embed_passages(["a", "b"]), axis=1), 1)
        for name, step in (("Six", MemoryType.SEMANTIC), ("Four", MemoryType.RANKED)):
            memory.vaults.create(actor=owner, name=name)
            memory.vaults.change_type(actor=owner, vault=name, memory_type=step)
            memory.facts.remember(actor=owner, vault=name, observations=[Observation(content=f"fact of {name}")])
        server.seen.clear()
        memory.embedding.catch_up()
        sent = [text for one in server.seen for text in one["body"]["input"]]
        assert any("fact of Six" in text for text in sent)
        assert not any("fact of Four" in text for text in sent)
        memory.endpoints.change(actor=owner, name="e", model="other")
        status = memory.retrieval.search(actor=owner, query="a question never asked before").trace
        assert status.matcher == "words"
        assert "was changed" in status.why
    finally:
        memory.close()
