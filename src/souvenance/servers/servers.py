"""Servers: each one vault of its own, with its settings and what its members said about being remembered (D1 to D3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from souvenance.domain.server import Server, ServerMember, discord_id, settings_of
from souvenance.domain.vault import Vault, VaultKind, clean_name, slugify
from souvenance.store import history
from souvenance.store import servers as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.tables import vault as vault_table
from souvenance.vaults.vaults import Vaults

LONGEST_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """What is known of some members of a server: the names they had when last seen, by id, and who opted out."""

    names: dict[str, str]
    opted_out: frozenset[str]


class Servers:
    """Use cases on servers."""

    def __init__(self, database: Database, clock: Clock, vaults: Vaults) -> None:
        self._database = database
        self._clock = clock
        self._vaults = vaults

    # --- coming in -----------------------------------------------------------------------------------------------

    def join(self, *, actor: Actor, guild_id: str, name: str) -> Server:
        """The server of that id, with a vault made for it the first time it is met; later, its name is kept fresh.

        The vault follows the server's name until a person gives it another. A server that let the bot go keeps its
        vault, and finds it again.
        """
        actor.require_write()
        guild_id = discord_id(guild_id, what="server")
        name = _shown(name)
        with self._database.read() as tx:
            found = rows.find_server(tx, guild_id=guild_id)
        if found is not None and found.name == name:
            return found
        with self._database.write() as tx:
            tx.hold("server", guild_id)
            found = rows.find_server(tx, guild_id=guild_id)
            now = self._clock()
            if found is None:
                vault = self._make_vault(tx, actor, guild_id, name)
                rows.add_server(tx, guild_id=guild_id, vault_id=vault.id, name=name, at=now)
            elif found.name != name:
                rows.update_server(tx, guild_id=guild_id, at=now, name=name)
                vault_now = vault_rows.find_vault(tx, actor, vault_table.c.id == found.vault_id)
                if vault_now is not None and vault_now.name == found.name:
                    vault_rows.update_vault(tx, vault_id=found.vault_id, at=now, values={"name": name})
            joined = rows.find_server(tx, guild_id=guild_id)
        if joined is None:
            raise NotFound("The server's vault was removed meanwhile.")
        return joined

    def _make_vault(self, tx: Transaction, actor: Actor, guild_id: str, name: str) -> Vault:
        """Servers may share a name, vaults of one team do not: then the end of the id tells them apart."""
        names = [name, f"{name} {guild_id[-6:]}", f"{name} {guild_id}"] if slugify(name) else [f"Discord {guild_id}"]
        for wanted in names:
            try:
                return self._vaults.create_in(tx, actor, name=wanted, kind=VaultKind.SERVER)
            except Conflict:
                continue
        raise Conflict("There are already vaults of that name.", hint="Rename one of them.")

    def meet(self, *, server: Server, members: Collection[ServerMember], others: Collection[str] = ()) -> Met:
        """Keep the names these members have now, and tell what is known of them and of the others, given by id.

        Of someone who opted out no name is kept.
        """
        wanted = {one.id: _shown(one.name) for one in members}
        everyone = {*wanted, *others}
        with self._database.read() as tx:
            out = rows.opted_out(tx, vault_id=server.vault_id, member_ids=everyone)
            names = rows.member_names(tx, vault_id=server.vault_id, member_ids=everyone)
        fresh = {id: name for id, name in wanted.items() if id not in out and names.get(id) != name}
        if fresh:
            with self._database.write() as tx:
                for id, name in fresh.items():
                    rows.keep_member(tx, vault_id=server.vault_id, member_id=id, at=self._clock(), name=name)
        return Met(names=names | fresh, opted_out=out)

    def find(self, *, guild_id: str) -> Server | None:
        """The server of that id as it is set now; None where the bot was never let in."""
        with self._database.read() as tx:
            return rows.find_server(tx, guild_id=guild_id)

    # --- settings ------------------------------------------------------------------------------------------------

    def list(self, *, actor: Actor) -> list[Server]:
        """The servers whose memory this actor may be given, by name."""
        with self._database.read() as tx:
            return rows.list_servers(tx, actor)

    def get(self, *, actor: Actor, vault: str) -> Server:
        """The server whose memory is that vault."""
        with self._database.read() as tx:
            return _server_of(tx, vault_rows.named_vault(tx, actor, vault))

    def change_settings(self, *, actor: Actor, vault: str, changes: Mapping[str, Any]) -> Server:
        """Change settings of a server and leave the rest; None brings a default back. Audited with the values."""
        actor.require_write()
        if actor.is_model:
            raise NotAllowed("A model does not change a server's settings.", hint="The owner does it.")
        with self._database.write() as tx:
            found = _server_of(tx, vault_rows.named_vault(tx, actor, vault, to_write=True))
            tx.hold("server", found.guild_id)
            found = _server_of(tx, vault_rows.named_vault(tx, actor, vault, to_write=True))
            after = {name: value for name, value in {**found.settings.plain(), **changes}.items() if value is not None}
            settings = settings_of(after)
            now = self._clock()
            rows.update_server(tx, guild_id=found.guild_id, at=now, settings=settings.plain())
            named = {name: settings.plain()[name] for name in changes}
            history.record_audit(tx, actor, verb="server.settings", at=now, vault_id=found.vault_id, changed=named)
            return replace(found, settings=settings, updated_at=now)


def _server_of(tx: Transaction, vault: Vault) -> Server:
    found = rows.find_server(tx, vault_id=vault.id)
    if found is None:
        raise NotFound(
            "That vault is not the memory of a Discord server.",
            hint="Invite the bot to the server; `souvenance discord servers` lists those it is in.",
        )
    return found


def _shown(name: str) -> str:
    """A name given by others, as one line that can be kept; never refused."""
    plain = "".join(c if c.isprintable() else " " for c in name)
    try:
        return clean_name(plain[:LONGEST_NAME])
    except InvalidInput:
        return "?"
