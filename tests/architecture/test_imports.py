"""The import rules of docs/architecture.md."""

import sys
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("souvenance", include_external_packages=True, cache_dir=None)


def imports_from(graph: grimp.ImportGraph, room: str) -> list[tuple[str, str]]:
    """Every direct import made in a room, as (importer, imported)."""
    modules = [module for module in graph.modules if f"{module}.".startswith(f"{room}.")]
    return [(module, imported) for module in modules for imported in graph.find_modules_directly_imported_by(module)]


def test_every_contract_of_the_house_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    broken = lint_imports(config_filename=str(PROJECT / "pyproject.toml"), no_cache=True, no_logo=True)
    assert broken == 0, capsys.readouterr().out


def test_domain_imports_the_standard_library_only(graph: grimp.ImportGraph) -> None:
    foreign = [
        (module, imported)
        for module, imported in imports_from(graph, "souvenance.domain")
        if not f"{imported}.".startswith("souvenance.domain.")
        and imported.partition(".")[0] not in sys.stdlib_module_names
    ]
    assert foreign == []


def test_interfaces_never_import_the_store(graph: grimp.ImportGraph) -> None:
    reached = [
        (module, imported)
        for module, imported in imports_from(graph, "souvenance.interfaces")
        if f"{imported}.".startswith("souvenance.store.")
    ]
    assert reached == []
