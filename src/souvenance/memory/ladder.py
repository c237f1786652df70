"""The ladder at work: what a step gives to a prompt, and what it does with what the model asks (F4 to F6)."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.errors import InvalidInput, SouvenanceError
from souvenance.domain.fact import Fact, SubjectKind, checked_subject, dates_meant, readable_text
from souvenance.domain.tokens import estimate_tokens
from souvenance.domain.vault import MemoryType, Vault
from souvenance.domain.vault_settings import VaultSettings, settings_of
from souvenance.memory import correct
from souvenance.memory.remember import Check
from souvenance.memory.shown import ASKED, Applied, LookUp, Outcome, Replace, Request, Retire, Shown, Where
from souvenance.memory.standing import StandingColumns
from souvenance.memory.types import Classic, step_of
from souvenance.memory.types.occasion import Ask, Occasion, Places
from souvenance.memory.usefulness import Weights, Why, relevance_of_nearness, relevance_of_place
from souvenance.retrieval.audit import Retrievals
from souvenance.retrieval.fact_search import FactSearch, Wanted
from souvenance.retrieval.matching import Matching
from souvenance.store import fact_lists as lists
from souvenance.store import history
from souvenance.store import servers as server_rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.drawn import Outdated, outdated
from souvenance.store.fact_lists import Subject
from souvenance.store.retrievals import Retrieval as Entry
from souvenance.store.tables import vault as vault_table

BUDGET_TOKENS = 4000
LOOK_UP_LIMIT = 10
"""Facts that one look-up brings at most."""
LONGEST_LOOK_UP = 2000
GONE = "the vault is not there any more"
NO_REASON = "the model said it no longer holds"
_DAY = 86_400 * 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFact:
    """A fact as a prompt holds it. `why` explains its place where the step ranks; the summary's is its own.

    `outdated` says of the summary that a fact it was drawn from is no longer so; its line says it too.
    """

    fact: Fact
    line: str
    why: Why | None = None
    is_summary: bool = False
    outdated: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a prompt is given of one vault, and why.

    `text` holds a line per fact, each with its number; `told` what the model may ask, in words. `considered` counts the
    facts that were candidates, `left_out` those that had a place and found no room within the budget of tokens.
    `matching` says whether words or meaning decided, and `why` why. `shown` goes back with the model's requests.
    """

    vault: Vault
    memory_type: MemoryType
    facts: tuple[GivenFact, ...]
    text: str
    tokens: int
    told: tuple[str, ...]
    considered: int
    left_out: int
    matching: Matching
    why: str
    shown: Shown


class Ladder:
    """What conversations are given of a vault and may do to it, by its step."""

    def __init__(self, database: Database, clock: Clock, search: FactSearch, retrievals: Retrievals) -> None:
        self._database = database
        self._clock = clock
        self._search = search
        self._retrievals = retrievals
        self._standing = StandingColumns()

    # --- giving ------------------------------------------------------------------------------------------------

    def given_to_prompt(
        self,
        *,
        actor: Actor,
        vault: str | Vault,
        message: str,
        about: Collection[Subject] | None = None,
        where: Where | None = None,
        budget_tokens: int = BUDGET_TOKENS,
        memory_type: MemoryType | None = None,
        language: str = "en",
    ) -> Given:
        """The facts of a vault that a prompt is given for a message: at most `max_injected`, within the budget.

        `vault` is a name, or a vault that this actor's scope holds. The summary stands first, whole, and counts as one
        of them. `about` keeps to the vault itself and these
        subjects. `memory_type` asks what another step would give. Nothing is given where memory may not be read.
        """
        where = where or Where()
        for kind, name in about or ():
            checked_subject(kind, name)
        if budget_tokens < 1:
            raise InvalidInput("budget_tokens is at least 1.")
        text = readable_text(message, what="message", limit=1_000_000)
        if isinstance(vault, Vault):
            found = vault
            if vault_rows.is_withheld(found, actor):
                return self._nothing(found, step_of(found.memory_type), why="the vault is protected")
        else:
            with self._database.read() as tx:
                found = vault_rows.named_vault(tx, actor, vault)
        step = step_of(memory_type or found.memory_type)
        if not where.may_read:
            return self._nothing(found, step, why="memory is not read in this channel")
        wanted = self._wanted(found, step, text)
        with self._database.read() as tx:
            settings = settings_of(found.settings)
            summary = lists.find_summary(tx, vault_id=found.id)
            most = settings.max_injected - (summary is not None)
            places, considered = self._places(
                tx, step, wanted, settings=settings, about=about, without=summary, limit=most
            )
            chosen = lists.read_facts(tx, vault_id=found.id, numbers=places.numbers)
            names = _names(tx, found.id, chosen)
            old = {} if summary is None else outdated(tx, [summary])
        why = dict(zip(places.numbers, places.why, strict=True)) if places.why else {}
        given = [] if summary is None else [_given_summary(summary, old.get(summary.number), language)]
        given += [GivenFact(fact=item, line=fact_line(item, names), why=why.get(item.number)) for item in chosen]
        kept, tokens = _fitting(given, budget_tokens)
        shown = Shown(found.id)
        shown.add(item.fact for item in kept)
        return Given(
            vault=found,
            memory_type=step.memory_type,
            facts=tuple(kept),
            text="\n".join(item.line for item in kept),
            tokens=tokens,
            told=tuple(step.told(language)),
            considered=considered + (summary is not None),
            left_out=len(given) - len(kept),
            matching=wanted.state,
            why=wanted.why,
            shown=shown,
        )

    def state(self, *, actor: Actor, vault: str) -> tuple[Matching, str]:
        """Whether conversations find this vault's facts by meaning or by words now, and why (T6)."""
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
        return self._search.state(vault=found, by_meaning=step_of(found.memory_type).by_meaning)

    def _wanted(self, vault: Vault, step: Classic, text: str) -> Wanted:
        if not step.ranks:  # nothing is searched for, so nothing is sent anywhere
            return Wanted(vault=vault, text="", state=Matching.BY_STEP, why="")
        return self._search.prepare(vault=vault, message=text, by_meaning=step.by_meaning)

    def _nothing(self, vault: Vault, step: Classic, *, why: str) -> Given:
        return Given(
            vault=vault, memory_type=step.memory_type, facts=(), text="", tokens=0, told=(), considered=0, left_out=0,
            matching=Matching.BY_STEP, why=why, shown=Shown(vault.id),
        )  # fmt: skip

    def _places(
        self,
        tx: Transaction,
        step: Classic,
        wanted: Wanted,
        *,
        settings: VaultSettings,
        about: Collection[Subject] | None,
        without: Fact | None,
        limit: int,
    ) -> tuple[Places, int]:
        """The facts that get a place, and how many were candidates."""
        if not step.ranks:
            return self._newest(tx, wanted.vault, about=about, without=without, limit=limit)
        standing = self._standing.of(tx, wanted.vault.id).about(about)
        if without is not None:
            standing = standing.only(standing.numbers != without.number)
        considered = len(standing.numbers)
        if limit < 1 or not considered:
            return Places([]), considered
        now = int(self._clock().timestamp() * 1_000_000)
        relevance = standing.spread(self._relevance(tx, step, wanted))
        occasion = Occasion(
            numbers=standing.numbers,
            updated=standing.updated,
            age_days=np.maximum(now - standing.updated, 0) / _DAY,
            importance=standing.importance,
            relevance=relevance,
            confidence=standing.confidence,
            weights=Weights(settings.recency, settings.importance, settings.relevance),
        )
        return step.places(occasion, limit), considered

    @staticmethod
    def _newest(
        tx: Transaction, vault: Vault, *, about: Collection[Subject] | None, without: Fact | None, limit: int
    ) -> tuple[Places, int]:
        """The last updated: their order is the store's own."""
        found = lists.standings(tx, vault_id=vault.id, about=about, newest=limit + 1)
        numbers = [item.number for item in found if without is None or item.number != without.number]
        candidates = lists.count_answering(tx, vault_id=vault.id, about=about)
        return Places(numbers[: max(limit, 0)]), candidates - (without is not None)

    def _relevance(self, tx: Transaction, step: Classic, wanted: Wanted) -> dict[int, float]:
        """The relevance of facts to the message: measured where meaning runs, else by place in the results (T4)."""
        if not step.ranks or not wanted.text:
            return {}
        near = self._search.nearness(tx, wanted)
        if near is not None:
            numbers = list(near.by_number)
            measured = relevance_of_nearness(
                np.array([near.by_number[one] for one in numbers]), mean=near.mean, deviation=near.deviation
            )
            return dict(zip(numbers, measured.tolist(), strict=True))
        return {number: relevance_of_place(place) for place, (number, _) in enumerate(self._search.ranked(tx, wanted))}

    # --- what the model asks -----------------------------------------------------------------------------------

    def apply_request(
        self,
        *,
        actor: Actor,
        shown: Shown,
        request: Request,
        where: Where | None = None,
        budget_tokens: int = BUDGET_TOKENS,
        check: Check | None = None,
    ) -> Applied:
        """Do what a model asked in an exchange, if its step allows it and the fact is one it was shown (F4).

        What a look-up brings takes at most `budget_tokens`. `check` is called with the vault in the transaction that
        writes, before anything is written; what it raises is why the request is refused.

        Anything else does nothing and is written down as ignored: a number that was not shown, real or not, a second
        look-up, a request the step does not know, a channel where memory is not read or written.
        """
        where = where or Where()
        if isinstance(request, LookUp):
            return self._look_up(replace(actor, is_model=True), shown, request, where, budget_tokens)
        try:
            with self._database.write() as tx:
                if check is not None:
                    check(tx, shown.vault_id)
                applied = self._end(tx, actor.asked_model(), shown, request, where)
        except SouvenanceError as error:
            return Applied(ask=ASKED[type(request)], outcome=Outcome.REFUSED, why=str(error))
        if applied.fact is not None:
            del shown.versions[applied.fact.number]
        return applied

    def _end(self, tx: Transaction, model: Actor, shown: Shown, request: Retire | Replace, where: Where) -> Applied:
        ask, now = ASKED[type(request)], self._clock()
        vault = vault_rows.find_vault(tx, model, vault_table.c.id == shown.vault_id)
        if vault is None:
            return Applied(ask=ask, outcome=Outcome.IGNORED, why=GONE)
        why = _objection(step_of(vault.memory_type), ask, shown, request.number, where)
        if why:
            return self._ignored(tx, model, vault, ask, why, now, number=request.number)
        _, fact = correct.writable_fact(tx, model, request.number)
        if fact.vault_id != shown.vault_id or fact.version != shown.versions[request.number]:
            why = "the fact was changed since it was shown"
            return self._ignored(tx, model, vault, ask, why, now, number=request.number)
        ended, successor = correct.retire(
            tx,
            model,
            vault=vault,
            found=fact,
            reason=request.reason.strip() or NO_REASON,
            replacement=request.content if isinstance(request, Replace) else None,
            at=now,
        )
        return Applied(ask=ask, outcome=Outcome.DONE, fact=ended, successor=successor)

    def _look_up(self, model: Actor, shown: Shown, request: LookUp, where: Where, budget_tokens: int) -> Applied:
        started = time.perf_counter()
        with self._database.read() as tx:
            found = vault_rows.find_vault(tx, model, vault_table.c.id == shown.vault_id)
        if found is None:
            return Applied(ask=Ask.LOOK_UP, outcome=Outcome.IGNORED, why=GONE)
        query = request.query.encode("utf-8", "replace").decode().strip()[:LONGEST_LOOK_UP].replace("\x00", " ")
        step = step_of(found.memory_type)
        why = _objection(step, Ask.LOOK_UP, shown, None, where) or ("" if query else "nothing was asked for")
        if why or vault_rows.is_withheld(found, model):
            with self._database.write() as tx:
                return self._ignored(tx, model, found, Ask.LOOK_UP, why or "the vault is protected", self._clock())
        shown.has_looked_up = True
        wanted = self._search.prepare(vault=found, message=query, by_meaning=step.by_meaning)
        with self._database.read() as tx:
            ranked = self._search.ranked(tx, wanted)
            facts = lists.read_facts(tx, vault_id=found.id, numbers=[number for number, _ in ranked[:LOOK_UP_LIMIT]])
            names = _names(tx, found.id, facts)
        given = [GivenFact(fact=item, line=fact_line(item, names)) for item in facts]
        kept, _ = _fitting(given, budget_tokens)
        shown.add(item.fact for item in kept)
        self._audit(model, found, query, ranked, wanted, (time.perf_counter() - started) * 1000)
        return Applied(
            ask=Ask.LOOK_UP,
            outcome=Outcome.DONE,
            why=wanted.why,
            found=tuple(item.fact for item in kept),
            lines=tuple(item.line for item in kept),
        )

    def _ignored(
        self, tx: Transaction, model: Actor, vault: Vault, ask: Ask, why: str, at: datetime, number: int | None = None
    ) -> Applied:
        named = {} if number is None else {"number": number}
        history.record_audit(tx, model, verb="fact.ignored", at=at, vault_id=vault.id, asked=ask, why=why, **named)
        return Applied(ask=ask, outcome=Outcome.IGNORED, why=why)

    def _audit(
        self,
        model: Actor,
        vault: Vault,
        query: str,
        ranked: Sequence[tuple[int, float]],
        wanted: Wanted,
        milliseconds: float,
    ) -> None:
        entry = Entry(
            at=self._clock(),
            actor=model.name,
            source=model.source,
            verb="look-up",
            query=query,
            scope={"queried": [vault.slug], "passed_over": [], "withheld": 0},
            vaults=(vault.id,),
            found=min(len(ranked), LOOK_UP_LIMIT),
            best_score=ranked[0][1] if ranked else None,
            confidence="weak" if ranked else "none",
            top=[{"kind": "fact", "number": number, "score": round(score, 4)} for number, score in ranked[:5]],
            matcher="hybrid" if wanted.asked is not None else "words",
            milliseconds=round(milliseconds, 2),
        )
        self._retrievals.record(model, entry)


def _objection(step: Classic, ask: Ask, shown: Shown, number: int | None, where: Where) -> str:
    """Why a request does nothing; empty where it may be done."""
    if ask not in step.asks:
        return f"{step.memory_type} does not know this request"
    if ask is Ask.LOOK_UP:
        if not where.may_read:
            return "memory is not read in this channel"
        return "one look-up per question" if shown.has_looked_up else ""
    if not where.may_write:
        return "memory is not written in this channel"
    return "" if number in shown.versions else "the number was not shown in this exchange"


def _names(tx: Transaction, vault_id: int, items: Iterable[Fact]) -> dict[str, str]:
    """The names that the members these facts are about had when last seen, by id."""
    ids = {item.subject_id for item in items if item.subject_kind is SubjectKind.MEMBER}
    return server_rows.member_names(tx, vault_id=vault_id, member_ids=ids) if ids else {}


def fact_line(item: Fact, names: Mapping[str, str] | None = None) -> str:
    """A fact as a model reads it: its number, its key, its words, what dates in them meant (F10), whom it is about; a
    member by name where `names` has one.

    It stays one fact whatever it says: further lines are set in, and a number within the text is no mark (CASES 24).
    """
    said = "\n    ".join(item.content.replace("[#", "[ #").splitlines()) + dates_meant(item.said_dates)
    key = item.key.replace("[#", "[ #")
    name = (names or {}).get(item.subject_id, "").replace("[#", "[ #")
    about = f" ({name or f'{item.subject_kind} {item.subject_id}'})" if item.subject_id else ""
    return f"[#{item.number}]{about} {key}: {said}" if key else f"[#{item.number}]{about} {said}"


def _given_summary(summary: Fact, old: Outdated | None, language: str) -> GivenFact:
    why = "" if old is None else old.sentence(language)
    return GivenFact(
        fact=summary, line=fact_line(summary) + (f" ({why})" if why else ""), is_summary=True, outdated=why
    )


def _fitting(given: Sequence[GivenFact], budget: int) -> tuple[list[GivenFact], int]:
    """The facts that fit a budget of tokens, in their order: one that does not leaves its place to smaller ones.

    The summary is kept whatever it costs.
    """
    kept, spent = [], 0
    for item in given:
        cost = estimate_tokens(item.line + "\n")
        if item.is_summary or spent + cost <= budget:
            kept.append(item)
            spent += cost
    return kept, spent
