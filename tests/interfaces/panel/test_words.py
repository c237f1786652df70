"""What the pages say in French of what is stored as codes, and what an invitation's link can open (A1, N11, R5)."""

import re
from pathlib import Path

from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.domain.endpoint import Use
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation

FRENCH = {"accept-language": "fr"}


def _with_proof(owner: TestClient) -> None:
    found = re.search(r'"x-csrf": "([0-9a-f]{64})"', owner.get("/settings").text)
    assert found
    owner.headers |= {"x-csrf": found[1], "hx-request": "true"}


def test_n11_activity_and_context_are_said_in_french(owner: TestClient, memory: Application) -> None:
    actor = memory.owner_through(Source.PANEL, name="Ana")
    memory.vaults.create(actor=actor, name="Harpe")
    memory.retrieval.search(actor=actor, query="cordes")
    row = owner.get("/agents/activity", headers=FRENCH).text
    assert "le panneau · une recherche" in row
    assert ">les mots<" in row
    assert "panel ·" not in row
    assert 'value="épingles"' in owner.get("/agents/context", headers=FRENCH).text


def test_v13_a_folder_is_counted_in_french(owner: TestClient, memory: Application, tmp_path: Path) -> None:
    memory.vaults.create(actor=memory.owner_through(Source.PANEL), name="Harpe")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.py").write_text("print()")
    _with_proof(owner)
    base = "/vaults/harpe/folders/census"
    assert "code source" in owner.post(base, data={"path": str(tmp_path / "papers")}, headers=FRENCH).text
    own = owner.post(base, data={"path": str(tmp_path / "data")}, headers=FRENCH)
    assert own.status_code == 422
    assert "C’est le dossier de cette mémoire" in own.text


def test_n11_a_note_is_pinned_by_the_french_name_of_the_pins(owner: TestClient, memory: Application) -> None:
    actor = memory.owner_through(Source.PANEL)
    memory.vaults.create(actor=actor, name="Harpe")
    memory.notes.create(actor=actor, vault="harpe", title="Cordes", content="en boyau")
    offered = owner.get("/agents/context/notes?q=boyau&place=%C3%89pingles", headers=FRENCH).text
    assert 'name="place" value="pins"' in offered


def test_t5_a_pass_says_who_asked_for_it(owner: TestClient, memory: Application) -> None:
    actor = memory.owner_through(Source.PANEL, name="Ana")
    memory.vaults.create(actor=actor, name="Harpe")
    memory.facts.remember(actor=actor, vault="harpe", observations=[Observation(content="47 cordes")])
    memory.vaults.change_type(actor=actor, vault="harpe", memory_type=MemoryType.CONSOLIDATED)
    memory.passes.run(actor=actor, vault="harpe", anyway=True)
    told = owner.get("/memory/harpe/proposals", headers=FRENCH).text
    assert re.search(r"\d : demandée par <bdi>Ana</bdi>\.", told)


def test_a1_an_invitation_made_at_this_machine_s_own_address_says_so(owner: TestClient, memory: Application) -> None:
    team = memory.teams.create(actor=memory.owner_through(Source.PANEL), name="Harpes")
    _with_proof(owner)
    assert "only this machine can open" in owner.post(f"/team/{team.id}/invite", data={}).text
    assert "only this machine can open" not in owner.get("/team").text


def test_n9_the_history_of_a_fact_is_said_in_french(owner: TestClient, memory: Application) -> None:
    actor = memory.owner_through(Source.PANEL, name="Ana")
    memory.vaults.create(actor=actor, name="Harpe")
    said = [Observation(content="47 cordes", key="cordes"), Observation(content="46 cordes")]
    kept, other = memory.facts.remember(actor=actor, vault="harpe", observations=said)
    number = kept.fact.number
    changed = memory.facts.edit(actor=actor, number=number, version=kept.fact.version, confidence=0.9)
    memory.facts.retire(
        actor=actor, number=number, version=changed.version, reason="compté", replaced_by=other.fact.number
    )
    memory.facts.delete(actor=actor, number=number)
    told = owner.get(f"/fact/{number}/history", headers=FRENCH).text
    assert f"état\N{NO-BREAK SPACE}: en vigueur → retiré (compté), remplacé par #{other.fact.number}" in told
    assert re.search("confiance\N{NO-BREAK SPACE}: 100\\s%.? → 90\\s%", told)
    assert "souvenir retiré · <bdi>Ana</bdi>, par le panneau" in told
    assert not re.search(r"in force|retired|trash|edit\b|none", re.sub(r"<[^>]*>", "", told))


def test_v1_a_personal_vault_that_nobody_named_is_called_so_in_french(owner: TestClient, memory: Application) -> None:
    actor = memory.owner_through(Source.PANEL, name="Ana")
    memory.facts.remember_about_user(actor=actor, observation=Observation(content="Joue de la harpe."))
    memory.vaults.create(actor=actor, name="Atelier")
    memory.attention.solo(actor=actor, vault="personal")
    for address in ("/vaults", "/map", "/", "/memory", "/notes", "/vaults/personal", "/agents"):
        shown = re.sub(r"<[^>]*>", "", owner.get(address, headers=FRENCH).text)
        assert "Personnel" in shown, address
        assert not re.search(r"\bPersonal\b", shown), address
    (head,) = re.findall(r"<h3[^>]*><[^>]*>(?:</[^>]*>)?(.*)</h3>", owner.get("/agents/context", headers=FRENCH).text)
    assert re.sub(r"<[^>]*>", "", head).strip() == "Personnel"
    assert "Personal" in owner.get("/vaults").text
    names = [one["name"] for one in owner.get("/map/data", headers=FRENCH).json()["vaults"]]
    assert names == ["Atelier", "Personnel"]
    _with_proof(owner)
    seen = memory.vaults.get(actor=actor, vault="personal").updated_at.isoformat()
    form = {"name": "Personnel", "description": "Ce qui est à moi.", "colour": "", "seen": seen}
    assert owner.post("/vaults/personal/change", data=form, headers=FRENCH).status_code == 200
    kept = memory.vaults.get(actor=actor, vault="personal")
    assert (kept.name, kept.description) == ("Personal", "Ce qui est à moi.")
    memory.vaults.change(actor=actor, vault="personal", name="Moi")
    assert ">Moi</a>" in owner.get("/vaults", headers=FRENCH).text


def test_t6_the_ladder_says_in_french_why_words_answer(owner: TestClient, memory: Application) -> None:
    actor = memory.owner_through(Source.PANEL)
    memory.vaults.create(actor=actor, name="Harpe")
    memory.vaults.change_type(actor=actor, vault="harpe", memory_type=MemoryType.SEMANTIC)
    page = owner.get("/memory/harpe", headers=FRENCH).text
    assert "(aucun modèle d’embedding n’est nommé ; recherche par mots)" in page.replace("\u202f", " ")


def test_t5_what_became_of_the_model_of_a_pass_is_said_in_french(owner: TestClient, memory: Application) -> None:
    actor = memory.owner_through(Source.PANEL)
    memory.vaults.create(actor=actor, name="Harpe")
    said = [
        Observation(content=one) for one in ("La harpe a 47 cordes.", "La harpe a bien 47 cordes.", "Elle est rose.")
    ]
    memory.facts.remember(actor=actor, vault="harpe", observations=said)
    memory.vaults.change_type(actor=actor, vault="harpe", memory_type=MemoryType.CONSOLIDATED)
    memory.endpoints.add(
        actor=actor, name="away", base_url="http://127.0.0.1:9/v1", model="larger", uses=[Use.CONSOLIDATION]
    )
    memory.passes.run(actor=actor, vault="harpe", anyway=True)
    told = owner.get("/memory/harpe/proposals", headers=FRENCH).text
    assert "il a échoué, ou sa réponse n’avait pas de sens" in told


def test_f7_the_audit_log_counts_all_that_was_erased(owner: TestClient, memory: Application) -> None:
    actor = memory.owner_through(Source.PANEL)
    memory.vaults.create(actor=actor, name="Harpe")
    said = [Observation(content=one) for one in ("47 cordes", "7 pédales", "une caisse")]
    gone, former, _ = (one.fact for one in memory.facts.remember(actor=actor, vault="harpe", observations=said))
    memory.facts.delete(actor=actor, number=gone.number)
    memory.facts.retire(actor=actor, number=former.number, version=None, reason="6")
    memory.erasures.erase(actor=actor, vault="harpe", confirm="Harpe")
    assert "Facts: 3" in owner.get("/audit").text
