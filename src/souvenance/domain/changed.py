"""What a memory's change feed tells those who show something of it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Changed:
    """What was written since the last call: whose attention, whose conversations, which vaults, the facts or notes of
    which vaults.

    `everything`: what changed is unknown (the connection was lost meanwhile); look at all that is shown.
    """

    everything: bool = False
    attention: frozenset[int] = field(default=frozenset())
    vaults: frozenset[int] = field(default=frozenset())
    knowledge: frozenset[int] = field(default=frozenset())
    conversations: frozenset[int] = field(default=frozenset())
