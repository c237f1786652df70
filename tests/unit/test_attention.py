"""States and labels of the weights, and what each gesture makes of them (V2 to V6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenance.domain import attention
from souvenance.domain.attention import chat_label, vaults_state

NAMES = {number: f"v{number}" for number in range(1, 30)}


def mix(*weights: int) -> dict[int, int]:
    return dict(enumerate(weights, start=1))


TWELVE_BUT_THREE = mix(*[100] * 9, 0, 0, 0)
CASES = [
    # weights, state en, state fr, label en, label fr
    (mix(), "all muted", "tous coupés", "No vault", "Aucun coffre"),
    (mix(100), "all", "tous", "All", "Tous"),
    (mix(60), "mixed", "mixte", "All (mixed)", "Tous (mixte)"),
    (mix(0), "all muted", "tous coupés", "No vault", "Aucun coffre"),
    (mix(100, 100, 100), "all", "tous", "All", "Tous"),
    (mix(70, 30, 100), "mixed", "mixte", "All (mixed)", "Tous (mixte)"),
    (mix(0, 0, 0), "all muted", "tous coupés", "No vault", "Aucun coffre"),
    (mix(0, 100, 0), "v2", "v2", "v2", "v2"),
    (mix(0, 40, 0), "mixed", "mixte", "v2", "v2"),
    (mix(100, 100, 0), "mixed", "mixte", "2 vaults", "2 coffres"),
    (mix(100, 100, 100, 0), "mixed", "mixte", "All but 1", "Tous sauf 1"),
    (mix(100, 50, 100, 0), "mixed", "mixte", "All but 1", "Tous sauf 1"),
    (mix(100, 100, 0, 0), "mixed", "mixte", "2 vaults", "2 coffres"),
    (TWELVE_BUT_THREE, "mixed", "mixte", "All but 3", "Tous sauf 3"),
    (mix(*[100] * 8, 0, 0, 0, 0), "mixed", "mixte", "8 vaults", "8 coffres"),
]


@pytest.mark.parametrize(("weights", "state", "etat", "label", "etiquette"), CASES)
def test_v5_v6_what_the_weights_are_called(
    weights: dict[int, int], state: str, etat: str, label: str, etiquette: str
) -> None:
    said = (
        vaults_state(weights, NAMES),
        vaults_state(weights, NAMES, "fr"),
        chat_label(weights, NAMES),
        chat_label(weights, NAMES, "fr"),
    )
    assert said == (state, etat, label, etiquette)


GESTURES = [
    (mix(70, 30, 100), attention.all_answering, mix(70, 30, 100)),
    (mix(70, 0, 100), attention.all_answering, mix(70, 100, 100)),
    (mix(0, 100, 0), attention.all_answering, mix(100, 100, 100)),
    (mix(70, 30, 100), attention.all_full, mix(100, 100, 100)),
    (mix(0, 0, 0), attention.all_full, mix(100, 100, 100)),
    (mix(70, 30, 100), attention.none_answering, mix(0, 0, 0)),
    (mix(70, 30, 100), lambda weights: attention.solo(weights, 2), mix(0, 100, 0)),
    (mix(70, 30, 100), lambda weights: attention.tick(weights, [1, 3]), mix(100, 0, 100)),
    (mix(70, 30, 100), lambda weights: attention.tick(weights, []), mix(0, 0, 0)),
]


@pytest.mark.parametrize(("before", "gesture", "after"), GESTURES)
def test_v4_v6_what_a_gesture_makes(before: dict[int, int], gesture: object, after: dict[int, int]) -> None:
    assert gesture(before) == after  # type: ignore[operator]


@given(st.dictionaries(st.integers(1, 29), st.integers(0, 100), max_size=29))
def test_v6_a_label_agrees_with_its_weights(weights: dict[int, int]) -> None:
    label = chat_label(weights, NAMES, "fr")
    answering = [vault for vault, weight in weights.items() if weight]
    assert (label == "Aucun coffre") == (not answering)
    assert (label in {"Tous", "Tous (mixte)"}) == (bool(answering) and len(answering) == len(weights))
    if label.startswith("Tous sauf"):
        assert int(label.split()[-1]) == len(weights) - len(answering)
    raised = attention.all_answering(weights)
    assert all(raised[vault] == weight for vault, weight in weights.items() if weight)
    assert all(raised.values())
