"""Facts of one vault found for a message: by words or by meaning, as step and vectors allow (T3, T4, T6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from souvenance.domain.note import NoteClass
from souvenance.domain.vault import Vault
from souvenance.retrieval.matching import Matching, Situation, matching, sentence
from souvenance.retrieval.meaning import Asked, Meaning
from souvenance.retrieval.scope import Scope
from souvenance.retrieval.search import Searched, search_passages
from souvenance.retrieval.words import Words
from souvenance.store import candidates, vectors
from souvenance.store.database import Database, Transaction

LONGEST = 4000
"""Characters of a message that are searched for; the rest of a longer one plays no part."""
NEAREST = 600
"""Facts whose proximity is measured; those beyond have none worth a place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A message ready to be searched for in one vault. `state` says what runs and `why` says it in words."""

    vault: Vault
    text: str
    state: Matching
    why: str
    asked: Asked | None = None


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines with the message by fact number, and the field they stand out from."""

    by_number: Mapping[int, float]
    mean: float
    deviation: float


class FactSearch:
    """Finding the facts of one vault, whatever the attention paid to it; thread-safe."""

    def __init__(self, database: Database, meaning: Meaning) -> None:
        self._database = database
        self._meaning = meaning
        self._words = Words()

    def forget(self) -> None:
        """Keep nothing in memory of what was erased or asked (F7)."""
        self._words.forget()

    def state(self, *, vault: Vault, by_meaning: bool, message: str = "any message at all") -> tuple[Matching, str]:
        """What would run for a message in this vault, and why, as far as is known without asking a model."""
        now = self._situation(vault, by_meaning=by_meaning, message=message)
        return matching(now), sentence(matching(now), now)

    def prepare(self, *, vault: Vault, message: str, by_meaning: bool) -> Wanted:
        """Decide what runs and, where meaning does, ask the model for the message's vector. Never in a transaction."""
        text = message.strip()[:LONGEST]
        now = self._situation(vault, by_meaning=by_meaning, message=text)
        asked: Asked | None = None
        if matching(now) is Matching.READY:
            asked, refusal = self._meaning.ask(text)
            now = replace(now, refusal="" if asked is not None else refusal or "the model gave no vector")
        state = matching(now)
        return Wanted(vault=vault, text=text, state=state, why=sentence(state, now), asked=asked)

    def _situation(self, vault: Vault, *, by_meaning: bool, message: str) -> Situation:
        embedder = self._meaning.embedder
        with self._database.read() as tx:
            covered = self._meaning.covered(tx, [vault.id])
            known = vectors.models_kept(tx) if embedder is not None and not covered.is_enough else {}
            older = [one for one, name in known.items() if embedder is not None and name != embedder.name]
            has_older = bool(older) and vectors.any_of(tx, vault_id=vault.id, models=older)
        return Situation(
            is_by_meaning=by_meaning,
            message=message,
            model="" if embedder is None else embedder.name,
            may_read=self._meaning.may_read(vault),
            covered=covered,
            has_older=has_older,
        )

    def ranked(self, tx: Transaction, wanted: Wanted) -> list[tuple[int, float]]:
        """Numbers of the facts in force that answer, the best first, with their scores above 0.

        Of all subjects; retired, trashed and disabled facts are gone before any choice (CASES 10).
        """
        if not wanted.text:
            return []
        searched = self._search(tx, wanted)
        return [
            (number, float(searched.ranking.scores[place]))
            for place in searched.ranking.order.tolist()
            if searched.ranking.scores[place] > 0 and (number := searched.passages[place].fact_number) is not None
        ]

    def nearness(self, tx: Transaction, wanted: Wanted) -> Nearness | None:
        """How near the vault's facts lie to the message; None where meaning does not run."""
        if wanted.asked is None:
            return None
        found = self._meaning.look(tx, wanted.asked, vault_ids=[wanted.vault.id], limit=NEAREST)
        if found is None:
            return None
        numbers = candidates.fact_numbers(tx, vault_id=wanted.vault.id, ids=found.near)
        by_number = {number: found.near[passage_id].alone for passage_id, number in numbers}
        return Nearness(by_number, found.mean, found.deviation)

    def _search(self, tx: Transaction, wanted: Wanted) -> Searched:
        return search_passages(
            tx,
            question=wanted.text,
            asked=wanted.asked,
            scope=Scope(vaults={wanted.vault.id: wanted.vault}, weights={wanted.vault.id: 1.0}),
            words=self._words,
            meaning=self._meaning,
            note_class=NoteClass.AGENT_MEMORY,
        )
