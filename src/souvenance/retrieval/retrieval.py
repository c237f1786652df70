"""The use cases of reading by question: search and recall, explained and audited (N6, N11)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock, isoformat
from souvenance.domain.errors import InvalidInput
from souvenance.domain.fact import dates_meant, readable_text
from souvenance.domain.note import NoteClass
from souvenance.domain.vault import Protection
from souvenance.retrieval.answer import Answer, Confidence, Hit, Matcher, Recall, Trace
from souvenance.retrieval.audit import Retrievals
from souvenance.retrieval.excerpt import excerpt
from souvenance.retrieval.meaning import Asked, Meaning
from souvenance.retrieval.ranking import Sureness
from souvenance.retrieval.recall import compose
from souvenance.retrieval.scope import Scope, resolve_scope
from souvenance.retrieval.search import BY_WORDS, Searched, search_passages
from souvenance.retrieval.words import Words
from souvenance.store import candidates as rows
from souvenance.store.backlog import Coverage
from souvenance.store.candidates import Candidate, Shown
from souvenance.store.database import Database, Transaction
from souvenance.store.retrievals import Retrieval as Entry

MAX_QUERY_BYTES = 16_000
MAX_LIMIT = 200
MAX_BUDGET = 50_000
PASSAGES_PER_PAGE = 100
FAR_BUDGET = 300
"""Tokens of a recall that found nothing relevant: the nearest few, to judge by, not a page of something else."""

ALIKE = 0.75
"""A hit shares the answer's confidence when its own score is at least this share of the best; else it is weak."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question ready to be put to the store: its words, its vector where meaning runs, and why it does not."""

    text: str
    asked: Asked | None
    why: str


@dataclass(frozen=True, slots=True)
class _Found:
    """What a search found, why meaning did not run in full, how many passages wait for it, how many are withheld."""

    searched: Searched
    why: str
    waiting: int
    withheld: int


class Retrieval:
    """Searching and recalling."""

    def __init__(self, database: Database, clock: Clock, meaning: Meaning, retrievals: Retrievals) -> None:
        self._database = database
        self._clock = clock
        self._meaning = meaning
        self._words = Words()
        self._retrievals = retrievals

    def forget(self) -> None:
        """Keep nothing in memory of what was erased or asked (F7)."""
        self._words.forget()

    def search(
        self,
        *,
        actor: Actor,
        query: str,
        vault: str | Sequence[str] | None = None,
        note_class: NoteClass | None = None,
        documents: bool = False,
        limit: int = 20,
        offset: int = 0,
        matcher: Matcher | None = None,
        is_logged: bool = True,
    ) -> Answer:
        """Ranked excerpts of facts and notes, weighed by the caller's attention; muted categories too.

        `documents` leaves agent memory out: what people wrote, and ingested files (N8).
        `vault` names the vaults to ask, at full weight. `matcher` asks for one matcher only, to compare; by default
        meaning joins words where vectors are ready, and the trace says which ran and why. `is_logged` is false only
        where the same question is in the log already: what was asked once is counted once (N11).
        """
        started = time.perf_counter()
        if not 1 <= limit <= MAX_LIMIT or offset < 0:
            raise InvalidInput(f"limit is from 1 to {MAX_LIMIT}, offset from 0.")
        matcher = None if matcher is None else Matcher(matcher)
        question = self._question(actor, query, vault, matcher)
        with self._database.read() as tx:
            scope = resolve_scope(tx, actor, question=question.text, vaults=vault)
            found = self._search(
                tx, question, scope=scope, matcher=matcher, note_class=note_class, documents=documents, limit=limit,
                offset=offset,
            )  # fmt: skip
            searched = found.searched
            places = _one_per_source(searched, limit=offset + limit + 1)
            shown_places = places[offset : offset + limit]
            shown = rows.read_shown(tx, [searched.passages[place] for place in shown_places])
        hits = tuple(
            _hit(searched, place, scope=scope, shown=shown[searched.passages[place].id], query=question.text)
            for place in shown_places
            if searched.passages[place].id in shown
        )
        answer = Answer(
            query=query,
            confidence=Confidence(searched.confidence.sureness),
            confidence_value=searched.confidence.value,
            hits=hits,
            trace=_trace(found, scope, started=started),
            more=len(places) > offset + limit,
        )
        if is_logged:
            self._audit(actor, "search", answer.query, hits, answer.confidence, answer.trace, scope)
        return answer

    def recall(
        self,
        *,
        actor: Actor,
        topic: str,
        vault: str | Sequence[str] | None = None,
        depth: int = 1,
        budget_tokens: int = 4000,
        max_per_source: int | None = None,
    ) -> Recall:
        """One coherent block on a topic within a token budget: what was found and its neighbours to `depth` links.

        No source takes more than `max_per_source` tokens (a third of the budget when not said); muted categories are
        left out; the sources are listed, and it says when it was cut.
        """
        started = time.perf_counter()
        if not 0 <= depth <= 3:
            raise InvalidInput("depth is from 0 to 3 links.")
        if not 50 <= budget_tokens <= MAX_BUDGET:
            raise InvalidInput(f"budget_tokens is from 50 to {MAX_BUDGET}.")
        if max_per_source is not None and max_per_source < 20:
            raise InvalidInput("max_per_source is at least 20 tokens.")
        question = self._question(actor, topic, vault, None)
        with self._database.read() as tx:
            scope = resolve_scope(tx, actor, question=question.text, vaults=vault)
            found = self._search(tx, question, scope=scope)
            searched = found.searched
            relevant = searched.confidence.sureness is not Sureness.NONE
            composed = compose(
                tx,
                actor,
                searched,
                scope=scope,
                depth=depth if relevant else 0,
                budget=budget_tokens if relevant else min(budget_tokens, FAR_BUDGET),
                per_source=max_per_source or max(budget_tokens // 3, 20),
            )
            best = searched.ranking.order[:5].tolist()
            shown = rows.read_shown(tx, [searched.passages[place] for place in best])
        trace = _trace(found, scope, started=started)
        recalled = Recall(
            topic=topic,
            confidence=Confidence(searched.confidence.sureness),
            text=composed.text,
            tokens=composed.tokens,
            sources=composed.sources,
            cut=composed.cut,
            trace=trace,
        )
        hits = [
            _hit(searched, place, scope=scope, shown=shown[searched.passages[place].id], query=topic)
            for place in best
            if searched.passages[place].id in shown
        ]
        self._audit(actor, "recall", topic, hits, recalled.confidence, trace, scope)
        return recalled

    def documents(
        self,
        *,
        actor: Actor,
        question: str,
        scope: Scope,
        facts: Sequence[tuple[int, float]] = (),
        limit: int = 8,
    ) -> Answer:
        """The passages of notes that answer a question put to a scope that was chosen already, each whole in `excerpt`,
        at most one of each note; none where nothing relevant was found. A prompt is given them beside facts, which it
        is given by each vault's step and which are not searched for again. Muted notes are left out.

        The audit has it as the exchange's one search: `facts` are those given that bear on the question, by number,
        with how much of it they hold (0 to 1).
        """
        started = time.perf_counter()
        with self._database.read() as tx:
            own = rows.note_passages(tx, vault_ids=scope.answering, limit=BY_WORDS + 1)
        if not (own or scope.protected):
            trace = Trace(
                matcher=Matcher.WORDS,
                why="there are no notes",
                queried=scope.names,
                passed_over=scope.passed_over,
                named_withheld=scope.named_withheld,
                milliseconds=(time.perf_counter() - started) * 1000,
            )
            self._audit(actor, "exchange", question, (), Confidence.NONE, trace, scope, facts=facts)
            return Answer(query=question, confidence=Confidence.NONE, confidence_value=0.0, hits=(), trace=trace)
        asked = self._question(actor, question, None, None)
        with self._database.read() as tx:
            found = self._search(tx, asked, scope=scope, notes=own)
            searched = found.searched
            sure = Confidence(searched.confidence.sureness)
            notes = [] if sure is Confidence.NONE else _one_per_source(searched, limit=2 * limit)
            shown = rows.read_shown(tx, [searched.passages[place] for place in notes])
        hits = {
            place: _hit(searched, place, scope=scope, shown=shown[searched.passages[place].id], query=None)
            for place in notes
            if searched.passages[place].id in shown
        }
        trace = _trace(found, scope, started=started)
        self._audit(actor, "exchange", question, list(hits.values())[:5], sure, trace, scope, facts=facts)
        kept = [place for place in hits if not shown[searched.passages[place].id].muted]
        return Answer(
            query=question,
            confidence=sure,
            confidence_value=searched.confidence.value,
            hits=tuple(hits[place] for place in kept[:limit]),
            trace=trace,
        )

    # --- steps -------------------------------------------------------------------------------------------------

    def _question(
        self, actor: Actor, text: str, vault: str | Sequence[str] | None, matcher: Matcher | None
    ) -> Question:
        """Check a question and, where meaning is wanted, ask the model for its vector, outside any transaction."""
        checked = readable_text(text, what="query", limit=MAX_QUERY_BYTES).strip()
        if not checked:
            raise InvalidInput("The query is empty.", hint="Say what you are looking for.")
        if matcher is Matcher.WORDS:
            return Question(checked, None, "words were asked for")
        if self._meaning.embedder is not None and (self._meaning.sends or not self._meaning.is_warm):
            # What could not be used is not asked for: a question leaves this program only where it serves a vault whose
            # texts may leave too, and loading a model takes longer than all the rest.
            with self._database.read() as tx:
                scope = resolve_scope(tx, actor, question=checked, vaults=vault)
                embeddable = self._embeddable(scope)
                covered = self._meaning.covered(tx, embeddable).values()
            if scope.answering and not embeddable:
                return Question(checked, None, self._unread(scope, embeddable, embeddable))
            if not any(part.is_enough for part in covered):
                return Question(checked, None, str(Coverage.total(covered)))
        asked, why = self._meaning.ask(checked)
        return Question(checked, asked, why)

    def _embeddable(self, scope: Scope) -> list[int]:
        return [one for one in scope.answering if self._meaning.may_read(scope.vaults[one])]

    def _search(
        self,
        tx: Transaction,
        question: Question,
        *,
        scope: Scope,
        matcher: Matcher | None = None,
        note_class: NoteClass | None = None,
        documents: bool = False,
        limit: int = 20,
        offset: int = 0,
        notes: Sequence[int] | None = None,
    ) -> _Found:
        asked, why = question.asked, question.why
        embeddable = self._embeddable(scope)
        covered = self._meaning.covered(tx, embeddable)
        # A vault that is being embedded takes no meaning from those that are.
        ready = [one for one, part in covered.items() if part.is_enough or not part.passages]
        total = Coverage.total(covered.values())
        if asked is not None:
            said = [str(total) if total.waiting else why, self._unread(scope, embeddable, ready)]
            why = ", ".join(part for part in said if part)
            if not any(part.is_enough for part in covered.values()):
                asked, why = None, str(total)
        search = partial(
            search_passages,
            tx,
            question=question.text,
            asked=asked,
            scope=scope,
            words=self._words,
            meaning=self._meaning,
            by_meaning=ready,
            by_words=matcher is not Matcher.VECTORS,
            note_class=note_class,
            documents=documents,
            depth=1 + (offset + limit) // PASSAGES_PER_PAGE,
        )
        withheld = 0
        if scope.protected:
            everything = search(withheld_too=True)
            first = _one_per_source(everything, limit=limit)
            withheld = sum(everything.passages[place].vault_id in scope.protected for place in first)
        return _Found(search(notes=notes), why, total.waiting, withheld)

    @staticmethod
    def _unread(scope: Scope, embeddable: Sequence[int], ready: Sequence[int]) -> str:
        """Which of the vaults that answer are found by words only, and why."""
        unread = [scope.vaults[one] for one in scope.answering if one not in embeddable]
        protected = sum(one.protection is Protection.MAXIMUM for one in unread)
        counts = {
            "protected": protected,
            "below step six": len(unread) - protected,
            "not yet embedded": len(embeddable) - len(ready),
        }
        return ", ".join(f"words only in {count} {why}" for why, count in counts.items() if count)

    def _audit(
        self,
        actor: Actor,
        verb: str,
        query: str,
        hits: Sequence[Hit],
        confidence: Confidence,
        trace: Trace,
        scope: Scope,
        facts: Sequence[tuple[int, float]] = (),
    ) -> None:
        top: list[dict[str, Any]] = [
            *({"kind": hit.kind, "number": hit.number, "note": hit.note_id, "score": hit.score} for hit in hits[:5]),
            *({"kind": "fact", "number": number, "note": "", "score": score} for number, score in facts),
        ]
        top.sort(key=lambda one: -one["score"])
        if facts and confidence is Confidence.NONE:
            confidence = Confidence.WEAK
        entry = Entry(
            at=self._clock(),
            actor=actor.name,
            source=actor.source,
            verb=verb,
            query=query,
            scope={"queried": list(trace.queried), "passed_over": list(trace.passed_over), "withheld": trace.withheld},
            vaults=tuple(scope.answering),
            protected=tuple(sorted(scope.protected)),
            found=len(hits) + len(facts),
            best_score=top[0]["score"] if top else None,
            confidence=confidence,
            top=[one | {"score": round(one["score"], 4)} for one in top[:5]],
            matcher=trace.matcher,
            milliseconds=round(trace.milliseconds, 2),
        )
        self._retrievals.record(actor, entry)


def _trace(found: _Found, scope: Scope, *, started: float) -> Trace:
    return Trace(
        matcher=found.searched.matcher,
        why=found.why,
        queried=scope.names,
        passed_over=scope.passed_over,
        withheld=found.withheld,
        named_withheld=scope.named_withheld,
        waiting=found.waiting,
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _one_per_source(searched: Searched, *, limit: int) -> list[int]:
    """Places of the first ranked passages, the best of each fact or note only, those that score nothing left out."""
    seen: set[tuple[int, str | int]] = set()
    kept: list[int] = []
    for place in searched.ranking.order.tolist():
        passage = searched.passages[place]
        source = (passage.vault_id, passage.fact_number if passage.fact_number is not None else passage.note_id)
        if source not in seen and searched.ranking.scores[place] > 0:
            seen.add(source)
            kept.append(place)
            if len(kept) == limit:
                break
    return kept


def _hit(searched: Searched, place: int, *, scope: Scope, shown: Shown, query: str | None) -> Hit:
    """A hit with the excerpt that answers the query, or with the whole passage where none is given."""
    passage: Candidate = searched.passages[place]
    parts = searched.ranking.parts(place)
    sure = Confidence(searched.confidence.sureness)
    best = searched.ranking.unweighted[searched.ranking.order[0]]
    if sure is Confidence.STRONG and searched.ranking.unweighted[place] < ALIKE * best:
        sure = Confidence.WEAK
    title = shown.key or shown.title if passage.fact_number is not None else shown.title
    shows = shown.text if query is None else excerpt(shown.text, query)
    return Hit(
        kind="fact" if passage.fact_number is not None else "note",
        vault=scope.vaults[passage.vault_id].slug,
        title=title,
        excerpt=shows + dates_meant(shown.said_dates, shows),
        score=parts.score,
        confidence=sure,
        path=f"{shown.folder}/{shown.title}" if shown.folder else shown.title,
        note_id=passage.note_id,
        number=passage.fact_number,
        version=shown.version,
        category=shown.category,
        note_class=shown.note_class,
        updated_at=isoformat(shown.updated_at),
        parts={
            "words": parts.words,
            "meaning": parts.meaning,
            "speaker": parts.speaker,
            "neighbours": parts.neighbours,
            "attention": parts.attention,
        },
    )
