"""C2, T5, V8: consolidation asks the endpoint that is set for it, and none of a protected vault over a cloud route."""

from __future__ import annotations

import json
from typing import Any

import pytest

from community import SLUG, community
from scripted import Raw, Server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.endpoint import Reached, Use
from souvenance.domain.errors import ModelUnavailable
from souvenance.domain.vault import Protection
from souvenance.models.chat import Chat
from souvenance.models.endpoint_model import EndpointModel
from souvenance.store.spending import Spending, add_spending


def test_t5_the_endpoint_of_consolidation_is_asked_as_it_is_set_now(
    app: Application, owner: Actor, clock: Any, server: Server
) -> None:
    place = community(app, owner, clock)

    def passed() -> tuple[int, str, str]:
        place.settle()
        app.facts.edit(actor=owner, number=place.numbers["lang"], content=f"The server language is {wording()}French.")
        app.passes.run(actor=owner, vault=SLUG, anyway=True)
        last = app.passes.status(actor=owner, vault=SLUG).passes[0]
        return last.demoted, last.model, last.model_state

    words = ["", "always ", "now "]

    def wording() -> str:
        return words.pop()

    server.says()
    server.otherwise = '{"verdict": "contradiction"}'
    assert passed()[1:] == ("", "none is set")
    assert server.asked == []
    app.endpoints.add(
        actor=owner, name="tidy", base_url=server.url, model="tiny", route=Route.CLOUD, uses=[Use.CONSOLIDATION]
    )
    app.vaults.change(actor=owner, vault=SLUG, protection=Protection.MAXIMUM)
    demoted, _, state = passed()
    assert demoted == 0
    assert "protected" in state
    assert server.asked == []
    app.endpoints.change(actor=owner, name="tidy", route=Route.LOCAL)
    assert passed()[:2] == (1, "tiny")
    assert "server language" in server.prompt(0)


def test_c6_what_consolidation_spends_is_counted_for_its_vault_and_capped(
    app: Application, owner: Actor, clock: Any, server: Server
) -> None:
    place = community(app, owner, clock)
    server.otherwise = '{"verdict": "contradiction"}'
    app.endpoints.add(actor=owner, name="tidy", base_url=server.url, model="tiny", uses=[Use.CONSOLIDATION])
    place.settle()
    app.passes.run(actor=owner, vault=SLUG, anyway=True)
    calls = len(server.asked)
    assert calls
    ((vault, spent),) = app.spending.list(actor=owner)
    assert vault is not None
    assert (vault.slug, spent.use, spent.calls) == (SLUG, Use.CONSOLIDATION, calls)
    assert (spent.sent, spent.received) == (11 * calls, 7 * calls)
    app.facts.edit(actor=owner, number=place.numbers["lang"], content="The server language is always French.")
    place.settle()
    app.vaults.change_settings(actor=owner, vault=SLUG, changes={"daily_tokens": 1})
    with app.database.write() as tx:
        spent = Spending(vault_id=vault.id, use=Use.ANSWERS, calls=1, sent=9, received=9)
        add_spending(tx, spent=spent, member="user:1", hour=clock())
    app.passes.run(actor=owner, vault=SLUG, anyway=True)
    assert len(server.asked) == calls
    assert "failed" in app.passes.status(actor=owner, vault=SLUG).passes[0].model_state


@pytest.mark.parametrize("said", [None, "", "  ", [{"type": "text", "text": "x"}]])
def test_c2_a_reply_without_words_is_none(server: Server, said: Any) -> None:
    server.says(Raw(json.dumps({"choices": [{"message": {"role": "assistant", "content": said}}]}).encode()))
    reached = Reached(name="tidy", base_url=server.url, model="tiny", key=None, route=Route.LOCAL)
    counted: list[Any] = []

    class Counted:
        def require_room(self) -> None:
            pass

        def add(self, **given: Any) -> None:
            counted.append(given)

    with pytest.raises(ModelUnavailable, match="no words"):
        EndpointModel(reached, Chat(), Counted()).complete(system="Be brief.", user="Hello")
    assert len(counted) == 1
