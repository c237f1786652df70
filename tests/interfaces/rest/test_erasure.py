"""F7 over REST: a dry run, the deed with the name in the body, receipts; never for who may not configure."""

from typing import Any

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.fact import SubjectKind
from souvenance.memory.remember import Observation
from souvenance.store import tables

MEMBER = {"subject_kind": SubjectKind.MEMBER, "subject_id": "281474976710656001"}


def fill(memory: Application, owner: Actor) -> None:
    for name in ("Harpe", "Lyre"):
        memory.vaults.create(actor=owner, name=name)
        said = Observation(content=f"Joue de la {name} le jeudi", **MEMBER)  # type: ignore[arg-type]
        memory.facts.remember(actor=owner, vault=name, observations=[said])


def test_f7_a_vault(ask: Any, memory: Application, owner: Actor) -> None:
    fill(memory, owner)
    found = ask("POST", "/vaults/harpe/erasure/preview", {})
    assert (found.status_code, found.json()["total"]["facts"]) == (200, 1)
    refused = ask("POST", "/vaults/harpe/erasure", {"confirm": "lyre"})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
    done = ask("POST", "/vaults/harpe/erasure", {"confirm": "Harpe"})
    assert (done.status_code, done.json()["receipts"][0]["state"]) == (200, "done")
    assert ask("GET", "/vaults/harpe/facts").json()["facts"] == []
    assert len(ask("GET", "/vaults/lyre/facts").json()["facts"]) == 1
    assert [item["vault"] for item in ask("GET", "/erasures").json()["receipts"]] == ["harpe"]


def test_f7_a_member_everywhere(ask: Any, memory: Application, owner: Actor) -> None:
    fill(memory, owner)
    given = {"member": MEMBER["subject_id"], "names": ["Ghislaine"]}
    assert ask("POST", "/erasures/preview", given).json()["total"]["facts"] == 2
    done = ask("POST", "/erasures", given | {"confirm": MEMBER["subject_id"]})
    assert {item["vault"] for item in done.json()["receipts"]} == {"harpe", "lyre"}
    assert MEMBER["subject_id"] not in done.text


def test_a1_a_token_whose_owner_may_not_configure_erases_nothing(
    ask: Any, memory: Application, owner: Actor, token: Any
) -> None:
    fill(memory, owner)
    bound = token("bound", vaults=["lyre"])
    assert ask("POST", "/vaults/harpe/erasure", {"confirm": "harpe"}, by=bound).status_code == 404
    reader = token("reader", can_write=False)
    assert ask("POST", "/vaults/harpe/erasure", {"confirm": "harpe"}, by=reader).status_code == 403
    with memory.database.write() as tx:
        tx.execute(tables.membership.update().values(can_configure=False))
    for path, body in (
        ("/vaults/harpe/erasure/preview", {}),
        ("/vaults/harpe/erasure", {"confirm": "harpe"}),
    ):
        assert ask("POST", path, body).status_code == 403
    assert ask("GET", "/erasures").json()["receipts"] == []
    assert len(memory.facts.list(actor=owner, vault="harpe")) == 1
