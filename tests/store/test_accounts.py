"""A1, A2: who comes in, how, for how long, and with whom they share; on both engines."""

import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from souvenance.accounts import attempts, sessions
from souvenance.accounts.entry import Entry
from souvenance.accounts.passwords import Passwords
from souvenance.accounts.sessions import Sessions
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import (
    Conflict,
    InvalidInput,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    SouvenanceError,
    TooManyAttempts,
)
from souvenance.domain.person import EnteredBy, Theme
from souvenance.domain.vault import Protection, VaultKind
from souvenance.store.tables import metadata, user

PASSWORD = "a harp has many strings"
OTHER = "a lyre has fewer of them"
HERE = "203.0.113.7"
NAMES = ["zoë", "иван", "ليلى", "東京", "a.b_c-d", "x" * 40]
ODD_PASSWORDS = [
    "🎻🎻🎸🎷🎺🥁🪘🪕🎻🎸",
    "كلمة سر طويلة جدا",
    "with a \x00 inside it",
    "  blanks count  ",
    "é" * 3 + "abcdefg" * 100,
]


@pytest.fixture(autouse=True)
def quick(app: Application) -> None:
    """Hashes that cost little: what they cost is not what is tested."""
    for rooms in (app.sessions, app.users, app.invitations):
        rooms._passwords._given = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture
def owner(app: Application) -> Actor:
    return app.owner_through(Source.COMMAND_LINE)


@pytest.fixture
def person(app: Application, owner: Actor) -> Callable[[str], Actor]:
    """A new user who is signed in."""

    def made(handle: str) -> Actor:
        app.users.create(actor=owner, handle=handle, password=PASSWORD)
        return log_in(app, handle)[1]

    return made


def log_in(app: Application, handle: str, password: str = PASSWORD) -> tuple[str, Actor]:
    secret = app.sessions.log_in(handle=handle, password=password, address=HERE).secret
    return secret, app.sessions.authenticate(secret)[1]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What each answers or raises, called at the same moment."""
    found: list[Any] = [None] * len(calls)
    barrier = threading.Barrier(len(calls))

    def run(place: int, call: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            found[place] = call()
        except SouvenanceError as error:
            found[place] = error

    threads = [threading.Thread(target=run, args=(place, call)) for place, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


# --- one-time links --------------------------------------------------------------------------------------------------


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


# --- logging in ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("handle", NAMES)
def test_a2_a_handle_of_any_script_logs_in_however_it_is_typed(app: Application, owner: Actor, handle: str) -> None:
    made = app.users.create(actor=owner, handle=f" {handle.upper()} ", password=PASSWORD)
    assert made.handle == handle
    assert log_in(app, handle.upper())[1].user_id == made.id
    with pytest.raises(Conflict, match="already"):
        app.users.create(actor=owner, handle=handle)


@pytest.mark.parametrize(
    "handle", ["", " ", "a", "x" * 41, "a\x00b", "a b", "🎻🎻", "-ab", "\u202eab", "a\ud800", "<b>"]
)
def test_a2_what_is_no_handle_is_refused_and_logs_nobody_in(app: Application, owner: Actor, handle: str) -> None:
    with pytest.raises(InvalidInput):
        app.users.create(actor=owner, handle=handle, password=PASSWORD)
    with pytest.raises(NotAuthenticated):
        app.sessions.log_in(handle=handle, password=PASSWORD, address=HERE)
    with pytest.raises(NotFound):
        app.users.set_password(actor=owner, handle=handle, password=PASSWORD)


@pytest.mark.parametrize("password", ODD_PASSWORDS, ids=range(len(ODD_PASSWORDS)))
def test_a2_a_password_may_be_anything_long_enough(app: Application, owner: Actor, password: str) -> None:
    app.users.create(actor=owner, handle="zoe", password=password)
    assert log_in(app, "zoe", password)
    with pytest.raises(NotAuthenticated):
        log_in(app, "zoe", password + " ")


def test_a2_an_accent_is_the_same_however_a_keyboard_sends_it(app: Application, owner: Actor) -> None:
    app.users.create(actor=owner, handle="zoe", password="un café allongé")
    assert log_in(app, "zoe", "un cafe\u0301 allonge\u0301")


@pytest.mark.parametrize(
    "password", ["", "short", "x" * 1025, "aaaaaaaaaaaa", "zoe.zoe.zoe", "half a \ud800 character"]
)
def test_a2_a_poor_password_is_refused(app: Application, owner: Actor, password: str) -> None:
    with pytest.raises(InvalidInput):
        app.users.create(actor=owner, handle="zoe.zoe.zoe", password=password)
    assert [one.handle for one in app.users.list(actor=owner)] == ["owner"]


def test_a2_every_refusal_says_the_same_after_the_same_work(
    app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.users.create(actor=owner, handle="zoe", password=PASSWORD)
    app.users.create(actor=owner, handle="gone", password=PASSWORD)
    app.users.remove(actor=owner, handle="gone")
    app.users.create(actor=owner, handle="none")
    with pytest.raises(NotAuthenticated):  # makes what those without a password are checked against
        log_in(app, "none")
    checked: list[str] = []
    real = PasswordHasher.verify

    def counted(self: PasswordHasher, hash: str, password: str) -> bool:
        checked.append(hash.rpartition("$")[0].rpartition("$")[0])
        return real(self, hash, password)

    monkeypatch.setattr(PasswordHasher, "verify", counted)
    said = set()
    for handle in ("zoe", "gone", "none", "unknown", "\x00", "🎻"):
        before = len(checked)
        with pytest.raises(NotAuthenticated) as refused:
            log_in(app, handle, "not the right one")
        said.add(str(refused.value.as_dict()))
        assert len(checked) == before + 1
    assert len(said) == 1
    assert len(set(checked)) == 1  # the same parameters: the same time


def test_a2_a_hash_made_with_older_parameters_is_made_again(app: Application, owner: Actor) -> None:
    app.users.create(actor=owner, handle="zoe", password=PASSWORD)
    app.sessions._passwords.__dict__["_hasher"] = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1)
    assert log_in(app, "zoe")
    with app.database.read() as tx:
        kept = tx.execute(select(user.c.password_hash).where(user.c.handle == "zoe")).scalar_one()
    assert "m=16,t=2" in kept
    assert log_in(app, "zoe")


def test_a2_too_many_attempts_on_an_account_are_refused_for_a_while(app: Application, owner: Actor, clock: Any) -> None:
    app.users.create(actor=owner, handle="zoe", password=PASSWORD)
    for handle in ("zoe", "unknown"):
        for _ in range(attempts.PER_ACCOUNT):
            with pytest.raises(NotAuthenticated):
                log_in(app, handle, "wrong wrong wrong")
        with pytest.raises(TooManyAttempts) as refused:
            log_in(app, handle)
        assert 0 < refused.value.details["retry_after"] <= 900
    clock.now += attempts.WINDOW
    assert log_in(app, "zoe")


def test_a2_too_many_attempts_from_an_address_are_refused_whatever_the_account(app: Application, person: Any) -> None:
    person("zoe")
    for number in range(attempts.PER_ADDRESS):
        with pytest.raises(NotAuthenticated):
            app.sessions.log_in(handle=f"user{number}", password=PASSWORD, address=f"2001:db8::{number:x}")
    with pytest.raises(TooManyAttempts):
        app.sessions.log_in(handle="zoe", password=PASSWORD, address="2001:db8::ffff")
    assert app.sessions.log_in(handle="zoe", password=PASSWORD, address="2001:db8:1::1")


def test_a2_attempts_made_at_once_are_all_counted(app: Application, person: Any) -> None:
    person("zoe")
    found = at_once(*[lambda: log_in(app, "zoe", "wrong wrong wrong")] * (attempts.PER_ACCOUNT + 4))
    assert sum(isinstance(one, NotAuthenticated) for one in found) == attempts.PER_ACCOUNT
    assert sum(isinstance(one, TooManyAttempts) for one in found) == 4


def test_a2_logging_in_forgives_the_account_and_not_the_address(app: Application, person: Any) -> None:
    person("zoe")
    for _ in range(3):
        for _ in range(attempts.PER_ACCOUNT - 1):
            with pytest.raises(NotAuthenticated):
                log_in(app, "zoe", "wrong wrong wrong")
        assert log_in(app, "zoe")
    for number in range(attempts.PER_ADDRESS - 3 * (attempts.PER_ACCOUNT - 1)):
        with pytest.raises(NotAuthenticated):
            log_in(app, f"user{number}")
    with pytest.raises(TooManyAttempts):
        log_in(app, "zoe")


# --- sessions --------------------------------------------------------------------------------------------------------


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


# --- users -----------------------------------------------------------------------------------------------------------


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


# --- teams -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def harps(app: Application, person: Any) -> dict[str, Any]:
    """A team with a vault that Zoe configures and Ivan reads; Eve is not in it."""
    zoe, ivan, eve = person("zoe"), person("ivan"), person("eve")
    team = app.teams.create(actor=zoe, name="Harps")
    app.vaults.create(actor=zoe, name="Strings", team=team.id)
    app.invitations.join(app.invitations.invite(actor=zoe, team=team.id)[1], actor=ivan)
    return {"zoe": zoe, "ivan": ivan, "eve": eve, "team": team.id}


def test_a1_members_read_and_only_who_configures_changes(app: Application, harps: dict[str, Any]) -> None:
    for name, may in (("zoe", True), ("ivan", False)):
        assert app.vaults.get(actor=harps[name], vault="strings").can_configure is may
    with pytest.raises(NotFound):
        app.vaults.get(actor=harps["eve"], vault="strings")
    with pytest.raises(NotAllowed):
        app.vaults.change(actor=harps["ivan"], vault="strings", name="Mine")
    with pytest.raises(NotAllowed):
        app.vaults.create(actor=harps["ivan"], name="More", team=harps["team"])
    with pytest.raises(NotFound):
        app.vaults.create(actor=harps["eve"], name="More", team=harps["team"])


def test_a1_a_team_is_changed_by_who_configures_it_and_unknown_to_others(
    app: Application, harps: dict[str, Any]
) -> None:
    attempts_of = {
        "rename": lambda who: app.teams.rename(actor=who, team=harps["team"], name="Lyres"),
        "invite": lambda who: app.invitations.invite(actor=who, team=harps["team"]),
        "list invitations": lambda who: app.invitations.list(actor=who, team=harps["team"]),
        "withdraw": lambda who: app.invitations.withdraw(actor=who, team=harps["team"], invitation=1),
        "configure": lambda who: app.teams.set_configure(
            actor=who, team=harps["team"], member="ivan", can_configure=True
        ),
        "remove": lambda who: app.teams.remove_member(actor=who, team=harps["team"], member="zoe"),
    }
    token = app.tokens.authenticate(app.tokens.create(actor=harps["zoe"], name="agent")[1], source=Source.REST)
    for attempt in attempts_of.values():
        for visitor, refusal in (("ivan", NotAllowed), ("eve", NotFound)):
            with pytest.raises(refusal):
                attempt(harps[visitor])
        with pytest.raises(NotAllowed):
            attempt(token)
    with pytest.raises(NotFound):
        app.teams.get(actor=harps["eve"], team=harps["team"])
    assert app.teams.get(actor=harps["zoe"], team=harps["team"]).name == "Harps"


def test_a1_the_last_who_configures_can_neither_go_nor_be_put_down(
    app: Application, owner: Actor, harps: dict[str, Any]
) -> None:
    zoe, team = harps["zoe"], harps["team"]
    for attempt in (
        lambda: app.teams.leave(actor=zoe, team=team),
        lambda: app.teams.set_configure(actor=zoe, team=team, member="zoe", can_configure=False),
        lambda: app.users.remove(actor=owner, handle="zoe"),
    ):
        with pytest.raises(Conflict, match="nobody else"):
            attempt()
    app.teams.set_configure(actor=zoe, team=team, member="ivan", can_configure=True)
    app.teams.leave(actor=zoe, team=team)
    with pytest.raises(NotFound):
        app.vaults.get(actor=zoe, vault="strings")
    assert app.vaults.get(actor=harps["ivan"], vault="strings").can_configure


def test_a1_two_who_put_each_other_down_at_once_leave_one(app: Application, harps: dict[str, Any]) -> None:
    zoe, ivan, team = harps["zoe"], harps["ivan"], harps["team"]
    app.teams.set_configure(actor=zoe, team=team, member="ivan", can_configure=True)
    at_once(lambda: app.teams.leave(actor=zoe, team=team), lambda: app.teams.leave(actor=ivan, team=team))
    left = [one for who in (zoe, ivan) for one in app.teams.list(actor=who) if one.id == team]
    assert [one.can_configure for one in left] == [True]


def test_a1_the_owner_gives_a_permission_at_the_command_line_and_sees_nothing(
    app: Application, owner: Actor, harps: dict[str, Any]
) -> None:
    assert app.teams.set_configure(actor=owner, team=harps["team"], member="ivan", can_configure=True) is None
    assert app.users.remove(actor=owner, handle="zoe")
    with pytest.raises(NotFound):
        app.vaults.get(actor=owner, vault="strings")
    panel = Actor(user_id=owner.user_id, source=Source.PANEL, route=Route.LOCAL)
    with pytest.raises(NotFound):
        app.teams.set_configure(actor=panel, team=harps["team"], member="ivan", can_configure=False)


def test_a1_a_vault_given_to_a_team_is_its_members_at_once(app: Application, harps: dict[str, Any]) -> None:
    zoe, ivan, team = harps["zoe"], harps["ivan"], harps["team"]
    app.vaults.create(actor=zoe, name="Lyres")
    with pytest.raises(NotFound):
        app.vaults.get(actor=ivan, vault="lyres")
    assert app.teams.move_vault(actor=zoe, vault="lyres", team=team).team_id == team
    assert app.vaults.get(actor=ivan, vault="lyres").slug == "lyres"
    with pytest.raises(NotAllowed):
        app.teams.move_vault(actor=ivan, vault="lyres", team=app.teams.list(actor=ivan)[0].id)
    app.vaults.create(actor=zoe, name="Lyres")
    with pytest.raises(Conflict, match="already"):
        app.teams.move_vault(actor=zoe, vault=f"lyres~{app.teams.list(actor=zoe)[0].id}", team=team)
    own = app.teams.list(actor=zoe)[0].id
    app.teams.move_vault(actor=zoe, vault="strings", team=own)
    with pytest.raises(NotFound):
        app.vaults.get(actor=ivan, vault="strings")


def test_a1_two_vaults_of_one_slug_are_told_apart_by_their_team(app: Application, harps: dict[str, Any]) -> None:
    ivan, own = harps["ivan"], app.teams.list(actor=harps["ivan"])[0].id
    app.vaults.create(actor=ivan, name="Strings")
    with pytest.raises(Conflict) as refused:
        app.vaults.get(actor=ivan, vault="strings")
    for team in (own, harps["team"]):
        assert f"strings~{team}" in refused.value.hint
        assert app.vaults.get(actor=ivan, vault=f"strings~{team}").team_id == team
    with pytest.raises(NotFound):
        app.vaults.get(actor=harps["eve"], vault=f"strings~{harps['team']}")


def test_v8_a_protected_vault_is_given_over_a_local_route_only(app: Application, harps: dict[str, Any]) -> None:
    zoe = harps["zoe"]
    app.vaults.create(actor=zoe, name="Secret", protection=Protection.MAXIMUM)
    cloud = Actor(user_id=zoe.user_id, source=Source.REST, route=Route.CLOUD)
    with pytest.raises(SouvenanceError) as refused:
        app.teams.move_vault(actor=cloud, vault="secret", team=harps["team"])
    assert refused.value.code == "withheld"


# --- invitations -----------------------------------------------------------------------------------------------------


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


# --- the audit log ---------------------------------------------------------------------------------------------------


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
