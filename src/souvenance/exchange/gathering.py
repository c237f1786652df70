"""What a question is answered from: vaults chosen, facts by each vault's step, passages, within one budget (C1, F5)."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from souvenance.domain.access import Actor
from souvenance.domain.attention import MUTED
from souvenance.domain.fact import Fact, folded
from souvenance.domain.tokens import estimate_tokens
from souvenance.domain.vault import MemoryType, Vault
from souvenance.exchange.events import Badge, Gathered, Kind, Put, VaultRead
from souvenance.exchange.instructions import NOTICE, instructions
from souvenance.exchange.quoting import inline, marked, quoted
from souvenance.memory.ladder import Given, Ladder
from souvenance.memory.shown import Shown, Where
from souvenance.retrieval.answer import Hit
from souvenance.retrieval.fact_search import LONGEST
from souvenance.retrieval.retrieval import Retrieval
from souvenance.retrieval.scope import Scope, resolve_scope
from souvenance.store.database import Database
from souvenance.store.fact_lists import Subject
from souvenance.store.terms import analyse_query

FACTS_SHARE = 0.65
"""Of the budget, what facts may take while passages wait; what they leave is the passages'."""
MOST_VAULTS = 30
"""Vaults whose facts are given, those of most attention first; passages come from all."""
MOST_PASSAGES = 8
LEAST_SHARE = 0.5
"""A passage is given when its score is at least this share of the best one's."""
LEAST_TOKENS = 60
"""What is left of a budget below which nothing more is put in."""


@dataclass(slots=True)
class Memory:
    """What was gathered for one question: the text for the prompt, and what later requests are checked against."""

    text: str
    gathered: Gathered
    vaults: dict[int, Vault] = field(default_factory=dict)
    shown: dict[int, Shown] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    passages: tuple[str, ...] = ()
    told: str = ""
    steps: tuple[MemoryType, ...] = ()

    @property
    def read(self) -> frozenset[int]:
        """Ids of the vaults whose content was really put before the model."""
        slugs = {one.vault for one in self.gathered.put}
        return frozenset(one.id for one in self.vaults.values() if one.slug in slugs)

    @property
    def words(self) -> list[str]:
        """What was put before the model, as it is stored, and what it was told: its examples are no requests either."""
        return [*(f"{item.key}\n{item.content}" for item in self.facts), *self.passages, self.told]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be gathered. `actor` stands for the reader of the prompt: over the most distant route on the way."""

    actor: Actor
    question: str
    vaults: str | Sequence[str] | None
    chosen: Collection[int] | None
    where: Where
    about: Collection[Subject] | None
    language: str
    budget_tokens: int
    may_write: bool
    may_look_up: bool = True
    auto_why: str = ""
    withheld_turns: int = 0


class Gathering:
    """Gathering for prompts. Synchronous: it asks the store, and the embedder outside any transaction."""

    def __init__(self, database: Database, ladder: Ladder, retrieval: Retrieval) -> None:
        self._database = database
        self._ladder = ladder
        self._retrieval = retrieval

    def nothing(self, *, language: str, may_write: bool, without_memory: bool, withheld_turns: int = 0) -> Memory:
        """Nothing is read; what may be asked all the same."""
        told = instructions(language, steps=(), may_write=may_write, may_look_up=False)
        tokens = estimate_tokens(told)
        badge = Badge(without_memory=without_memory, designated=True)
        gathered = Gathered(badge=badge, tokens=tokens, instruction_tokens=tokens, withheld_turns=withheld_turns)
        return Memory(told, gathered, told=told)

    def gather(self, wish: Wish) -> Memory:
        """Gather what the question is answered from."""
        if not wish.where.may_read:
            return self.nothing(
                language=wish.language,
                may_write=wish.may_write,
                without_memory=False,
                withheld_turns=wish.withheld_turns,
            )
        started = time.perf_counter()
        question = wish.question.strip()[:LONGEST]
        with self._database.read() as tx:
            scope = resolve_scope(tx, wish.actor, question=question, vaults=wish.vaults, chosen=wish.chosen)
        answering = [scope.vaults[one] for one in scope.answering]
        answering.sort(key=lambda vault: (-scope.weights[vault.id], vault.id))
        given = self._facts(wish, scope, answering[:MOST_VAULTS], question)
        spent = sum(item.tokens for item in given)
        found = self._retrieval.documents(
            actor=wish.actor,
            question=question or "?",
            scope=scope,
            facts=_bearing(given, question),
            limit=MOST_PASSAGES,
        )
        passages, cut = _fitting(found.hits, wish.budget_tokens - spent)
        steps = tuple({vault.memory_type for vault in answering})
        told = instructions(wish.language, steps=steps, may_write=wish.may_write, may_look_up=wish.may_look_up)
        put, blocks = _put(given, passages)
        memory = f"{NOTICE.get(wish.language, NOTICE['en'])}{marked(blocks)}" if put else ""
        text = "\n".join(part for part in (memory, told) if part)
        gathered = Gathered(
            badge=_badge(scope, answering, wish),
            put=put,
            tokens=estimate_tokens(text),
            instruction_tokens=estimate_tokens(told),
            withheld=found.trace.withheld,
            withheld_turns=wish.withheld_turns,
            named_withheld=scope.named_withheld,
            passed_over=scope.passed_over,
            left_out=cut + sum(item.left_out for item in given) + max(0, len(answering) - MOST_VAULTS),
            why="; ".join(f"{item.vault.slug}: {item.why}" for item in given if item.why),
            auto_why=wish.auto_why,
            milliseconds=(time.perf_counter() - started) * 1000,
            ids={one.slug: one.id for one in scope.vaults.values() if one.slug in {*scope.names, *scope.passed_over}},
        )
        return Memory(
            text=text,
            gathered=gathered,
            vaults={vault.id: vault for vault in answering},
            shown={item.vault.id: item.shown for item in given},
            facts=[one.fact for item in given for one in item.facts],
            passages=tuple(hit.excerpt for hit in passages),
            steps=steps,
            told=told,
        )

    def _facts(self, wish: Wish, scope: Scope, vaults: Sequence[Vault], question: str) -> list[Given]:
        """Facts of each vault by its step. A vault's share goes by its weight; what it leaves, the next ones share."""
        left = int(wish.budget_tokens * FACTS_SHARE)
        weights = sum(scope.weights[vault.id] for vault in vaults)
        given = []
        for vault in vaults:
            share = int(left * scope.weights[vault.id] / weights) if weights > 0 else left
            weights -= scope.weights[vault.id]
            item = self._ladder.given_to_prompt(
                actor=wish.actor,
                vault=vault,
                message=question,
                about=wish.about,
                where=wish.where,
                budget_tokens=max(share, 1),
                language=wish.language,
            )
            left -= item.tokens
            given.append(item)
        return given


def found_text(found: Sequence[Put], language: str) -> str:
    """What a look-up found, as the model is given it."""
    if not found:
        return _NOTHING.get(language, _NOTHING["en"])
    return NOTICE.get(language, NOTICE["en"]) + marked("\n".join(one.text for one in found))


_NOTHING = {
    "en": "Memory holds nothing under that name. Answer now, without another look-up.\n",
    "fr": "La mémoire ne contient rien sous ce nom. Réponds maintenant, sans autre recherche.\n",
}


def _bearing(given: Sequence[Given], question: str) -> list[tuple[int, float]]:
    """The facts given that bear on the question, and how much: as their step measured it, else the part of its telling
    words that they hold. For the audit, which tells what was found from what was merely recent."""
    words = analyse_query(question)
    telling = [word for word in words if not word.common] or words
    found = []
    for one in (one for item in given for one in item.facts if not one.is_summary):
        if one.why is not None:
            much = one.why.relevance
        else:
            text = folded(f"{one.fact.key} {one.fact.content[:LONGEST]}")
            much = sum(any(form in text for form in word.forms) for word in telling) / max(len(telling), 1)
        if much > 0:
            found.append((one.fact.number, much))
    return found


def _badge(scope: Scope, answering: Sequence[Vault], wish: Wish) -> Badge:
    """The truth about what was read: designated where someone named, muted or chose a vault."""
    known = {item.id for item in scope.vaults.values() if item.id not in scope.protected}
    called = any(scope.vaults[one].attention == MUTED for one in scope.weights)
    everything = wish.vaults is None and not scope.passed_over and wish.chosen is None and not called
    return Badge(
        vaults=tuple(
            VaultRead(id=item.id, slug=item.slug, name=item.name, weight=scope.weights[item.id]) for item in answering
        ),
        chosen=bool(wish.chosen) and {item.id for item in answering} != known,
        designated=not everything,
    )


def _fitting(hits: Sequence[Hit], budget: int) -> tuple[list[Hit], int]:
    """The passages that fit, the best first, and how many found no room."""
    if not hits:
        return [], 0
    least = LEAST_SHARE * hits[0].score
    wanted = [hit for hit in hits if hit.score >= least]
    kept: list[Hit] = []
    for hit in wanted:
        cost = estimate_tokens(_passage(hit))
        if cost <= budget:
            kept.append(hit)
            budget -= cost
    return kept, len(wanted) - len(kept)


def _passage(hit: Hit) -> str:
    return f"{inline(hit.path)}\n{quoted(hit.excerpt)}\n"


def _put(given: Sequence[Given], passages: Sequence[Hit]) -> tuple[tuple[Put, ...], str]:
    """What goes into the prompt, and the text of it: a heading per vault, each stored line quoted."""
    put: list[Put] = []
    blocks: list[str] = []
    for item in given:
        if not item.facts:
            continue
        blocks.append(f"## {inline(item.vault.name)} (`{item.vault.slug}`)")
        for one in item.facts:
            kind = Kind.SUMMARY if one.is_summary else Kind.FACT
            text = quoted(one.line)
            blocks.append(text)
            put.append(Put(kind=kind, vault=item.vault.slug, text=text, number=one.fact.number, title=one.fact.key))
    for slug, hits in groupby(sorted(passages, key=lambda hit: hit.vault), key=lambda hit: hit.vault):
        blocks.append(f"## Notes (`{slug}`)")
        for hit in hits:
            text = _passage(hit)
            blocks.append(text.rstrip("\n"))
            put.append(Put(kind=Kind.PASSAGE, vault=slug, text=text, note=hit.note_id, title=hit.path))
    return tuple(put), "\n".join(blocks)
