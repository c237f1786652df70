"""Vaults and the attention each user pays them (V1, V2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Select, case, delete, false, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.domain.access import Actor
from souvenance.domain.attention import FULL, MUTED
from souvenance.domain.errors import Conflict, NotAllowed, NotFound, Withheld
from souvenance.domain.note import title_key
from souvenance.domain.protection import may_leave
from souvenance.domain.vault import MemoryType, Protection, Vault, VaultKind, name_in_french, slugify
from souvenance.store.access import known, readable
from souvenance.store.database import Transaction
from souvenance.store.tables import attention, counter, membership, vault

GIVEN = "vault_id"
"""The counter of the highest id that a vault had."""


def _vaults(actor: Actor, ids: Select[tuple[int]]) -> Select[Any]:
    # An application's vault is sealed (V9): it answers its own application fully, and the owner who ticks it.
    own = (vault.c.kind == VaultKind.APP) & (vault.c.app == actor.app) if actor.app else false()
    first = case((vault.c.kind == VaultKind.APP, MUTED), else_=FULL)
    weight = case((own, FULL), else_=func.coalesce(attention.c.weight, first)).label("attention")
    return (
        select(vault, weight, membership.c.can_configure)
        .join(membership, (membership.c.team_id == vault.c.team_id) & (membership.c.user_id == actor.user_id))
        .outerjoin(attention, (attention.c.vault_id == vault.c.id) & (attention.c.user_id == actor.user_id))
        .where(vault.c.id.in_(ids))
        .order_by(func.lower(vault.c.name), vault.c.id)
    )


def _vault(row: Mapping[Any, Any]) -> Vault:
    return Vault(
        id=row["id"],
        team_id=row["team_id"],
        slug=row["slug"],
        name=row["name"],
        kind=VaultKind(row["kind"]),
        protection=Protection(row["protection"]),
        memory_type=MemoryType(row["memory_type"]),
        description=row["description"],
        colour=row["colour"],
        app=row["app"],
        settings=dict(row["settings"]),
        attention=row["attention"],
        can_configure=bool(row["can_configure"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def list_vaults(tx: Transaction, actor: Actor) -> list[Vault]:
    """The vaults whose content may be given to this actor, by name."""
    return _told_apart([_vault(row) for row in tx.execute(_vaults(actor, readable(actor))).mappings()])


def list_known_vaults(tx: Transaction, actor: Actor) -> list[Vault]:
    """All vaults of this actor, those withheld on its route included: for deciding, never for showing."""
    return _told_apart([_vault(row) for row in tx.execute(_known_vaults(actor)).mappings()])


def _told_apart(vaults: list[Vault]) -> list[Vault]:
    """Vaults of two teams that go by one slug as `slug~team`, by which `named_vault` finds each."""
    times = Counter(item.slug for item in vaults)
    return [item if times[item.slug] == 1 else replace(item, slug=f"{item.slug}~{item.team_id}") for item in vaults]


def plain_slug(slug: str) -> str:
    """A slug as it is kept, without the team by which it is told apart from another's."""
    return slug.partition("~")[0]


@lru_cache(maxsize=256)
def _known_vaults(actor: Actor) -> Select[Any]:
    """The statement, which every search and every write runs: building it takes longer than running it."""
    return _vaults(actor, known(actor))


def find_vault(tx: Transaction, actor: Actor, condition: ColumnElement[bool]) -> Vault | None:
    """The first of the actor's vaults (withheld ones included) that meets the condition."""
    row = tx.execute(_vaults(actor, known(actor)).where(condition).limit(1)).mappings().one_or_none()
    if row is None:
        return None
    return next(item for item in list_known_vaults(tx, actor) if item.id == row["id"])


def named_vault(tx: Transaction, actor: Actor, name: str, *, to_write: bool = False) -> Vault:
    """The vault a caller named by slug, name or `@slug`, any case and accents; by what it is shown as in French, where
    no other has that name.

    To read, its content must be allowed to leave over the actor's route; to write, the actor must be able to
    configure it. A vault of someone else is as unknown as one that does not exist. Where vaults of two teams go by
    one slug, `slug~team` names one, with the team's number.
    """
    wanted = name.strip().removeprefix("@")
    same = [item for item in list_known_vaults(tx, actor) if item.slug == wanted]
    if not same:
        keys = {title_key(wanted), slugify(wanted)}
        same = [item for item in list_known_vaults(tx, actor) if {title_key(item.name), plain_slug(item.slug)} & keys]
    if not same:
        shown = [(item, name_in_french(item)) for item in list_known_vaults(tx, actor)]
        same = [item for item, french in shown if french and title_key(french) == title_key(wanted)]
    if not same and "~" in wanted:
        same = [item for item in list_known_vaults(tx, actor) if f"{plain_slug(item.slug)}~{item.team_id}" == wanted]
    if not same:
        raise NotFound(
            "There is no vault of that name that you can reach.", hint="The list of vaults shows those there are."
        )
    if len(same) > 1:
        ways = ", ".join(f"{plain_slug(item.slug)}~{item.team_id}" for item in same)
        raise Conflict("Several of your vaults have that name.", hint=f"Name one of them: {ways}.")
    (found,) = same
    if to_write and not found.can_configure:
        raise NotAllowed(
            "You may read this vault but not change it.", hint="Ask its team for the configure permission."
        )
    if not to_write:
        _require_readable(found, actor)
    return found


def configured_vault(tx: Transaction, actor: Actor, name: str) -> Vault:
    """The vault of that name whose affairs the actor may both see over its route and change (A1, V8)."""
    found = named_vault(tx, actor, name, to_write=True)
    _require_readable(found, actor)
    return found


def _require_readable(found: Vault, actor: Actor) -> None:
    if is_withheld(found, actor):
        raise Withheld(
            "That vault is protected: nothing of it leaves over a cloud route.",
            hint="Ask on this machine, or have the owner declare your route local.",
        )


def is_withheld(item: Vault, actor: Actor) -> bool:
    """Whether the vault's content must not leave over this actor's route (V8)."""
    return not may_leave(item.protection, actor.route)


def add_vault(
    tx: Transaction,
    *,
    team_id: int,
    slug: str,
    name: str,
    kind: VaultKind,
    protection: Protection,
    memory_type: MemoryType,
    description: str,
    colour: str,
    app: str | None,
    at: datetime,
) -> int:
    """Create a vault; its id. The slug must be free within the team."""
    tx.hold("add_vault", team_id)
    ids = {"id": _fresh_id(tx)} if tx.is_sqlite else {}
    if tx.execute(select(vault.c.id).where(vault.c.team_id == team_id, vault.c.slug == slug)).scalar() is not None:
        raise Conflict(f"There is already a vault called “{slug}”.", hint="Choose another name.", slug=slug)
    statement = insert(vault).values(
        **ids,
        team_id=team_id,
        slug=slug,
        name=name,
        kind=kind,
        protection=protection,
        memory_type=memory_type,
        description=description,
        colour=colour,
        app=app,
        settings={},
        created_at=at,
        updated_at=at,
    )
    made = int(tx.execute(statement.returning(vault.c.id)).scalar_one())
    tx.mark("vault", made)
    return made


def _fresh_id(tx: Transaction) -> int:
    """An id that no vault ever had: what is kept of one that is gone (audit, receipts, tokens spent) stays its own."""
    highest = int(tx.execute(select(func.coalesce(func.max(vault.c.id), 0))).scalar_one())
    given = tx.execute(select(counter.c.value).where(counter.c.name == GIVEN)).scalar_one_or_none() or 0
    return max(highest, int(given)) + 1


def remove_vault(tx: Transaction, *, vault_id: int) -> None:
    """Take a vault away; what stands in it, weighs it and watches for it goes along by its keys."""
    tx.mark("vault", vault_id)
    if tx.is_sqlite:  # which would give the highest id again
        kept = sqlite_insert(counter).values(name=GIVEN, value=_fresh_id(tx) - 1)
        tx.execute(kept.on_conflict_do_update(index_elements=["name"], set_={"value": kept.excluded.value}))
    tx.execute(delete(vault).where(vault.c.id == vault_id))


def update_vault(tx: Transaction, *, vault_id: int, at: datetime, values: Mapping[str, Any]) -> None:
    """Change columns of one vault."""
    tx.mark("vault", vault_id)
    tx.execute(update(vault).where(vault.c.id == vault_id).values(updated_at=at, **values))


def zone_in(tx: Transaction, vault_id: int) -> str:
    """The time zone a vault's settings name for what is said there, empty where they name none (F10)."""
    kept = tx.execute(select(vault.c.settings).where(vault.c.id == vault_id)).scalar()
    return str((kept or {}).get("time_zone", ""))


def set_attention(tx: Transaction, *, user_id: int, weights: Mapping[int, int]) -> None:
    """Set a user's weight for each of these vaults, in one statement."""
    if not weights:
        return
    tx.mark("attention", user_id)
    rows = [{"vault_id": vault_id, "user_id": user_id, "weight": weight} for vault_id, weight in weights.items()]
    make = sqlite_insert if tx.is_sqlite else postgresql_insert
    statement = make(attention)
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=["vault_id", "user_id"], set_={"weight": statement.excluded.weight}
        ),
        rows,
    )
