"""What lets most sentences skip the search for secrets never skips one that holds a secret (F8)."""

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from souvenance.memory import secret_words, secrets

MAKING_TAKES_LONG = [HealthCheck.too_slow, HealthCheck.filter_too_much]
"""Patterns that look around themselves refuse most of what is made for them."""


@given(st.from_regex(secret_words._TRIGGER))
@settings(max_examples=300, deadline=None, suppress_health_check=MAKING_TAKES_LONG)
@example("pın")
@example("PİN")
def test_f8_every_name_of_a_secret_holds_a_hint(text: str) -> None:
    assert secret_words.may_name(text)


@given(st.one_of(st.from_regex(secrets._CARD), st.from_regex(secrets._IBAN)))
@settings(max_examples=300, deadline=None, suppress_health_check=MAKING_TAKES_LONG)
def test_f8_every_number_that_may_be_a_secret_is_looked_at(text: str) -> None:
    assert secrets.may_hold_a_secret(text)
