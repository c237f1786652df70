"""A2: for how long one stays signed in, and how that ends."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from arriving import OTHER, PASSWORD, log_in
from souvenance.accounts import sessions
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import NotAllowed, NotAuthenticated, NotFound
from souvenance.store.tables import metadata


def test_a2_a_session_ends_when_it_is_not_used_and_in_any_case_one_day(
    app: Application, person: Any, clock: Any
) -> None:
    person("zoe")
    idle, busy = log_in(app, "zoe")[0], log_in(app, "zoe")[0]
    began = clock.now
    while clock.now - began < sessions.LONGEST_LIFE - timedelta(days=8):
        clock.now += timedelta(days=7)
        assert app.sessions.authenticate(busy)
    with pytest.raises(NotAuthenticated):
        app.sessions.authenticate(idle)
    clock.now += timedelta(days=8)
    with pytest.raises(NotAuthenticated):
        app.sessions.authenticate(busy)


def test_a2_using_a_session_writes_only_now_and_then(app: Application, person: Any, clock: Any) -> None:
    person("zoe")
    secret = log_in(app, "zoe")[0]
    first = app.sessions.authenticate(secret)[0].last_used_at
    assert app.sessions.authenticate(secret)[0].last_used_at == first
    clock.now += sessions.TOUCH_EVERY
    assert app.sessions.authenticate(secret)[0].last_used_at > first


def test_a2_sessions_are_listed_and_ended_by_their_own_user_only(app: Application, person: Any) -> None:
    zoe, ivan = person("zoe"), person("ivan")
    second = log_in(app, "zoe")[0]
    listed = app.sessions.list(actor=zoe)
    assert [one.is_current for one in listed] == [False, True]
    with pytest.raises(NotFound):
        app.sessions.revoke(actor=ivan, session=listed[0].id)
    app.sessions.revoke(actor=zoe, session=listed[0].id)
    with pytest.raises(NotAuthenticated):
        app.sessions.authenticate(second)
    kept = [log_in(app, "zoe")[0] for _ in range(2)]
    assert app.sessions.revoke_others(actor=zoe) == 2
    assert [one.id for one in app.sessions.list(actor=zoe)] == [zoe.session_id]
    for secret in kept:
        with pytest.raises(NotAuthenticated):
            app.sessions.authenticate(secret)
    assert len(app.sessions.list(actor=ivan)) == 1


def test_a2_logging_out_ends_the_session(app: Application, person: Any) -> None:
    person("zoe")
    secret = log_in(app, "zoe")[0]
    app.sessions.log_out(secret)
    with pytest.raises(NotAuthenticated):
        app.sessions.authenticate(secret)


def test_a2_a_form_of_another_session_is_refused(app: Application, person: Any) -> None:
    person("zoe")
    mine, other = log_in(app, "zoe")[0], log_in(app, "zoe")[0]
    app.sessions.require_csrf(mine, app.sessions.csrf(mine))
    assert mine not in app.sessions.csrf(mine)
    for given in ("", "\x00", "\ud800é", mine, app.sessions.csrf(other)):
        with pytest.raises(NotAllowed):
            app.sessions.require_csrf(mine, given)


def test_a2_a_browsers_name_is_kept_short_and_harmless(app: Application, owner: Actor) -> None:
    agent = "Moz\x00illa\n\u202e" + "x" * 5000
    session = app.entry.enter(app.entry.make_link(actor=owner), user_agent=agent).session
    assert session.user_agent.startswith("Moz illa x")
    assert len(session.user_agent) == 200


def test_a2_no_secret_and_no_password_is_in_the_store_or_the_logs(
    app: Application, owner: Actor, person: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    zoe = person("zoe")
    team = app.teams.create(actor=zoe, name="Harps")
    link, invited = app.entry.make_link(actor=owner), app.invitations.invite(actor=zoe, team=team.id)[1]
    session = app.entry.enter(link).secret
    newcomer = app.invitations.accept(invited, handle="ivan", password=OTHER).secret
    waiting = app.entry.make_link(actor=owner)
    with pytest.raises(NotAuthenticated):
        log_in(app, "a password typed as a handle", "a wrong password")
    rows = []
    with app.database.read() as tx:
        for table in metadata.sorted_tables:
            rows += [str(tuple(row)) for row in tx.execute(select(table))]
    kept = "\n".join(rows) + caplog.text
    for secret in (link, invited, session, newcomer, waiting, log_in(app, "zoe")[0], PASSWORD, OTHER):
        assert secret not in kept
        assert secret[3:] not in kept
    assert "typed as a handle" not in kept
    assert "a wrong password" not in kept
