"""A1, A2: how someone joins a team, and what is written down of it."""

from datetime import timedelta
from typing import Any

import pytest

from arriving import OTHER, PASSWORD, at_once
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import Conflict, NotFound, SouvenanceError


def test_a2_an_invitation_makes_an_account_once(app: Application, harps: dict[str, Any]) -> None:
    made, secret = app.invitations.invite(actor=harps["zoe"], team=harps["team"])
    assert app.invitations.look(secret) == made
    with pytest.raises(Conflict):  # a handle that is taken: nothing is lost
        app.invitations.accept(secret, handle="zoe", password=OTHER)
    entered = app.invitations.accept(secret, handle="newcomer", password=OTHER, display_name="New 🎻")
    actor = app.sessions.authenticate(entered.secret)[1]
    assert not app.vaults.get(actor=actor, vault="strings").can_configure
    for attempt in (
        lambda: app.invitations.accept(secret, handle="another", password=OTHER),
        lambda: app.invitations.join(secret, actor=harps["eve"]),
        lambda: app.invitations.look(secret),
    ):
        with pytest.raises(NotFound, match="used already"):
            attempt()


def test_a2_of_two_who_accept_an_invitation_at_once_one_is_in(app: Application, harps: dict[str, Any]) -> None:
    _, secret = app.invitations.invite(actor=harps["zoe"], team=harps["team"])
    found = at_once(
        *[
            lambda number=number: app.invitations.accept(secret, handle=f"new{number}", password=OTHER)
            for number in range(3)
        ]
    )
    assert sum(isinstance(one, SouvenanceError) for one in found) == 2
    assert len(app.teams.get(actor=harps["zoe"], team=harps["team"]).members) == 3


def test_a2_an_invitation_ends_by_time_by_hand_and_with_who_made_it(
    app: Application, harps: dict[str, Any], clock: Any
) -> None:
    zoe, ivan, team = harps["zoe"], harps["ivan"], harps["team"]
    _, old = app.invitations.invite(actor=zoe, team=team, days=1)
    clock.now += timedelta(days=1)
    withdrawn, unwanted = app.invitations.invite(actor=zoe, team=team)
    app.invitations.withdraw(actor=zoe, team=team, invitation=withdrawn.id)
    with pytest.raises(NotFound):
        app.invitations.withdraw(actor=zoe, team=team, invitation=withdrawn.id)
    app.teams.set_configure(actor=zoe, team=team, member="ivan", can_configure=True)
    _, of_ivan = app.invitations.invite(actor=ivan, team=team)
    app.teams.set_configure(actor=zoe, team=team, member="ivan", can_configure=False)
    for secret in (old, unwanted, of_ivan):
        with pytest.raises(NotFound):
            app.invitations.join(secret, actor=harps["eve"])
    assert app.invitations.list(actor=zoe, team=team) == []


def test_a2_who_is_in_the_team_already_does_not_use_an_invitation_up(app: Application, harps: dict[str, Any]) -> None:
    _, secret = app.invitations.invite(actor=harps["zoe"], team=harps["team"])
    with pytest.raises(Conflict):
        app.invitations.join(secret, actor=harps["ivan"])
    assert app.invitations.join(secret, actor=harps["eve"]).id == harps["team"]


def test_a4_each_sees_what_concerns_their_teams_and_themselves(
    app: Application, owner: Actor, harps: dict[str, Any]
) -> None:
    zoe, ivan, eve, team = harps["zoe"], harps["ivan"], harps["eve"], harps["team"]
    app.teams.set_configure(actor=zoe, team=team, member="ivan", can_configure=True)
    app.teams.set_configure(actor=zoe, team=team, member="ivan", can_configure=False)
    app.teams.remove_member(actor=zoe, team=team, member="ivan")
    app.users.set_password(actor=owner, handle="eve", password=OTHER)

    def verbs(who: Actor) -> list[str]:
        return [one.verb for one in app.history.audit(actor=who)]

    assert verbs(zoe).count("team.join") == 1
    assert "team.member.remove" in verbs(zoe)
    assert verbs(ivan)[:2] == ["team.member.remove", "team.member.configure"]
    assert "team.invite" not in verbs(ivan)
    assert verbs(eve)[0] == "user.password"
    assert not {one for one in verbs(eve) if one.startswith("team.")}
    assert "user.password" in verbs(owner)
    assert all(PASSWORD not in str(one) and OTHER not in str(one) for one in app.history.audit(actor=owner, limit=500))
