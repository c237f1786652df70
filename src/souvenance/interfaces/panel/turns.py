"""A turn of a conversation as the chat shows it: the answer, what was read for it, what it wrote, what it cost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from souvenance.domain.access import Route
from souvenance.domain.conversation import GONE_NAME, Turn
from souvenance.domain.errors import BrokenOff, SouvenanceError
from souvenance.domain.fact import Fact, State
from souvenance.domain.protection import HIDDEN_NAME, withheld_sentence
from souvenance.exchange.conversations import wrote_of
from souvenance.exchange.events import Badge, Became, VaultRead, Verb, Wait, Waiting
from souvenance.exchange.steps import SILENCE
from souvenance.interfaces.panel.answer_html import rendered_answer, visible
from souvenance.interfaces.panel.directions import isolated
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.problems import STATUSES, TITLES
from souvenance.interfaces.panel.refusals import given_in_language
from souvenance.interfaces.panel.visit import Visit

_TITLES = {kind.code: TITLES[status] for kind, status in STATUSES} | {BrokenOff.code: _("The answer broke off")}
_DID = {
    Verb.REMEMBER: _("Remembered"),
    Verb.RETIRE: _("Marked as retired"),
    Verb.REPLACE: _("Replaced"),
    Verb.LOOK_UP: _("Looked up"),
}
_DID_NOT = {
    Became.SKIPPED: _("Known already"),
    Became.IGNORED: _("Ignored"),
    Became.REFUSED: _("Refused"),
}


def turn_views(visit: Visit, turns: Sequence[Turn], *, since: int = 0) -> list[dict[str, Any]]:
    """Turns for `pieces/turn.html`, from that one on; those before it say which facts are known."""
    names = _names(visit)
    known = set(_numbers(turns))
    return [_view(visit, turn, known, names) for turn in turns if turn.ordinal >= since]


def _view(visit: Visit, turn: Turn, known: Collection[int], names: Mapping[str, str]) -> dict[str, Any]:
    trace, failure = turn.trace, _failure(visit, turn)
    did = [_did(visit, place, one, names) for place, one in enumerate(turn.wrote)]
    return {
        "ordinal": turn.ordinal,
        "state": turn.state,
        "is_withheld": turn.is_protected and not turn.question,
        "question": visible(turn.question),
        "answer": rendered_answer(_said(visit, turn.answer), known=known) if turn.answer else "",
        "failure": failure,
        "told": _told(visit, turn, failure),
        "model": turn.model,
        "badge": badge_words(visit, trace, names) if trace else "",
        "is_chosen": bool(trace and trace.get("chosen")),
        "withheld": _withheld(trace, visit.language) if trace else "",
        "spent": _spent(visit, trace) if trace else "",
        "did": [one for one in did if one["became"] is Became.DONE],
        "did_not": [one for one in did if one["became"] is not Became.DONE],
        "asked_at": turn.asked_at,
    }


def _said(visit: Visit, answer: str) -> str:
    """An answer; that there was none is ours to say, in the reader's language."""
    is_none = any(answer == words["nothing"] for words in SILENCE.values())
    return SILENCE[visit.language]["nothing"] if is_none else answer


def badge_words(visit: Visit, trace: Mapping[str, Any], names: Mapping[str, str] | None = None) -> str:
    """Which vaults were read, in words; the spark of a choice by the model is a sign of its own (V11). `names`: what
    vaults are called, where that is known already."""
    return replace(_badge(trace, _names(visit) if names is None else names), chosen=False).label(visit.language)


def _names(visit: Visit) -> dict[str, str]:
    """What vaults are called here, by their slug; a trace has words of its own for those that cannot be named."""
    unnamed = {words["en"]: words.get(visit.language, words["en"]) for words in (GONE_NAME, HIDDEN_NAME)}
    return unnamed | {
        vault.slug: isolated(visit.called(vault)) for vault in visit.memory.vaults.list(actor=visit.actor)
    }


def _called(one: Mapping[str, Any], names: Mapping[str, str]) -> str:
    return names.get(one["slug"] or one["name"], one["name"])


def waiting_words(visit: Visit, event: Waiting) -> str:
    """What is waited for; of Auto's call, how many tokens go to the cloud (V10)."""
    if event.what is Wait.AUTO and event.route is Route.CLOUD:
        tokens = visit.tongue.number(event.tokens)
        return visit.say("The model chooses among your vaults (about %(tokens)s tokens to the cloud) …", tokens=tokens)
    return visit.say(_WAITS[event.what])


_WAITS = {
    Wait.AUTO: _("The model chooses among your vaults …"),
    Wait.MODEL: _("The model thinks …"),
    Wait.LOOK_UP: _("The model looked something up, and goes on …"),
}


def read_view(visit: Visit, turn: Turn) -> dict[str, Any]:
    """What the badge opens on: everything that was put before the model, vault by vault, as it stands now."""
    trace = turn.trace or {}
    names = _names(visit)
    read = {one["id"]: one for one in trace.get("vaults", ())}  # several have no name any more
    put: dict[int | str, list[dict[str, Any]]] = {vault_id: [] for vault_id in read}
    others: dict[int | str, Mapping[str, Any]] = {}
    for one in trace.get("put", ()):
        put.setdefault(one["vault_id"], []).append(_put(visit, turn, one))
        others[one["vault_id"]] = {"slug": one["vault"], "name": one["vault"] or GONE_NAME["en"]}
    vaults = [
        {
            "name": _called(read.get(vault_id) or others[vault_id], names),
            "weight": visit.tongue.percent(read[vault_id].get("weight", 1.0)) if vault_id in read else "",
            "put": things,
        }
        for vault_id, things in put.items()
    ]
    return {
        "vaults": sorted(vaults, key=lambda vault: not vault["put"]),
        "count": sum(len(things) for things in put.values()),
        "without_memory": bool(trace.get("without_memory")),
        "withheld": _withheld(trace, visit.language),
        "passed_over": [names.get(one, one) for one in trace.get("passed_over", ())],
        "left_out": int(trace.get("left_out", 0)),
        "why": given_in_language(trace.get("why", ""), visit.language),
        "auto_why": visit.reason(trace.get("auto_why", "")),
        "tokens": visit.tongue.number(trace.get("tokens", 0)),
        "milliseconds": visit.tongue.number(trace.get("milliseconds", 0)),
    }


def _put(visit: Visit, turn: Turn, one: Mapping[str, Any]) -> dict[str, Any]:
    """One thing of a trace. A trace keeps no words, so that what is erased is gone from it too: these are today's."""
    number = one.get("number")
    shown = {"kind": one["kind"], "number": number, "note": one.get("note", ""), "title": one.get("title", "")}
    if number is None:
        return shown | {"text": "", "since": ""}
    try:
        fact = visit.memory.facts.get(actor=visit.actor, number=int(number))
    except SouvenanceError:
        return shown | {"text": "", "since": visit.say("is no longer there")}
    return shown | {"title": fact.key, "text": visible(fact.content)[:2000], "since": _since(visit, fact, turn)}


def _since(visit: Visit, fact: Fact, turn: Turn) -> str:
    if fact.state is State.TRASHED:
        return visit.say("in the trash now")
    if fact.state is State.RETIRED:
        return visit.say("retired since")
    return visit.say("changed since") if fact.updated_at > (turn.answered_at or turn.asked_at) else ""


def _did(visit: Visit, place: int, kept: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    one = wrote_of(kept)
    said = _DID[one.verb] if one.became is Became.DONE else _DID_NOT[one.became]
    return {
        "place": place,
        "verb": one.verb,
        "became": one.became,
        "said": visit.say(said),
        "vault": _called({"slug": one.vault, "name": kept["name"]}, names) if "name" in kept else "",
        "number": one.number,
        "successor": one.successor,
        "key": visible(one.key),
        "content": visible(one.content),
        "why": visible(visit.reason(one.why)),
        "times": one.times,
        "undone": one.undone,
        "can_undo": one.can_undo,
    }


def _failure(visit: Visit, turn: Turn) -> dict[str, Any] | None:
    if turn.failure is None:
        return None
    found = dict(turn.failure)
    title = visit.say(_TITLES.get(found.get("code", ""), _("No answer came")))
    message, hint = (visit.reason(found.get(name, "")) for name in ("message", "hint"))
    # Of what broke off here, the model's settings tell nothing.
    of_model = found.get("code") != BrokenOff.code
    return {"title": title, "message": message, "hint": hint, "of_model": of_model}


def _told(visit: Visit, turn: Turn, failure: Mapping[str, Any] | None) -> str:
    """How a turn ended, in a few words for those who hear the page."""
    if turn.state == "asked":
        return ""  # it goes on, elsewhere
    if turn.state == "failed":
        return str(failure["title"]) if failure else visit.say("No answer came")
    return visit.say("The answer was stopped.") if turn.state == "stopped" else visit.say("The answer is there.")


def _badge(trace: Mapping[str, Any], names: Mapping[str, str]) -> Badge:
    read = trace.get("vaults", ())
    return Badge(
        vaults=tuple(VaultRead(id=0, slug=one["slug"], name=_called(one, names)) for one in read),
        chosen=bool(trace.get("chosen")),
        designated=bool(trace.get("designated")),
        without_memory=bool(trace.get("without_memory")),
    )


def _withheld(trace: Mapping[str, Any], language: str) -> str:
    passages = int(trace.get("withheld", 0)) + int(trace.get("withheld_turns", 0))
    return withheld_sentence(passages, named=int(trace.get("named_withheld", 0)), language=language)


def _spent(visit: Visit, trace: Mapping[str, Any]) -> str:
    spent = trace.get("spent") or {}
    if not spent.get("calls"):
        return ""
    sent, received = visit.tongue.number(spent["sent"]), visit.tongue.number(spent["received"])
    if spent.get("is_estimate"):
        return visit.say("about %(sent)s tokens sent, %(received)s received", sent=sent, received=received)
    return visit.say("%(sent)s tokens sent, %(received)s received", sent=sent, received=received)


def _numbers(turns: Iterable[Turn]) -> Iterable[int]:
    """The facts these turns were shown, or wrote."""
    for turn in turns:
        for one in (turn.trace or {}).get("put", ()):
            if one.get("number") is not None:
                yield int(one["number"])
        for wrote in turn.wrote:
            if wrote["became"] in {Became.DONE, Became.SKIPPED}:  # of others the model may have made the number up
                yield from (int(wrote[name]) for name in ("number", "successor") if wrote.get(name) is not None)
