"""Forgetting: one member at their own wish, or what those who manage the server decide (D4, F7)."""

from __future__ import annotations

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.errors import NotAllowed
from souvenance.domain.fact import State
from souvenance.domain.server import Server, ServerMember, discord_id
from souvenance.servers.members import acting
from souvenance.store import fact_lists, facts, history
from souvenance.store import servers as rows
from souvenance.store.database import Database


class Forgetting:
    """Use cases that erase. Each works in any channel: nothing of the memory is shown or added."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def forget_me(self, *, actor: Actor, server: Server, member: ServerMember) -> int:
        """Erase everything about the member who asks, at once and for good; how many facts are gone."""
        return self._erase(acting(actor, server, member), server, member.id)

    def erase(self, *, actor: Actor, server: Server, member: ServerMember, about: str | None = None) -> int:
        """Erase everything about the server, or about one member by id; only those who manage the server may."""
        if not member.manages:
            raise NotAllowed("This is for those who may manage the server.", why="manage")
        who = None if about is None else discord_id(about, what="member")
        return self._erase(acting(actor, server, member), server, who)

    def _erase(self, actor: Actor, server: Server, member_id: str | None) -> int:
        """Learning goes on with the next conversation; what was said before is not put before a model again."""
        with self._database.write() as tx:
            now = self._clock()
            if member_id is None:
                found = fact_lists.find_facts(tx, vault_id=server.vault_id, states=list(State))
            else:
                found = rows.facts_about(tx, vault_id=server.vault_id, member_id=member_id, states=list(State))
                rows.forget_name(tx, vault_id=server.vault_id, member_id=member_id, at=now)
            facts.purge_facts(tx, vault_id=server.vault_id, numbers=[fact.number for fact in found])
            rows.update_server(tx, guild_id=server.guild_id, at=now, heard_from=now)
            details = {"facts": len(found)} | ({} if member_id is None else {"member": member_id})
            verb = "vault.erase" if member_id is None else "member.erase"
            history.record_audit(tx, actor, verb=verb, at=now, vault_id=server.vault_id, **details)
        return len(found)
