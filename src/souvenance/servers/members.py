"""What members of a server may ask of its memory, and what only those who manage it may (D2, D4, A1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock, isoformat
from souvenance.domain.errors import InvalidInput, NotAllowed
from souvenance.domain.fact import Fact, State, SubjectKind
from souvenance.domain.server import Permitted, Place, Server, ServerMember, permitted
from souvenance.domain.vault import MemoryType, Vault
from souvenance.memory.facts import Facts
from souvenance.memory.remember import Observation, Remembered
from souvenance.retrieval.answer import Answer
from souvenance.retrieval.retrieval import Retrieval
from souvenance.store import history
from souvenance.store import servers as rows
from souvenance.store.database import Database
from souvenance.vaults.vaults import Vaults

FOUND = 8
"""Results of one search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutMember:
    """What is remembered of a member, and whether anything more will be."""

    facts: tuple[Fact, ...]
    opted_out: bool


class Members:
    """Use cases of a server's members. `actor` is the bot; each method narrows it to the one server and member."""

    def __init__(self, database: Database, clock: Clock, vaults: Vaults, facts: Facts, retrieval: Retrieval) -> None:
        self._database = database
        self._clock = clock
        self._vaults = vaults
        self._facts = facts
        self._retrieval = retrieval

    # --- anyone --------------------------------------------------------------------------------------------------

    def search(self, *, actor: Actor, server: Server, place: Place, member: ServerMember, query: str) -> Answer:
        """Search the server's memory, where it may be read."""
        _require_read(server, place)
        return self._retrieval.search(actor=acting(actor, server, member), query=query, vault=server.vault, limit=FOUND)

    def about(self, *, actor: Actor, server: Server, place: Place, member: ServerMember) -> AboutMember:
        """The facts in force about a member, for that member."""
        _require_read(server, place)
        self._require_open(actor, server, member)
        with self._database.read() as tx:
            return AboutMember(
                facts=tuple(
                    rows.facts_about(tx, vault_id=server.vault_id, member_id=member.id, states=[State.IN_FORCE])
                ),
                opted_out=bool(rows.opted_out(tx, vault_id=server.vault_id, member_ids=[member.id])),
            )

    def export(self, *, actor: Actor, server: Server, place: Place, member: ServerMember) -> dict[str, Any]:
        """Everything kept about a member, retired and trashed facts too, as plain values (`my-data`)."""
        _require_read(server, place)
        self._require_open(actor, server, member)
        with self._database.read() as tx:
            found = rows.facts_about(tx, vault_id=server.vault_id, member_id=member.id, states=list(State))
            out = bool(rows.opted_out(tx, vault_id=server.vault_id, member_ids=[member.id]))
            name = rows.member_names(tx, vault_id=server.vault_id, member_ids=[member.id]).get(member.id, "")
        return {
            "server": server.name,
            "server_id": server.guild_id,
            "member_id": member.id,
            "name": name,
            "opted_out": out,
            "exported_at": isoformat(self._clock()),
            "facts": [_exported(fact) for fact in found],
        }

    def opt_out(self, *, actor: Actor, server: Server, member: ServerMember, out: bool = True) -> None:
        """Let nothing be learnt about a member any more, or let it be again. What is known stays until it is forgotten.

        Works anywhere: nothing of the memory is shown or added.
        """
        with self._database.write() as tx:
            now = self._clock()
            # The name of someone who opted out is not kept.
            name = {"name": ""} if out else {}
            rows.keep_member(tx, vault_id=server.vault_id, member_id=member.id, at=now, opted_out=out, **name)
            verb = "member.opt_out" if out else "member.opt_in"
            acted = acting(actor, server, member)
            history.record_audit(tx, acted, verb=verb, at=now, vault_id=server.vault_id)

    def require_undo(self, *, server: Server, place: Place, member: ServerMember, asked_by: str) -> None:
        """Refuse whoever may not take back what an answer wrote: who asked may, and those who manage the server, where
        memory may be written.
        """
        if member.id != asked_by:
            _require_manager(member)
        _require_write(server, place)

    # --- those who manage the server -----------------------------------------------------------------------------

    def add(
        self,
        *,
        actor: Actor,
        server: Server,
        place: Place,
        member: ServerMember,
        content: str,
        key: str = "",
        importance: int | None = None,
        about: ServerMember | None = None,
    ) -> Remembered:
        """Add a fact, about the server or one of its members, where memory may be written."""
        _require_manager(member)
        _require_write(server, place)
        if about is not None:
            with self._database.read() as tx:
                if rows.opted_out(tx, vault_id=server.vault_id, member_ids=[about.id]):
                    raise NotAllowed("That member does not want to be remembered.", why="opted_out")
        observation = Observation(
            content=content,
            key=key,
            importance=importance,
            subject_kind=SubjectKind.VAULT if about is None else SubjectKind.MEMBER,
            subject_id="" if about is None else about.id,
            channel=place.channel,
            author=member.name,
        )
        acted = acting(actor, server, member)
        return self._facts.remember(actor=acted, vault=server.vault, observations=[observation])[0]

    def change_type(self, *, actor: Actor, server: Server, member: ServerMember, memory_type: str) -> Vault:
        """Put the server's memory on another step of the ladder."""
        _require_manager(member)
        try:
            step = MemoryType(memory_type)
        except ValueError:
            raise InvalidInput(f"There is no memory type {memory_type!r}.", hint=", ".join(MemoryType)) from None
        return self._vaults.change_type(actor=acting(actor, server, member), vault=server.vault, memory_type=step)

    def _require_open(self, actor: Actor, server: Server, member: ServerMember) -> None:
        """Refuse where the vault is protected: Discord is no place of this machine (V8)."""
        self._vaults.get(actor=acting(actor, server, member), vault=server.vault)


def acting(actor: Actor, server: Server, member: ServerMember | None) -> Actor:
    """The bot acting in one server for one of its members: it reaches that server's vault and no other."""
    name = actor.name if member is None else f"{member.name} (Discord {member.id})"
    return replace(actor, vaults=frozenset({server.vault_id}), name=name)


def where_permitted(server: Server, place: Place, *, opted_out: bool) -> Permitted:
    """What an exchange may do with memory in a place; of someone who opted out nothing is written."""
    allowed = permitted(server.settings, place)
    return replace(allowed, write=False) if opted_out else allowed


def _require_read(server: Server, place: Place) -> None:
    if not permitted(server.settings, place).read:
        raise NotAllowed("Memory is not read in this channel.", hint="Ask in a channel where it is.", why="read")


def _require_write(server: Server, place: Place) -> None:
    if not permitted(server.settings, place).write:
        raise NotAllowed("Memory is not written in this channel.", why="write")


def _require_manager(member: ServerMember) -> None:
    if not member.manages:
        raise NotAllowed("This is for those who may manage the server.", why="manage")


def _exported(fact: Fact) -> dict[str, Any]:
    moments = ("created_at", "updated_at", "valid_from", "valid_to", "deleted_at")
    shown: dict[str, Any] = {
        name: getattr(fact, name)
        for name in ("number", "key", "content", "category", "confidence", "importance", "source", "author", "channel")
    }
    shown |= {"state": fact.state.value, "reason": fact.reason, "replaced_by": fact.replaced_by}
    return shown | {name: isoformat(at) if (at := getattr(fact, name)) else None for name in moments}
