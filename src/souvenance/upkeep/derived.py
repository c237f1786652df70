"""What a store derives from its facts and notes: how to find what is wrong with it, and how to make it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from souvenance.store import check
from souvenance.store.database import Transaction


def _index_notes(tx: Transaction, keys: Sequence[check.Key]) -> None:
    raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something derived that may be wrong: what is, what one says either way, and what makes it right."""

    name: str
    well: str
    wrong: str
    ask: Callable[[Transaction], Sequence[check.Key]] = lambda tx: ()
    remedy: Callable[[Transaction, Sequence[check.Key]], None] = lambda tx, keys: None


QUESTIONS = (
    Question(
        name="passages",
        well="No passage is left over.",
        wrong="passages belong to nothing",
        ask=check.passages_of_nothing,
        remedy=check.remove,
    ),
    Question(
        name="trash",
        well="Nothing trashed is found.",
        wrong="passages of trashed or disabled notes are found",
        ask=check.trashed_but_found,
        remedy=check.remove,
    ),
    Question(
        name="facts",
        well="Every fact has its passage.",
        wrong="facts have no passage that says the same",
        ask=check.facts_to_index,
        remedy=check.index_facts,
    ),
    Question(
        name="notes",
        well="Every note has its passages.",
        wrong="notes have no passage",
        ask=check.notes_to_index,
        remedy=_index_notes,
    ),
    Question(
        name="terms",
        well="Words are analysed as they are asked for.",
        wrong="passages are analysed in an older way",
        ask=check.outdated_terms,
        remedy=check.renew_terms,
    ),
    Question(
        name="links",
        well="Links lead to notes.",
        wrong="links lead to nothing",
        ask=check.links_to_nothing,
        remedy=check.loosen_links,
    ),
)
IN_INDEX = Question(
    name="index", well="Every passage is in the text index.", wrong="passages are not in the text index as they are"
)
INDEX_ONLY = Question(
    name="index-rest", well="The text index holds nothing else.", wrong="entries of the text index belong to nothing"
)
VECTORS = Question(
    name="vectors",
    well="Vectors match their passages.",
    wrong="passages have a vector of something else, or none that can be read",
)
