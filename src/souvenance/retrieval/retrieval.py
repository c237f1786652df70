"""The use cases of reading by question: search and recall, explained and audited (N6, N11)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock, isoformat
from souvenance.domain.errors import InvalidInput
from souvenance.domain.fact import readable_text
from souvenance.domain.note import NoteClass
from souvenance.domain.vault import Protection
from souvenance.retrieval.answer import Answer, Confidence, Hit, Matcher, Recall, Trace
from souvenance.retrieval.audit import Retrievals
from souvenance.retrieval.excerpt import excerpt
from souvenance.retrieval.meaning import Asked, Meaning
from souvenance.retrieval.recall import compose
from souvenance.retrieval.scope import Scope, resolve_scope
from souvenance.retrieval.search import Searched, search_passages
from souvenance.retrieval.words import Words
from souvenance.store import candidates as rows
from souvenance.store.candidates import Candidate, Shown
from souvenance.store.database import Database, Transaction
from souvenance.store.retrievals import Retrieval as Entry

MAX_QUERY_BYTES = 16_000
MAX_LIMIT = 200
MAX_BUDGET = 50_000
PASSAGES_PER_PAGE = 100
ALIKE = 0.75
"""A hit shares the answer's confidence when its own score is at least this share of the best; else it is weak."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question ready to be put to the store: its words, its vector where meaning runs, and why it does not."""

    text: str
    asked: Asked | None
    why: str


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
        limit: int = 20,
        offset: int = 0,
        matcher: Matcher | None = None,
    ) -> Answer:
        """Ranked excerpts of facts and notes, weighed by the caller's attention; muted categories too.

        `vault` names the vaults to ask, at full weight. `matcher` asks for one matcher only, to compare; by default
        meaning joins words where vectors are ready, and the trace says which ran and why.
        """
        started = time.perf_counter()
        if not 1 <= limit <= MAX_LIMIT or offset < 0:
            raise InvalidInput(f"limit is from 1 to {MAX_LIMIT}, offset from 0.")
        matcher = None if matcher is None else Matcher(matcher)
        question = self._question(actor, query, vault, matcher)
        with self._database.read() as tx:
            scope = resolve_scope(tx, actor, question=question.text, vaults=vault)
            searched, why, waiting = self._search(
                tx,
                question,
                scope=scope,
                matcher=matcher,
                note_class=note_class,
                depth=1 + (offset + limit) // PASSAGES_PER_PAGE,
            )
            places = _one_per_source(searched)
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
            trace=self._trace(searched, scope, why=why, waiting=waiting, started=started, limit=limit),
            more=len(places) > offset + limit,
        )
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
            searched, why, waiting = self._search(tx, question, scope=scope, matcher=None, note_class=None, depth=1)
            composed = compose(
                tx,
                actor,
                searched,
                scope=scope,
                depth=depth,
                budget=budget_tokens,
                per_source=max_per_source or max(budget_tokens // 3, 20),
            )
            best = searched.ranking.order[:5].tolist()
            shown = rows.read_shown(tx, [searched.passages[place] for place in best])
        trace = self._trace(searched, scope, why=why, waiting=waiting, started=started, limit=20)
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

    def documents(self, *, actor: Actor, question: str, scope: Scope, limit: int = 8) -> Answer:
        """The passages of notes that answer a question put to a scope that was chosen already, each whole in `excerpt`,
        at most one of each note; none where nothing relevant was found. A prompt is given them beside facts, which it
        is given by each vault's step. Muted notes are left out. The audit has it as the exchange's one search."""
        started = time.perf_counter()
        asked = self._question(actor, question, None, None)
        with self._database.read() as tx:
            searched, why, waiting = self._search(tx, asked, scope=scope, matcher=None, note_class=None, depth=1)
            places = _one_per_source(searched)
            sure = Confidence(searched.confidence.sureness)
            notes = [place for place in places if searched.passages[place].fact_number is None]
            notes = notes[: 2 * limit] if sure is not Confidence.NONE else []
            shown = rows.read_shown(tx, [searched.passages[place] for place in {*notes, *places[:5]}])
        hits = {
            place: _hit(searched, place, scope=scope, shown=shown[searched.passages[place].id], query=None)
            for place in (*places[:5], *notes)
            if searched.passages[place].id in shown
        }
        trace = self._trace(searched, scope, why=why, waiting=waiting, started=started, limit=20)
        self._audit(actor, "exchange", question, [hits[p] for p in places[:5] if p in hits], sure, trace, scope)
        kept = [place for place in notes if place in hits and not shown[searched.passages[place].id].muted]
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
        if self._meaning.embedder is not None and not self._meaning.is_warm:
            # Loading a model takes longer than all the rest: not where its answer would not be used.
            with self._database.read() as tx:
                scope = resolve_scope(tx, actor, question=checked, vaults=vault)
                covered = self._meaning.covered(tx, self._embeddable(scope))
            if not covered.is_enough:
                return Question(checked, None, str(covered))
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
        matcher: Matcher | None,
        note_class: NoteClass | None,
        depth: int,
    ) -> tuple[Searched, str, int]:
        asked, why = question.asked, question.why
        embeddable = self._embeddable(scope)
        words_only = len(scope.answering) - len(embeddable)
        covered = self._meaning.covered(tx, embeddable)
        if asked is not None:
            if covered.waiting:
                why = str(covered)
            if not covered.is_enough:
                asked, why = None, str(covered)
            if words_only:
                why = ", ".join(part for part in (why, self._unread(scope, embeddable)) if part)
        searched = search_passages(
            tx,
            question=question.text,
            asked=asked,
            scope=scope,
            words=self._words,
            meaning=self._meaning,
            by_words=matcher is not Matcher.VECTORS,
            note_class=note_class,
            depth=depth,
        )
        return searched, why, covered.waiting

    @staticmethod
    def _unread(scope: Scope, embeddable: Sequence[int]) -> str:
        """Which of the vaults that answer the embedder may not be given, and why."""
        unread = [scope.vaults[one] for one in scope.answering if one not in embeddable]
        protected = sum(one.protection is Protection.MAXIMUM for one in unread)
        parts = [f"words only in {protected} protected"] if protected else []
        if len(unread) > protected:
            parts.append(f"words only in {len(unread) - protected} below step six")
        return ", ".join(parts)

    def _trace(self, searched: Searched, scope: Scope, *, why: str, waiting: int, started: float, limit: int) -> Trace:
        kept_back = 0
        if scope.protected:
            first = _one_per_source(searched, everything=True)[:limit]
            kept_back = sum(searched.passages[place].vault_id in scope.protected for place in first)
        return Trace(
            matcher=searched.matcher,
            why=why,
            queried=scope.names,
            passed_over=scope.passed_over,
            withheld=kept_back,
            named_withheld=scope.named_withheld,
            waiting=waiting,
            milliseconds=(time.perf_counter() - started) * 1000,
        )

    def _audit(
        self,
        actor: Actor,
        verb: str,
        query: str,
        hits: Sequence[Hit],
        confidence: Confidence,
        trace: Trace,
        scope: Scope,
    ) -> None:
        entry = Entry(
            at=self._clock(),
            actor=actor.name,
            source=actor.source,
            verb=verb,
            query=query,
            scope={"queried": list(trace.queried), "passed_over": list(trace.passed_over), "withheld": trace.withheld},
            found=len(hits),
            best_score=hits[0].score if hits else None,
            confidence=confidence,
            top=[
                {"kind": hit.kind, "number": hit.number, "note": hit.note_id, "score": round(hit.score, 4)}
                for hit in hits[:5]
            ],
            matcher=trace.matcher,
            milliseconds=round(trace.milliseconds, 2),
        )
        self._retrievals.record(actor, entry)


def _one_per_source(searched: Searched, *, everything: bool = False) -> list[int]:
    """Places of the ranked passages, the best of each fact or note only, those that score nothing left out."""
    ranking = searched.with_withheld if everything else searched.ranking
    seen: set[tuple[int, str | int]] = set()
    kept = []
    for place in ranking.order.tolist():
        passage = searched.passages[place]
        source = (passage.vault_id, passage.fact_number if passage.fact_number is not None else passage.note_id)
        if source not in seen and ranking.scores[place] > 0:
            seen.add(source)
            kept.append(place)
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
    return Hit(
        kind="fact" if passage.fact_number is not None else "note",
        vault=scope.vaults[passage.vault_id].slug,
        title=title,
        excerpt=shown.text if query is None else excerpt(shown.text, query),
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
