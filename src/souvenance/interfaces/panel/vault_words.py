"""What vaults, their kinds and the steps of the ladder are called."""

from __future__ import annotations

from souvenance.domain.vault import MemoryType, Vault, VaultKind, name_in_french
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.render import Tongue

KINDS = {
    VaultKind.PERSONAL: _("Personal"),
    VaultKind.PROJECT: _("Project"),
    VaultKind.LIBRARY: _("Library"),
    VaultKind.SERVER: _("Discord server"),
    VaultKind.APP: _("Application"),
}
STEPS = {
    MemoryType.CLASSIC: _("Classic"),
    MemoryType.JOURNAL: _("Journal"),
    MemoryType.ARCHIVE: _("Searchable archive"),
    MemoryType.RANKED: _("Ranked"),
    MemoryType.CONSOLIDATED: _("Consolidated"),
    MemoryType.SEMANTIC: _("Semantic"),
}


def called(tongue: Tongue, vault: Vault) -> str:
    """What people see a vault called: a personal one that nobody named is called so in the reader's language."""
    return (name_in_french(vault) if tongue.language == "fr" else "") or vault.name


def as_named(tongue: Tongue, vault: Vault, typed: str) -> str:
    """A vault's own name where what is typed is what it is called here; else what is typed."""
    return vault.name if typed.strip() == called(tongue, vault) else typed
