"""Users: made by the owner, or by themselves with an invitation; their password and profile (A2)."""

from __future__ import annotations

from typing import Any

from souvenance.accounts import attempts
from souvenance.accounts.passwords import Passwords
from souvenance.accounts.teams import require_another_configurer
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotAuthenticated, NotFound
from souvenance.domain.person import LANGUAGES, Theme, User, checked_handle, checked_password
from souvenance.domain.vault import clean_name
from souvenance.domain.vault_settings import is_zone
from souvenance.store import history, people, teams
from souvenance.store import sessions as session_rows
from souvenance.store.database import Database, Transaction
from souvenance.vaults.vaults import Vaults

_AT_THE_MACHINE = {Source.COMMAND_LINE, Source.LIBRARY}


class Users:
    """Use cases on users. The owner makes, removes and lists them; everyone looks after themselves."""

    def __init__(self, database: Database, clock: Clock, passwords: Passwords, vaults: Vaults) -> None:
        self._database = database
        self._clock = clock
        self._passwords = passwords
        self._vaults = vaults

    def me(self, *, actor: Actor) -> User:
        """The user this caller is, or acts for."""
        with self._database.read() as tx:
            found = people.get_user(tx, actor.user_id)
        if found is None:
            raise NotAuthenticated("This user is gone.", hint="Sign in again.")
        return found

    def list(self, *, actor: Actor) -> list[User]:
        """Every user, by handle, those who were removed too; for the owner."""
        with self._database.read() as tx:
            self._require_owner(tx, actor)
            return people.list_users(tx)

    def create(self, *, actor: Actor, handle: str, display_name: str = "", password: str | None = None) -> User:
        """A new user with a personal vault; for the owner. Without a password they cannot log in yet."""
        with self._database.read() as tx:
            self._require_owner(tx, actor)  # before any work is done for anybody
        kept = None if password is None else self._hash(password, handle)
        with self._database.write() as tx:
            self._require_owner(tx, actor)
            made = self.create_in(tx, handle=handle, display_name=display_name, password_hash=kept)
            history.record_audit(tx, actor, verb="user.create", at=self._clock(), about_user=made.id, user=made.handle)
            return made

    def create_in(self, tx: Transaction, *, handle: str, display_name: str, password_hash: str | None) -> User:
        """A new user and their personal vault, within a transaction that does more (V1)."""
        key = checked_handle(handle)
        name = clean_name(display_name or handle, what="display name")
        if people.find_user(tx, key, lock=True) is not None:
            raise Conflict(f"There is a user “{key}” already.", hint="Choose another handle.")
        made = people.add_user(tx, handle=key, display_name=name, at=self._clock())
        if password_hash is not None:
            people.update_user(tx, user_id=made.id, values={"password_hash": password_hash})
        self._vaults.personal(tx, Actor(user_id=made.id, source=Source.PANEL, route=Route.LOCAL))
        return people.get_user(tx, made.id) or made

    def change_password(self, *, actor: Actor, old: str, new: str) -> int:
        """Set one's own password; how many other sessions ended. `old` is not looked at where there is none yet.

        Raises NotAllowed where the old one is wrong, and TooManyAttempts after as many as logging in allows: whoever
        finds a browser signed in shall not guess on.
        """
        actor.require_person("changes passwords")
        user = self.me(actor=actor)
        checked_password(new, handle=user.handle)
        with self._database.read() as tx:
            kept = people.password_hash_of(tx, actor.user_id)
        if kept is not None:
            key = attempts.account_key(f"changing {user.id}")
            attempts.admit(self._database, account=key, address=None, at=self._clock())
            if not self._passwords.verify(kept, old):
                raise NotAllowed("The present password is not right.", hint="Type it again. Nothing was changed.")
            with self._database.write() as tx:
                session_rows.forgive_attempts(tx, key=key)
        return self._set(actor, user, new, was=kept, but=actor.session_id)

    def set_password(self, *, actor: Actor, handle: str, password: str) -> int:
        """Set anybody's password, for the owner; how many sessions of theirs ended.

        The owner's own is set so only at the machine itself: elsewhere `change_password` asks for the old one.
        """
        with self._database.read() as tx:
            self._require_owner(tx, actor)
            user = self._named(tx, handle)
            was = people.password_hash_of(tx, user.id)
        if user.is_owner and was is not None and actor.source not in _AT_THE_MACHINE:
            raise NotAllowed("Your own password is changed with the old one.", hint="Use the form for that.")
        return self._set(actor, user, password, was=was, but=None)

    def _set(self, actor: Actor, user: User, password: str, *, was: str | None, but: int | None) -> int:
        kept = self._hash(password, user.handle)
        with self._database.write() as tx:
            at = self._clock()
            if people.password_hash_of(tx, user.id) != was:
                raise Conflict("The password was changed in this very moment.", hint="Sign in again.")
            people.update_user(tx, user_id=user.id, values={"password_hash": kept})
            ended = session_rows.revoke_sessions(tx, user_id=user.id, but=but, at=at)
            history.record_audit(
                tx, actor, verb="user.password", at=at, about_user=user.id, user=user.handle, sessions=ended
            )
            return ended

    def set_profile(
        self,
        *,
        actor: Actor,
        display_name: str | None = None,
        language: str | None = None,
        theme: Theme | str | None = None,
        time_zone: str | None = None,
    ) -> User:
        """Change what is given of one's own profile. An empty language or theme is that of the browser."""
        actor.require_person("changes a profile")
        values: dict[str, Any] = {}
        if display_name is not None:
            values["display_name"] = clean_name(display_name, what="display name")
        if language is not None:
            if language not in LANGUAGES:
                raise InvalidInput("There is no such language here.", hint="Use en or fr, or leave it empty.")
            values["language"] = language
        if theme is not None:
            if theme not in set(Theme):
                raise InvalidInput("There is no such theme.", hint="Use light or dark, or leave it empty.")
            values["theme"] = str(theme)
        if time_zone is not None:
            if not is_zone(time_zone):
                raise InvalidInput("There is no such time zone.", hint="Use a name such as Europe/Paris.")
            values["time_zone"] = time_zone
        if values:
            with self._database.write() as tx:
                people.update_user(tx, user_id=actor.user_id, values=values)
        return self.me(actor=actor)

    def remove(self, *, actor: Actor, handle: str) -> User:
        """Let a user in no more, for the owner: sessions and tokens end, and shared teams are left at once.

        What they wrote stays, their personal vault too, which nobody reads. `restore` lets them in again. Refused
        where they are the last to configure a team that others are in.
        """
        with self._database.write() as tx:
            self._require_owner(tx, actor)
            user, at = self._named(tx, handle), self._clock()
            if user.is_owner:
                raise NotAllowed("The owner is not removed.", hint="Remove another user.")
            if user.disabled_at is not None:
                return user
            for team in teams.list_teams(tx, user.id):
                if not team.is_own and len(team.members) > 1:  # alone in it, they keep it: `restore` brings it back
                    if team.can_configure:
                        require_another_configurer(team, user.id)
                    teams.remove_member(tx, team_id=team.id, user_id=user.id)
                    teams.mark_vaults(tx, team.id)
            people.update_user(tx, user_id=user.id, values={"disabled_at": at})
            ended = session_rows.revoke_sessions(tx, user_id=user.id, at=at)
            tokens = people.revoke_tokens(tx, user_id=user.id, at=at)
            history.record_audit(
                tx,
                actor,
                verb="user.remove",
                at=at,
                about_user=user.id,
                user=user.handle,
                sessions=ended,
                tokens=tokens,
            )
            return people.get_user(tx, user.id) or user

    def restore(self, *, actor: Actor, handle: str) -> User:
        """Let a removed user in again, for the owner; teams and tokens are given anew."""
        with self._database.write() as tx:
            self._require_owner(tx, actor)
            user = self._named(tx, handle)
            if user.disabled_at is None:
                raise Conflict(f"{user.handle} was not removed, and may come in.", hint="souvenance user list.")
            people.update_user(tx, user_id=user.id, values={"disabled_at": None})
            history.record_audit(tx, actor, verb="user.restore", at=self._clock(), about_user=user.id, user=user.handle)
            return people.get_user(tx, user.id) or user

    def can_anyone_log_in(self) -> bool:
        """Whether any user has a password: without one, a server that others reach would let nobody in."""
        with self._database.read() as tx:
            return people.has_any_password(tx)

    def _hash(self, password: str, handle: str) -> str:
        return self._passwords.hash(checked_password(password, handle=handle))

    def _named(self, tx: Transaction, handle: str) -> User:
        try:
            found = people.find_user(tx, checked_handle(handle))
        except InvalidInput:
            found = None
        if found is None:
            raise NotFound("There is no user of that handle.", hint="souvenance user list shows them.")
        return found

    def _require_owner(self, tx: Transaction, actor: Actor) -> None:
        actor.require_person("handles users")
        if not people.is_owner(tx, actor.user_id):
            raise NotAllowed("Only the owner of this memory handles users.", hint="Ask them.")
