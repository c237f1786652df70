"""Sessions of browsers: logging in, telling who asks, and ending them (A2)."""

from __future__ import annotations

import hmac
import unicodedata
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from souvenance.accounts import attempts
from souvenance.accounts.passwords import Passwords
from souvenance.accounts.secret import LONGEST, SESSION, csrf_token, hashed, new_secret
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.clock import Clock
from souvenance.domain.errors import NotAllowed, NotAuthenticated, NotFound, TooManyAttempts
from souvenance.domain.person import EnteredBy, Session, User, handle_key
from souvenance.store import history, people
from souvenance.store import sessions as rows
from souvenance.store.database import Database, Transaction

IDLE = timedelta(days=14)
"""A session ends when it was not used for so long."""

LONGEST_LIFE = timedelta(days=90)
"""A session ends so long after it began, however much it is used."""

TOUCH_EVERY = timedelta(minutes=5)
"""Its use is written down no more often than this."""

MOST_SESSIONS = 100
"""Sessions of one user in force; beyond them those that were not used for the longest end."""

_KNOWN_FOR = timedelta(days=90)
_AGENT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """Someone who has just come in: the session, whose it is, and its secret, which is given this once.

    The secret belongs in a cookie that scripts do not see (HttpOnly, SameSite=Lax, Secure behind HTTPS) and in no log.
    """

    secret: str
    session: Session
    user: User


class Sessions:
    """Use cases on sessions.

    What a session reads goes to the person who is signed in, so its route is local: a protected vault is shown to its
    owner in the browser as it is on paper. A program that uses a session's secret over REST has a route of its own.
    `at_home`: the server is bound to loopback; a session begun with a one-time link counts nowhere else (A2).
    """

    def __init__(self, database: Database, clock: Clock, passwords: Passwords, *, at_home: bool = True) -> None:
        self._database = database
        self._clock = clock
        self._passwords = passwords
        self._at_home = at_home

    # --- coming in ---------------------------------------------------------------------------------------------

    def log_in(self, *, handle: str, password: str, address: str, user_agent: str = "") -> Entered:
        """Begin a session with a password.

        An unknown handle, one without a password, one that was removed and a wrong password are refused in the same
        words after the same work. Raises NotAuthenticated, or TooManyAttempts (`retry_after` seconds in its details).
        """
        account, origin, at = attempts.account_key(handle), attempts.address_key(address), self._clock()
        attempts.admit(self._database, account=account, address=origin, at=at)
        with self._database.read() as tx:
            found = _by_handle(tx, handle)
            kept = None if found is None or found.disabled_at is not None else people.password_hash_of(tx, found.id)
        try:
            is_right = self._passwords.verify(kept, password)
        except TooManyAttempts:  # the server is busy: this password was not looked at, and is no failed attempt
            with self._database.write() as tx:
                rows.forgive_attempts(tx, key=account, at=at)
                rows.forgive_attempts(tx, key=origin, at=at)
            raise
        if not is_right or found is None or kept is None:
            raise _unknown()
        better = self._passwords.hash(password) if self._passwords.is_outdated(kept) else None
        with self._database.write() as tx:
            user = people.get_user(tx, found.id)
            if user is None or user.disabled_at is not None or people.password_hash_of(tx, user.id) != kept:
                raise _unknown()  # changed in this very moment
            if better is not None:
                people.update_user(tx, user_id=user.id, values={"password_hash": better})
            rows.forgive_attempts(tx, key=account)
            rows.forgive_attempts(tx, key=origin, at=at)
            return self.begin(tx, user, entered_by=EnteredBy.PASSWORD, user_agent=user_agent)

    def begin(self, tx: Transaction, user: User, *, entered_by: EnteredBy, user_agent: str) -> Entered:
        """A session of a user who has shown who they are, within the transaction in which they did."""
        secret, at = new_secret(SESSION), self._clock()
        rows.forget_sessions(tx, user_id=user.id, before=at - _KNOWN_FOR)
        kept = rows.add_session(
            tx,
            user_id=user.id,
            hashed=hashed(secret),
            entered_by=entered_by,
            user_agent=_shortened(user_agent),
            route=Route.LOCAL,
            at=at,
            expires_at=at + LONGEST_LIFE,
        )
        rows.revoke_beyond(tx, user_id=user.id, keep=MOST_SESSIONS, at=at)
        return Entered(secret=secret, session=_until(kept), user=user)

    def authenticate(self, secret: str, *, source: Source = Source.PANEL) -> tuple[Session, Actor]:
        """The session of a secret, and who asks in it; for every request anew.

        Raises NotAuthenticated in the same words for an unknown, expired or revoked one, or of a removed user.
        """
        found, at = None, self._clock()
        if secret.startswith(SESSION) and len(secret) <= LONGEST:
            with self._database.read() as tx:
                found = rows.find_session(tx, hashed(secret))
        if found is None or not self._is_in_force(found, at):
            raise NotAuthenticated("You are not signed in, or no longer.", hint="Sign in again.")
        if at - found.last_used_at >= TOUCH_EVERY:
            with self._database.write() as tx:
                rows.touch_session(tx, session_id=found.id, at=at)
            found = replace(found, last_used_at=at)
        actor = Actor(user_id=found.user_id, source=source, route=found.route, session_id=found.id)
        return replace(_until(found), is_current=True), actor

    def _is_in_force(self, session: Session, at: datetime) -> bool:
        if session.revoked_at is not None or at >= _until(session).expires_at:
            return False
        return self._at_home or session.entered_by is not EnteredBy.LINK

    # --- forms -------------------------------------------------------------------------------------------------

    def csrf(self, secret: str) -> str:
        """What every form of this session sends along; constant as long as the session lasts."""
        return csrf_token(secret)

    def require_csrf(self, secret: str, given: str) -> None:
        """Refuse a form that does not come from a page of this session."""
        if not hmac.compare_digest(csrf_token(secret).encode(), given.encode(errors="replace")):
            raise NotAllowed("This form was not made for your session.", hint="Load the page again and send it again.")

    # --- ending ------------------------------------------------------------------------------------------------

    def log_out(self, secret: str) -> None:
        """End a session; nothing happens where there is none."""
        with self._database.write() as tx:
            found = rows.find_session(tx, hashed(secret))
            if found is not None:
                rows.revoke_sessions(tx, user_id=found.user_id, only=found.id, at=self._clock())

    def list(self, *, actor: Actor) -> list[Session]:
        """The caller's sessions in force, the last used first; `is_current` marks the one that asks."""
        actor.require_person("sees sessions")
        with self._database.read() as tx:
            found = rows.list_sessions(tx, user_id=actor.user_id, at=self._clock(), idle=IDLE)
        return [replace(_until(one), is_current=one.id == actor.session_id) for one in found]

    def revoke(self, *, actor: Actor, session: int) -> None:
        """End one of the caller's sessions at once."""
        actor.require_person("ends sessions")
        with self._database.write() as tx:
            at = self._clock()
            if not rows.revoke_sessions(tx, user_id=actor.user_id, only=session, at=at):
                raise NotFound("You have no such session in force.", hint="souvenance session list shows yours.")
            history.record_audit(tx, actor, verb="session.revoke", at=at, session=session)

    def revoke_others(self, *, actor: Actor) -> int:
        """End all of the caller's sessions but the one that asks (all, where none does); how many ended."""
        actor.require_person("ends sessions")
        with self._database.write() as tx:
            at = self._clock()
            ended = rows.revoke_sessions(tx, user_id=actor.user_id, but=actor.session_id, at=at)
            if ended:
                history.record_audit(tx, actor, verb="session.revoke", at=at, sessions=ended)
            return ended


def _by_handle(tx: Transaction, handle: str) -> User | None:
    key = handle_key(handle[:1000])
    if "\x00" in key or any("\ud800" <= c <= "\udfff" for c in key):
        return None
    return people.find_user(tx, key)


def _unknown() -> NotAuthenticated:
    return NotAuthenticated("The handle or the password is not right.", hint="Check both and try again.")


def _until(session: Session) -> Session:
    return replace(session, expires_at=min(session.expires_at, session.last_used_at + IDLE))


def _shortened(user_agent: str) -> str:
    shown = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in user_agent[: 2 * _AGENT])
    return " ".join(shown.split())[:_AGENT]
