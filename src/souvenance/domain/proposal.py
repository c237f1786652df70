"""A proposal: something the memory could do with, put before a person, who answers (T5)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from souvenance.domain.fact import Fact, State


class Kind(StrEnum):
    """What a proposal is about: one thing said twice, two things that disagree, or a new wording of the summary."""

    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    SUMMARY = "summary"


class Answer(StrEnum):
    """What a person may say to it; `this` and `that` are the two facts in the order in which they are shown."""

    MERGE = "merge"
    MERGE_OTHER_WAY = "merge_other_way"
    KEEP_BOTH = "keep_both"
    KEEP_THIS = "keep_this"
    KEEP_THAT = "keep_that"
    ACCEPT = "accept"
    REFUSE = "refuse"


ANSWERS: dict[Kind, tuple[Answer, ...]] = {
    Kind.DUPLICATE: (Answer.MERGE, Answer.MERGE_OTHER_WAY, Answer.KEEP_BOTH),
    Kind.CONTRADICTION: (Answer.KEEP_THIS, Answer.KEEP_THAT, Answer.KEEP_BOTH),
    Kind.SUMMARY: (Answer.ACCEPT, Answer.REFUSE),
}
"""The answers to each kind."""


class Standing(StrEnum):
    """Where a proposal stands: nobody answered yet, answered, or overtaken by what happened to its facts."""

    WAITING = "waiting"
    ANSWERED = "answered"
    STALE = "stale"


class Overtaken(StrEnum):
    """What happened to a fact since it was proposed."""

    REWRITTEN = "rewritten"
    RETIRED = "retired"
    TRASHED = "trashed"
    DISABLED = "disabled"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One proposal. It holds no words of its facts, only their numbers and the hashes of what they said.

    `this` and `that` are the numbers of the two facts; a duplicate's `this` is the one that stays unless a person says
    otherwise. A summary's `this` is the present one, None where there is none; `draft` is the new wording, kept only
    while it waits, and `sources` are the facts it was drawn from, each with the hash of its wording. Its `that` is None
    and `that_wording` their `basis_of`; once it is accepted, the fact that it became and what that says. `score` is how
    sure, 0 to 1, and `codes` why (`pairs.why_codes`); `model` names the model that had a say.
    """

    id: str
    vault_id: int
    kind: Kind
    this: int | None
    that: int | None
    this_wording: str
    that_wording: str
    score: float
    similarity: float | None = None
    codes: tuple[str, ...] = ()
    model: str = ""
    draft: str = ""
    sources: tuple[tuple[int, str], ...] = ()
    created_at: datetime
    standing: Standing = Standing.WAITING
    overtaken: Overtaken | None = None
    answer: Answer | None = None
    answered_at: datetime | None = None
    answered_by: str = ""
    answered_through: str = ""

    @property
    def wordings(self) -> tuple[tuple[int, str], ...]:
        """Every fact the proposal rests on, with the hash of what it said."""
        pair = ((self.this, self.this_wording), (self.that, self.that_wording))
        return (*((number, wording) for number, wording in pair if number is not None), *self.sources)


Pair = tuple[str, str]
"""Two wordings, in no particular order: the lesser first."""


def pair_of(one: str, other: str) -> Pair:
    """Two wordings as a pair."""
    return (one, other) if one <= other else (other, one)


def basis_of(wordings: Iterable[str]) -> str:
    """The hash of what some facts said, in whichever order."""
    return hashlib.blake2b("\x1f".join(sorted(wordings)).encode(), digest_size=16).hexdigest()


def wording_of(*, key: str, content: str, subject_kind: str, subject_id: str) -> str:
    """The hash of what a fact says and of whom, outer and repeated blank space aside: by this, answers are remembered.

    Where a fact is filed and how sure it is are not part of it.
    """
    said = "\x1f".join((" ".join(key.split()), " ".join(content.split()), subject_kind, subject_id))
    return hashlib.blake2b(said.encode(), digest_size=16).hexdigest()


def wording_of_fact(item: Fact) -> str:
    """The same of a whole fact."""
    return wording_of(key=item.key, content=item.content, subject_kind=item.subject_kind, subject_id=item.subject_id)


def overtaken_by(item: Fact | None, wording: str) -> Overtaken | None:
    """What happened to a fact that said this when it was proposed; None while it answers and still says it."""
    if item is None:
        return Overtaken.GONE
    if item.state is not State.IN_FORCE:
        return Overtaken.TRASHED if item.state is State.TRASHED else Overtaken.RETIRED
    if wording_of_fact(item) != wording:
        return Overtaken.REWRITTEN
    return Overtaken.DISABLED if item.disabled else None


def label(value: Kind | Answer | Overtaken, language: str = "en") -> str:
    """A kind, an answer or what overtook a proposal, as people read it."""
    return _WORDS.get(language, _WORDS["en"])[value]


_WORDS: dict[str, dict[str, str]] = {
    "en": {
        Kind.DUPLICATE: "said twice",
        Kind.CONTRADICTION: "contradiction",
        Kind.SUMMARY: "new summary",
        Answer.MERGE: "merge",
        Answer.MERGE_OTHER_WAY: "merge the other way",
        Answer.KEEP_BOTH: "keep both",
        Answer.KEEP_THIS: "keep this",
        Answer.KEEP_THAT: "keep that",
        Answer.ACCEPT: "accept",
        Answer.REFUSE: "refuse",
        Overtaken.REWRITTEN: "was rewritten",
        Overtaken.RETIRED: "was retired",
        Overtaken.TRASHED: "is in the trash",
        Overtaken.DISABLED: "was disabled",
        Overtaken.GONE: "is not in this vault any more",
    },
    "fr": {
        Kind.DUPLICATE: "dit deux fois",
        Kind.CONTRADICTION: "contradiction",
        Kind.SUMMARY: "nouveau résumé",
        Answer.MERGE: "fusionner",
        Answer.MERGE_OTHER_WAY: "fusionner dans l’autre sens",
        Answer.KEEP_BOTH: "garder les deux",
        Answer.KEEP_THIS: "garder celui-ci",
        Answer.KEEP_THAT: "garder celui-là",
        Answer.ACCEPT: "accepter",
        Answer.REFUSE: "refuser",
        Overtaken.REWRITTEN: "a été réécrit",
        Overtaken.RETIRED: "a été retiré",
        Overtaken.TRASHED: "est à la corbeille",
        Overtaken.DISABLED: "a été désactivé",
        Overtaken.GONE: "n’est plus dans ce coffre",
    },
}
