"""One call of one tool: whose memory, who asks, and within how many tokens the answer must stay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from souvenance.application import Application
    from souvenance.domain.access import Actor


@dataclass(frozen=True)
class Call:
    """What a tool is given beside its arguments. `budget` is in tokens, for the text and for the data each."""

    memory: Application
    actor: Actor
    budget: int

    @cached_property
    def slugs(self) -> dict[int, str]:
        """Slugs by id of the vaults whose content may be given to this caller: another's is never named (V8)."""
        return {vault.id: vault.slug for vault in self.memory.vaults.list(actor=self.actor)}

    def slug(self, vault_id: int) -> str:
        """The slug of a vault, or `-` where it may be written to but not shown over this route."""
        return self.slugs.get(vault_id, "-")
