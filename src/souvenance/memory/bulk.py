"""What is done to many facts at once, and to all of a vault: each refusal is told, none of it stops the others (F3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, SouvenanceError
from souvenance.domain.fact import Action, Fact, State
from souvenance.domain.vault import Vault
from souvenance.memory import correct
from souvenance.memory.filing import checked_move, filed, take_history
from souvenance.memory.summaries import left_retired
from souvenance.store import fact_lists as lists
from souvenance.store import facts as rows
from souvenance.store import history
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction

BATCH = 500
"""Facts changed under one hold of the write lock."""
MOST = 10_000
"""Facts of one call at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A fact that was left as it was, and why."""

    number: int
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The numbers of the facts it was done to, in the order given, and those it was not."""

    done: tuple[int, ...]
    refused: tuple[Refused, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredAll:
    """How many facts are in force again, and the summaries that stay retired, since a vault has one (F6)."""

    restored: int
    summaries_left: tuple[int, ...] = ()


Change = tuple[Fact, Fact, str]
One = Callable[[Transaction, Vault, Fact], tuple[Fact, list[history.Written]]]


class Bulk:
    """Gestures on many facts."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def apply(
        self,
        *,
        actor: Actor,
        numbers: Sequence[int],
        action: Action,
        reason: str = "",
        vault: str | None = None,
        confidence: float | None = None,
        importance: int | None = None,
    ) -> Done:
        """Do one thing to these facts; those it cannot be done to are listed with the reason and left as they are.

        `reason` goes with retire, `vault` (where to) with move, `confidence` and `importance` with edit. Some 500 are
        done in one transaction: after a failure those before it are done, and asking again does the rest.
        """
        actor.require_write()
        if actor.is_model:
            raise NotAllowed("A model corrects facts one by one.", hint="Retire or edit each by itself.")
        wanted = list(dict.fromkeys(numbers))
        if not 1 <= len(wanted) <= MOST:
            raise InvalidInput(f"Give from 1 to {MOST:,} facts.", hint="Split them.")
        action = Action(action)
        if (action is Action.MOVE) != (vault is not None):
            raise InvalidInput("`vault` goes with move, and only there.", hint="Name the vault to move to.")
        if action is Action.RETIRE and not reason.strip():
            raise InvalidInput("No reason is given.", hint="Say in a few words why they no longer hold.")
        if (action is Action.EDIT) != (confidence is not None or importance is not None):
            raise InvalidInput("`confidence` and `importance` go with edit, and only there.")
        done: list[int] = []
        refused: list[Refused] = []
        crowned: dict[int, int] = {}
        for start in range(0, len(wanted), BATCH):
            with self._database.write() as tx:
                now = self._clock()
                one = self._one(actor, action, reason, confidence, importance, now)
                target = None if vault is None else vault_rows.named_vault(tx, actor, vault, to_write=True)
                chunk = wanted[start : start + BATCH]
                tx.hold_vault(*rows.vaults_of(tx, actor, chunk), *([] if target is None else [target.id]))
                self._chunk(
                    tx, actor, chunk, action=action, one=one, target=target, at=now, crowned=crowned, done=done,
                    refused=refused,
                )  # fmt: skip
        return Done(done=tuple(done), refused=tuple(refused))

    def _chunk(
        self,
        tx: Transaction,
        actor: Actor,
        numbers: Sequence[int],
        *,
        action: Action,
        one: One,
        target: Vault | None,
        at: datetime,
        crowned: dict[int, int],
        done: list[int],
        refused: list[Refused],
    ) -> None:
        changes: list[Change] = []
        pages: list[history.Written] = []
        purged: dict[int, list[int]] = {}
        by_vault: dict[int, list[int]] = {}
        for number in numbers:
            try:
                vault, found = correct.writable_fact(tx, actor, number)
                if action is Action.PURGE:
                    if found.state is not State.TRASHED:
                        raise Conflict(f"Fact #{number} is not in the trash.", hint="Delete it first.")
                    purged.setdefault(vault.id, []).append(number)
                elif target is not None:
                    checked_move(actor, found, target)
                    _only_summary(replace(found, vault_id=target.id), crowned)
                    after, written = filed(tx, actor, found, vault=target, at=at)
                    changes.append((found, after, action))
                    pages += written
                else:
                    after, written = one(tx, vault, found)
                    _only_summary(after, crowned)
                    changes.append((found, after, action))
                    pages += written
            except SouvenanceError as error:
                refused.append(Refused(number=number, code=error.code, message=str(error)))
                continue
            by_vault.setdefault(vault.id, []).append(number)
            done.append(number)
        for before, after, _ in changes if target is not None else ():
            take_history(tx, number=before.number, before=before.vault_id, after=after.vault_id)
        correct.apply(tx, actor, changes=changes, verb=f"{action}_facts", at=at, also=pages)
        for vault_id, gone in purged.items():
            rows.purge_facts(tx, vault_id=vault_id, numbers=gone)
        if action in {Action.DELETE, Action.PURGE, Action.MOVE}:
            for vault_id, named in by_vault.items():
                history.record_audit(tx, actor, verb=f"fact.{action}", at=at, vault_id=vault_id, numbers=named)

    def _one(
        self,
        actor: Actor,
        action: Action,
        reason: str,
        confidence: float | None,
        importance: int | None,
        at: datetime,
    ) -> One:
        """What one fact becomes; raises before anything is written where it cannot."""

        def change(tx: Transaction, vault: Vault, found: Fact) -> tuple[Fact, list[history.Written]]:
            if action is Action.RESTORE:
                return correct.on_a_page(tx, correct.restored(found), at=at)
            if action is Action.DELETE:
                return correct.deleted(found, at=at), []
            if action is Action.EDIT:
                return correct.edited(actor, found, confidence=confidence, importance=importance), []
            if found.state is not State.IN_FORCE:
                raise Conflict(f"Fact #{found.number} is not in force.", hint="It was retired or deleted already.")
            return correct.ended(found, actor=actor, vault=vault, reason=reason, at=at), []

        return change

    # --- all of a vault ----------------------------------------------------------------------------------------

    def restore_all(self, *, actor: Actor, vault: str) -> RestoredAll:
        """Put every retired fact of a vault back in force (« Rétablir tous les faits retirés »), audited.

        Their replacements are left alone. Nothing else does this: what the journal retired, it retired for a reason.
        Summaries that another took the place of stay retired; where none stands, the last one comes back.
        """
        found = self._vault_of_person(actor, vault)
        restored, above = 0, 0
        left: list[int] | None = None
        while True:
            with self._database.write() as tx:
                now = self._clock()
                tx.hold_vault(found.id)
                left = left_retired(tx, vault_id=found.id) if left is None else left
                retired = lists.facts_to_end(tx, vault_id=found.id, state=State.RETIRED, limit=BATCH, above=above)
                changes, pages = [], []
                for item in retired:
                    above = item.number
                    if item.number in left:
                        continue
                    after, written = correct.on_a_page(tx, correct.restored(item), at=now)
                    changes.append((item, after, "restore"))
                    pages += written
                correct.apply(tx, actor, changes=changes, verb="restore_all", at=now, also=pages)
                restored += len(changes)
                if len(retired) < BATCH:
                    history.record_audit(
                        tx, actor, verb="vault.restore_all", at=now, vault_id=found.id, restored=restored
                    )
                    return RestoredAll(restored=restored, summaries_left=tuple(left))

    def empty_trash(self, *, actor: Actor, vault: str) -> int:
        """Remove every trashed fact of a vault for good, with its revisions; how many. Only a person does this (F9)."""
        found = self._vault_of_person(actor, vault)
        purged = 0
        while True:
            with self._database.write() as tx:
                tx.hold_vault(found.id)
                trashed = lists.facts_to_end(tx, vault_id=found.id, state=State.TRASHED, limit=BATCH)
                rows.purge_facts(tx, vault_id=found.id, numbers=[item.number for item in trashed])
                purged += len(trashed)
                if len(trashed) < BATCH:
                    history.record_audit(
                        tx, actor, verb="fact.purge", at=self._clock(), vault_id=found.id, purged=purged
                    )
                    return purged

    def _vault_of_person(self, actor: Actor, vault: str) -> Vault:
        actor.require_write()
        if actor.is_model:
            raise NotAllowed("Only a person does this to a whole vault.", hint="Ask the owner.")
        with self._database.read() as tx:
            return vault_rows.configured_vault(tx, actor, vault)


def _only_summary(after: Fact, crowned: dict[int, int]) -> None:
    """Refuse a second summary of one vault in one call: which of them is meant to stand is not said (F6)."""
    if not after.is_summary or after.state is not State.IN_FORCE:
        return
    first = crowned.setdefault(after.vault_id, after.number)
    if first != after.number:
        raise Conflict(f"#{first} of the same call is the summary.", hint="A vault has one: choose it alone.")
