"""Consolidation by REST, as a program that acts for a person uses it (T5)."""

from collections.abc import Callable
from typing import Any

import pytest

from community import AT_EIGHT, AT_NINE, LANG, LANGUAGE, OTHERS
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.vault import MemoryType

Ask = Callable[..., Any]


@pytest.fixture(autouse=True)
def vault(memory: Application, owner: Actor) -> None:
    memory.vaults.create(actor=owner, name="Serveur")
    memory.vaults.change_type(actor=owner, vault="serveur", memory_type=MemoryType.CONSOLIDATED)
    said = [*OTHERS, LANGUAGE, LANG, AT_EIGHT, AT_NINE]
    memory.facts.remember(actor=owner, vault="serveur", observations=said)


def test_t5_a_pass_its_proposals_and_the_answers(ask: Ask) -> None:
    status = ask("GET", "/vaults/serveur/passes?language=fr").json()
    assert (status["now"]["runs"], status["now"]["reason"], status["passes"]) == (False, "not_quiet", [])
    assert status["now"]["why"].startswith("le coffre n’est pas au calme")
    assert status["now"]["until"] is not None
    declined = ask("POST", "/vaults/serveur/passes", {}).json()
    assert (declined["now"]["reason"], declined["made"]) == ("not_quiet", None)
    made = ask("POST", "/vaults/serveur/passes", {"anyway": True}).json()["made"]
    assert (made["duplicates"], made["contradictions"], made["summaries"], made["reason"]) == (1, 1, 1, "asked")
    assert ask("GET", "/vaults/serveur/passes").json()["waiting"] == 3

    listed = ask("GET", "/vaults/serveur/proposals?limit=2").json()
    assert (len(listed["proposals"]), listed["more"]) == (2, True)
    contradiction, duplicate = listed["proposals"]
    assert (contradiction["kind"], contradiction["this"]["content"]) == ("contradiction", AT_EIGHT.content)
    clock = {"code": "different_clock", "label": "different clock", "this": "20:00", "that": "21:00"}
    assert clock in contradiction["why"]
    assert [one["answer"] for one in contradiction["answers"]] == ["keep_this", "keep_that", "keep_both"]
    shown = ask("GET", f"/proposals/{duplicate['id']}?language=fr").json()
    assert (shown["label"], shown["answers"][0]["label"]) == ("dit deux fois", "fusionner")

    done = ask("POST", f"/proposals/{duplicate['id']}/answer", {"answer": "merge"}).json()
    assert done["retired"]["replaced_by"] == done["kept"]["number"] == duplicate["this"]["number"]
    assert done["proposal"]["standing"] == "answered"
    late = ask("POST", f"/proposals/{duplicate['id']}/answer", {"answer": "keep_both"})
    assert (late.status_code, late.json()["code"]) == (409, "conflict")
    assert late.json()["details"]["answer"] == "merge"

    number = contradiction["that"]["number"]
    ask("PATCH", f"/facts/{number}", {"content": "The weekly tournament starts at 22:00."})
    stale = ask("POST", f"/proposals/{contradiction['id']}/answer", {"answer": "keep_this"})
    assert (stale.status_code, stale.json()["code"]) == (409, "stale_proposal")
    assert stale.json()["details"] == {"what": "rewritten", "number": number}
    overtaken = ask("GET", "/vaults/serveur/proposals?standing=stale").json()["proposals"]
    assert (contradiction["id"], "rewritten") in [(one["id"], one["overtaken"]) for one in overtaken]
    answered = ask("GET", "/vaults/serveur/proposals?standing=answered").json()["proposals"]
    assert [(one["answer"], one["answered_through"]) for one in answered] == [("merge", "rest")]


def test_t5_bad_requests_are_refused_and_change_nothing(ask: Ask, token: Callable[..., str]) -> None:
    ask("POST", "/vaults/serveur/passes", {"anyway": True})
    found = ask("GET", "/vaults/serveur/proposals").json()["proposals"]
    one = found[0]["id"]
    for body in ({"answer": "perhaps"}, {}, {"answer": "merge", "more": 1}, {"answer": "accept"}):
        assert ask("POST", f"/proposals/{one}/answer", body).status_code == 422
    assert ask("GET", "/proposals/NOT-AN-ID").status_code == 422
    assert ask("GET", "/proposals/000000000000").status_code == 404
    assert ask("GET", "/vaults/serveur/proposals?standing=lost").status_code == 422
    reader = token("reader", can_write=False)
    assert ask("POST", f"/proposals/{one}/answer", {"answer": "keep_both"}, by=reader).status_code == 403
    assert ask("POST", "/vaults/serveur/passes", {}, by=reader).status_code == 403
    assert ask("GET", "/vaults/serveur/proposals").json()["proposals"] == found
