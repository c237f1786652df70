"""What a memory's change feed tells those who show something of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Changed:
    """What was written since the last call: whose attention, whose conversations, which vaults, the facts or notes of
    which vaults. A vault is among the `vaults` too when something of it is gone for good, from its past as well.

    `everything`: what changed is unknown (the connection was lost meanwhile); look at all that is shown.
    """

    everything: bool = False
    attention: frozenset[int] = field(default=frozenset())
    vaults: frozenset[int] = field(default=frozenset())
    knowledge: frozenset[int] = field(default=frozenset())
    conversations: frozenset[int] = field(default=frozenset())


def together(news: Iterable[Changed]) -> Changed:
    """Several of them as one."""
    told = list(news)
    return Changed(
        everything=any(one.everything for one in told),
        attention=frozenset[int]().union(*(one.attention for one in told)),
        vaults=frozenset[int]().union(*(one.vaults for one in told)),
        knowledge=frozenset[int]().union(*(one.knowledge for one in told)),
        conversations=frozenset[int]().union(*(one.conversations for one in told)),
    )
