"""Ready-made configuration that programs can read, whatever the data folder is called."""

import json
import shlex
import tomllib
from types import SimpleNamespace
from typing import Any, cast

from souvenance.interfaces.panel.connecting import Launch, http_recipes, stdio_recipes
from souvenance.interfaces.panel.visit import Visit

VISIT = cast(Visit, SimpleNamespace(say=lambda text, **_: text))
ODD = '/home/ana/it\'s "my" données & co'
LAUNCH = Launch(command=f"{ODD}/bin/souvenance", env=(("SOUVENANCE_DATA", ODD),))
ENTRY = {"command": f"{ODD}/bin/souvenance", "args": ["mcp"], "env": {"SOUVENANCE_DATA": ODD}}


def _parsed(name: str, text: str) -> Any:
    if name == "Claude Code":
        words = shlex.split(text)
        assert words[:6] == ["claude", "mcp", "add-json", "--scope", "user", "souvenance"]
        return json.loads(words[6])
    if name == "Codex CLI":
        return tomllib.loads(text)["mcp_servers"]["souvenance"]
    found = json.loads(text)
    return found["servers" if name == "VS Code" else "mcpServers"]["souvenance"]


def test_every_program_of_this_machine_starts_the_same_server() -> None:
    recipes = stdio_recipes(VISIT, LAUNCH)
    assert len({recipe.slug for recipe in recipes}) == len(recipes)
    for recipe in recipes:
        entry = _parsed(recipe.name, recipe.text)
        assert {name: entry[name] for name in ENTRY} == ENTRY, recipe.name


def test_every_program_elsewhere_gets_the_address_and_the_token() -> None:
    for recipe in http_recipes(VISIT, "http://127.0.0.1:8765/mcp", "sou_secret"):
        entry = _parsed(recipe.name, recipe.text)
        assert entry["url"] == "http://127.0.0.1:8765/mcp"
        assert entry["headers"] == {"Authorization": "Bearer sou_secret"}, recipe.name


def test_the_usual_data_folder_is_not_named() -> None:
    entry = _parsed("Codex CLI", Launch(command="souvenance").as_toml())
    assert entry == {"command": "souvenance", "args": ["mcp"]}
