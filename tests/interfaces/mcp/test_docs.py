"""docs/mcp.md names every tool, argument and setting there is, and no other."""

import json
import re
import tomllib
from pathlib import Path

from souvenance.interfaces.mcp.tools import TOOLS
from souvenance.settings import Settings

PAGE = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")


def test_the_tables_of_tools_are_the_tools() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", PAGE, re.MULTILINE)
    told = {name: re.findall(r"`(\w+)(\??)`", arguments) for name, arguments in rows if name in TOOLS}
    offered = {}
    for name, tool in TOOLS.items():
        schema = tool.takes.listed()
        needed = schema.get("required", [])
        offered[name] = [(item, "" if item in needed else "?") for item in schema.get("properties", {})]
    assert told == offered


def test_the_everyday_tools_come_first() -> None:
    everyday, occasional = PAGE.split("Now and then, with", 1)
    for name, tool in TOOLS.items():
        assert f"| `{name}` |" in (everyday if tool.everyday else occasional)


def test_every_setting_named_is_one() -> None:
    named = set(re.findall(r"SOUVENANCE_([A-Z_]+)", PAGE))
    known = {name.upper() for name in Settings.model_fields}
    assert named <= known
    assert {name for name in known if name.startswith("MCP_")} <= named


def test_what_is_to_be_pasted_can_be_read() -> None:
    for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL):
        assert "souvenance" in json.dumps(json.loads(block))
    for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL):
        assert "souvenance" in tomllib.loads(block)["mcp_servers"]
