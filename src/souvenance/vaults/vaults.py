"""Making vaults, describing them and weighing them (V1, V2, V8, V9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from souvenance.domain.access import Actor, Route
from souvenance.domain.clock import Clock
from souvenance.domain.errors import InvalidInput, NotAllowed, NotFound, StaleVersion
from souvenance.domain.fact import readable_text
from souvenance.domain.vault import (
    MAX_NAME,
    PERSONAL_NAME,
    MemoryType,
    Protection,
    Vault,
    VaultKind,
    checked_colour,
    clean_name,
    slugify,
)
from souvenance.domain.vault_settings import changed_settings
from souvenance.store import facts as fact_rows
from souvenance.store import history, people, teams
from souvenance.store import notes as note_rows
from souvenance.store import vaults as rows
from souvenance.store.database import Database, Transaction
from souvenance.store.tables import vault as vault_table
from souvenance.vaults.attention import weigh

MAX_DESCRIPTION_BYTES = 4000
APPLICATION_NAME = "Application"


class Vaults:
    """Use cases on vaults."""

    def __init__(self, database: Database, clock: Clock, *, has_local_embedder: bool) -> None:
        self._database = database
        self._clock = clock
        self._first_step = MemoryType.SEMANTIC if has_local_embedder else MemoryType.CONSOLIDATED

    def list(self, *, actor: Actor) -> list[Vault]:
        """The vaults this actor may be answered from, by name; those at 0 too."""
        with self._database.read() as tx:
            return rows.list_vaults(tx, actor)

    def count_withheld(self, *, actor: Actor) -> int:
        """How many of the actor's vaults are left out because they are protected and its route is cloud (V8)."""
        with self._database.read() as tx:
            return sum(rows.is_withheld(item, actor) for item in rows.list_known_vaults(tx, actor))

    def count_facts(self, *, actor: Actor) -> dict[int, int]:
        """Facts in force, by vault id, for every vault the actor may read."""
        with self._database.read() as tx:
            return fact_rows.count_facts(tx, [item.id for item in rows.list_vaults(tx, actor)])

    def count_notes(self, *, actor: Actor) -> dict[int, int]:
        """Notes that stand, memory pages aside, by vault id, for every vault the actor may read."""
        with self._database.read() as tx:
            return note_rows.count_notes(tx, [item.id for item in rows.list_vaults(tx, actor)])

    def get(self, *, actor: Actor, vault: str) -> Vault:
        """The vault of that name."""
        with self._database.read() as tx:
            return rows.named_vault(tx, actor, vault)

    def create(
        self,
        *,
        actor: Actor,
        name: str,
        kind: VaultKind = VaultKind.PROJECT,
        description: str = "",
        colour: str = "",
        protection: Protection = Protection.NORMAL,
        team: int | None = None,
    ) -> Vault:
        """A new vault, at full attention; not a personal or an application's (V1, V9).

        It is the caller's own, or of a `team` that they configure: then its members see it at once (A1).
        """
        actor.require_write()
        if kind in {VaultKind.PERSONAL, VaultKind.APP}:
            raise InvalidInput(
                "A personal vault and an application's are made when they are first needed, one each.",
                hint="Choose another kind.",
            )
        if actor.vaults is not None:
            raise NotAllowed(
                "This token is bound to its vaults and makes no new one.", hint="Ask the owner to make it."
            )
        with self._database.write() as tx:
            return self.create_in(
                tx,
                actor,
                name=name,
                kind=kind,
                description=description,
                colour=colour,
                protection=protection,
                team=None if team is None else _configured(tx, actor, team),
            )

    def create_in(
        self,
        tx: Transaction,
        actor: Actor,
        *,
        name: str,
        kind: VaultKind,
        description: str = "",
        colour: str = "",
        protection: Protection = Protection.NORMAL,
        app: str | None = None,
        team: int | None = None,
    ) -> Vault:
        """`create` within a transaction that does more."""
        name = clean_name(name, what="vault's name")
        slug = slugify(name)
        if not slug:
            raise InvalidInput("The vault's name holds no letter or digit.", hint="Choose another name.")
        now = self._clock()
        vault_id = rows.add_vault(
            tx,
            team_id=people.own_team(tx, actor.user_id) if team is None else team,
            slug=slug,
            name=name,
            kind=kind,
            protection=protection,
            memory_type=MemoryType.CLASSIC if kind is VaultKind.SERVER else self._first_step,
            description=readable_text(description, what="description", limit=MAX_DESCRIPTION_BYTES).strip(),
            colour=checked_colour(colour),
            app=app,
            at=now,
        )
        history.record_audit(tx, actor, verb="vault.create", at=now, vault_id=vault_id, slug=slug, kind=kind)
        found = rows.find_vault(tx, actor, vault_table.c.id == vault_id)
        if found is None:
            raise NotAllowed("The vault was made where you cannot reach it.")
        return found

    def personal(self, tx: Transaction, actor: Actor) -> Vault:
        """The caller's personal vault, made when first needed (N4). A token bound to other vaults has none (A3)."""
        own_team = people.own_team(tx, actor.user_id)
        condition = (vault_table.c.kind == VaultKind.PERSONAL) & (vault_table.c.team_id == own_team)
        found = rows.find_vault(tx, actor, condition)
        if found is not None:
            return found
        if actor.vaults is not None:
            raise NotAllowed(
                "This token does not reach the personal vault.", hint="The owner can make a token that lists it."
            )
        tx.hold("personal", actor.user_id)
        found = rows.find_vault(tx, actor, condition)
        return found or self.create_in(tx, actor, name=self._free_name(tx, actor), kind=VaultKind.PERSONAL)

    def application(self, tx: Transaction, actor: Actor) -> Vault | None:
        """The sealed vault of the application that asks, made when it first connects and keyed on its id (V9).

        It is the user's own, named after the id, and reached whatever vaults the token lists. None for who is no
        application.
        """
        if actor.app is None:
            return None
        found = self.find_application(tx, actor)
        if found is not None:
            return found
        caller = replace(actor, vaults=None)
        tx.hold("application", actor.user_id)
        found = self.find_application(tx, actor)
        if found is not None:
            return found
        # An id may hold no letter: then the vault goes by what it is.
        name = actor.app if slugify(actor.app) else APPLICATION_NAME
        return self.create_in(tx, caller, name=self._free_name(tx, caller, name), kind=VaultKind.APP, app=actor.app)

    def find_application(self, tx: Transaction, actor: Actor) -> Vault | None:
        """The sealed vault of the application that asks, where it has one."""
        condition = (vault_table.c.kind == VaultKind.APP) & (vault_table.c.app == actor.app)
        own = vault_table.c.team_id == people.own_team(tx, actor.user_id)
        return rows.find_vault(tx, replace(actor, vaults=None), condition & own)

    @staticmethod
    def _free_name(tx: Transaction, actor: Actor, name: str = PERSONAL_NAME) -> str:
        """That name, or with a number behind it, so that no vault of the user's has it already."""
        known = rows.list_known_vaults(tx, replace(actor, token_id=None, is_model=False, vaults=None))
        taken = {rows.plain_slug(item.slug) for item in known} | {slugify(item.name) for item in known}
        names = (name, *(f"{name[: MAX_NAME - 8]} {number}" for number in range(2, len(taken) + 3)))
        return next(one for one in names if slugify(one) not in taken)

    def change(
        self,
        *,
        actor: Actor,
        vault: str,
        name: str | None = None,
        description: str | None = None,
        colour: str | None = None,
        protection: Protection | None = None,
        seen: datetime | None = None,
    ) -> Vault:
        """Change what is given and leave the rest. The slug stays, so that links and habits hold.

        `seen`: the `updated_at` of the vault that the change was made from; refused as stale where it changed since.

        A vault that is withheld on the actor's route is not changed over it. Only a person on a local route changes the
        protection: whoever could lower it over a cloud route would read what it protects (V8).
        """
        actor.require_write()
        if protection is not None and (actor.is_model or actor.route is not Route.LOCAL):
            raise NotAllowed(
                "A vault's protection is changed by a person on a local route only.", hint="Change it on this machine."
            )
        with self._database.write() as tx:
            found = rows.configured_vault(tx, actor, vault)
            if seen is not None and found.updated_at != seen:
                raise StaleVersion("The vault was changed meanwhile.", hint="Look at it again, then change it.")
            values: dict[str, str] = {}
            if name is not None:
                values["name"] = clean_name(name, what="vault's name")
            if description is not None:
                values["description"] = readable_text(
                    description, what="description", limit=MAX_DESCRIPTION_BYTES
                ).strip()
            if colour is not None:
                values["colour"] = checked_colour(colour)
            if protection is not None:
                values["protection"] = protection
            now = self._clock()
            rows.update_vault(tx, vault_id=found.id, at=now, values=values)
            history.record_audit(tx, actor, verb="vault.change", at=now, vault_id=found.id, changed=sorted(values))
            return rows.find_vault(tx, actor, vault_table.c.id == found.id) or found

    def change_type(self, *, actor: Actor, vault: str, memory_type: MemoryType) -> Vault:
        """Put a vault on another step of the ladder, at once: nothing is moved, rewritten or deleted (section 3)."""
        found, kept = self._of_person(actor, vault), MemoryType(memory_type)
        if kept is found.memory_type:
            return found
        with self._database.write() as tx:
            now = self._clock()
            rows.update_vault(tx, vault_id=found.id, at=now, values={"memory_type": kept})
            history.record_audit(
                tx, actor, verb="vault.type", at=now, vault_id=found.id, before=found.memory_type, after=kept
            )
            return rows.find_vault(tx, actor, vault_table.c.id == found.id) or found

    def change_settings(self, *, actor: Actor, vault: str, changes: Mapping[str, Any]) -> Vault:
        """Change settings of a vault and leave the rest; None brings a default back. Audited with the values (F5)."""
        known = self._of_person(actor, vault)
        with self._database.write() as tx:
            tx.hold("settings", known.id)
            found = rows.configured_vault(tx, actor, known.slug)
            kept = changed_settings(found.settings, changes)
            now = self._clock()
            rows.update_vault(tx, vault_id=found.id, at=now, values={"settings": kept})
            history.record_audit(tx, actor, verb="vault.settings", at=now, vault_id=found.id, changed=dict(changes))
            return rows.find_vault(tx, actor, vault_table.c.id == found.id) or found

    def _of_person(self, actor: Actor, vault: str) -> Vault:
        actor.require_write()
        if actor.is_model:
            raise NotAllowed("A model changes neither a vault's type nor its settings.", hint="The owner does it.")
        with self._database.read() as tx:
            return rows.configured_vault(tx, actor, vault)

    def set_attention(self, *, actor: Actor, vault: str, weight: int) -> Vault:
        """Say how much a vault counts when this user's memory is queried, 0 to 100 (V2)."""
        with self._database.write() as tx:
            return weigh(tx, actor, vault=vault, weight=weight, clock=self._clock)


def _configured(tx: Transaction, actor: Actor, team: int) -> int:
    mine = teams.list_teams(tx, actor.user_id, team_id=team)
    if not mine:
        raise NotFound("There is no such team that you are in.", hint="souvenance team list shows yours.")
    if not mine[0].can_configure:
        raise NotAllowed("You are in this team but may not change it.", hint="Ask for the configure permission.")
    return team
