"""C2, T5, V8: consolidation asks the endpoint that is set for it, and none of a protected vault over a cloud route."""

from __future__ import annotations

from typing import Any

from community import SLUG, community
from scripted import Server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.endpoint import Use
from souvenance.domain.vault import Protection


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
