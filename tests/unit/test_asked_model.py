"""A model that somebody asks writes as itself (F1)."""

import pytest

from souvenance.domain.access import CHAT_MODEL, Actor, Source


@pytest.mark.parametrize(
    ("asker", "name", "source"),
    [
        (Actor(user_id=1, source=Source.COMMAND_LINE), CHAT_MODEL, Source.AGENT),
        (Actor(user_id=1, source=Source.PANEL, name="owner"), CHAT_MODEL, Source.AGENT),
        (Actor(user_id=1, source=Source.REST, token_id=4, name="editor"), "editor", Source.AGENT),
        (Actor(user_id=1, source=Source.BOT, name="Ana (Discord 7)"), "Ana (Discord 7)", Source.BOT),
        (Actor(user_id=1, source=Source.AGENT, is_model=True, name="claude"), "claude", Source.AGENT),
    ],
)
def test_f1_a_model_writes_as_an_agent_and_a_bots_as_the_bot(asker: Actor, name: str, source: Source) -> None:
    model = asker.asked_model()
    assert (model.is_model, model.name, model.source, model.user_id) == (True, name, source, 1)


def test_v9_only_a_persons_model_reaches_what_the_person_reaches() -> None:
    assert Actor(user_id=1, source=Source.PANEL).asked_model().is_asked
    assert not Actor(user_id=1, source=Source.REST, token_id=4).asked_model().is_asked
    assert not Actor(user_id=1, source=Source.AGENT, is_model=True).asked_model().is_asked
