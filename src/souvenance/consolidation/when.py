"""When a vault gets its pass, and why it does not get one now (T5). Pure: the moment is given."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

SMALLEST = 10
"""Facts in force from which a vault is worth a pass: what is fewer is seen at a glance."""
QUIET = timedelta(minutes=30)
"""A vault is quiet when none of its facts changed for so long; a conversation that writes is never that far apart."""
BETWEEN = timedelta(days=1)
"""At least so long from the end of one pass to the next."""
AT_LATEST = timedelta(days=7)
"""A vault that is never quiet gets its pass when its first change since the last one is so old."""


class Reason(StrEnum):
    """Why a pass runs (the first three) or declines to."""

    QUIET = "quiet"
    NEVER_QUIET = "never_quiet"
    ASKED = "asked"
    STEP = "step"
    PROPOSAL_WAITING = "proposal_waiting"
    TOO_SMALL = "too_small"
    UNCHANGED = "unchanged"
    TOO_SOON = "too_soon"
    NOT_QUIET = "not_quiet"
    RUNNING = "running"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What decides.

    proposes: the vault stands on a step that has passes. facts: those in force. waiting: proposals that wait for an
    answer. changed_at: its latest change. changing_since: its first change since the last pass, or ever where there
    was none. passed_at: when the last pass ended. is_unchanged: nothing changed since that pass read it, and it left
    nothing over.
    """

    proposes: bool
    facts: int
    waiting: int
    changed_at: datetime | None
    changing_since: datetime | None
    passed_at: datetime | None
    is_unchanged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether a pass runs, why, and from when that may be otherwise with nothing else happening, where time decides."""

    runs: bool
    reason: Reason
    until: datetime | None = None
    count: int = 0
    """Of facts where there are too few, of proposals where some wait."""

    def label(self, language: str = "en") -> str:
        """The reason as people read it."""
        words = _WORDS.get(language, _WORDS["en"])
        said = _ONE.get(language, _ONE["en"]).get(self.reason, "") if self.count == 1 else ""
        return (said or words[self.reason]).format(
            count=self.count, smallest=SMALLEST, quiet=QUIET // timedelta(minutes=1), days=AT_LATEST.days
        )


def decide(situation: Situation, *, now: datetime, anyway: bool = False) -> Decision:
    """Whether a vault gets a pass now.

    `anyway` is a person's wish to have one all the same: size, changes and time then do not count. Its step and what
    waits for an answer still do, since a pass would then propose where nothing is proposed, or before it is answered.
    """
    if not situation.proposes:
        return Decision(runs=False, reason=Reason.STEP)
    if situation.waiting:
        return Decision(runs=False, reason=Reason.PROPOSAL_WAITING, count=situation.waiting)
    if anyway:
        return Decision(runs=True, reason=Reason.ASKED)
    if situation.facts < SMALLEST:
        return Decision(runs=False, reason=Reason.TOO_SMALL, count=situation.facts)
    if situation.is_unchanged:
        return Decision(runs=False, reason=Reason.UNCHANGED)
    if situation.passed_at is not None and now < situation.passed_at + BETWEEN:
        return Decision(runs=False, reason=Reason.TOO_SOON, until=situation.passed_at + BETWEEN)
    if situation.changed_at is None or now >= situation.changed_at + QUIET:
        return Decision(runs=True, reason=Reason.QUIET)
    if situation.changing_since is not None and now >= situation.changing_since + AT_LATEST:
        return Decision(runs=True, reason=Reason.NEVER_QUIET)
    return Decision(runs=False, reason=Reason.NOT_QUIET, until=situation.changed_at + QUIET)


_ONE: dict[str, dict[Reason, str]] = {
    "en": {
        Reason.PROPOSAL_WAITING: "one of its proposals waits for an answer",
        Reason.TOO_SMALL: "the vault is too small: {count} fact, and a pass needs {smallest}",
    },
    "fr": {
        Reason.PROPOSAL_WAITING: "une de ses propositions attend une réponse",
        Reason.TOO_SMALL: "le coffre est trop petit : {count} souvenir, il en faut {smallest}",
    },
}

_WORDS: dict[str, dict[Reason, str]] = {
    "en": {
        Reason.QUIET: "the vault is quiet and has changed",
        Reason.NEVER_QUIET: "the vault has not been quiet for {days} days",
        Reason.ASKED: "someone asked for it",
        Reason.STEP: "the vault stands below Consolidated, where nothing is proposed",
        Reason.PROPOSAL_WAITING: "{count} of its proposals wait for an answer",
        Reason.TOO_SMALL: "the vault is too small: {count} facts, and a pass needs {smallest}",
        Reason.UNCHANGED: "nothing has changed since the last pass",
        Reason.TOO_SOON: "the last pass was less than a day ago",
        Reason.NOT_QUIET: "the vault is not quiet: it changed less than {quiet} minutes ago",
        Reason.RUNNING: "a pass is under way",
    },
    "fr": {
        Reason.QUIET: "le coffre est au calme et a changé",
        Reason.NEVER_QUIET: "le coffre n’a pas été au calme depuis {days} jours",
        Reason.ASKED: "quelqu’un l’a demandée",
        Reason.STEP: "le coffre est en dessous de Consolidée, où rien n’est proposé",
        Reason.PROPOSAL_WAITING: "{count} de ses propositions attendent une réponse",
        Reason.TOO_SMALL: "le coffre est trop petit : {count} souvenirs, il en faut {smallest}",
        Reason.UNCHANGED: "rien n’a changé depuis la dernière passe",
        Reason.TOO_SOON: "la dernière passe a moins d’un jour",
        Reason.NOT_QUIET: "le coffre n’est pas au calme : il a changé il y a moins de {quiet} minutes",
        Reason.RUNNING: "une passe est en cours",
    },
}
