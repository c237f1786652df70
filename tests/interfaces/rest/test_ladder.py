"""The ladder and the life of facts by REST."""

from collections.abc import Callable
from typing import Any

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.vault import Protection, VaultKind

Ask = Callable[..., Any]


@pytest.fixture(autouse=True)
def vault(memory: Application, owner: Actor, ask: Ask) -> None:
    memory.vaults.create(actor=owner, name="Serveur", kind=VaultKind.SERVER)
    said = [{"content": text} for text in ("Le thème est le rétro.", "Paul est né le 3 mai.", "Pas de support.")]
    assert ask("POST", "/vaults/serveur/facts", {"observations": said}).status_code == 201


def test_section_3_type_settings_simulation_and_given(ask: Ask) -> None:
    assert ask("PUT", "/vaults/serveur/type", {"memory_type": "ranked"}).json()["memory_type"] == "ranked"
    assert ask("GET", "/vaults/serveur/settings").json()["max_injected"] == 20
    assert ask("PATCH", "/vaults/serveur/settings", {"max_injected": 2, "recency": 0.5}).json()["recency"] == 0.5
    assert ask("PATCH", "/vaults/serveur/settings", {"recency": None}).json()["recency"] == 1.0
    for bad in ({"max_injected": 0}, {"max_injected": 1001}, {"colour": 1}, {"time_zone": "Nowhere"}):
        assert ask("PATCH", "/vaults/serveur/settings", bad).status_code == 422
    given = ask("POST", "/vaults/serveur/given", {"message": "quel est le thème ?"}).json()
    assert given["facts"][0]["number"] == 1
    assert len(given["facts"]) == 2
    assert set(given["facts"][0]["why"]) == {"recency", "importance", "relevance", "confidence"}
    found = ask("GET", "/vaults/serveur/simulation?to=classic").json()
    assert (found["before"], found["after"], found["moves"]) == ("ranked", "classic", 0)
    assert ask("GET", "/vaults/serveur/simulation?to=best").status_code == 422


def test_f3_list_bulk_move_restore_all_and_trash(ask: Ask) -> None:
    page = ask("GET", "/vaults/serveur/facts?q=THEME&sort=key&ascending=true").json()
    assert (page["total"], page["facts"][0]["number"], page["by_state"]["in_force"]) == (1, 1, 1)
    assert ask("GET", "/vaults/serveur/facts?as_of=2001-01-01T00:00:00Z").json()["total"] == 0
    assert ask("GET", "/vaults/serveur/facts?as_of=2001-01-01T00:00:00").status_code == 422
    done = ask("POST", "/facts/bulk", {"action": "retire", "numbers": [1, 2, 99], "reason": "fini"}).json()
    assert (done["done"], [item["code"] for item in done["refused"]]) == ([1, 2], ["not_found"])
    assert ask("POST", "/vaults/serveur/restore-all").json() == {"restored": 2, "summaries_left": []}
    ask("POST", "/vaults", {"name": "Autre"})
    assert ask("POST", "/facts/2/move", {"vault": "autre"}).json()["vault"] == "autre"
    changed = ask("PATCH", "/facts/2", {"importance": 7, "category": "gens"}).json()
    assert (changed["importance"], changed["category"], changed["warnings"]) == (7, "gens", [])
    assert ask("PATCH", "/facts/2", {"importance": None}).json()["importance"] is None
    assert ask("POST", "/facts/1/retire", {"reason": "r", "replaced_by": 2}).status_code == 409
    assert ask("POST", "/facts/1/retire", {"reason": "r", "replaced_by": 3}).json()["retired"]["replaced_by"] == 3
    ask("DELETE", "/facts/3")
    assert ask("GET", "/vaults/serveur/facts?state=trashed").json()["total"] == 1
    assert ask("POST", "/vaults/serveur/empty-trash").json() == {"purged": 1}
    assert ask("GET", "/facts/3").status_code == 404


def test_f8_warned_and_v8_withheld(ask: Ask, memory: Application, owner: Actor, token: Callable[..., str]) -> None:
    secret = "le token est ghp_0123456789abcdefghijABCDEFGHIJ012345"
    kept = ask("POST", "/vaults/serveur/facts", {"observations": [{"content": secret}]}).json()["remembered"][0]
    assert kept["warnings"]
    assert "ghp_" not in str(kept)
    note = ask("POST", "/notes", {"vault": "serveur", "title": "Clés", "content": secret}).json()
    several = ask("POST", "/notes/batch", {"vault": "serveur", "notes": [{"title": "Rien", "content": "rien"}]}).json()
    assert (note["warnings"], several["notes"][0]["warnings"]) == (kept["warnings"], [])
    edit = {"operation": "append", "content": secret}
    assert ask("POST", f"/notes/{several['notes'][0]['note']}/edit", edit).json()["warnings"] == kept["warnings"]
    cloud = token("cloud", route=Route.CLOUD)
    memory.vaults.change(actor=owner, vault="serveur", protection=Protection.MAXIMUM)
    for method, path, body in (
        ("POST", "/vaults/serveur/given", {"message": "thème"}),
        ("GET", "/vaults/serveur/simulation?to=ranked", None),
        ("GET", "/vaults/serveur/facts?q=theme", None),
        ("GET", "/vaults/serveur/settings", None),
    ):
        answer = ask(method, path, body, by=cloud)
        assert (answer.status_code, answer.json()["code"]) == (403, "withheld"), path
    read = token("reader", can_write=False)
    for method, path, body in (
        ("PUT", "/vaults/serveur/type", {"memory_type": "journal"}),
        ("PATCH", "/vaults/serveur/settings", {"max_injected": 1}),
        ("POST", "/vaults/serveur/restore-all", None),
        ("POST", "/vaults/serveur/empty-trash", None),
        ("POST", "/facts/bulk", {"action": "delete", "numbers": [1]}),
    ):
        assert ask(method, path, body, by=read).status_code == 403, path
