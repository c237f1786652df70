"""V10 with endpoints that fail: what is read is what would be read without Auto, and the question is answered."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from bad_endpoints import BAD
from scripted import Raw, Server
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.endpoint import Use
from souvenance.exchange.events import Ended, Event
from souvenance.memory.remember import Observation
from souvenance.models.chat import Patience

Ask = Callable[..., list[Event]]
SILENT = {
    "nothing": Raw(silent_seconds=20),
    "half of it": Raw(b'{"choices": [{"index": 0, "mess', silent_seconds=20),
}
NONSENSE = {
    "a thousand requests": "<<remember a | b>>" * 1000,
    "a hundred thousand characters": "1, " * 33_000,
    "deep": "[" * 9000,
    "a vault that is none": '{"vaults": [1, 2, 3, 4000]}',
    "words": "I would read the harp.",
}


@pytest.fixture
def auto(app: Application, owner: Actor, model: Server) -> None:
    """Two vaults, and a person who lets the model choose."""
    for name in ("Harpe", "Lyre"):
        app.vaults.create(actor=owner, name=name)
        app.facts.remember(actor=owner, vault=name.lower(), observations=[Observation(content=f"{name} has strings.")])
    app.attention.set_auto(actor=owner, auto=True)


def answered(app: Application, owner: Actor, ask: Ask) -> Ended:
    chat = app.conversations.start(actor=owner).id
    ended = ask("How many strings?", conversation=chat)[-1]
    assert isinstance(ended, Ended), ended
    assert ended.text == "Forty-seven."
    assert {one.slug for one in ended.gathered.badge.vaults} >= {"harpe", "lyre"}
    assert not ended.gathered.badge.chosen
    assert ended.gathered.auto_why
    assert "very-secret" not in json.dumps(ended.gathered.as_dict())
    (turn,) = app.conversations.get(actor=owner, conversation=chat).turns
    assert (turn.state, turn.answer) == ("done", "Forty-seven.")
    return ended


@pytest.mark.parametrize("kind", BAD)
def test_v10_an_endpoint_that_fails_to_choose_changes_nothing(
    app: Application, owner: Actor, model: Server, ask: Ask, auto: None, kind: str
) -> None:
    model.says(BAD[kind][0], "Forty-seven.")
    answered(app, owner, ask)
    assert len(model.asked) == 2
    used = {spent.use: spent for _, spent in app.spending.list(actor=owner)}
    assert used[Use.AUTO].sent > 0  # the call was made, and is counted by estimate


@pytest.mark.parametrize("kind", SILENT)
def test_v10_silence_is_not_waited_for(
    app: Application, owner: Actor, model: Server, ask: Ask, auto: None, kind: str
) -> None:
    app.exchange.chat.patience = Patience(silence=0.4)
    model.says(SILENT[kind], "Forty-seven.")
    started = time.monotonic()
    answered(app, owner, ask)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("kind", NONSENSE)
def test_v10_nonsense_is_no_choice_and_does_nothing(
    app: Application, owner: Actor, model: Server, ask: Ask, auto: None, kind: str
) -> None:
    model.says(NONSENSE[kind], "Forty-seven.")
    assert answered(app, owner, ask).wrote == ()
    assert app.facts.list(actor=owner, vault="harpe")[0].content == "Harpe has strings."
    assert len(app.facts.list(actor=owner, vault="harpe")) == 1


def test_v10_a_question_of_a_hundred_thousand_characters_is_chosen_for_by_its_beginning(
    app: Application, owner: Actor, model: Server, ask: Ask, auto: None
) -> None:
    model.says("{}", "Forty-seven.")
    ended: Any = ask("mot " * 25_000)[-1]
    assert ended.text == "Forty-seven."
    assert len(json.dumps(model.asked[0])) < 20_000
    assert model.asked[1]["messages"][-1]["content"].count("mot") == 25_000


def test_v10_an_endpoint_of_its_own_that_is_not_there_or_names_no_model_changes_nothing(
    app: Application, owner: Actor, model: Server, ask: Ask, auto: None
) -> None:
    app.exchange.chat.patience = Patience(silence=5, pause=0.01)
    app.endpoints.add(actor=owner, name="gone", base_url="http://127.0.0.1:9/v1", model="nope", uses=[Use.AUTO])
    model.says("Forty-seven.")
    answered(app, owner, ask)
