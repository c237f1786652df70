"""Coming in without an account, on one's own machine: a link that works once (A2)."""

from __future__ import annotations

from datetime import timedelta

from souvenance.accounts.secret import LINK, LONGEST, hashed, new_secret
from souvenance.accounts.sessions import Entered, Sessions
from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.errors import NotAllowed, NotAuthenticated
from souvenance.domain.person import EnteredBy
from souvenance.store import people
from souvenance.store import sessions as rows
from souvenance.store.database import Database

LIFE = timedelta(minutes=15)

PATH = "/enter/"
"""Where the panel takes a link: this, then the secret."""


class Entry:
    """One-time links for the owner.

    `at_home`: the server is bound to loopback and answers to no proxy's name; elsewhere accounts are required (A2).
    """

    def __init__(self, database: Database, clock: Clock, sessions: Sessions, *, at_home: bool) -> None:
        self._database = database
        self._clock = clock
        self._sessions = sessions
        self._at_home = at_home

    @property
    def is_open(self) -> bool:
        """Whether links are made and taken here; elsewhere the panel asks for a password."""
        return self._at_home

    def make_link(self, *, actor: Actor) -> str:
        """The secret of a new link, which lets its bearer in as the owner, once, within a quarter of an hour.

        Only for the owner of the machine, and only where nobody else can reach the server.
        """
        actor.require_person("makes a link to come in")
        self._require_home()
        secret, at = new_secret(LINK), self._clock()
        with self._database.write() as tx:
            if not people.is_owner(tx, actor.user_id):
                raise NotAllowed("Only the owner of this memory comes in by a link.", hint="Log in with your password.")
            rows.add_link(tx, user_id=actor.user_id, hashed=hashed(secret), at=at, expires_at=at + LIFE)
        return secret

    def enter(self, secret: str, *, user_agent: str = "") -> Entered:
        """Begin a session with a link and use it up. Of two who use it at once, one comes in.

        Raises NotAuthenticated where the link is unknown, used or too old, and NotAllowed where accounts are required.
        """
        self._require_home()
        with self._database.write() as tx:
            at = self._clock()
            known = secret.startswith(LINK) and len(secret) <= LONGEST
            user_id = rows.take_link(tx, hashed=hashed(secret), at=at) if known else None
            user = None if user_id is None else people.get_user(tx, user_id)
            if user is None:
                raise NotAuthenticated(
                    "This link was used already, or its time is over.", hint="Ask for a new one in a terminal."
                )
            return self._sessions.begin(tx, user, entered_by=EnteredBy.LINK, user_agent=user_agent)

    def _require_home(self) -> None:
        if not self._at_home:
            raise NotAllowed(
                "This server can be reached by others, so one comes in with an account, not with a link.",
                hint="Log in with your handle and password; souvenance user password owner sets the owner's.",
            )
