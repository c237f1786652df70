"""N11: who asked, and what nobody could have answered, on both stores."""

from dataclasses import replace

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.memory.remember import Observation


def test_n11_the_activity_names_who_asked(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    person = replace(owner, name="")
    agent = replace(owner, source=Source.AGENT, name="claude", is_model=True)
    for who in (person, agent, person.asked_model()):
        app.retrieval.search(actor=who, query="cordes")
    asked = [one.actor for one in app.retrievals.list(actor=owner)]
    name = app.owner.display_name
    assert sorted(asked) == sorted([name, "claude", f"chat model, for {name}"])


def test_n11_what_was_asked_while_every_vault_was_muted_is_no_blind_spot(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="La harpe a 47 cordes.")])
    app.attention.none(actor=owner)
    for query in ("combien de cordes", "la couleur du hautbois"):
        app.retrieval.search(actor=owner, query=query)
    assert [one.query for one in app.retrievals.blind_spots(actor=owner)] == []
    assert len(app.retrievals.list(actor=owner, misses_only=True)) == 2
    app.attention.all(actor=owner)
    app.retrieval.search(actor=owner, query="la couleur du hautbois")
    (spot,) = app.retrievals.blind_spots(actor=owner)
    assert (spot.query, spot.times) == ("la couleur du hautbois", 1)
