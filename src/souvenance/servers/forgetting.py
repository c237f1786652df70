"""Forgetting: one member at their own wish, or what those who manage the server decide (D4, F7)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from souvenance.domain.access import Actor, Route
from souvenance.domain.erasure import Erased, PurgeState
from souvenance.domain.errors import NotAllowed
from souvenance.domain.server import Server, ServerMember, discord_id
from souvenance.memory.erase import Erasures
from souvenance.servers.members import acting

_FACTS = ("facts", "facts_retired", "facts_trashed")
"""The kinds of a receipt that count facts, by where they stood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What is gone: how many facts; how many of others still name the member; whether a purge is pending (F7)."""

    facts: int
    mentions: int
    is_pending: bool


class Forgetting:
    """Use cases that erase. Each works in any channel: nothing of the memory is shown or added."""

    def __init__(self, erasures: Erasures) -> None:
        self._erasures = erasures

    def forget_me(self, *, actor: Actor, server: Server, member: ServerMember) -> Forgotten:
        """Erase everything about the member who asks, at once and for good."""
        return self._erase(acting(actor, server, member), server, member)

    def erase(
        self, *, actor: Actor, server: Server, member: ServerMember, about: ServerMember | None = None
    ) -> Forgotten:
        """Erase everything about the server, or about one member; only those who manage the server may."""
        if not member.manages:
            raise NotAllowed("This is for those who may manage the server.", why="manage")
        return self._erase(acting(actor, server, member), server, about)

    def _erase(self, actor: Actor, server: Server, about: ServerMember | None) -> Forgotten:
        """Learning goes on with the next conversation; what was said before is not put before a model again. That
        someone opted out is a wish, and stays. Only numbers come back, so a protected server erases as well.
        """
        member = None if about is None else discord_id(about.id, what="member")
        erased = self._erasures.erase(
            actor=replace(actor, route=Route.LOCAL),
            vault=server.vault,
            member=member,
            confirm=member or server.vault,
            names=[] if about is None else [about.name],
        )
        return _forgotten(erased)


def _forgotten(erased: Erased) -> Forgotten:
    return Forgotten(
        facts=sum(receipt.counts.get(kind, 0) for receipt in erased.receipts for kind in _FACTS),
        mentions=len(erased.mentions),
        is_pending=any(receipt.state is PurgeState.PENDING for receipt in erased.receipts),
    )
