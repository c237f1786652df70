"""What another step would shift, in figures of this vault's own (T8). Reads only; never a price."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from souvenance.consolidation.foreseen import foresee
from souvenance.domain.access import Actor
from souvenance.domain.fact import Fact, State
from souvenance.domain.vault import MemoryType, Vault
from souvenance.domain.vault_settings import settings_of
from souvenance.memory.ladder import Ladder, fact_line
from souvenance.memory.types import LADDER, step_of
from souvenance.retrieval.embedding import Embedding
from souvenance.retrieval.fact_search import FactSearch
from souvenance.store import backlog, vectors
from souvenance.store import fact_lists as lists
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.vector_index.codes import read_vectors

EXAMPLES = 5
LISTED = 10
"""Facts named among those that win or lose a place."""
ALIKE = 0.95
"""Cosine from which two facts are said to be held alike by their vectors."""
COMPARED_VECTORS = 1500
CALL_TEXTS = 64
"""Texts of one call to an embedder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What moving from one step to another would mean for one vault.

    `gained` and `lost` are the steps whose one thing is added or given up; `figures` holds, by step, what concerns
    them. `moves` is how many facts would be moved, rewritten or deleted: none, whichever the steps.
    """

    vault: str
    before: MemoryType
    after: MemoryType
    gained: tuple[MemoryType, ...]
    lost: tuple[MemoryType, ...]
    figures: Mapping[str, Mapping[str, Any]]
    moves: int = 0
    milliseconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The simulation as every interface sends it."""
        return {
            "vault": self.vault,
            "before": self.before,
            "after": self.after,
            "gained": list(self.gained),
            "lost": list(self.lost),
            "moves": self.moves,
            "figures": {step: dict(found) for step, found in self.figures.items()},
            "milliseconds": round(self.milliseconds, 1),
        }


class Simulations:
    """Figures before a change of step."""

    def __init__(self, database: Database, ladder: Ladder, search: FactSearch, embedding: Embedding) -> None:
        self._database = database
        self._ladder = ladder
        self._search = search
        self._embedding = embedding

    def simulate(
        self,
        *,
        actor: Actor,
        vault: str,
        to: MemoryType,
        since: MemoryType | None = None,
        message: str = "",
        alone: bool = False,
    ) -> Simulation:
        """What moving the vault to a step would mean; `since` another step than its own. `message` is what a prompt
        would be about, to see which facts win and lose a place; without one, of relevance nothing is known. `alone`
        leaves out the figures of the steps in between, for who asks for each by itself."""
        started = time.perf_counter()
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
        before, after = step_of(since or found.memory_type), step_of(MemoryType(to))
        low, high = sorted((before.memory_type.step, after.memory_type.step))
        crossed = [step.memory_type for step in LADDER[low:high]]
        is_up = after.memory_type.step > before.memory_type.step
        figures: dict[str, Mapping[str, Any]] = {}
        for one in [after.memory_type] if alone else [*crossed, after.memory_type]:
            if one not in figures:
                figures[one] = self._figures(actor, found, one, before.memory_type, after.memory_type, message)
        return Simulation(
            vault=found.slug,
            before=before.memory_type,
            after=after.memory_type,
            gained=tuple(crossed) if is_up else (),
            lost=() if is_up else tuple(reversed(crossed)),
            figures=figures,
            milliseconds=(time.perf_counter() - started) * 1000,
        )

    def _figures(
        self, actor: Actor, vault: Vault, one: MemoryType, before: MemoryType, after: MemoryType, message: str
    ) -> dict[str, Any]:
        match one:
            case MemoryType.CLASSIC | MemoryType.JOURNAL:
                with self._database.read() as tx:
                    counts = lists.count_states(tx, vault_id=vault.id)
                hidden = {"stay_hidden": counts[State.RETIRED]} if after is MemoryType.CLASSIC else {}
                return {"in_force": counts[State.IN_FORCE], "retired": counts[State.RETIRED]} | hidden
            case MemoryType.ARCHIVE:
                return self._archive(vault)
            case MemoryType.RANKED:
                return self._ranked(actor, vault, before, after, message)
            case MemoryType.CONSOLIDATED:
                return self._consolidated(vault)
            case MemoryType.SEMANTIC:
                return self._semantic(vault)

    def _archive(self, vault: Vault) -> dict[str, Any]:
        """Facts to index, how much text that is, and how long a real search over them just took."""
        with self._database.read() as tx:
            held = lists.amount(tx, vault_id=vault.id)
            newest = lists.standings(tx, vault_id=vault.id, newest=1)
            sample = lists.read_facts(tx, vault_id=vault.id, numbers=[item.number for item in newest])
        query = " ".join(sample[0].content.split()[:6]) if sample else "memory"
        wanted = self._search.prepare(vault=vault, message=query, by_meaning=False)
        started = time.perf_counter()
        with self._database.read() as tx:
            hits = self._search.ranked(tx, wanted)
        most = settings_of(vault.settings).max_injected
        return {
            "facts_to_index": held.facts,
            "characters": held.characters,
            "search_ms": round((time.perf_counter() - started) * 1000, 2),
            "search_found": len(hits),
            "out_of_reach_today": max(0, held.facts - most),
        }

    def _ranked(
        self, actor: Actor, vault: Vault, before: MemoryType, after: MemoryType, message: str
    ) -> dict[str, Any]:
        """How many are scored, and which facts win or lose a place between the two steps."""
        with self._database.read() as tx:
            held = lists.amount(tx, vault_id=vault.id)
        # Meaning may need the model, and its figures are those of step six: places here go by words.
        one, other = (
            {item.fact.number: item.fact for item in self._given(actor, vault, step, message)}
            for step in (
                min(before, MemoryType.CONSOLIDATED, key=_height),
                min(after, MemoryType.CONSOLIDATED, key=_height),
            )
        )
        win = [fact for number, fact in other.items() if number not in one]
        lose = [fact for number, fact in one.items() if number not in other]
        return {
            "facts": held.facts,
            "scored": held.scored,
            "win_a_place": len(win),
            "lose_a_place": len(lose),
            "winners": [_named(item) for item in win[:LISTED]],
            "losers": [_named(item) for item in lose[:LISTED]],
        }

    def _given(self, actor: Actor, vault: Vault, step: MemoryType, message: str) -> Sequence[Any]:
        given = self._ladder.given_to_prompt(
            actor=actor, vault=vault.slug, message=message, memory_type=step, budget_tokens=1_000_000
        )
        return given.facts

    def _consolidated(self, vault: Vault) -> dict[str, Any]:
        """What a pass would propose among the newest facts, as many as time allows, with real examples."""
        found = foresee(self._database, self._embedding, vault_id=vault.id)
        pairs = found.pairs[:EXAMPLES]
        with self._database.read() as tx:
            numbers = [number for pair in pairs for number in (pair.this.number, pair.that.number)]
            named = {item.number: _named(item) for item in lists.read_facts(tx, vault_id=vault.id, numbers=numbers)}
        return {
            "facts": found.facts,
            "compared": found.compared,
            "is_complete": found.is_complete,
            "duplicates": found.count("duplicate"),
            "contradictions": found.count("contradiction"),
            "examples": [
                {"label": pair.verdict.label, "a": named[pair.this.number], "b": named[pair.that.number]}
                for pair in pairs
                if pair.this.number in named and pair.that.number in named
            ],
        }

    def _semantic(self, vault: Vault) -> dict[str, Any]:
        """What the catch-up would send: texts, calls, characters; and what the vectors there are hold alike."""
        embedder = self._embedding.embedder
        with self._database.read() as tx:
            model = self._embedding.model(tx)
            waiting, characters = backlog.amount_waiting(tx, model=model or 0, vault_id=vault.id)
            covered = backlog.coverage(tx, model=model or 0, vault_ids=[vault.id])[vault.id]
            alike = self._alike(tx, vault.id, model) if model is not None else []
            texts = {item.number: item for item in lists.read_facts(
                tx, vault_id=vault.id, numbers=[number for a, b, _ in alike[:EXAMPLES] for number in (a, b)]
            )}  # fmt: skip
        _, why = self._search.state(vault=vault, by_meaning=True)
        return {
            "model": embedder.name if embedder is not None else "",
            "texts_to_embed": waiting,
            "calls": math.ceil(waiting / CALL_TEXTS),
            "characters": characters,
            "embedded": covered.embedded,
            "passages": covered.passages,
            "held_alike": len(alike),
            "examples": [
                {"a": _named(texts[a]), "b": _named(texts[b]), "similarity": round(cosine, 3)}
                for a, b, cosine in alike[:EXAMPLES]
                if a in texts and b in texts
            ],
            "state": why,
        }

    def _alike(self, tx: Transaction, vault_id: int, model: int) -> list[tuple[int, int, float]]:
        rows = vectors.newest_of_facts(tx, model=model, vault_id=vault_id, limit=COMPARED_VECTORS)
        embedder = self._embedding.embedder
        if embedder is None or len(rows) < 2:
            return []
        matrix, usable = read_vectors([row[1] for row in rows], embedder.dimension)
        numbers = [row[0] for row, fit in zip(rows, usable.tolist(), strict=True) if fit]
        matrix = np.asarray(matrix[usable], dtype=np.float32)
        cosines = np.triu(matrix @ matrix.T, 1)
        firsts, seconds = np.nonzero(cosines >= ALIKE)
        found = [
            (numbers[a], numbers[b], float(cosines[a, b]))
            for a, b in zip(firsts.tolist(), seconds.tolist(), strict=True)
        ]
        return sorted(found, key=lambda pair: -pair[2])


def _height(memory_type: MemoryType) -> int:
    return memory_type.step


def _named(item: Fact) -> dict[str, Any]:
    return {"number": item.number, "line": fact_line(item)[:200]}
