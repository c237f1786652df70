"""The places of the panel, in the order they stand in the navigation."""

from __future__ import annotations

from dataclasses import dataclass

from souvenance.interfaces.panel.marking import marked as _


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of the navigation: `icon` is a symbol of `icons.svg`."""

    name: str
    address: str
    text: str
    icon: str


PLACES = (
    Place("chat", "/", _("Chat"), "chat"),
    Place("vaults", "/vaults", _("Vaults"), "vaults"),
    Place("map", "/map", _("Neural map"), "map"),
    Place("memory", "/memory", _("Memory"), "memory"),
    Place("notes", "/notes", _("Notes"), "notes"),
    Place("agents", "/agents", _("Agents"), "agents"),
    Place("settings", "/settings", _("Settings"), "settings"),
)
