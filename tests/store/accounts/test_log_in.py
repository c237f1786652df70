"""A2: who comes in with a password, and how often one may try."""

from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from arriving import HERE, PASSWORD, at_once, log_in
from souvenance.accounts import attempts
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import Conflict, InvalidInput, NotAuthenticated, NotFound, TooManyAttempts
from souvenance.store.tables import user

NAMES = ["zoë", "иван", "ليلى", "東京", "a.b_c-d", "x" * 40]
ODD_PASSWORDS = [
    "🎻🎻🎸🎷🎺🥁🪘🪕🎻🎸",
    "كلمة سر طويلة جدا",
    "with a \x00 inside it",
    "  blanks count  ",
    "é" * 3 + "abcdefg" * 100,
]


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
