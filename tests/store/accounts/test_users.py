"""A2, V1: users, their passwords, profiles and personal vaults."""

from typing import Any

import pytest

from arriving import OTHER, PASSWORD, log_in
from souvenance.accounts import attempts
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotAuthenticated, TooManyAttempts
from souvenance.domain.person import Theme
from souvenance.domain.vault import VaultKind


def test_v1_every_user_has_a_personal_vault_that_nobody_else_reads(app: Application, owner: Actor, person: Any) -> None:
    zoe, ivan = person("zoe"), person("ivan")
    (of_zoe,) = app.vaults.list(actor=zoe)
    assert (of_zoe.kind, of_zoe.slug) == (VaultKind.PERSONAL, "personal")
    for visitor in (owner, ivan):
        assert of_zoe.id not in {one.id for one in app.vaults.list(actor=visitor)}


def test_v1_a_personal_vault_is_never_shared(app: Application, person: Any) -> None:
    zoe = person("zoe")
    own, team = app.teams.list(actor=zoe)[0], app.teams.create(actor=zoe, name="Harps")
    with pytest.raises(NotAllowed, match="yours alone"):
        app.invitations.invite(actor=zoe, team=own.id)
    with pytest.raises(NotAllowed, match="shared with nobody"):
        app.teams.move_vault(actor=zoe, vault="personal", team=team.id)


def test_n4_who_joined_an_older_team_first_keeps_their_own_things_to_themselves(
    app: Application, owner: Actor, person: Any
) -> None:
    zoe = person("zoe")
    team = app.teams.create(actor=zoe, name="Harps")
    _, secret = app.invitations.invite(actor=zoe, team=team.id, can_configure=True)
    ivan = app.sessions.authenticate(app.invitations.accept(secret, handle="ivan", password=OTHER).secret)[1]
    app.vaults.create(actor=ivan, name="Ivan's own")
    assert [one.slug for one in app.vaults.list(actor=ivan)] == ["ivan-s-own", "personal"]
    assert [one.slug for one in app.vaults.list(actor=zoe)] == ["personal"]


def test_a2_a_new_password_ends_the_other_sessions(app: Application, owner: Actor, person: Any) -> None:
    zoe = person("zoe")
    other = log_in(app, "zoe")[0]
    with pytest.raises(NotAllowed, match="present password"):
        app.users.change_password(actor=zoe, old=OTHER, new=OTHER)
    assert app.users.change_password(actor=zoe, old=PASSWORD, new=OTHER) == 1
    with pytest.raises(NotAuthenticated):
        app.sessions.authenticate(other)
    assert [one.id for one in app.sessions.list(actor=zoe)] == [zoe.session_id]
    with pytest.raises(NotAuthenticated):
        log_in(app, "zoe")
    assert app.users.set_password(actor=owner, handle="zoe", password=PASSWORD) == 1
    assert app.sessions.list(actor=zoe) == []
    assert log_in(app, "zoe")


def test_a2_the_old_password_is_not_guessed_in_a_browser_that_was_left_open(
    app: Application, person: Any, clock: Any
) -> None:
    zoe = person("zoe")
    for _ in range(attempts.PER_ACCOUNT):
        with pytest.raises(NotAllowed):
            app.users.change_password(actor=zoe, old="wrong wrong wrong", new=OTHER)
    with pytest.raises(TooManyAttempts):
        app.users.change_password(actor=zoe, old=PASSWORD, new=OTHER)
    assert log_in(app, "zoe")  # who knows the password is not kept out by it
    clock.now += attempts.WINDOW
    app.users.change_password(actor=zoe, old=PASSWORD, new=OTHER)


def test_a2_the_owners_first_password_needs_no_old_one_and_the_next_does(app: Application, owner: Actor) -> None:
    assert not app.users.can_anyone_log_in()
    panel = app.sessions.authenticate(app.entry.enter(app.entry.make_link(actor=owner)).secret)[1]
    app.users.change_password(actor=panel, old="", new=PASSWORD)
    assert app.users.can_anyone_log_in()
    with pytest.raises(NotAllowed):
        app.users.change_password(actor=panel, old="", new=OTHER)
    with pytest.raises(NotAllowed):
        app.users.set_password(actor=panel, handle="owner", password=OTHER)
    assert log_in(app, "owner")


def test_a2_a_removed_user_is_let_in_by_nothing_and_loses_nothing(app: Application, owner: Actor, person: Any) -> None:
    zoe = person("zoe")
    secret = log_in(app, "zoe")[0]
    token = app.tokens.create(actor=zoe, name="agent")[1]
    app.vaults.create(actor=zoe, name="Harps")
    assert app.users.remove(actor=owner, handle="zoe").disabled_at is not None
    for attempt in (
        lambda: app.sessions.authenticate(secret),
        lambda: app.tokens.authenticate(token, source=Source.REST),
        lambda: log_in(app, "zoe"),
    ):
        with pytest.raises(NotAuthenticated):
            attempt()
    app.users.restore(actor=owner, handle="zoe")
    with pytest.raises(Conflict, match="was not removed"):
        app.users.restore(actor=owner, handle="zoe")
    assert {one.slug for one in app.vaults.list(actor=log_in(app, "zoe")[1])} == {"harps", "personal"}
    with pytest.raises(NotAllowed):
        app.users.remove(actor=owner, handle="owner")


def test_a2_only_the_owner_handles_users(app: Application, owner: Actor, person: Any) -> None:
    zoe = person("zoe")
    reading = app.tokens.authenticate(app.tokens.create(actor=owner, name="agent")[1], source=Source.REST)
    for visitor in (zoe, reading):
        for attempt in (
            lambda visitor=visitor: app.users.list(actor=visitor),
            lambda visitor=visitor: app.users.create(actor=visitor, handle="new"),
            lambda visitor=visitor: app.users.set_password(actor=visitor, handle="owner", password=OTHER),
            lambda visitor=visitor: app.users.remove(actor=visitor, handle="zoe"),
            lambda visitor=visitor: app.users.restore(actor=visitor, handle="zoe"),
        ):
            with pytest.raises(NotAllowed):
                attempt()


def test_r5_a_profile_is_changed_by_its_user(app: Application, person: Any) -> None:
    zoe = person("zoe")
    changed = app.users.set_profile(
        actor=zoe, display_name="Zoë 🎻", language="fr", theme="dark", time_zone="Europe/Paris"
    )
    assert app.users.me(actor=zoe) == changed
    assert (changed.display_name, changed.language, changed.theme) == ("Zoë 🎻", "fr", Theme.DARK)
    for wrong in ({"language": "tlh"}, {"theme": "pink"}, {"time_zone": "Mars/Base"}, {"display_name": "\x00"}):
        with pytest.raises(InvalidInput):
            app.users.set_profile(actor=zoe, **wrong)
    assert app.users.me(actor=zoe) == changed
