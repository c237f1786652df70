"""A2: on one's own machine one comes in by a link that works once."""

from datetime import timedelta
from typing import Any

import pytest

from arriving import at_once, log_in
from souvenance.accounts.entry import Entry
from souvenance.accounts.passwords import Passwords
from souvenance.accounts.sessions import Sessions
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import NotAllowed, NotAuthenticated, NotFound
from souvenance.domain.person import EnteredBy


def test_a2_a_link_lets_the_owner_in_once(app: Application, owner: Actor) -> None:
    secret = app.entry.make_link(actor=owner)
    entered = app.entry.enter(secret, user_agent="Firefox")
    session, actor = app.sessions.authenticate(entered.secret)
    assert (actor.user_id, actor.source, actor.route) == (app.owner.id, Source.PANEL, Route.LOCAL)
    assert (session.entered_by, session.user_agent, session.is_current) == (EnteredBy.LINK, "Firefox", True)
    with pytest.raises(NotAuthenticated, match="used already"):
        app.entry.enter(secret)


def test_a2_of_two_who_use_one_link_at_once_one_comes_in(app: Application, owner: Actor) -> None:
    for _ in range(3):
        secret = app.entry.make_link(actor=owner)
        found = at_once(*[lambda secret=secret: app.entry.enter(secret)] * 4)
        assert sum(isinstance(one, NotAuthenticated) for one in found) == 3


def test_a2_a_link_is_over_after_minutes(app: Application, owner: Actor, clock: Any) -> None:
    secret = app.entry.make_link(actor=owner)
    clock.now += timedelta(minutes=16)
    with pytest.raises(NotAuthenticated, match="time is over"):
        app.entry.enter(secret)


@pytest.mark.parametrize("secret", ["", "sl_", "sl_no", "ss_no", "\x00", "\ud800", "x" * 100_000])
def test_a2_what_is_no_secret_opens_nothing(app: Application, secret: str) -> None:
    with pytest.raises(NotAuthenticated):
        app.entry.enter(secret)
    with pytest.raises(NotAuthenticated):
        app.sessions.authenticate(secret)
    with pytest.raises(NotFound):
        app.invitations.look(secret)
    app.sessions.log_out(secret)


def test_a2_elsewhere_than_on_loopback_no_link_works_nor_a_session_begun_with_one(
    app: Application, owner: Actor, clock: Any, person: Any
) -> None:
    secret, begun = app.entry.make_link(actor=owner), app.entry.enter(app.entry.make_link(actor=owner))
    elsewhere = Sessions(app.database, clock, Passwords(), at_home=False)
    entry = Entry(app.database, clock, elsewhere, at_home=False)
    for attempt in (lambda: entry.enter(secret), lambda: entry.make_link(actor=owner)):
        with pytest.raises(NotAllowed, match="with an account"):
            attempt()
    with pytest.raises(NotAuthenticated):
        elsewhere.authenticate(begun.secret)
    person("zoe")
    assert elsewhere.authenticate(log_in(app, "zoe")[0])[1].user_id != app.owner.id


def test_a2_a_link_is_the_owners_only(app: Application, owner: Actor, person: Any) -> None:
    model = app.owner_through(Source.AGENT, is_model=True)
    for visitor in (person("zoe"), model):
        with pytest.raises(NotAllowed):
            app.entry.make_link(actor=visitor)
