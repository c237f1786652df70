"""The use cases on facts, each in its own transaction (F1 to F9, N4)."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from souvenance.domain.fact import Fact, Sort, State, SubjectKind, readable_text
from souvenance.domain.vault import Vault, VaultKind
from souvenance.memory import correct
from souvenance.memory.as_of import SORT_KEYS, FactPage, Glance, page_of, standing_at
from souvenance.memory.filing import checked_move, filed, take_history
from souvenance.memory.guard import secret_kinds
from souvenance.memory.remember import Check, Observation, Remembered, prepare, write
from souvenance.store import fact_lists as lists
from souvenance.store import facts as rows
from souvenance.store import history
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.drawn import Outdated, outdated
from souvenance.vaults.vaults import Vaults

MOST_LISTED = 100_000
MAX_QUERY_BYTES = 4_000
MOST_COUNTED = 1000
"""Facts that hold a text are counted so far while someone types it: a full count would read the whole vault."""
BATCH = 1000
"""Facts stored under one hold of the write lock, so that other writers are never kept waiting for long."""


class Facts:
    """Remembering, reading and correcting facts."""

    def __init__(self, database: Database, clock: Clock, vaults: Vaults) -> None:
        self._database = database
        self._clock = clock
        self._vaults = vaults

    # --- writing -----------------------------------------------------------------------------------------------

    def remember(
        self,
        *,
        actor: Actor,
        vault: str,
        observations: Sequence[Observation],
        digest: str | None = None,
        check: Check | None = None,
    ) -> list[Remembered]:
        """Keep observations in a vault, in order; durable when this returns. `check` may still refuse; see `Check`.

        More than 1,000 are stored in several transactions: after a failure, those before it are kept, and sending all
        again skips them.
        """
        actor.require_write()
        results: list[Remembered] = []
        for start in range(0, len(observations), BATCH):
            prepared = [prepare(actor, item) for item in observations[start : start + BATCH]]
            with self._database.write() as tx:
                found = vault_rows.named_vault(tx, actor, vault, to_write=True)
                if check is not None:
                    check(tx, found.id)
                results += write(tx, actor, vault=found, prepared=prepared, at=self._clock(), digest=digest)
        return results

    def remember_about_user(
        self, *, actor: Actor, observation: Observation, digest: str | None = None, check: Check | None = None
    ) -> Remembered:
        """Keep an observation in the caller's personal vault, whatever else is open (N4). `check`: see `remember`."""
        actor.require_write()
        prepared = prepare(actor, observation)
        with self._database.write() as tx:
            vault = self._vaults.personal(tx, actor)
            if check is not None:
                check(tx, vault.id)
            return write(tx, actor, vault=vault, prepared=[prepared], at=self._clock(), digest=digest)[0]

    def remember_about_project(
        self, *, actor: Actor, project: str, observation: Observation, digest: str | None = None
    ) -> Remembered:
        """Keep an observation in a project's vault, made on first use unless the name looks like a slip (N4)."""
        actor.require_write()
        prepared = prepare(actor, observation)
        with self._database.write() as tx:
            vault = self._project(tx, actor, project)
            return write(tx, actor, vault=vault, prepared=[prepared], at=self._clock(), digest=digest)[0]

    def _project(self, tx: Transaction, actor: Actor, project: str) -> Vault:
        try:
            found = vault_rows.named_vault(tx, actor, project, to_write=True)
        except NotFound:
            known = [item.slug for item in vault_rows.list_vaults(tx, actor)]
            close = get_close_matches(project.casefold(), known, n=3, cutoff=0.85)
            if close:
                raise NotFound(
                    f"There is no project “{project}”.", hint=f"Did you mean {', '.join(close)}?", close=close
                ) from None
            if actor.vaults is not None:
                raise
            tx.hold("project", actor.user_id)
            try:
                return vault_rows.named_vault(tx, actor, project, to_write=True)
            except NotFound:
                return self._vaults.create_in(tx, actor, name=project, kind=VaultKind.PROJECT)
        if found.kind is VaultKind.PERSONAL:
            raise InvalidInput(
                "The personal vault is not a project.", hint="Remember it about the user, without a project."
            )
        return found

    # --- reading -----------------------------------------------------------------------------------------------

    def get(self, *, actor: Actor, number: int) -> Fact:
        """One fact by its number, whatever its state; to a model, not from the trash (F9)."""
        with self._database.read() as tx:
            return rows.shown_fact(tx, actor, number)

    def list(
        self,
        *,
        actor: Actor,
        vault: str,
        states: Sequence[State] = (State.IN_FORCE,),
        limit: int = 50,
        offset: int = 0,
    ) -> builtins.list[Fact]:
        """Facts of a vault, the most recently updated first."""
        states = _shown_states(actor, states)
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
            return lists.find_facts(tx, vault_id=found.id, states=states, limit=limit, offset=offset)

    def browse(
        self,
        *,
        actor: Actor,
        vault: str | None,
        query: str = "",
        states: Sequence[State] = (State.IN_FORCE,),
        sort: Sort = Sort.UPDATED,
        descending: bool = True,
        as_of: datetime | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> FactPage:
        """One page of a vault's facts whose key or content holds `query`, case and accents aside, with totals (F3).

        Without a vault, of all those the actor may read together, in one order.

        `as_of` a past moment shows the facts as they stood then, in the words they had then: those in force, unless
        other states are asked for. What was purged since is gone from then too.
        """
        if not 1 <= limit <= MOST_LISTED or offset < 0:
            raise InvalidInput(f"limit is from 1 to {MOST_LISTED}, offset from 0.", hint="Ask for fewer at once.")
        if as_of is not None and as_of.tzinfo is None:
            raise InvalidInput("The date has no time zone.", hint="Write it as 2023-05-08T00:00:00Z.")
        text = readable_text(query, what="query", limit=MAX_QUERY_BYTES)
        states = _shown_states(actor, states)
        with self._database.read() as tx:
            if vault is None:
                ids = [item.id for item in vault_rows.list_vaults(tx, actor)]
            else:
                ids = [vault_rows.named_vault(tx, actor, vault).id]
            if as_of is not None:
                then = [item for one in ids for item in standing_at(tx, vault_id=one, at=as_of)]
                return page_of(then, query=text, states=states, sort=sort, descending=descending, limit=limit,
                               offset=offset)  # fmt: skip
            counts: Counter[State] = Counter()
            shown: builtins.list[Fact] = []
            alone = len(ids) == 1
            for one in ids:
                counts.update(lists.count_states(tx, vault_id=one, query=text))
                shown += lists.find_facts(
                    tx,
                    vault_id=one,
                    states=states,
                    query=text,
                    sort=sort,
                    descending=descending,
                    limit=limit if alone else offset + limit,
                    offset=offset if alone else 0,
                )
        if not alone:
            shown = sorted(shown, key=SORT_KEYS[sort], reverse=descending)[offset : offset + limit]
        by_state = {state: counts[state] for state in State}
        return FactPage(facts=tuple(shown), total=sum(by_state[state] for state in set(states)), by_state=by_state)

    def outdated(self, *, facts: Sequence[Fact]) -> dict[int, Outdated]:
        """Of facts that were read, by number, the accepted summaries drawn from what is no longer so (F6)."""
        if not any(item.is_summary for item in facts):
            return {}
        with self._database.read() as tx:
            return outdated(tx, [item for item in facts if item.state is State.IN_FORCE])

    def glance(
        self,
        *,
        actor: Actor,
        vault: str | None,
        query: str = "",
        states: Sequence[State] = (State.IN_FORCE,),
        sort: Sort = Sort.UPDATED,
        descending: bool = True,
        limit: int = 50,
        offset: int = 0,
    ) -> Glance:
        """`browse` for instant search: the same page in the same order, but what holds the text is counted up to
        1000 only, so that 100,000 facts answer each keystroke."""
        if not 1 <= limit <= MOST_LISTED or offset < 0:
            raise InvalidInput(f"limit is from 1 to {MOST_LISTED}, offset from 0.", hint="Ask for fewer at once.")
        text = readable_text(query, what="query", limit=MAX_QUERY_BYTES)
        states = _shown_states(actor, states)
        counts: Counter[State] = Counter()
        shown: builtins.list[Fact] = []
        found, wants_all = 0, limit + 1
        with self._database.read() as tx:
            if vault is None:
                ids = [item.id for item in vault_rows.list_vaults(tx, actor)]
            else:
                ids = [vault_rows.named_vault(tx, actor, vault).id]
            alone = len(ids) == 1
            for one in ids:
                counts.update(lists.count_states(tx, vault_id=one))
                here = lists.find_facts(
                    tx, vault_id=one, states=states, query=text, sort=sort, descending=descending,
                    limit=wants_all if alone else offset + wants_all, offset=offset if alone else 0,
                )  # fmt: skip
                shown += here
                if not text.strip() or found > MOST_COUNTED:
                    continue
                if len(here) < (wants_all if alone else offset + wants_all) and (here or not offset or not alone):
                    found += len(here) + (offset if alone else 0)  # all of them were read: nothing is left to count
                else:
                    found += lists.count_in(tx, vault_id=one, states=states, query=text, most=MOST_COUNTED + 1 - found)
        if not text.strip():
            found = sum(counts[state] for state in set(states))
        if not alone:
            shown = sorted(shown, key=SORT_KEYS[sort], reverse=descending)[offset : offset + wants_all]
        is_more = bool(text.strip()) and found > MOST_COUNTED
        return Glance(
            facts=tuple(shown[:limit]),
            has_next=len(shown) > limit,
            found=MOST_COUNTED if is_more else found,
            is_more_than_found=is_more,
            by_state={state: counts[state] for state in State},
        )

    def summary(self, *, actor: Actor, vault: str) -> Fact | None:
        """The one line that a model always reads whole of this vault; None where there is none (F6)."""
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
            return lists.find_summary(tx, vault_id=found.id)

    def secrets_in(self, fact: Fact) -> tuple[str, ...]:
        """The kinds of secrets a fact seems to hold, to warn the person who wrote it; never the secret (F8)."""
        return secret_kinds(fact.key, fact.content, fact.author)

    # --- correcting --------------------------------------------------------------------------------------------

    def edit(
        self,
        *,
        actor: Actor,
        number: int,
        version: int | None = None,
        content: str | None = None,
        key: str | None = None,
        confidence: float | None = None,
        importance: int | None = None,
        no_importance: bool = False,
        category: str | None = None,
        subject_kind: SubjectKind | None = None,
        subject_id: str | None = None,
        channel: str | None = None,
        author: str | None = None,
        language: str | None = None,
        said_at: str | None = None,
    ) -> Fact:
        """Change what is given and leave the rest; refuse a version that is no longer in force.

        Another category or subject puts the fact on that one's page; an empty `language` takes it away.
        """
        with self._database.write() as tx:
            vault, found = correct.writable_fact(tx, actor, number, version=version)
            now = self._clock()
            after = correct.edited(
                actor,
                found,
                content=content,
                key=key,
                confidence=confidence,
                importance=importance,
                no_importance=no_importance,
                channel=channel,
                author=author,
                language=language,
                said_at=said_at,
            )
            after, pages = filed(
                tx,
                actor,
                after,
                vault=vault,
                category=category,
                subject_kind=subject_kind,
                subject_id=subject_id,
                at=now,
            )
            (saved,) = correct.apply(tx, actor, changes=[(found, after, "edit")], verb="edit", at=now, also=pages)
            return saved

    def move(self, *, actor: Actor, number: int, vault: str, version: int | None = None) -> Fact:
        """Put a fact in another vault, with its history; it keeps its number (F3). Only a person does this."""
        with self._database.write() as tx:
            target = vault_rows.named_vault(tx, actor, vault, to_write=True)
            tx.hold_vault(rows.get_fact(tx, actor, number).vault_id, target.id)
            _, found = correct.writable_fact(tx, actor, number, version=version)
            checked_move(actor, found, target)
            now = self._clock()
            after, pages = filed(tx, actor, found, vault=target, at=now)
            take_history(tx, number=number, before=found.vault_id, after=target.id)
            (saved,) = correct.apply(tx, actor, changes=[(found, after, "move")], verb="move", at=now, also=pages)
            history.record_audit(tx, actor, verb="fact.move", at=now, vault_id=found.vault_id, number=number)
            history.record_audit(tx, actor, verb="fact.arrive", at=now, vault_id=target.id, number=number)
            return saved

    def retire(
        self,
        *,
        actor: Actor,
        number: int,
        version: int | None,
        reason: str,
        replacement: str | None = None,
        replaced_by: int | None = None,
    ) -> tuple[Fact, Fact | None]:
        """End a fact's validity, and say what holds instead: a new wording, which is kept, or a fact that is there.

        A model names the version it read.
        """
        if actor.is_model and version is None:
            raise InvalidInput("Retiring needs the fact's version.", hint="Read the fact first; each read gives it.")
        with self._database.write() as tx:
            vault, found = correct.writable_fact(tx, actor, number, version=version)
            return correct.retire(
                tx,
                actor,
                vault=vault,
                found=found,
                reason=reason,
                replacement=replacement,
                replaced_by=replaced_by,
                at=self._clock(),
            )

    def restore(self, *, actor: Actor, number: int) -> Fact:
        """Bring a fact back from the trash or from the journal."""
        with self._database.write() as tx:
            _, found = correct.writable_fact(tx, actor, number)
            return correct.restore(tx, actor, found, at=self._clock())

    def delete(self, *, actor: Actor, number: int) -> Fact:
        """Put a fact in the trash, out of every read at once (F9)."""
        with self._database.write() as tx:
            _, found = correct.writable_fact(tx, actor, number)
            return correct.delete(tx, actor, found, at=self._clock())

    def purge(self, *, actor: Actor, number: int) -> None:
        """Remove a trashed fact for good, with its revisions; only a person does this (F9)."""
        if actor.is_model:
            raise NotAllowed("Only a person purges.", hint="The owner does it.")
        with self._database.write() as tx:
            vault, found = correct.writable_fact(tx, actor, number)
            if found.state is not State.TRASHED:
                raise Conflict(f"Fact #{number} is not in the trash.", hint="Delete it first.")
            rows.purge_facts(tx, vault_id=vault.id, numbers=[number])
            history.record_audit(tx, actor, verb="fact.purge", at=self._clock(), vault_id=vault.id, number=number)


def _shown_states(actor: Actor, states: Sequence[State]) -> Sequence[State]:
    """The states an actor may read of those it asks for: the trash is out of every read of a model (F9)."""
    return [state for state in states if state is not State.TRASHED] if actor.is_model else states
