"""One question put to the vaults in scope: candidates by words and by meaning, ranked on one scale (N6)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from souvenance.domain.note import NoteClass
from souvenance.retrieval.answer import Matcher
from souvenance.retrieval.meaning import Asked, Found, Meaning
from souvenance.retrieval.ranking import Candidates, Confidence, Field, Floats, Ranking, confidence, rank, word_weights
from souvenance.retrieval.scope import Scope
from souvenance.retrieval.words import WordField, Words
from souvenance.store import candidates as rows
from souvenance.store.candidates import Candidate
from souvenance.store.database import Transaction
from souvenance.store.terms import QueryWord, analyse_query

BY_WORDS = 400
"""Passages scored because of their words."""

BY_MEANING = 200
"""Passages scored because of their meaning."""

OTHER, END = -1, -2
"""A term that no word of the query has, and the end of a passage."""

AROUND = 50
"""Of the best by words, how many bring in the passages before and after them."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The passages of a question and their ranking."""

    passages: Sequence[Candidate]
    ranking: Ranking
    confidence: Confidence
    matcher: Matcher


def search_passages(
    tx: Transaction,
    *,
    question: str,
    asked: Asked | None,
    scope: Scope,
    words: Words,
    meaning: Meaning,
    by_meaning: Collection[int] | None = None,
    by_words: bool = True,
    note_class: NoteClass | None = None,
    documents: bool = False,
    depth: int = 1,
    withheld_too: bool = False,
    notes: Sequence[int] | None = None,
) -> Searched:
    """Rank the passages of every vault in scope on one scale. `depth` widens the search for far pages of results.

    `by_meaning` are the vaults that meaning runs in, all where it is not said. What is withheld takes no part, neither
    as a passage nor in how rare a word is (V8); `withheld_too` ranks it as well, so that it can be counted. With
    `notes` facts take no part: it holds the passages of notes, which are all ranked, or more than `BY_WORDS` of them.
    """
    vault_ids = sorted(scope.weights) if withheld_too else scope.answering
    asked_words = analyse_query(question) if by_words else []
    field = words.field(tx, vault_ids=vault_ids, words=asked_words)
    query = field.words
    wide = 5 if note_class is not None or documents or notes is not None else 1
    are_few = notes is not None and len(notes) <= BY_WORDS
    ids = (
        notes
        if notes is not None and are_few
        else words.find(tx, vault_ids=vault_ids, field=field, limit=BY_WORDS * depth * wide)
    )
    meant = [one for one in vault_ids if by_meaning is None or one in by_meaning]
    nearest = 0 if are_few else BY_MEANING * depth * wide
    found = meaning.look(tx, asked, vault_ids=meant, limit=nearest) if asked else None
    passages = rows.read_candidates(
        tx,
        vault_ids=vault_ids,
        ids=[*ids, *(found.near if found else ())],
        note_class=note_class,
        documents=documents or notes is not None,
    )
    counts = _counts(passages, query)
    held = word_weights(_field(field, query, None)) @ (counts > 0)
    around = rows.read_around(tx, [passages[place] for place in np.argsort(-held, kind="stable")[:AROUND]])
    have = {item.id for item in passages}
    if more := [item for item in around if item.id not in have]:
        passages += more
        counts = np.hstack((counts, _counts(more, query)))
    if asked is not None and found is not None:
        missing: dict[int, list[int]] = {}
        for item in passages:
            if item.id not in found.near and item.vault_id in meant:
                missing.setdefault(item.vault_id, []).append(item.id)
        meaning.judge(tx, asked, found, passage_ids=missing)
    columns = _columns(passages, counts, query=query, scope=scope, found=found)
    ranking = rank(_field(field, query, found), columns)
    sure = confidence(ranking, columns, meaning.calibration if found else None)
    matcher = (Matcher.HYBRID if by_words else Matcher.VECTORS) if found else Matcher.WORDS
    return Searched(passages, ranking, sure, matcher)


def _counts(passages: Sequence[Candidate], query: Sequence[QueryWord]) -> Floats:
    """How often each word of the query stands in each passage, in the most frequent of its forms.

    The terms of all passages are looked up in one go: done one passage at a time it was a quarter of a search.
    """
    forms = {form: place for place, form in enumerate(dict.fromkeys(form for word in query for form in word.forms))}
    width = len(forms)
    terms = " \n ".join(passage.terms for passage in passages).split(" ")
    looked_up = map({**forms, "\n": END}.get, terms, repeat(OTHER))
    places = np.fromiter(looked_up, dtype=np.int64, count=len(terms))
    lines = np.cumsum(places == END)
    held = places >= 0
    cells = lines[held] * width + places[held]
    of_forms = np.bincount(cells, minlength=len(passages) * width).reshape(len(passages), width)
    counts = [of_forms[:, [forms[form] for form in word.forms]].max(axis=1) for word in query]
    return np.array(counts, dtype=np.float64).reshape(len(query), len(passages))


def _field(field: WordField, query: Sequence[QueryWord], found: Found | None) -> Field:
    return Field(
        passages=field.passages,
        average_length=field.average_length,
        document_frequencies=np.array(field.frequencies, dtype=np.float64),
        common=np.array([word.common for word in query], dtype=bool),
        similarity_mean=found.mean if found else 0.0,
        similarity_deviation=found.deviation if found else 0.0,
    )


def _columns(
    passages: Sequence[Candidate],
    counts: Floats,
    *,
    query: Sequence[QueryWord],
    scope: Scope,
    found: Found | None,
) -> Candidates:
    near = found.near if found else {}
    alone = np.full(len(passages), np.nan)
    joined = np.full(len(passages), np.nan)
    for place, passage in enumerate(passages):
        item = near.get(passage.id)
        if item is not None:
            alone[place] = item.alone
            joined[place] = np.nan if item.with_previous is None else item.with_previous
    named = _named_speakers(passages, query)
    at = {(item.vault_id, item.origin, item.ordinal): place for place, item in enumerate(passages) if item.origin}
    previous = [at.get((item.vault_id, item.origin, item.ordinal - 1), -1) if item.origin else -1 for item in passages]
    return Candidates(
        counts=counts,
        lengths=np.array([item.length for item in passages], dtype=np.float64),
        attention=np.array([scope.weights[item.vault_id] for item in passages], dtype=np.float64),
        similarities=alone,
        similarities_with_previous=joined,
        spoken_by_named=np.array([item.speaker in named for item in passages], dtype=bool),
        previous=np.array(previous, dtype=np.int64),
    )


def _named_speakers(passages: Sequence[Candidate], query: Sequence[QueryWord]) -> set[str]:
    """The speakers among these passages whose whole name is in the query."""
    forms = {form for word in query for form in word.forms}
    named = set()
    for speaker in {item.speaker for item in passages if item.speaker}:
        words = analyse_query(speaker)
        if words and all(forms & set(word.forms) for word in words):
            named.add(speaker)
    return named
