from hypothesis import given
from hypothesis import strategies as st

from souvenance.domain.tokens import cut_to_tokens, estimate_tokens

ENGLISH = "The ferry to the island leaves at nine and comes back after sunset, unless the wind is too strong."
CHINESE = "我喜欢在北京的公园里跑步,然后喝一杯绿茶。"


def test_the_estimate_is_on_the_high_side_of_what_tokenizers_take() -> None:
    words = len(ENGLISH.split())
    assert words * 1.2 <= estimate_tokens(ENGLISH) <= words * 2
    assert len(CHINESE) <= estimate_tokens(CHINESE) <= len(CHINESE) * 1.6
    assert estimate_tokens("") == 0
    assert estimate_tokens("🎉" * 10) >= 20


@given(st.text(max_size=400), st.integers(0, 120))
def test_a_cut_text_is_a_beginning_that_keeps_to_the_budget(text: str, budget: int) -> None:
    kept, cut = cut_to_tokens(text, budget)
    assert estimate_tokens(kept) <= budget
    assert text.startswith(kept)
    assert cut == (kept != text)


def test_a_cut_ends_where_something_ends() -> None:
    text = "First line that is here.\nSecond line that is here.\nThird line that will not fit in the budget at all."
    kept, cut = cut_to_tokens(text, 20)
    assert cut
    assert kept == "First line that is here.\nSecond line that is here."
