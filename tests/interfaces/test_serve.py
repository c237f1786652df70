"""`souvenance serve` as a process: it starts, says how to connect, is found, stops, and refuses clearly."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

SOURCES = Path(__file__).parents[2] / "src"
PASSWORD = "a harp has many strings"
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def start(data: Path, bound: list[str]) -> Iterator[Start]:
    running: list[subprocess.Popen[str]] = []

    def begin(*arguments: str, **more: str) -> subprocess.Popen[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SOURCES),
            "SOUVENANCE_DATA": str(data),
            "SOUVENANCE_EMBEDDER": "none",
            "SOUVENANCE_PORT": "0",
        }
        process = subprocess.Popen(
            [*bound, sys.executable, "-m", "souvenance", *(arguments or ("serve",))],
            env=environment | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def presence(data: Path, process: "subprocess.Popen[str]") -> dict[str, Any]:
    """What serve.json says once this process has written it."""
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        try:
            found = json.loads((data / "serve.json").read_text())
        except (OSError, ValueError):
            found = {}
        if found.get("pid") == process.pid:
            return dict(found)
        time.sleep(0.05)
    raise AssertionError(process.communicate(timeout=5))


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


def test_port_0_takes_any_free_one(start: Start, data: Path) -> None:
    here = presence(data, start("serve", "--port", "0", SOUVENANCE_PORT="1"))
    assert httpx.get(f"{here['url']}/health").json()["status"] == "ok"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_r3_it_starts_is_ready_and_stops_when_told(start: Start, data: Path, number: int) -> None:
    process = start()
    here = presence(data, process)
    assert stat.S_IMODE((data / "serve.json").stat().st_mode) == 0o600
    assert httpx.get(f"{here['url']}/health").json()["status"] == "ok"
    assert httpx.get(f"{here['url']}/ready").json()["ready"] is True
    mine = httpx.get(f"{here['url']}/api/v1/me", headers={"Authorization": f"Bearer {here['token']}"})
    assert mine.json()["token"] is None
    process.send_signal(number)
    code, out, err = ended(process)
    assert code == 0, err
    assert not (data / "serve.json").exists()
    command = f"souvenance --data {data.resolve()}"
    for said in (f"{here['url']}/mcp", f"{command} mcp", str(data), f"{command} token create NAME"):
        assert said in out
    assert here["token"] not in out + err
    assert "Traceback" not in err


def test_what_was_written_is_there_after_a_restart_and_a_kill(start: Start, data: Path) -> None:
    process = start()
    here = presence(data, process)
    bearer = {"Authorization": f"Bearer {here['token']}"}
    kept = httpx.post(f"{here['url']}/api/v1/facts/about-user", json={"content": "Prefers tea"}, headers=bearer)
    assert kept.status_code == 201
    process.kill()
    process.wait()
    assert (data / "serve.json").exists()
    again = start()
    there = presence(data, again)  # the file left behind is known to be stale
    assert httpx.get(f"{there['url']}/api/v1/me", headers=bearer).status_code == 401
    bearer = {"Authorization": f"Bearer {there['token']}"}
    found = httpx.get(f"{there['url']}/api/v1/facts/{kept.json()['number']}", headers=bearer)
    assert found.json()["content"] == "Prefers tea"


def test_a_second_server_on_the_same_data_leaves_the_first_announced(start: Start, data: Path) -> None:
    first = presence(data, start())
    second = start()
    assert second.stdout is not None
    said = second.stdout.readline()
    assert "is running at" in said
    assert first["url"] not in said
    second.send_signal(signal.SIGTERM)
    assert ended(second)[0] == 0
    assert json.loads((data / "serve.json").read_text()) == first


def test_a_port_in_use_is_said(start: Start, data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, _, err = ended(start(SOUVENANCE_PORT=str(taken.getsockname()[1])))
    assert code != 0
    assert "Another program listens on" in err
    assert "--port" in err
    here = presence(data, start())
    code, _, err = ended(start(SOUVENANCE_PORT=here["url"].rpartition(":")[2]))
    assert code != 0
    assert f"running on this data already, at {here['url']}" in err


def test_a2_bound_elsewhere_it_wants_a_token_first(start: Start, data: Path) -> None:
    code, _, err = ended(start(SOUVENANCE_HOST="0.0.0.0"))
    assert code != 0
    assert "souvenance token create" in err
    assert "souvenance user password owner" in err
    made = start("token", "create", "laptop")
    secret = ended(made)[1].strip()
    here = presence(data, start(SOUVENANCE_HOST="0.0.0.0"))
    assert here["url"].startswith("http://127.0.0.1:")
    assert httpx.get(f"{here['url']}/metrics").status_code == 401
    bearer = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(f"{here['url']}/metrics", headers=bearer).status_code == 200


def test_a2_bound_elsewhere_it_starts_with_a_password_and_lets_nobody_in_by_a_link(start: Start, data: Path) -> None:
    setting = subprocess.run(
        [sys.executable, "-m", "souvenance", "user", "password", "owner", "--password-stdin"],
        input=f"{PASSWORD}\n",
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCES), "SOUVENANCE_DATA": str(data)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert PASSWORD not in setting.stdout + setting.stderr
    process = start(SOUVENANCE_HOST="0.0.0.0")
    here = presence(data, process)
    code, _, err = ended(start("open", "--print"))
    assert code == 1
    assert "with an account, not with a link" in err
    said = httpx.post(f"{here['url']}/api/v1/sessions", json={"handle": "Owner", "password": PASSWORD})
    bearer = {"Authorization": f"Bearer {said.json()['secret']}"}
    assert httpx.get(f"{here['url']}/api/v1/me", headers=bearer).json()["user"] == "owner"
    process.send_signal(signal.SIGTERM)
    code, out, err = ended(process)
    assert code == 0, err
    assert "Log in" in out
    assert "/enter/" not in out
    for secret in (PASSWORD, said.json()["secret"]):
        assert secret not in out + err


def test_a2_on_loopback_it_prints_a_link_and_open_makes_another(start: Start, data: Path) -> None:
    code, _, err = ended(start("open", "--print"))
    assert code == 3
    assert "souvenance serve" in err
    process = start()
    here = presence(data, process)
    code, out, err = ended(start("open", "--print"))
    assert code == 0, err
    assert re.fullmatch(re.escape(here["url"]) + r"/enter/sl_[\w-]{43}\n", out)
    code, other, _ = ended(start("open", "--json"))
    assert json.loads(other)["url"] != out.strip()
    process.send_signal(signal.SIGTERM)
    _, said, logs = ended(process)
    (printed,) = re.findall(re.escape(here["url"]) + r"/enter/sl_[\w-]{43}", said)
    assert printed not in (out.strip(), json.loads(other)["url"])
    assert "sl_" not in logs


def test_a_folder_that_cannot_be_used_is_said(start: Start, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, _, err = ended(start(SOUVENANCE_DATA=str(tmp_path / "file" / "data")))
    assert code != 0
    assert "cannot be used" in err
    assert "Traceback" not in err


def test_a_read_only_folder_is_said(start: Start, data: Path) -> None:
    data.mkdir()
    data.chmod(0o500)
    code, _, err = ended(start())
    data.chmod(0o700)
    assert code != 0
    assert "cannot be used" in err
