"""The panel as one ASGI application: its pages, its files, its stream of changes."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from souvenance import __version__
from souvenance.application import Application
from souvenance.interfaces.panel import live
from souvenance.interfaces.panel.navigation import PLACES
from souvenance.interfaces.panel.pages import (
    activity,
    agent_memory,
    agents,
    answers,
    audit,
    chat,
    chat_asking,
    context,
    endpoints,
    entry,
    map,
    memory,
    memory_erase,
    memory_facts,
    memory_ladder,
    memory_proposals,
    memory_transfer,
    note,
    note_edit,
    note_history,
    notes,
    scope,
    settings,
    team,
    vault,
    vault_folders,
    vaults,
    welcome,
)
from souvenance.interfaces.panel.render import LANGUAGES, Pages
from souvenance.interfaces.panel.streams import Streams
from souvenance.interfaces.panel.ways import Way, refused_by_framework, routed

PAGES = (
    entry, chat, chat_asking, welcome, scope, vaults, vault, vault_folders, map,
    memory, memory_facts, memory_ladder, memory_proposals, memory_erase, memory_transfer,
    notes, note_edit, note_history, note, agent_memory,
    agents, context, activity, settings, answers, endpoints, team, audit,
)  # fmt: skip

WAYS: tuple[Way, ...] = (*live.WAYS, *(way for page in PAGES for way in page.WAYS))
"""Everything that can be asked of the panel; a test walks it with every kind of visitor."""


def build_panel(memory: Application, streams: Streams) -> Starlette:
    """The application to mount at `/`, after all others."""
    pages = Pages()
    pages.add("PLACES", PLACES)
    pages.add("LANGUAGES", LANGUAGES)
    pages.add("VERSION", __version__)
    pages.add_pieces()
    folder = Path(str(resources.files(__package__) / "static"))
    return Starlette(
        routes=[
            *(routed(way, memory, pages, streams) for way in WAYS),
            Mount(f"/static/{__version__}", app=_Files(directory=folder)),
        ],
        exception_handlers={HTTPException: refused_by_framework(memory, pages, streams)},
        middleware=[Middleware(GZipMiddleware, minimum_size=1024)],
    )


class _Files(StaticFiles):
    """The panel's own files. Their address holds the version, so a browser may keep them."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, with leave to keep it."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "public, max-age=3600"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
