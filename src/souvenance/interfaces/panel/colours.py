"""Colours of vaults: those offered, and the one of a vault that was given none."""

from __future__ import annotations

from souvenance.domain.vault import Vault
from souvenance.interfaces.panel.marking import marked as _

COLOURS = {
    "#0d6a62": _("Teal"),
    "#2f7d9c": _("Blue"),
    "#4a63b8": _("Indigo"),
    "#8c4a86": _("Purple"),
    "#a8435a": _("Raspberry"),
    "#b4552d": _("Rust"),
    "#8a6d1f": _("Ochre"),
    "#3f7d3a": _("Green"),
}
"""Readable on light and on dark ground, each with its name for those who hear it."""


def colour_of(vault: Vault) -> str:
    """The colour a vault is shown with: its own, or else one that is always the same."""
    return vault.colour or list(COLOURS)[vault.id % len(COLOURS)]
