"""What a store derives from its facts and notes: how to find what is wrong with it, and how to make it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from souvenance.notes.trash import index, pieces_of
from souvenance.store import check
from souvenance.store.database import Transaction
from souvenance.store.notes import note_at
from souvenance.store.passages import heading_of


def _notes_to_index(tx: Transaction) -> list[check.Key]:
    """Notes of which search finds something else than their text, trashed ones of which it finds anything."""
    wrong = []
    for note, found in check.documents(tx):
        wanted = [
            check.Found(heading=heading_of(note.heading, piece), text=piece.text, active=not note.disabled)
            for piece in pieces_of(note)
        ]
        if wanted != found:
            wrong.append(check.Key(vault_id=note.vault_id, id=note.id))
    return wrong


def _index_notes(tx: Transaction, keys: Sequence[check.Key]) -> None:
    for key in keys:
        index(tx, note_at(tx, vault_id=key.vault_id, note_id=str(key.id)))


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
        name="facts",
        well="Every fact has its passage.",
        wrong="facts have no passage that says the same",
        ask=check.facts_to_index,
        remedy=check.index_facts,
    ),
    Question(
        name="notes",
        well="Every note is found by its text.",
        wrong="notes are not found by their text",
        ask=_notes_to_index,
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
    name="index",
    well="Every passage is in the text index.",
    wrong="passages are indexed with other words or not at all",
)
INDEX_ONLY = Question(
    name="index-rest", well="The text index holds nothing else.", wrong="entries of the text index belong to nothing"
)
VECTORS = Question(
    name="vectors",
    well="Vectors match their passages.",
    wrong="passages have a vector of something else, or none that can be read",
)
