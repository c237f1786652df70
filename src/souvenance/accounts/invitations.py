"""Invitations: how someone joins a team, with an account that they have or make (A1, A2)."""

from __future__ import annotations

from datetime import timedelta

from souvenance.accounts.passwords import Passwords
from souvenance.accounts.secret import INVITATION, LONGEST, hashed, new_secret
from souvenance.accounts.sessions import Entered, Sessions
from souvenance.accounts.teams import MOST_TEAMS, configured_team, shared_team, team_of
from souvenance.accounts.users import Users
from souvenance.domain.access import Actor, Source
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, InvalidInput, NotFound
from souvenance.domain.person import EnteredBy, Invitation, Team, checked_handle, checked_password
from souvenance.store import history, people
from souvenance.store import teams as rows
from souvenance.store.database import Database, Transaction

DAYS = 7
MOST_DAYS = 90

PATH = "/join/"
"""Where the panel takes an invitation: this, then the secret."""


class Invitations:
    """Use cases on invitations: each lets one person into one team, once."""

    def __init__(
        self, database: Database, clock: Clock, passwords: Passwords, users: Users, sessions: Sessions
    ) -> None:
        self._database = database
        self._clock = clock
        self._passwords = passwords
        self._users = users
        self._sessions = sessions

    def invite(
        self, *, actor: Actor, team: int, can_configure: bool = False, days: int = DAYS
    ) -> tuple[Invitation, str]:
        """An invitation into a team that the caller configures, and its secret, which is shown this once."""
        actor.require_person("invites people")
        if not 1 <= days <= MOST_DAYS:
            raise InvalidInput(f"An invitation lasts 1 to {MOST_DAYS} days.", hint=f"Leave it out for {DAYS}.")
        secret = new_secret(INVITATION)
        with self._database.write() as tx:
            found, at = shared_team(tx, actor, team), self._clock()
            made = rows.add_invitation(
                tx,
                team_id=found.id,
                hashed=hashed(secret),
                can_configure=can_configure,
                made_by=actor.user_id,
                at=at,
                expires_at=at + timedelta(days=days),
            )
            history.record_audit(
                tx, actor, verb="team.invite", at=at, team_id=found.id, team=found.id, invitation=made,
                can_configure=can_configure,
            )  # fmt: skip
            kept = rows.find_invitation(tx, hashed=hashed(secret), at=at)
            assert kept is not None
            return kept, secret

    def list(self, *, actor: Actor, team: int) -> list[Invitation]:
        """The invitations into a team that can still be used, for those who configure it."""
        with self._database.read() as tx:
            return rows.list_invitations(tx, team_id=configured_team(tx, actor, team).id, at=self._clock())

    def withdraw(self, *, actor: Actor, team: int, invitation: int) -> None:
        """End an invitation before it is used."""
        with self._database.write() as tx:
            found, at = configured_team(tx, actor, team), self._clock()
            if not rows.end_invitation(tx, invitation_id=invitation, team_id=found.id, at=at):
                raise NotFound("There is no such invitation in force.", hint="souvenance team invitations lists them.")
            history.record_audit(
                tx, actor, verb="team.withdraw", at=at, team_id=found.id, team=found.id, invitation=invitation
            )

    def look(self, secret: str) -> Invitation:
        """What an invitation is for, to be shown before it is accepted. NotFound where it is none in force."""
        with self._database.read() as tx:
            return self._found(tx, secret)

    def accept(
        self, secret: str, *, handle: str, password: str, display_name: str = "", user_agent: str = ""
    ) -> Entered:
        """Make an account with an invitation, join its team, and begin a session. Refused, it stays usable."""
        self.look(secret)  # before any work is done for a stranger
        checked_handle(handle)
        kept = self._passwords.hash(checked_password(password, handle=handle))
        with self._database.write() as tx:
            invitation = self._found(tx, secret)
            made = self._users.create_in(tx, handle=handle, display_name=display_name, password_hash=kept)
            actor = Actor(user_id=made.id, source=Source.PANEL)
            history.record_audit(tx, actor, verb="user.create", at=self._clock(), about_user=made.id, user=made.handle)
            self._join(tx, actor, invitation)
            return self._sessions.begin(tx, made, entered_by=EnteredBy.INVITATION, user_agent=user_agent)

    def join(self, secret: str, *, actor: Actor) -> Team:
        """Join the team of an invitation as the user one is."""
        actor.require_person("joins teams")
        with self._database.write() as tx:
            invitation = self._found(tx, secret)
            mine = rows.list_teams(tx, actor.user_id)
            if any(team.id == invitation.team_id for team in mine):
                raise Conflict("You are in that team already.", hint="The invitation can still be used by another.")
            if len(mine) >= MOST_TEAMS:
                raise Conflict(f"You are in {MOST_TEAMS} teams already.", hint="Leave one first.")
            self._join(tx, actor, invitation)
            return team_of(tx, actor, invitation.team_id)

    def _join(self, tx: Transaction, actor: Actor, invitation: Invitation) -> None:
        at, team_id = self._clock(), invitation.team_id
        if not rows.end_invitation(tx, invitation_id=invitation.id, team_id=team_id, at=at, used_by=actor.user_id):
            raise _gone()
        people.add_member(tx, team_id=team_id, user_id=actor.user_id, can_configure=invitation.can_configure)
        rows.mark_vaults(tx, team_id)
        history.record_audit(
            tx, actor, verb="team.join", at=at, team_id=team_id, team=team_id, invitation=invitation.id,
            can_configure=invitation.can_configure,
        )  # fmt: skip

    def _found(self, tx: Transaction, secret: str) -> Invitation:
        found = None
        if secret.startswith(INVITATION) and len(secret) <= LONGEST:
            found = rows.find_invitation(tx, hashed=hashed(secret), at=self._clock())
        if found is None:
            raise _gone()
        return found


def _gone() -> NotFound:
    return NotFound("This invitation was used already or withdrawn, or its time is over.", hint="Ask for another one.")
