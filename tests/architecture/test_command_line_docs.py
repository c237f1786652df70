"""Every command and option of the documentation exists, and the reverse."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from souvenance.interfaces.cli.app import command
from souvenance.interfaces.cli.exits import ExitCode

PROJECT = Path(__file__).parents[2]
GUIDE = PROJECT / "docs" / "command-line.md"
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
GLOBAL = {"--data", "--database-url", "--json", "--debug", "--help"}


def leaves(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, child in getattr(node, "commands", {}).items():
        if hasattr(child, "commands"):
            if child.invoke_without_command:
                yield (*path, name), child
            yield from leaves(child, (*path, name))
        else:
            yield (*path, name), child


COMMANDS = dict(leaves(typer.main.get_command(command)))


def options_of(leaf: Any) -> set[str]:
    named = (name for one in leaf.params for name in (*one.opts, *one.secondary_opts))
    return {name for name in named if name.startswith("--")} - GLOBAL


def sections() -> dict[tuple[str, ...], str]:
    """What the guide says of each command: everything below the code that starts with it, up to the next."""
    parts = re.split(r"^#+ `souvenance ([a-z-]+(?: [a-z-]+)?)[^`]*`$", GUIDE.read_text(encoding="utf-8"), flags=re.M)
    return {tuple(name.split()): body for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def test_every_command_has_a_section_and_every_section_a_command() -> None:
    assert set(sections()) == set(COMMANDS)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_of_a_command_is_in_its_section_and_the_reverse(path: tuple[str, ...]) -> None:
    body = sections()[path]
    assert set(re.findall(r"--[a-z][a-z-]*", body)) - GLOBAL == options_of(COMMANDS[path])


EXAMPLES = [(path, line) for path, leaf in COMMANDS.items() for line in (leaf.epilog or "").split("\n\n") if line]


def test_commands_that_take_more_than_one_thing_show_how() -> None:
    shown = {path for path, _ in EXAMPLES}
    taking = {
        path for path, leaf in COMMANDS.items() if sum(one.param_type_name == "argument" for one in leaf.params) > 1
    }
    assert taking - shown == set()


@pytest.mark.parametrize(("path", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_every_example_of_the_help_is_one_the_command_takes(path: tuple[str, ...], line: str) -> None:
    words = shlex.split(line.partition(" < ")[0])
    assert tuple(words[: 2 + len(path)]) == ("Example:", "souvenance", *path)
    leaf = COMMANDS[path]
    given = leaf.make_context(path[-1], words[2 + len(path) :]).params
    assert any(value for name, value in given.items() if f"--{name}" not in GLOBAL)


def test_exit_codes_stand_in_the_help() -> None:
    said = typer.main.get_command(command).epilog or ""
    assert all(f"{code.value} " in said for code in ExitCode)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_named_on_any_page_exists(page: Path) -> None:
    nouns = {path[0] for path in COMMANDS if len(path) == 2}
    for named in re.findall(r"(?<![\w/.-])(?<!from )souvenance((?: [a-z-]+)+)", page.read_text(encoding="utf-8")):
        words = tuple(word for word in named.split() if not word.startswith("-"))
        known = words[:1] in COMMANDS or words[:2] in COMMANDS or (len(words) == 1 and words[0] in nouns)
        assert known or not words, f"souvenance{named}"


def test_every_exit_code_is_documented() -> None:
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", GUIDE.read_text(encoding="utf-8"), re.M)}
    assert documented == {code.value for code in ExitCode}


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_takes_the_global_options_and_says_what_it_does(path: tuple[str, ...]) -> None:
    leaf = COMMANDS[path]
    assert {name for parameter in leaf.params for name in parameter.opts} >= GLOBAL - {"--help"}
    assert leaf.help
