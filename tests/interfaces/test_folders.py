"""Watched folders through the command line and REST (V13)."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import InvalidInput
from souvenance.interfaces.cli.app import run
from souvenance.serving.app import build_app
from souvenance.settings import Settings
from souvenance.wiring import open_application


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "papers"
    root.mkdir()
    for name, text in {"a.md": "The aardvark digs.", "b.pdf": "no pdf"}.items():
        (root / name).write_text(text)
        os.utime(root / name, (1, 1))
    return root


def test_v13_the_command_line_watches_lists_and_unwatches(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")

    def told(*arguments: str) -> Any:
        assert run(["--data", str(tmp_path / "data"), *arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    told("vault", "create", "Docs")
    census = told("folder", "census", str(root))
    assert (census["files"], census["bytes"]) == (2, 24)
    watched = told("folder", "watch", str(root), "--vault", "docs")
    assert (watched["report"]["created"], watched["report"]["failed"], watched["condition"]) == (1, 1, "well")
    (listed,) = told("folder", "list")["folders"]
    assert listed["files"] == {"taken": 1, "failed": 1, "refused": 0, "skipped": 0, "gone": 0}
    (problem,) = told("folder", "errors", str(root))["errors"]
    assert (problem["path"], problem["state"]) == ("b.pdf", "failed")
    assert told("search", "aardvark")["hits"][0]["title"] == "a"
    assert told("folder", "suspend", str(root))["status"] == "suspended"
    assert told("folder", "resume", str(root))["status"] == "watched"
    assert told("folder", "scan", str(root))["report"]["unchanged"] == 1
    assert told("folder", "unwatch", str(root))["deleted"] == 1
    assert told("folder", "list") == {"folders": []}
    assert run(["--data", str(tmp_path / "data"), "folder", "watch", str(root / "none"), "--vault", "docs"]) == 1


def test_v13_a_subfolder_that_cannot_be_listed_keeps_its_notes(root: Path, tmp_path: Path, bound: list[str]) -> None:
    def told(*arguments: str) -> Any:
        command = [*bound, sys.executable, "-m", "souvenance", "--data", str(tmp_path / "data"), *arguments, "--json"]
        return json.loads(subprocess.run(command, env=environment, capture_output=True, timeout=60, check=True).stdout)

    environment = os.environ | {"SOUVENANCE_EMBEDDER": "none"}
    (root / "deep").mkdir()
    (root / "deep" / "c.md").write_text("The civet naps.")
    os.utime(root / "deep" / "c.md", (1, 1))
    told("vault", "create", "Docs")
    assert told("folder", "watch", str(root), "--vault", "docs")["report"]["created"] == 2
    (root / "deep").chmod(0)
    try:
        report = told("folder", "scan", str(root))["report"]
    finally:
        (root / "deep").chmod(0o755)
    assert (report["unknown"], report["deleted"]) == (1, 0)
    assert told("search", "civet")["hits"][0]["title"] == "c"


LOCAL = {"Authorization": "Bearer local", "X-Souvenance-Route": "local"}


@pytest.fixture
def settings(tmp_path: Path, store_url: str) -> Settings:
    url = store_url if store_url.startswith("postgresql") else None
    return Settings(data=tmp_path / "data", database_url=url, embedder="none")  # type: ignore[arg-type]


@pytest.fixture
def memory(settings: Settings) -> Iterator[Application]:
    opened = open_application(settings)
    yield opened
    opened.close()


@pytest.fixture
def client(memory: Application, settings: Settings) -> Iterator[TestClient]:
    app = build_app(memory, settings, local_token="local")
    with TestClient(app, base_url="http://127.0.0.1:8765", client=("127.0.0.1", 5)) as opened:
        opened.headers.update(LOCAL)
        opened.post("/api/v1/vaults", json={"name": "Docs"}).raise_for_status()
        yield opened


def test_v13_rest_watches_in_the_background_and_tells_how_it_stands(client: TestClient, root: Path) -> None:
    base = "/api/v1/vaults/docs/folders"
    assert client.post(f"{base}/census", json={"path": str(root)}).json()["files"] == 2
    made = client.post(base, json={"path": str(root)})
    assert made.status_code == 201
    one = f"{base}/{made.json()['folder']}"
    deadline = time.monotonic() + 20
    while client.get(one).json()["condition"] != "well" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert client.get(base).json()["folders"][0]["files"]["taken"] == 1
    assert [item["path"] for item in client.get(f"{one}/errors").json()["errors"]] == ["b.pdf"]
    assert client.post(f"{one}/scan").status_code == 202
    assert client.patch(one, json={"suspended": True}).json()["status"] == "suspended"
    assert client.delete(one, params={"keep": "true"}).json() == {"deleted": 0}
    assert client.get(one).status_code == 404


def test_v13_rest_refuses_a_token_and_a_path_that_is_none(client: TestClient, memory: Application, root: Path) -> None:
    base = "/api/v1/vaults/docs/folders"
    missing = client.post(base, json={"path": str(root / "none")})
    assert (missing.status_code, missing.json()["code"]) == (422, "invalid_input")
    owner = memory.owner_through(Source.COMMAND_LINE)
    secret = memory.tokens.create(actor=owner, name="program", route=Route.LOCAL)[1]
    refused = client.post(base, json={"path": str(root)}, headers={"Authorization": f"Bearer {secret}"})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert client.get(base).json() == {"folders": []}


def test_v13_the_folder_of_the_memory_itself_is_refused_in_words(
    client: TestClient, memory: Application, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = "/api/v1/vaults/docs/folders"
    (tmp_path / "data" / "within").mkdir(parents=True, exist_ok=True)
    for own in (tmp_path / "data", tmp_path / "data" / "within"):
        for address in (base, f"{base}/census"):
            refused = client.post(address, json={"path": str(own)})
            assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
            assert "of this memory itself" in refused.json()["message"]
    with pytest.raises(InvalidInput, match="of this memory itself"):
        memory.imports.markdown(actor=memory.owner_through(Source.COMMAND_LINE), path=tmp_path / "data", vault="docs")
    # what contains it is taken without it
    (tmp_path / "a.md").write_text("x")
    census = client.post(f"{base}/census", json={"path": str(tmp_path)}).json()
    assert census["files"] == 1
    assert run(["--data", str(tmp_path / "data"), "folder", "census", str(tmp_path / "data")]) == 1
    assert "of this memory itself" in capsys.readouterr().err


def test_v13_who_does_not_own_the_machine_is_told_a_folders_name_and_not_its_path(
    memory: Application, tmp_path: Path, root: Path
) -> None:
    owner = memory.owner_through(Source.PANEL)
    team = memory.teams.create(actor=owner, name="Zoo")
    memory.vaults.create(actor=owner, name="Beasts", team=team.id)
    folder = memory.folders.watch(actor=owner, vault="beasts", path=root)
    memory.folders.scan(actor=owner, folder=folder.id)
    member = Actor(user_id=memory.users.create(actor=owner, handle="bo").id, source=Source.PANEL, route=Route.LOCAL)
    _, secret = memory.invitations.invite(actor=owner, team=team.id, can_configure=True)
    memory.invitations.join(secret, actor=member)
    (note,) = memory.notes.list(actor=owner, vault="beasts")
    (listed,) = memory.folders.list(actor=member, vault="beasts")
    assert listed.as_dict()["path"] == "papers"
    assert listed.as_dict()["files"]["taken"] == 1
    assert memory.folders.get(actor=member, folder=folder.id).folder.path == "papers"
    assert memory.explorer.file_of(actor=member, ref=note.id) == "papers/a.md"
    assert memory.folders.get(actor=owner, folder=folder.id).folder.path == str(root)
    assert memory.explorer.file_of(actor=owner, ref=note.id) == str(root / "a.md")
    root.rename(tmp_path / "away")
    with pytest.raises(InvalidInput) as refused:
        memory.folders.scan(actor=member, folder=folder.id)
    assert str(tmp_path) not in str(refused.value)
