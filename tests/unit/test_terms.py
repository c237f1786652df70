"""The words of the text index: what is typed finds what was stored, in every script and spelling."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenance.store.terms import LONGEST_TERM, MOST_QUERY_WORDS, analyse, analyse_query


def finds(query: str, passage: str, language: str | None = None) -> bool:
    """Whether every word of the query that carries meaning stands in the passage."""
    terms = set(analyse(passage, language))
    words = [word for word in analyse_query(query) if not word.common]
    return bool(words) and all(terms & set(word.forms) for word in words)


@pytest.mark.parametrize("language", ["fr", None])
@pytest.mark.parametrize(
    ("query", "passage"),
    [
        ("anniversaire", "On fête les anniversaires le premier vendredi."),
        ("ANNIVERSAIRES", "l'anniversaire d'Ondine"),
        ("réglé", "La facture a été réglée."),
        ("regle", "La facture a été réglée."),
        ("reglee", "La facture a été réglée."),
        ("Élodie", "elodie arrive demain"),
        ("oeuvre", "Une œuvre de jeunesse"),
        ("œuvre", "UNE OEUVRE"),
        ("l\u2019atelier", "Le rendez-vous est à l'atelier."),
        ("atelier", "jusqu\u2019atelier et d\u2019autres"),
        ("heure d'ouverture", "heure_ouverture: 9 h"),
        ("Strasse", "Die Straße ist lang."),
    ],
)
def test_french_and_accented_words_are_found(query: str, passage: str, language: str | None) -> None:
    assert finds(query, passage, language)


@pytest.mark.parametrize("language", ["en", None])
@pytest.mark.parametrize(
    ("query", "passage"),
    [
        ("painting", "She painted a fence."),
        ("Marlow's bicycles", "Marlow sold one bicycle"),
        ("marlow", "It is Marlow\u2019s turn."),
        ("deploy target", "deploy_target: the old laptop"),
        ("kettle", "BigKettle is offline"),
        ("BigKettle", "bigkettle is offline"),
        ("big kettle", "BigKettle is offline"),
        ("barnacle42", "BARNACLE42 joined"),
        ("barnacle", "Barnacle42 joined"),
        ("\uff26\uff55\uff4c\uff4c width", "full width"),
    ],
)
def test_english_and_compound_words_are_found(query: str, passage: str, language: str | None) -> None:
    assert finds(query, passage, language)


def test_a_french_query_word_finds_a_passage_stemmed_in_english_and_the_reverse() -> None:
    assert finds("organisations", "The organisation meets", "en")
    assert finds("organisation", "Les organisations se réunissent", "fr")


@pytest.mark.parametrize(
    ("query", "passage"),
    [
        ("红茶", "我每天早上喝红茶配面包"),
        ("茶", "我每天早上喝红茶配面包"),
        ("図書館", "週末は図書館で本を読む"),
        ("カメラ", "新しいカメラを買った"),
        ("도서관", "주말에는 도서관에서 책을 읽는다"),
        ("책", "주말에는 책을 읽는다"),
        ("ร้านกาแฟ", "เจอกันที่ร้านกาแฟใกล้สถานี"),
    ],
)
def test_n6_case_13_words_are_found_inside_a_sentence_without_spaces(query: str, passage: str) -> None:
    assert finds(query, passage)
    assert finds(query, passage, "fr"), "the declared language does not matter to these scripts"


def test_unrelated_chinese_words_are_not_found() -> None:
    assert not finds("红酒", "我每天早上喝红茶配面包")


def test_the_voicing_marks_of_kana_and_decomposed_hangul_are_one_spelling() -> None:
    assert analyse("カ\u3099イト", None) == analyse("ガイト", None)
    assert analyse("\u1103\u1169\u1109\u1165", None) == analyse("도서", None)
    assert analyse("e\u0301te\u0301", "fr") == analyse("été", "fr") == analyse("ete", "fr")


def test_function_words_are_marked_and_kept() -> None:
    words = {word.forms[0]: word.common for word in analyse_query("Où est la scie, who took the saw?")}
    assert words["sci"] is False
    assert words["saw"] is False
    assert all(words[form] for form in ("ou", "est", "la", "who", "the"))


def test_nouns_that_look_like_the_other_language_s_function_words_count() -> None:
    assert [word.common for word in analyse_query("car son thé")] == [False, False, False]


def test_a_query_as_long_as_a_book_is_cut() -> None:
    assert len(analyse_query(" ".join(f"mot{number}" for number in range(100_000)))) == MOST_QUERY_WORDS


def test_a_query_in_languages_without_a_stemmer_is_stemmed_as_passages_of_unknown_language_are() -> None:
    assert analyse_query("horses", ("ja", "xx")) == analyse_query("horses")


def test_a_query_names_each_word_once() -> None:
    words = analyse_query("scie Scie scies la scie")
    assert [word.forms for word in words if not word.common] == [("sci", "scie")]


def test_a_language_without_a_stemmer_behaves_as_an_unknown_one() -> None:
    assert analyse("horses and chevaux", "xx") == analyse("horses and chevaux", None)
    assert analyse("Pferde", "de-AT") == analyse("Pferde", "de")


@pytest.mark.parametrize("text", ["", " \n\t", "!?…", "\x00", "\ud800\udfff", "🎉🎊", "___", "''", "\u0301"])
def test_text_without_words_gives_no_terms(text: str) -> None:
    assert analyse(text, None) == []
    assert analyse_query(text) == []


def test_nul_surrogates_and_emoji_only_separate_words() -> None:
    assert analyse("scie\x00bleue\ud83d 🎉vis", "fr") == analyse("scie bleue vis", "fr")


@pytest.mark.parametrize("unit", ["x", "mot ", "l'", "止", "aB1", "a\u0301", "\x00", "🎉", "'", "_"])
def test_a_megabyte_is_analysed_whole_and_terms_stay_short(unit: str) -> None:
    terms = analyse(unit * (1_000_000 // len(unit)), None)
    assert all(len(term) <= LONGEST_TERM for term in terms)


@given(st.text(max_size=200), st.sampled_from(["fr", "en", "ja", None]))
def test_any_text_gives_clean_terms_and_finds_itself(text: str, language: str | None) -> None:
    terms = analyse(text, language)
    assert terms == analyse(text, language), "deterministic"
    for term in terms:
        assert term, "never empty"
        assert not any(c.isspace() or c == "\x00" for c in term)
        assert all(c.isalnum() for c in term if c.isascii()), "a vault's prefix can be told from the term"
    languages = ("fr", "en", "ja")
    assert all(set(word.forms) & set(terms) for word in analyse_query(text, languages))


def test_threads_share_nothing() -> None:
    expected = analyse("les organisations parlaient longuement de bicyclettes", "fr")
    results: list[bool] = []

    def work() -> None:
        results.extend(
            analyse("les organisations parlaient longuement de bicyclettes", "fr") == expected for _ in range(200)
        )

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 800
    assert all(results)
