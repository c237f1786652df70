"""API tokens: made, shown once, kept as a hash, revoked, and turned back into who asks (A3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from souvenance.accounts.secret import hashed, new_secret
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, NotAuthenticated, NotFound
from souvenance.domain.person import Token
from souvenance.domain.vault import Vault, clean_name
from souvenance.store import history, people
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database
from souvenance.vaults.vaults import Vaults

PREFIX = "sv_"
_TOUCH_EVERY = timedelta(minutes=5)


class Tokens:
    """Use cases on API tokens."""

    def __init__(self, database: Database, clock: Clock, vaults: Vaults) -> None:
        self._database = database
        self._clock = clock
        self._vaults = vaults

    def create(
        self,
        *,
        actor: Actor,
        name: str,
        can_write: bool = True,
        route: Route = Route.CLOUD,
        vaults: Sequence[str] | None = None,
        app: str | None = None,
    ) -> tuple[Token, str]:
        """A new token and its secret, which is shown this once. `vaults` limits it to those named; None reaches all.

        No two tokens in force have one name: what each wrote is reviewed and taken back by it. `app` is the id an
        application goes by (V9), which only that application knows.
        """
        actor.require_person("handles tokens")
        name = clean_name(name, what="token's name")
        app = None if app is None else clean_name(app, what="application's id")
        secret = new_secret(PREFIX)
        with self._database.write() as tx:
            ids = None
            if vaults is not None:
                ids = frozenset(vault_rows.named_vault(tx, actor, vault).id for vault in vaults)
            tx.hold("tokens", actor.user_id)
            for other in people.list_tokens(tx, user_id=actor.user_id):
                if other.revoked_at is None and other.name.casefold() == name.casefold():
                    raise Conflict(
                        f"Token {other.id} has that name and is in force.",
                        hint="Choose another name, or revoke that one first.",
                        token=other.id,
                    )
            now = self._clock()
            token_id = people.add_token(
                tx,
                user_id=actor.user_id,
                name=name,
                hashed=hashed(secret),
                can_write=can_write,
                route=route,
                app=app,
                vault_ids=ids,
                at=now,
            )
            history.record_audit(tx, actor, verb="token.create", at=now, token=token_id, route=route, write=can_write)
            (made,) = people.list_tokens(tx, hashed=hashed(secret))
        return made, secret

    def list(self, *, actor: Actor) -> list[Token]:
        """The caller's tokens, revoked ones too; never their secrets."""
        actor.require_person("handles tokens")
        with self._database.read() as tx:
            return people.list_tokens(tx, user_id=actor.user_id)

    def revoke(self, *, actor: Actor, token: int) -> None:
        """End a token at once."""
        actor.require_person("handles tokens")
        with self._database.write() as tx:
            now = self._clock()
            if not people.revoke_token(tx, user_id=actor.user_id, token_id=token, at=now):
                raise NotFound("You have no such token in force.", hint="souvenance token list shows yours.")
            history.record_audit(tx, actor, verb="token.revoke", at=now, token=token)

    def authenticate(self, secret: str, *, source: Source, is_model: bool = True) -> Actor:
        """Who a token speaks for; refuses an unknown or revoked one in the same words.

        An application that connects for the first time gets its sealed vault (V9).
        """
        now = self._clock()
        with self._database.read() as tx:
            found = people.list_tokens(tx, hashed=hashed(secret))
            if not found or found[0].revoked_at is not None:
                raise NotAuthenticated(
                    "This token is unknown or revoked.", hint="Make one: souvenance token create NAME."
                )
            (token,) = found
            actor = _speaks(token, source=source, is_model=is_model)
            sealed = self._vaults.find_application(tx, actor) if actor.app is not None else None
        is_stale = token.last_used_at is None or now - token.last_used_at > _TOUCH_EVERY
        if is_stale or (sealed is None and actor.app is not None):
            with self._database.write() as tx:
                people.touch_token(tx, token_id=token.id, at=now)
                sealed = self._vaults.application(tx, actor)
        return _with_own(actor, sealed)

    def speaker(self, *, actor: Actor, token: int) -> Actor:
        """The agent that one of the caller's tokens in force speaks for: to look at what it is given."""
        mine = [one for one in self.list(actor=actor) if one.id == token and one.revoked_at is None]
        if not mine:
            raise NotFound("You have no such token in force.", hint="souvenance token list shows yours.")
        agent = _speaks(mine[0], source=Source.AGENT, is_model=True)
        with self._database.read() as tx:
            return _with_own(agent, self._vaults.find_application(tx, agent) if agent.app is not None else None)


def _speaks(token: Token, *, source: Source, is_model: bool) -> Actor:
    return Actor(
        user_id=token.user_id,
        source=source,
        route=token.route,
        token_id=token.id,
        name=token.name,
        can_write=token.can_write,
        vaults=token.vault_ids,
        app=token.app,
        is_model=is_model,
    )


def _with_own(actor: Actor, sealed: Vault | None) -> Actor:
    """An application reaches its own vault whatever others its token lists."""
    if sealed is None or actor.vaults is None:
        return actor
    return replace(actor, vaults=actor.vaults | {sealed.id})
