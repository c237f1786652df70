"""How programs are connected to this memory: ready-made configuration for the common ones, to copy.

A page calls `connect_values` and includes `pieces/connect.html`.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.visit import Visit
from souvenance.terminal import unusual_folder

TOKEN = "TOKEN"  # noqa: S105 - the word that stands where one is to be put
NAME = "souvenance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What one program is given: `where` names the file it goes into, or says to run it; `text` is to be copied."""

    name: str
    where: str
    text: str

    @property
    def slug(self) -> str:
        """The name as part of an id."""
        return "".join(c if c.isalnum() else "-" for c in self.name.lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a program of this machine starts the server itself: a command, its arguments and its environment."""

    command: str
    args: tuple[str, ...] = ("mcp",)
    env: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As clients write it down."""
        shown: dict[str, Any] = {"command": self.command, "args": list(self.args)}
        return shown | ({"env": dict(self.env)} if self.env else {})

    def as_toml(self) -> str:
        """As a table of TOML, whose strings are written as JSON's are."""
        lines = [f"command = {_quoted(self.command)}", f"args = [{', '.join(map(_quoted, self.args))}]"]
        if self.env:
            lines += ["", f"[mcp_servers.{NAME}.env]", *(f"{name} = {_quoted(value)}" for name, value in self.env)]
        return "\n".join([f"[mcp_servers.{NAME}]", *lines])


def connect_values(visit: Visit, *, token: str = TOKEN) -> dict[str, Any]:
    """What `pieces/connect.html` needs, under the one name `connect`. `token`: a secret to show in its place, once."""
    base = str(visit.request.base_url).rstrip("/")
    launch = launch_of(visit)
    return {
        "connect": {
            "at_home": launch is not None,
            "is_postgresql": not visit.memory.database.is_sqlite,
            "stdio": [] if launch is None else stdio_recipes(visit, launch),
            "http": http_recipes(visit, f"{base}/mcp", token),
            "mcp": f"{base}/mcp",
            "proxy": f"{base}/v1",
            "python": _python(f"{base}/v1", token),
            "token": token,
            "has_token": token != TOKEN,
            "offers_token": not visit.request.url.path.startswith("/agents"),  # where tokens are made
        }
    }


def launch_of(visit: Visit) -> Launch | None:
    """The command that serves this memory over stdio, with the data folder where it is not the usual one; None where
    this server is on another machine than the person who asks, or that person does not own it: whoever starts the
    command is the owner."""
    if not (visit.memory.entry.is_open and visit.user.is_owner):
        return None
    beside = Path(sys.executable).parent
    command = shutil.which(NAME, path=str(beside)) or shutil.which(NAME) or NAME
    folder = unusual_folder(visit.memory)
    return Launch(command=command, env=() if folder is None else (("SOUVENANCE_DATA", str(folder)),))


def stdio_recipes(visit: Visit, launch: Launch) -> list[Recipe]:
    """For programs of this machine, which start the server themselves."""
    entry = launch.as_dict()
    servers = _shown({"mcpServers": {NAME: entry}})
    command = f"claude mcp add-json --scope user {NAME} {shlex.quote(json.dumps(entry, ensure_ascii=False))}"
    vscode = _shown({"servers": {NAME: {"type": "stdio", **entry}}})
    return [
        Recipe(name="Claude Code", where=visit.say(_RUN), text=command),
        Recipe(name="Claude Desktop", where="claude_desktop_config.json", text=servers),
        Recipe(name="Cursor", where="~/.cursor/mcp.json", text=servers),
        Recipe(name="VS Code", where=".vscode/mcp.json", text=vscode),
        Recipe(name="Codex CLI", where="~/.codex/config.toml", text=launch.as_toml()),
        Recipe(name="Gemini CLI", where="~/.gemini/settings.json", text=servers),
        Recipe(name="Windsurf", where="~/.codeium/windsurf/mcp_config.json", text=servers),
        Recipe(name=visit.say(_("Another program")), where=visit.say(_("its list of MCP servers")), text=servers),
    ]


def http_recipes(visit: Visit, address: str, token: str) -> list[Recipe]:
    """For programs that reach the running server, from here or elsewhere, with a token."""
    headers = {"Authorization": f"Bearer {token}"}
    entry = {"type": "http", "url": address, "headers": headers}
    command = f"claude mcp add-json --scope user {NAME} {shlex.quote(json.dumps(entry))}"
    plain = _shown({"mcpServers": {NAME: {"url": address, "headers": headers}}})
    return [
        Recipe(name="Claude Code", where=visit.say(_RUN), text=command),
        Recipe(name="Cursor", where="~/.cursor/mcp.json", text=plain),
        Recipe(name="VS Code", where=".vscode/mcp.json", text=_shown({"servers": {NAME: entry}})),
        Recipe(name=visit.say(_("Another program")), where=visit.say(_("its list of MCP servers")), text=plain),
    ]


_RUN = _("run this in a terminal")


def _python(address: str, token: str) -> str:
    return (
        "import openai\n\n"
        f"client = openai.OpenAI(base_url={_quoted(address)}, api_key={_quoted(token)})\n"
        'client.chat.completions.create(model="any", messages=[{"role": "user", "content": "…"}])'
    )


def _shown(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
