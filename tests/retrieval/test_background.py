"""What a model makes of the everyday sentences is kept with it, so that a new process pays for its query alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr
from sqlalchemy import select, update

from embedders import NgramEmbedder
from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.memory.remember import Observation
from souvenance.retrieval import background
from souvenance.retrieval.answer import Answer, Matcher
from souvenance.settings import Settings
from souvenance.store.tables import embedding_model
from souvenance.wiring import open_application


@contextmanager
def opened(url: str, embedder: Any) -> Iterator[Application]:
    app = open_application(Settings(database_url=SecretStr(url), embedder="none"), embedder=embedder)
    try:
        yield app
    finally:
        app.close()


def filled(url: str) -> None:
    """A store with a vault `work` of two embedded facts."""
    with opened(url, NgramEmbedder()) as app:
        actor = app.owner_through(Source.LIBRARY)
        app.vaults.create(actor=actor, name="work")
        said = [Observation(content="The cats sleep on the sofa"), Observation(content="Invoices are due on Monday")]
        app.facts.remember(actor=actor, vault="work", observations=said)
        app.embedding.catch_up()


def search(app: Application, query: str, **options: Any) -> Answer:
    return app.retrieval.search(actor=app.owner_through(Source.LIBRARY), query=query, **options)


def kept(app: Application) -> list[tuple[bytes | None, str]]:
    with app.database.read() as tx:
        rows = tx.execute(select(embedding_model.c.background, embedding_model.c.background_hash)).all()
    return [(row.background, row.background_hash) for row in rows]


def forget_background(app: Application, **values: Any) -> None:
    with app.database.write() as tx:
        tx.execute(update(embedding_model).values(**values))


def test_t6_a_new_process_embeds_its_query_and_nothing_else(store_url: str) -> None:
    filled(store_url)
    embedder = NgramEmbedder()
    with opened(store_url, embedder) as app:
        answer = search(app, "where do the cats sleep")
        assert answer.trace.matcher is Matcher.HYBRID
        assert embedder.queries == ["where do the cats sleep"]
        assert embedder.calls == []


def test_the_first_search_makes_what_the_store_lacks_and_keeps_it(store_url: str) -> None:
    filled(store_url)
    with opened(store_url, NgramEmbedder()) as app:
        expected = kept(app)
        forget_background(app, background=None, background_hash="")
        with_own = search(app, "where do the cats sleep")
        assert kept(app) == expected
    embedder = NgramEmbedder()
    with opened(store_url, embedder) as app:
        again = search(app, "where do the cats sleep")
    assert [hit.score for hit in again.hits] == [hit.score for hit in with_own.hits]
    assert len(embedder.queries) == 1


@pytest.mark.parametrize("wrong", [{"background_hash": "of other sentences"}, {"background": b"cut short"}])
def test_what_was_made_of_other_sentences_or_is_damaged_is_made_again(store_url: str, wrong: dict[str, Any]) -> None:
    filled(store_url)
    with opened(store_url, NgramEmbedder()) as app:
        expected = kept(app)
        forget_background(app, **wrong)
        assert search(app, "cats").trace.matcher is Matcher.HYBRID
        assert kept(app) == expected


def test_t6_no_model_is_run_where_nothing_of_the_scope_is_embedded(store_url: str) -> None:
    filled(store_url)
    embedder = NgramEmbedder()
    with opened(store_url, embedder) as app:
        actor = app.owner_through(Source.LIBRARY)
        app.vaults.create(actor=actor, name="new")
        app.facts.remember(actor=actor, vault="new", observations=[Observation(content="The anvil is heavy")])
        answer = search(app, "anvil", vault="new")
        assert answer.trace.matcher is Matcher.WORDS
        assert answer.trace.why == "0 of 1 embedded"
        assert len(answer.hits) == 1
        assert not embedder.started.is_set()


def test_what_is_kept_is_what_the_model_says_at_the_precision_of_the_store() -> None:
    embedder = NgramEmbedder()
    made = background.embed(embedder)
    questions = np.mean([embedder.embed_query(one) for one in background.QUESTIONS], axis=0)
    assert np.allclose(made.average_question, questions, atol=1e-3)
    assert np.allclose(made.statements, embedder.embed_passages(list(background.STATEMENTS)), atol=1e-3)
