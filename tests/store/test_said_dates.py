"""What a fact says of dates is kept with it (F10), on both engines."""

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.fact import Fact, SaidDate
from souvenance.domain.tokens import estimate_tokens
from souvenance.memory.remember import Observation


def remembered(app: Application, owner: Actor, content: str, **given: str) -> Fact:
    fact = app.facts.remember_about_user(actor=owner, observation=Observation(content=content, **given)).fact
    return app.facts.get(actor=owner, number=fact.number)


def test_f10_resolved_when_written(app: Application, owner: Actor) -> None:
    fact = remembered(app, owner, "Je pars demain.", language="fr")
    assert fact.content == "Je pars demain."
    assert fact.said_dates == (SaidDate("demain", "2023-05-09"),)


def test_f10_resolved_from_when_it_was_said(app: Application, owner: Actor) -> None:
    fact = remembered(app, owner, "I went there yesterday.", said_at="1:56 pm on 2 January, 2020")
    assert fact.said_dates == (SaidDate("yesterday", "2020-01-01"),)
    assert remembered(app, owner, "I met Ada yesterday.", said_at="in 2020").said_dates == ()


def test_f10_a_rewording_keeps_what_a_date_meant(app: Application, owner: Actor, clock: object) -> None:
    fact = remembered(app, owner, "I saw Ana yesterday.")
    clock.now = clock.now.replace(month=8)  # type: ignore[attr-defined]
    edited = app.facts.edit(actor=owner, number=fact.number, content="I saw Anna yesterday, and leave tomorrow.")
    assert edited.said_dates == (SaidDate("yesterday", "2023-05-07"), SaidDate("tomorrow", "2023-08-09"))


def test_f10_a_prompt_a_recall_and_a_search_say_what_a_date_meant(app: Application, owner: Actor) -> None:
    said = {"language": "fr", "said_at": "2026-03-01"}
    fact = remembered(app, owner, "Le concert a eu lieu avant-hier.", **said)
    remembered(app, owner, "Le tournoi sera le mois prochain, le concert en 2027.", **said)
    given = app.ladder.given_to_prompt(actor=owner, vault="personal", message="le concert")
    assert f"[#{fact.number}] Le concert a eu lieu avant-hier. (avant-hier = 2026-02-27)" in given.text
    assert "en 2027. (le mois prochain = 2026-04)" in given.text, "as precise as said; a year that is said is enough"
    assert given.tokens >= estimate_tokens(given.text) - len(given.facts)
    block = app.retrieval.recall(actor=owner, topic="Quand a eu lieu le concert ?")
    assert "Le concert a eu lieu avant-hier. (avant-hier = 2026-02-27)" in block.text
    hits = app.retrieval.search(actor=owner, query="concert avant-hier").hits
    assert "Le concert a eu lieu avant-hier. (avant-hier = 2026-02-27)" in {hit.excerpt for hit in hits}
    assert app.facts.get(actor=owner, number=fact.number).content == "Le concert a eu lieu avant-hier."


def test_f10_n6_what_dates_meant_stays_within_the_limit_of_a_source(app: Application, owner: Actor) -> None:
    fact = remembered(app, owner, "The concert was yesterday and the day before yesterday. " + "It was loud. " * 200)
    block = app.retrieval.recall(actor=owner, topic="concert", budget_tokens=300, max_per_source=60)
    (source,) = [one for one in block.sources if one.number == fact.number]
    assert source.tokens <= 60 + 30, "its heading besides"
    assert "yesterday = 2023-05-07" in block.text
