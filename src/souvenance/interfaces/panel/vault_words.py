"""What the kinds of vaults and the steps of the ladder are called."""

from __future__ import annotations

from souvenance.domain.vault import MemoryType, VaultKind
from souvenance.interfaces.panel.marking import marked as _

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
