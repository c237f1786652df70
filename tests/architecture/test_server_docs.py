"""docs/rest.md and docs/deployment.md name what exists, and all of it."""

import re
from pathlib import Path

from souvenance.interfaces.rest import (
    accounts,
    audit,
    chat,
    context,
    conversations,
    endpoints,
    erasure,
    facts,
    folders,
    history,
    ladder,
    map,
    notes,
    proposals,
    scope,
    search,
    servers,
    teams,
    tokens,
    vaults,
)
from souvenance.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"


def test_rest_names_every_route_and_no_other() -> None:
    page = (DOCS / "rest.md").read_text(encoding="utf-8")
    named = {
        (method, path)
        for methods, path in re.findall(r"`((?:GET|POST|PUT|PATCH|DELETE)(?: [A-Z]+)*) (/\S+)`", page)
        for method in methods.split()
    }
    rooms = (
        vaults, ladder, proposals, erasure, scope, map, folders, facts, notes, search, history, context, chat,
        conversations, endpoints, servers, tokens, audit, accounts, teams,
    )  # fmt: skip
    there = {(method, route.path) for room in rooms for route in room.router.routes for method in route.methods}  # type: ignore[attr-defined]
    assert named == there


def test_deployment_names_every_setting_and_no_other() -> None:
    page = (DOCS / "deployment.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `SOUVENANCE_([A-Z_]+)` \| (?:`(.*)`|none) \| (.*) \|$", page, re.MULTILINE)
    assert [name.lower() for name, _, _ in listed] == list(Settings.model_fields)
    for name, default, meaning in listed:
        field = Settings.model_fields[name.lower()]
        shown = str(field.default).lower() if isinstance(field.default, bool) else str(field.default or "")
        assert (default, meaning) == (shown, field.description), name
    assert set(re.findall(r"SOUVENANCE_([A-Z_]+)", page)) <= {name.upper() for name in Settings.model_fields}
