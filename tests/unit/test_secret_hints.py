"""What lets most sentences skip the search for secrets never skips one that names a secret (F8)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from souvenance.memory import secret_words


@given(st.from_regex(secret_words._TRIGGER))
@settings(max_examples=500, deadline=None)
def test_f8_every_name_of_a_secret_holds_a_hint(text: str) -> None:
    assert secret_words.may_name(text)
