"""What the project's own files promise to someone who has just cloned it."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import souvenance

PROJECT = Path(__file__).parents[2]
LOCKS = sorted(path.name for path in PROJECT.glob("requirements*.lock"))


def read(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def pins(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)==([^ ;\\]+)", read(lock), re.MULTILINE))


def test_there_is_a_lock_to_run_and_one_to_develop() -> None:
    assert LOCKS == ["requirements-dev.lock", "requirements.lock"]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_package_index_and_no_path_of_the_machine_it_was_made_on(lock: str) -> None:
    telling = r"\w+://|\bfile:/|(?:^|\s)/\S+|--(?:extra-)?index-url|--find-links|--trusted-host"
    assert re.findall(telling, read(lock)) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_of_a_lock_carries_its_hashes(lock: str) -> None:
    entries = re.split(r"^(?=[A-Za-z0-9])", read(lock), flags=re.MULTILINE)[1:]
    assert len(entries) == len(pins(lock)) > 0
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_tests_run_on_the_very_versions_that_are_installed_for_people() -> None:
    run, develop = pins("requirements.lock"), pins("requirements-dev.lock")
    assert {name: develop.get(name) for name in run} == run


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_pulls_in_a_deep_learning_framework(lock: str) -> None:
    assert {"torch", "tensorflow", "jax", "transformers"}.isdisjoint(pins(lock))


def test_licence_is_apache_2() -> None:
    heading = [line.strip() for line in read("LICENSE").splitlines()[:3]]
    assert heading[1:] == ["Apache License", "Version 2.0, January 2004"]
    assert tomllib.loads(read("pyproject.toml"))["project"]["license"] == "Apache-2.0"


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    named = set(re.findall(r"^make (\w+)", read("README.md"), re.MULTILINE))
    targets = set(re.findall(r"^(\w+):", read("Makefile"), re.MULTILINE))
    assert {"run", "test"} <= named <= targets


def test_ci_runs_what_a_developer_runs() -> None:
    assert "make test" in read(".ci/run").splitlines()


def test_the_version_is_one() -> None:
    declared = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    assert souvenance.__version__ == declared == version("souvenance")
    assert "## [Unreleased]" in read("CHANGELOG.md")
