"""Response settings of a vault: what conversations are given of it, and what that may cost (F5, T4, C6, D2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.responses import Response

from souvenance.domain.errors import NotFound, SouvenanceError
from souvenance.domain.server import Channels, Reach, Server
from souvenance.domain.vault import MemoryType, Vault, VaultKind
from souvenance.domain.vault_settings import VaultSettings, changed_settings, settings_of
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.pages.memory_ladder import models_of
from souvenance.interfaces.panel.vault_words import STEPS
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "answers.html"
PREVIEWED = 12
"""Facts the preview of the order shows."""


REACHES = {
    Reach.ALL: _("every ordinary channel"),
    Reach.NONE: _("none"),
    Reach.CHOSEN: _("these channels"),
}


def show(visit: Visit) -> Response:
    """The settings of the vault that was chosen, or of the first."""
    vaults = _vaults(visit)
    wanted = visit.path.get("vault") or visit.asked("vault")
    if not wanted and not vaults:
        return visit.page(PAGE, here="settings", tab="answers", vaults=[], vault=None)
    vault = visit.memory.vaults.get(actor=visit.actor, vault=wanted) if wanted else vaults[0]
    if visit.asked("vault"):
        return visit.go(f"/settings/answers/{vault.slug}")
    return visit.page(PAGE, **_shown(visit, vault))


def save(visit: Visit) -> Response:
    """Keep what was set; what does not belong to the step is left as it is."""
    vault = visit.memory.vaults.change_settings(actor=visit.actor, vault=visit.path["vault"], changes=_given(visit))
    said = visit.say("Saved. It counts from the next message on.")
    return visit.html(visit.block(PAGE, "settings", **_shown(visit, vault)), visit.note(said))


def preview(visit: Visit) -> Response:
    """The order in which facts would be given with what stands in the form, before it is saved."""
    vault = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    vault = replace(vault, settings=changed_settings(vault.settings, _given(visit)))
    return visit.piece(PAGE, "order", **_order(visit, vault, visit.given("message")))


def save_channels(visit: Visit) -> Response:
    """Where a Discord server's memory may be read and written, and where the bot answers."""
    vault = visit.path["vault"]
    visit.memory.servers.change_settings(
        actor=visit.actor,
        vault=vault,
        changes={
            "read": _channels(visit, "read"),
            "write": _channels(visit, "write"),
            "include_threads": visit.given("include_threads") == "1",
            "answer_channels": visit.given("answer_channels").replace(",", " ").split(),
            "listens": visit.given("listens") == "1",
        },
    )
    found = visit.memory.vaults.get(actor=visit.actor, vault=vault)
    return visit.html(visit.block(PAGE, "settings", **_shown(visit, found)), visit.note(visit.say("Saved.")))


def _channels(visit: Visit, name: str) -> Any:
    reach = visit.given(name)
    return visit.given(f"{name}_chosen").replace(",", " ").split() if reach == Reach.CHOSEN else reach


def _given(visit: Visit) -> dict[str, Any]:
    """What the form holds of the vault's settings; a field that is not there is not touched, an empty one defaults."""
    whole = {
        name: visit.given_whole(name) for name in ("max_injected", "daily_tokens", "member_rate") if name in visit.form
    }
    weights = {name: visit.given_number(name) for name in ("recency", "importance", "relevance") if name in visit.form}
    zone = {"time_zone": visit.given("time_zone").strip() or None} if "time_zone" in visit.form else {}
    return {**whole, **weights, **zone}


def _vaults(visit: Visit) -> list[Vault]:
    return [one for one in visit.memory.vaults.list(actor=visit.actor) if one.kind is not VaultKind.APP]


def _order(visit: Visit, vault: Vault, message: str) -> dict[str, Any]:
    try:
        given = visit.memory.ladder.given_to_prompt(
            actor=visit.actor, vault=vault, message=message, language=visit.language
        )
    except SouvenanceError as error:
        return {"order": (), "considered": 0, "order_problem": visit.told(error).message, "previewed": PREVIEWED}
    return {
        "order": given.facts[:PREVIEWED],
        "considered": given.considered,
        "order_problem": "",
        "previewed": PREVIEWED,
    }


def _server(visit: Visit, vault: Vault) -> Server | None:
    if vault.kind is not VaultKind.SERVER:
        return None
    try:
        return visit.memory.servers.get(actor=visit.actor, vault=vault.slug)
    except NotFound:
        return None


def _shown(visit: Visit, vault: Vault) -> dict[str, Any]:
    server = _server(visit, vault)
    return {
        "here": "settings",
        "tab": "answers",
        "vaults": _vaults(visit),
        "vault": vault,
        "step": STEPS[vault.memory_type],
        "ranks": vault.memory_type.step >= MemoryType.RANKED.step,
        "settings": settings_of(vault.settings),
        "models": models_of(visit, vault),
        "defaults": VaultSettings(),
        "server": server,
        "channels": {} if server is None else {"read": server.settings.read, "write": server.settings.write},
        "every": Channels(),
        "reaches": REACHES,
        **_order(visit, vault, ""),
    }


WAYS: tuple[Way, ...] = (
    get("/settings/answers", show),
    get("/settings/answers/{vault}", show),
    post("/settings/answers/{vault}", save),
    post("/settings/answers/{vault}/preview", preview),
    post("/settings/answers/{vault}/channels", save_channels),
)
