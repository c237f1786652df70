"""What passes propose, one by one: both facts side by side, three answers; the summary beside its draft (T5)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from souvenance.consolidation.decide import Decided
from souvenance.consolidation.pairs import Why
from souvenance.consolidation.when import Decision, Reason
from souvenance.domain.consolidation import Pass
from souvenance.domain.errors import Conflict, InvalidInput
from souvenance.domain.proposal import Answer, Kind, Standing, label
from souvenance.domain.vault import Vault
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.pages.memory_list import SOURCES, SUBJECTS
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "memory_proposals.html"
SHOWN = 500


WHY = {
    "same_text": _("They say the same, word for word."),
    "same_key": _("They have the same key."),
    "same_value": _("They name the same value."),
    "shared_words": _("They share these words."),
    "close_meaning": _("Their meanings are close."),
    "two_languages": _("They are in two languages."),
    "denied": _("One denies what the other says."),
    "no_longer": _("One says that it no longer holds."),
    "says_it_changed": _("One says that it has changed."),
    "other_names": _("They name different people or things."),
    "model_says": _("The model of the pass says that they contradict each other."),
    "other_subject": _("They are about different members."),
}
WHY_LIKE = {
    "different_": _("Their numbers or dates differ."),
    "other_": _("They name two different values of one thing."),
    "opposite_": _("They say opposite things."),
}
ANYWAY = {Reason.TOO_SMALL, Reason.UNCHANGED, Reason.TOO_SOON, Reason.NOT_QUIET}
"""What a person may pass over by asking for a pass all the same."""
DONE = {
    Answer.MERGE: _("Merged: #%(gone)s is retired, #%(kept)s stays."),
    Answer.MERGE_OTHER_WAY: _("Merged: #%(gone)s is retired, #%(kept)s stays."),
    Answer.KEEP_THIS: _("#%(kept)s holds, #%(gone)s is retired."),
    Answer.KEEP_THAT: _("#%(kept)s holds, #%(gone)s is retired."),
    Answer.KEEP_BOTH: _("Both stay. You will not be asked again unless one is rewritten."),
    Answer.ACCEPT: _("The draft is the summary now; its old wording is under “Retired”."),
    Answer.REFUSE: _("The summary stays as it is."),
}


def show(visit: Visit) -> Response:
    """The proposals of a vault, the first before one."""
    return visit.page(PAGE, **_shown(visit, _vault(visit)))


def show_board(visit: Visit) -> Response:
    """The proposal in hand and how many wait, asked for again when the vault changed."""
    return visit.piece(PAGE, "board", **_shown(visit, _vault(visit)))


def answer(visit: Visit) -> Response:
    """Say what becomes of a proposal; the next one comes. One that was overtaken or answered meanwhile is told."""
    vault = _vault(visit)
    try:
        said = Answer(visit.given("answer"))
    except ValueError:
        raise InvalidInput("That is no answer.", hint="Load the page again.") from None
    try:
        done = visit.memory.proposals.answer(actor=visit.actor, proposal=visit.path["proposal"], answer=said)
    except Conflict as error:  # overtaken or answered: nothing was changed, and what comes next is shown
        note = visit.note(str(visit.told(error)), kind="warn")
    else:
        note = visit.note(_told(visit, said, done), undo=_undo(done))
    return visit.html(visit.block(PAGE, "board", **_shown(visit, vault)), note)


def run_pass(visit: Visit) -> Response:
    """Have a pass now, and wait for it; why it declines is said."""
    vault = _vault(visit)
    anyway = visit.given("anyway") == "yes"
    outcome = visit.memory.passes.run(actor=visit.actor, vault=vault.slug, anyway=anyway)
    if outcome.made is None:
        why = outcome.decision.label(visit.language)
        note = visit.note(visit.say("No pass was made: %(why)s.", why=why), kind="warn")
    elif outcome.made.proposed:
        made = outcome.made.proposed
        note = visit.note(visit.tongue.count("The pass made %(n)s proposal.", "The pass made %(n)s proposals.", made))
    else:
        note = visit.note(visit.say("The pass is done: it found nothing to propose."))
    return visit.html(visit.block(PAGE, "board", **_shown(visit, vault)), note)


def answerers(visit: Visit, vault: Vault) -> list[str]:
    """The names of those who may answer, for a reader who may not."""
    if vault.can_configure:
        return []
    teams = visit.memory.teams.list(actor=visit.actor)
    members = next((team.members for team in teams if team.id == vault.team_id), ())
    return [visit.named(member.display_name) for member in members if member.can_configure]


def _shown(visit: Visit, vault: Vault) -> dict[str, Any]:
    status = visit.memory.passes.status(actor=visit.actor, vault=vault.slug, history=5)
    at = visit.asked_number("at", 0) or int(visit.given_number("at", 0) or 0)
    waiting = status.waiting
    at = max(0, min(at, waiting - 1))
    views = visit.memory.proposals.list(actor=visit.actor, vault=vault.slug, limit=1, offset=at)
    closed = [
        view
        for standing in (Standing.STALE, Standing.ANSWERED)
        for view in visit.memory.proposals.list(actor=visit.actor, vault=vault.slug, standing=standing, limit=10)
    ]
    return {
        "here": "memory",
        "vault": vault,
        "answerers": answerers(visit, vault),
        "standing": status,
        "why_now": status.decision.label(visit.language),
        "can_force": status.decision.reason in ANYWAY,
        "at": at,
        "waiting": waiting,
        "view": views[0] if views else None,
        "evidence": [_evidence(visit, why) for why in views[0].why] if views else [],
        "Kind": Kind,
        "named": lambda value: label(value, visit.language),
        "closed": closed,
        "reasons": lambda item: _reason(visit, item),
        "sources": SOURCES,
        "subjects": SUBJECTS,
        "proposes": vault.memory_type.step >= 5,
    }


def _reason(visit: Visit, made: Pass) -> str:
    """Why a pass ran, and who asked for it where somebody did."""
    reason = made.reason
    if reason == Reason.ASKED and made.asked_by and made.asked_by not in SOURCES:  # a name, not what it came through
        return visit.markup("%(who)s asked for it", who=visit.by(made.asked_by))
    return Decision(runs=True, reason=Reason(reason)).label(visit.language)


def _evidence(visit: Visit, why: Why) -> tuple[str, str, str]:
    text = WHY.get(why.code) or next((said for start, said in WHY_LIKE.items() if why.code.startswith(start)), "")
    return (visit.say(text) if text else why.code.replace("_", " "), why.a, why.b)


def _told(visit: Visit, said: Answer, done: Decided) -> str:
    gone = done.retired.number if done.retired else 0
    kept = done.kept.number if done.kept else 0
    return visit.say(DONE[said], gone=gone, kept=kept)


def _undo(done: Decided) -> str:
    """A merge is undone by restoring what it retired, an accepted draft by trashing it too."""
    if done.retired is None:
        return ""
    is_draft = done.proposal.kind is Kind.SUMMARY and done.kept is not None
    also = f"?also={done.kept.number}" if is_draft and done.kept else ""
    return f"/fact/{done.retired.number}/restore{also}"


def _vault(visit: Visit) -> Vault:
    return visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])


WAYS: tuple[Way, ...] = (
    get("/memory/{vault}/proposals", show),
    get("/memory/{vault}/proposals/board", show_board),
    post("/memory/{vault}/proposals/{proposal}", answer),
    post("/memory/{vault}/pass", run_pass),
)
