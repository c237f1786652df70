"""What a fact says of dates is kept with it (F10), on both engines."""

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.fact import Fact, SaidDate
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
