"""Where a fact stands: its category and subject, and its vault (F3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from souvenance.domain.access import Actor
from souvenance.domain.errors import Conflict, NotAllowed
from souvenance.domain.fact import Fact, State, SubjectKind, checked_subject
from souvenance.domain.vault import Vault
from souvenance.memory.guard import refuse_secrets
from souvenance.memory.remember import POSITION_STEP, Observation, Pages, checked_category
from souvenance.store import history, revisions
from souvenance.store.database import Transaction


def filed(
    tx: Transaction,
    actor: Actor,
    found: Fact,
    *,
    vault: Vault,
    category: str | None = None,
    subject_kind: SubjectKind | None = None,
    subject_id: str | None = None,
    at: datetime,
) -> tuple[Fact, list[history.Written]]:
    """The fact on the page of this category and subject in this vault, at its end, and what that took.

    What is not given stays. The page is made where it is missing. In another vault the fact keeps its number.
    """
    kind, name = found.subject_kind, found.subject_id
    if subject_kind is not None or subject_id is not None:
        kind = kind if subject_kind is None else subject_kind
        # Who says that it is about the vault, and no more, says that it is about nobody.
        name = (
            ("" if kind == SubjectKind.VAULT and subject_kind is not None else name)
            if subject_id is None
            else subject_id
        )
        kind, name = checked_subject(kind, name)
    place = Observation(
        content=found.content,
        category=found.category if category is None else checked_category(category),
        subject_kind=kind,
        subject_id=name,
    )
    same = (found.category, found.subject_kind, found.subject_id) == (
        place.category, place.subject_kind, place.subject_id,
    )  # fmt: skip
    if same and vault.id == found.vault_id:
        return found, []
    refuse_secrets(actor, place.category, place.subject_id)
    tx.hold_vault(vault.id)
    pages = Pages(tx, vault=vault, observations=[place], at=at)
    page = pages.of(place)
    after = replace(
        found,
        # On a page that a person took out of every retrieval, what is filed there is out of it too (V14).
        disabled=found.disabled or page.disabled,
        vault_id=vault.id,
        note_id=page.id,
        category=place.category,
        subject_kind=place.subject_kind,
        subject_id=place.subject_id,
        position=found.number * POSITION_STEP,
    )
    return after, pages.close(set())


def checked_move(actor: Actor, found: Fact, target: Vault) -> None:
    """Refuse a move that may not be: by a model, to where the fact is already, out of the trash."""
    if actor.is_model:
        raise NotAllowed("Only a person moves facts to another vault.", hint="Ask the owner.")
    if found.vault_id == target.id:
        raise Conflict(f"Fact #{found.number} is in that vault already.", hint="Name another vault.")
    if found.state is State.TRASHED:
        raise Conflict(f"Fact #{found.number} is in the trash.", hint="Restore it first.")


def take_history(tx: Transaction, *, number: int, before: int, after: int) -> None:
    """Let a moved fact's revisions go with it: what it said stays as protected as what it says (V8, N9)."""
    tx.mark("knowledge", before)
    tx.mark("vault", before)  # its past days hold less now
    revisions.move_fact_revisions(tx, number=number, before=before, after=after)
