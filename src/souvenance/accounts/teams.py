"""Teams: who shares vaults with whom, and who may change what is in them (A1)."""

from __future__ import annotations

from souvenance.domain.access import Actor, Source
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, NotAllowed, NotFound
from souvenance.domain.person import Member, Team, User, handle_key
from souvenance.domain.vault import Vault, VaultKind, clean_name
from souvenance.store import history, people
from souvenance.store import teams as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.tables import vault as vault_table

MOST_TEAMS = 200
"""Teams one user may be in."""


class Teams:
    """Use cases on teams. A user's own team is theirs alone; vaults are shared by moving them to another team.

    A team is named by its number. One in which the caller is not is as unknown as one that does not exist.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def create(self, *, actor: Actor, name: str) -> Team:
        """A new team with the caller in it, who configures it."""
        actor.require_person("makes teams")
        name = clean_name(name, what="team's name")
        with self._database.write() as tx:
            if len(rows.list_teams(tx, actor.user_id)) >= MOST_TEAMS:
                raise Conflict(f"You are in {MOST_TEAMS} teams already.", hint="Leave one first.")
            at = self._clock()
            team_id = people.add_team(tx, name=name, at=at)
            people.add_member(tx, team_id=team_id, user_id=actor.user_id, can_configure=True)
            history.record_audit(tx, actor, verb="team.create", at=at, team_id=team_id, team=team_id, name=name)
            return team_of(tx, actor, team_id)

    def list(self, *, actor: Actor) -> list[Team]:
        """The caller's teams with their members, their own first."""
        actor.require_person("sees teams")
        with self._database.read() as tx:
            return rows.list_teams(tx, actor.user_id)

    def get(self, *, actor: Actor, team: int) -> Team:
        """One of the caller's teams."""
        actor.require_person("sees teams")
        with self._database.read() as tx:
            return team_of(tx, actor, team)

    def rename(self, *, actor: Actor, team: int, name: str) -> Team:
        """Call a team something else."""
        name = clean_name(name, what="team's name")
        with self._database.write() as tx:
            found = configured_team(tx, actor, team)
            rows.rename_team(tx, team_id=found.id, name=name)
            history.record_audit(
                tx, actor, verb="team.rename", at=self._clock(), team_id=found.id, team=found.id, name=name
            )
            return team_of(tx, actor, team)

    def set_configure(self, *, actor: Actor, team: int, member: str, can_configure: bool) -> Team | None:
        """Give a member (by handle) the configure permission, or take it; not the last one's.

        The owner of the memory may do it for a team they are not in, at the command line: someone has to where its last
        configurer is gone. They are answered None then, and nothing of the team is shown to them.
        """
        actor.require_person("handles teams")
        with self._database.write() as tx:
            rows.hold_team(tx, team)
            is_in_it = bool(rows.list_teams(tx, actor.user_id, team_id=team))
            if not is_in_it and actor.source is Source.COMMAND_LINE and people.is_owner(tx, actor.user_id):
                found = _any_team(tx, team, member)
            else:
                found = shared_team(tx, actor, team)
            one = _member(found, member)
            if one.can_configure != can_configure:
                if not can_configure:
                    require_another_configurer(found, one.user_id)
                rows.set_configure(tx, team_id=found.id, user_id=one.user_id, can_configure=can_configure)
                self._audit(tx, actor, found, "member.configure", one, can_configure=can_configure)
            return team_of(tx, actor, team) if is_in_it else None

    def remove_member(self, *, actor: Actor, team: int, member: str) -> Team:
        """Take a member (by handle) out of a team: they see its vaults no more, at once. Not its last configurer."""
        actor.require_person("handles teams")
        with self._database.write() as tx:
            rows.hold_team(tx, team)
            found = shared_team(tx, actor, team)
            one = _member(found, member)
            if one.user_id == actor.user_id:
                raise Conflict("That is you.", hint="Leave the team instead.")
            rows.remove_member(tx, team_id=found.id, user_id=one.user_id)
            self._audit(tx, actor, found, "member.remove", one)
            return team_of(tx, actor, team)

    def leave(self, *, actor: Actor, team: int) -> None:
        """Leave a team; its last configurer stays while there are others, and while it has vaults."""
        actor.require_person("leaves teams")
        with self._database.write() as tx:
            rows.hold_team(tx, team)
            found = team_of(tx, actor, team)
            if found.is_own:
                raise Conflict("Your own team is not left.", hint="Nobody else is in it.")
            one = next(member for member in found.members if member.user_id == actor.user_id)
            if one.can_configure:
                require_another_configurer(found, one.user_id)
            rows.remove_member(tx, team_id=found.id, user_id=one.user_id)
            self._audit(tx, actor, found, "member.leave", one)

    def move_vault(self, *, actor: Actor, vault: str, team: int) -> Vault:
        """Give a vault to another team: its members read it from now on, those of the one before no more.

        The caller configures both. A personal vault and an application's stay where they are (V1, V9).
        """
        actor.require_person("moves vaults to a team")
        with self._database.write() as tx:
            try:
                moved = vault_rows.configured_vault(tx, actor, vault)
            except NotFound:
                if vault.strip().lower() != VaultKind.PERSONAL:
                    raise
                raise _shared_with_nobody() from None  # it is made when it is first needed
            tx.hold("add_vault", team)
            target = configured_team(tx, actor, team)
            if moved.kind in {VaultKind.PERSONAL, VaultKind.APP}:
                raise _shared_with_nobody()
            if moved.team_id != target.id:
                slug = vault_rows.plain_slug(moved.slug)
                if rows.slug_is_taken(tx, team_id=target.id, slug=slug):
                    raise Conflict(
                        f"The team has a vault called “{slug}” already.", hint="Choose another team.", slug=slug
                    )
                at = self._clock()
                vault_rows.update_vault(tx, vault_id=moved.id, at=at, values={"team_id": target.id})
                history.record_audit(
                    tx, actor, verb="vault.move", at=at, vault_id=moved.id, before=moved.team_id, after=target.id
                )
                history.record_audit(
                    tx, actor, verb="team.give", at=at, team_id=moved.team_id, team=moved.team_id, vault=moved.id
                )
            return vault_rows.find_vault(tx, actor, vault_table.c.id == moved.id) or moved

    def _audit(self, tx: Transaction, actor: Actor, team: Team, verb: str, member: Member, **details: bool) -> None:
        rows.mark_vaults(tx, team.id)
        history.record_audit(
            tx,
            actor,
            verb=f"team.{verb}",
            at=self._clock(),
            team_id=team.id,
            about_user=member.user_id,
            team=team.id,
            member=member.handle,
            **details,
        )


def team_of(tx: Transaction, actor: Actor, team: int) -> Team:
    """The team of that number, if the caller is in it."""
    found = rows.list_teams(tx, actor.user_id, team_id=team)
    if not found:
        raise NotFound("There is no such team that you are in.", hint="souvenance team list shows yours.")
    return found[0]


def configured_team(tx: Transaction, actor: Actor, team: int) -> Team:
    """The same, if the caller configures it."""
    actor.require_person("handles teams")
    found = team_of(tx, actor, team)
    if not found.can_configure:
        raise NotAllowed("You are in this team but may not change it.", hint="Ask for the configure permission.")
    return found


def shared_team(tx: Transaction, actor: Actor, team: int) -> Team:
    """The same, if others may join it."""
    found = configured_team(tx, actor, team)
    if found.is_own:
        raise NotAllowed(
            "Your own team is yours alone: your personal vault is in it.",
            hint="Make a team (souvenance team add) and move to it what you share.",
        )
    return found


def require_another_configurer(team: Team, user_id: int) -> None:
    """Refuse to let the last one go who may configure: nobody could change the team's vaults any more."""
    if not any(one.can_configure and not one.is_disabled and one.user_id != user_id for one in team.members):
        raise Conflict(
            f"The team “{team.name}” has nobody else who configures it.",
            hint="Give another member the permission first: souvenance team member.",
            team=team.id,
        )


def _member(team: Team, handle: str) -> Member:
    key = handle_key(handle)
    for one in team.members:
        if one.handle == key:
            return one
    raise NotFound("Nobody of that handle is in this team.", hint="souvenance team list shows who is.")


def _any_team(tx: Transaction, team: int, member: str) -> Team:
    user: User | None = people.find_user(tx, handle_key(member)) if "\x00" not in member else None
    found = [] if user is None else [one for one in rows.list_teams(tx, user.id, team_id=team) if not one.is_own]
    if not found:
        raise NotFound("There is no such team, or nobody of that handle in it.", hint="Check both.")
    return found[0]


def _shared_with_nobody() -> NotAllowed:
    return NotAllowed("A personal vault and an application's are shared with nobody.", hint="Move facts instead.")
