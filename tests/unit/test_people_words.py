"""What people named themselves stays as they wrote it; what nobody named is called something (R5)."""

from datetime import UTC, datetime
from typing import cast

import pytest

from souvenance.domain.access import CHAT_MODEL
from souvenance.domain.conversation import Turn
from souvenance.domain.person import UNNAMED
from souvenance.interfaces.panel.changes import diff_rows
from souvenance.interfaces.panel.people_words import by, named
from souvenance.interfaces.panel.render import tongue
from souvenance.interfaces.panel.turns import _told
from souvenance.interfaces.panel.visit import Visit


@pytest.mark.parametrize("name", ["Search", "Vaults", "none", "Library", "Ada", ""])
def test_r5_a_name_that_somebody_chose_is_not_translated(name: str) -> None:
    assert named(tongue("fr"), name) == name
    assert by(tongue("fr"), name or "Notes") == f"<bdi>{name or 'Notes'}</bdi>"


def test_r5_who_has_no_name_is_called_something_in_the_readers_language() -> None:
    assert named(tongue("fr"), UNNAMED) == "Propriétaire"
    assert named(tongue("fr"), CHAT_MODEL) == "le modèle du chat"


def test_n9_a_property_that_somebody_named_keeps_its_name() -> None:
    (own,) = diff_rows(tongue("fr"), "role: links → pins")
    assert own.text == "role\N{NO-BREAK SPACE}: links → pins"
    (ours,) = diff_rows(tongue("fr"), "title: links → pins")
    assert ours.text == "titre\N{NO-BREAK SPACE}: links → pins"


@pytest.mark.parametrize(
    ("state", "said"), [("asked", ""), ("done", "La réponse est là."), ("stopped", "La réponse a été arrêtée.")]
)
def test_c1_an_answer_that_is_still_made_is_not_said_to_be_there(state: str, said: str) -> None:
    turn = Turn(ordinal=1, state=state, question="", asked_at=datetime.now(UTC), is_protected=True)
    assert _told(cast(Visit, tongue("fr")), turn, None) == said  # of a visit it needs the language only
